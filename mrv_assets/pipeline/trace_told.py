"""What the journal tells of the things on the way of a trace: which entries, which runs, and who started those.

One pass over the entries, whatever the length of the journal. What does not belong here: reading the journal for
breaches (storage).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mrv_assets.domain.errors import BrokenChain, DigestMismatch, Tampering
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import JournalEntry, Parent
from mrv_assets.domain.lineage import LineageEvent
from mrv_assets.domain.partition import Slot
from mrv_assets.storage.journal import Journal, entry_key
from mrv_assets.storage.slot_paths import record_key

Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many entries are read, and how many there are."""

_KEEP = "stop, keep the store as it is and compare the object and the journal with a replica"


@dataclass(slots=True, kw_only=True)
class Told:
    """What entries tell: of each key by entry number, the entries of each run, its parent, and what contradicts.

    `gone` are generations of the slots on the way that are told of and were not there, by entry number.
    """

    read: int = 0
    of_key: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    of_run: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    parents: dict[str, Parent] = field(default_factory=dict)
    contradicted: list[tuple[str, Tampering]] = field(default_factory=list)
    gone: dict[str, int] = field(default_factory=dict)
    broken: BrokenChain | None = None


def listen(
    journal: Journal,
    *,
    records: Mapping[str, GenerationRecord],
    documents: Mapping[str, str],
    progress: Progress | None = None,
) -> Told:
    """Return what the journal tells of generations (by the key of their record) and documents (key to sha256).

    A record or document that is not the one that an entry tells of is in `contradicted`. Where the journal itself
    breaks, `broken` says so, and what came before it is told. Raises StoreUnavailable when the store does not answer.
    """
    told = Told()
    slots = frozenset(record.slot for record in records.values())
    try:
        size = journal.size()
        for entry in journal.entries():
            _hear_entry(told, entry, records, documents, slots)
            if progress is not None:
                progress(entry.number, size)
    except BrokenChain as error:
        told.broken = error
    return told


def _hear_entry(
    told: Told,
    entry: JournalEntry,
    records: Mapping[str, GenerationRecord],
    documents: Mapping[str, str],
    slots: frozenset[Slot],
) -> None:
    told.read = entry.number
    told.of_run[entry.run_id].append(entry.number)
    if entry.parent is not None:
        told.parents[entry.run_id] = entry.parent
    for event in entry.events:
        _hear(told, entry, event, records, slots)
    for document in entry.documents:
        known = documents.get(document.key)
        if known is not None:
            told.of_key[document.key][entry.number] = "kept"
            if document.sha256 != known:
                told.contradicted.append((document.key, _other(document.key, entry.number, document.sha256, known)))


def _hear(
    told: Told,
    entry: JournalEntry,
    event: LineageEvent,
    records: Mapping[str, GenerationRecord],
    slots: frozenset[Slot],
) -> None:
    if event.generation is None:
        return
    key = record_key(event.slot, event.generation)
    record = records.get(key)
    if record is None:
        if event.slot in slots:
            told.gone.setdefault(key, entry.number)
        return
    told.of_key[key].setdefault(entry.number, event.outcome.value)
    if (event.record_sha256, event.content_digest) != (record.sha256, record.content_digest):
        told.contradicted.append((key, _other(key, entry.number, str(event.record_sha256), record.sha256)))


def _other(key: str, number: int, told: str, found: str) -> DigestMismatch:
    return DigestMismatch(
        "stored object is not the one that the journal tells of",
        where=key,
        expected=f"sha256 {told}, as {entry_key(number)} tells",
        found=f"sha256 {found}",
        remedy=_KEEP,
    )
