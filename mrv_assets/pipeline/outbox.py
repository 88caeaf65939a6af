"""The outbox: every journal entry reaches a target at least once, in order, whatever dies on the way.

The journal is the outbox itself: nothing is queued beside it, and no run waits for a target. What does not belong
here: what a target is told of an entry (openlineage, alerts), and the file that says how far it is (storage/cursors).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import Tampering
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.pipeline.world import World
from mrv_assets.storage.cursors import Cursor, Cursors


class Taker(Protocol):
    """What takes entries. Its cursor is kept by `name`."""

    @property
    def name(self) -> str:
        """The name of the target."""
        ...

    def begin(self) -> None:
        """Get ready, before the first entry of a delivery."""
        ...

    def take(self, entry: JournalEntry) -> int:
        """Tell the target everything of an entry and return how many messages that were.

        When it returns the target has them all. Raises what keeps the target from having them.
        """
        ...


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
    """What was delivered, in entries and in messages, and how far the target is after it."""

    standing: Standing
    entries: int
    messages: int


def deliver(
    world: World,
    taker: Taker,
    cursors: Cursors,
    *,
    from_the_first: bool = False,
    at_most: int | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Delivery:
    """Deliver the entries that the target has not taken yet, at most so many; `from_the_first` all of them again.

    The cursor moves on when a whole entry is delivered. A death in between repeats that entry. `progress` is told the
    number of the entry that was delivered and of the last.

    Raises what the taker raises and Transient when another delivery is at work; Tampering when the journal is shorter
    than what was delivered of it, or has another entry in that place; what `Journal.entries` raises.
    """
    with cursors.held(taker.name):
        known = cursors.read(taker.name)
        last = _last(world, known)
        entries = messages = 0
        taker.begin()
        for entry in _due(world, known, from_the_first=from_the_first):
            messages += taker.take(entry)
            known = _moved(cursors, known, entry)
            entries += 1
            progress(entry.number, last)
            if entries == at_most:
                break
    standing = Standing(target=taker.name, delivered=known.delivered, last=max(last, known.delivered))
    return Delivery(standing=standing, entries=entries, messages=messages)


def standings(world: World, cursors: Cursors, names: Iterable[str] = ()) -> tuple[Standing, ...]:
    """Return how far each target is that was delivered to before, and each of `names`. Raises what `deliver` does."""
    known = {cursor.target: cursor for cursor in cursors.all()}
    for name in names:
        known.setdefault(name, cursors.read(name))
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
