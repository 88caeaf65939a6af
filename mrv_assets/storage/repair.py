"""Completing what a crash left: the published view, the journal entry, the checkpoint.

Everything is made again from sound records; no record, blob or entry is changed or removed, and what a report calls not
repairable is left alone. What does not belong here: finding out what is missing (fsck).
"""

from __future__ import annotations

from dataclasses import dataclass

from mrv_assets.domain.dsse import Signer
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import KeptDocument
from mrv_assets.domain.lineage import LineageEvent, Outcome
from mrv_assets.domain.partition import Slot
from mrv_assets.storage.breach import BreachKind, Report
from mrv_assets.storage.chronicle import event_of
from mrv_assets.storage.clock import Clock
from mrv_assets.storage.documents import kept_document
from mrv_assets.storage.journal import Journal
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.published import publish, published_slot
from mrv_assets.storage.slot_paths import parse_record_key
from mrv_assets.storage.slots import SlotStore

RUN_ID = "fsck"
"""Whose entry the healed events are in; the events themselves name the run that committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """What a repair did: views published, what was told in one `entry` of the journal (0: none), checkpoint moved."""

    published: tuple[str, ...]
    told: tuple[str, ...]
    entry: int
    has_moved_checkpoint: bool


def repair(store: ObjectStore, clock: Clock, report: Report, *, signer: Signer | None = None) -> Repaired:
    """Complete the repairable breaches of `report`. Doing it again changes nothing.

    Each is looked at once more, so that a report that is old does no harm. Raises what `SlotStore.load_bytes` and
    `Journal.append` raise.
    """
    keys = {kind: [b.key for b in report.repairable if b.kind is kind] for kind in BreachKind}
    slots, journal = SlotStore(store, clock), Journal(store, clock, signer=signer)
    views = [*keys[BreachKind.VIEW_MISSING], *keys[BreachKind.VIEW_STALE]]
    published = [key for key in views if _publish(store, slots, key)]
    told = _untold(journal, [_record(slots, key) for key in keys[BreachKind.RECORD_NOT_IN_JOURNAL]])
    documents = _untold_documents(store, journal, keys[BreachKind.DOCUMENT_NOT_IN_JOURNAL])
    entry = journal.append(RUN_ID, [event for _, event in told], documents=documents)
    has_moved = bool(keys[BreachKind.CHECKPOINT_BEHIND]) and journal.catch_up()
    return Repaired(
        published=tuple(published),
        told=(
            *(f"{record.slot}, generation {record.generation}" for record, _ in told),
            *(document.key for document in documents),
        ),
        entry=entry,
        has_moved_checkpoint=has_moved,
    )


def _publish(store: ObjectStore, slots: SlotStore, key: str) -> bool:
    """Show what is current, also when that changes meanwhile; tell whether anything was written."""
    slot = published_slot(key)
    has_written, shown = False, None
    newest = slots.current(slot) if slot is not None else None
    while newest is not None and newest != shown:
        data = slots.load_bytes(newest)
        has_written |= store.get(key) != data
        publish(store, newest.slot, data)
        shown, newest = newest, slots.current(newest.slot)
    return has_written


def _record(slots: SlotStore, key: str) -> GenerationRecord:
    parsed: tuple[Slot, int] | None = parse_record_key(key)
    if parsed is None:
        raise ValueError(f"{key} is not the key of a record")
    return slots.record(*parsed)


def _untold(journal: Journal, records: list[GenerationRecord]) -> list[tuple[GenerationRecord, LineageEvent]]:
    """Return the events of these commits, without those that the journal tells of by now."""
    events = {event.event_id: (record, event) for record in records for event in (event_of(record),)}
    if events:
        for entry in journal.entries():
            for event in entry.events:
                if event.outcome is Outcome.COMMITTED:
                    events.pop(event.event_id, None)
    return list(events.values())


def _untold_documents(store: ObjectStore, journal: Journal, keys: list[str]) -> list[KeptDocument]:
    """Return these documents as they are kept, without those that the journal tells of by now."""
    kept = {key: kept_document(key, data) for key in keys if (data := store.get(key)) is not None}
    if kept:
        for entry in journal.entries():
            for document in entry.documents:
                kept.pop(document.key, None)
    return list(kept.values())
