"""The outbox: every journal entry reaches a target at least once, in order, whatever dies on the way.

The journal is the outbox itself: nothing is queued beside it, and no run waits for a catalogue.
What does not belong here: what an event says (events).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import Tampering
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.openlineage.cursor import Cursor, Cursors
from mrv_assets.openlineage.events import events_of
from mrv_assets.openlineage.sending import mend, send, settle
from mrv_assets.openlineage.targets import Target
from mrv_assets.pipeline.world import World

_RECORDS = 4096  # records in memory: neighbouring entries name the same ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far a target is: the last entry that it has taken, and the last that there is."""

    target: str
    delivered: int
    last: int

    @property
    def behind(self) -> int:
        """How many entries it has not taken."""
        return self.last - self.delivered


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What an export has delivered, and how far the target is after it."""

    standing: Standing
    entries: int
    events: int


def deliver(
    world: World,
    target: Target,
    cursors: Cursors,
    *,
    from_the_first: bool = False,
    at_most: int | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Delivery:
    """Deliver the entries that the target has not taken yet, at most so many; `from_the_first` all of them again.

    The cursor moves on when a whole entry is delivered. A death in between repeats that entry, under the same ids.
    `progress` is told the number of the entry that was delivered and of the last.

    Raises what `send` raises and Transient when another export is at work; Tampering when the journal is shorter than
    what was delivered of it, or has another entry in that place; what `Journal.entries` and `SlotStore.record` raise.
    """
    with cursors.held(target.name):
        known = cursors.read(target.name)
        last = _last(world, known)
        entries = events = 0
        records = lru_cache(_RECORDS)(world.slots.record)
        mend(target)
        for entry in _due(world, known, from_the_first=from_the_first):
            for event in events_of(entry, records, namespace=world.store.uri):
                send(target, event)
                events += 1
            settle(target)
            known = _moved(cursors, known, entry)
            entries += 1
            progress(entry.number, last)
            if entries == at_most:
                break
    standing = Standing(target=target.name, delivered=known.delivered, last=max(last, known.delivered))
    return Delivery(standing=standing, entries=entries, events=events)


def standings(world: World, cursors: Cursors, targets: tuple[Target, ...] = ()) -> tuple[Standing, ...]:
    """Return how far each target is that was delivered to before, and each of `targets`. Raises what `deliver` does."""
    known = {cursor.target: cursor for cursor in cursors.all()}
    for target in targets:
        known.setdefault(target.name, cursors.read(target.name))
    return tuple(
        Standing(target=name, delivered=cursor.delivered, last=_last(world, cursor))
        for name, cursor in sorted(known.items())
    )


def _last(world: World, known: Cursor) -> int:
    size = world.journal.size()
    if known.delivered > size:
        raise _rolled_back(world, known, expected=f"at least {known.delivered} entries", found=f"{size} entries")
    return size


def _due(world: World, known: Cursor, *, from_the_first: bool) -> Iterator[JournalEntry]:
    for entry in world.journal.entries(1 if from_the_first else max(known.delivered, 1)):
        if entry.number == known.delivered and sha256_hex(entry.to_bytes()) != known.head:
            raise _rolled_back(
                world, known, expected=f"entry {entry.number} with sha256 {known.head}", found="another entry"
            )
        if from_the_first or entry.number > known.delivered:
            yield entry


def _moved(cursors: Cursors, known: Cursor, entry: JournalEntry) -> Cursor:
    if entry.number <= known.delivered:
        return known
    head = sha256_hex(entry.to_bytes())
    moved = Cursor(store=known.store, target=known.target, delivered=entry.number, head=head)
    cursors.write(moved)
    return moved


def _rolled_back(world: World, known: Cursor, *, expected: str, found: str) -> Tampering:
    return Tampering(
        "journal is not the one that was delivered",
        where=f"{world.store.uri}, journal, delivered to {known.target}",
        expected=expected,
        found=found,
        remedy="stop, keep the store as it is, compare it with a published checkpoint, and run `mrv fsck`",
    )
