"""Reading the whole journal again: numbers, chain and checkpoint, and whether it tells the history that is there.

What does not belong here: the histories themselves (histories) and appending (journal).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mrv_assets.domain.checkpoint import Checkpoint, origin_of
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import BrokenChain, MrvError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import JournalEntry, KeptDocument
from mrv_assets.domain.lineage import LineageEvent, Outcome
from mrv_assets.domain.merkle import leaf_hash
from mrv_assets.storage.breach import BreachKind, Findings
from mrv_assets.storage.documents import documents_in
from mrv_assets.storage.histories import token, unaccounted
from mrv_assets.storage.journal import CHECKPOINT, ENTRIES, entry_key, entry_number
from mrv_assets.storage.numbered import counted_up, gap_text
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.slot_paths import record_key


class Chronicle:
    """One reading of the journal against the records that were read before it."""

    def __init__(
        self,
        store: ObjectStore,
        findings: Findings,
        *,
        seals: Mapping[bytes, bytes],
        on_read: Callable[[str, bytes], None],
    ) -> None:
        self._store = store
        self._findings = findings
        self._seals = seals
        self._on_read = on_read
        self._untold = set(seals)
        self._documents: dict[str, KeptDocument] = {}

    def read(self) -> None:
        """Read every entry, then the checkpoint's claim, then name the commits and documents that no entry tells of."""
        checkpoint = self._checkpoint()
        last, sealed = 0, None
        # Grown over every entry, so that the checkpoint is what it was right after the last one that it counts.
        grown = Checkpoint.empty()
        before: str | None = ""
        listed = filter(None, map(entry_number, self._store.list(ENTRIES)))
        for number in counted_up(listed, lambda n: self._store.head(entry_key(n)) is not None):
            data = b""
            if isinstance(number, int):
                last, data = number, self._store.get(entry_key(number)) or b""
                self._on_read(entry_key(number), data)
            if not data or isinstance(number, range):
                self._missing(number)
                before = None
                continue
            before = self._entry(number, data, before)
            grown = _grown(grown, data)
            if checkpoint is not None and number == checkpoint.size:
                sealed = grown if before is not None else None
        if checkpoint is not None:
            self._compare(checkpoint, last, sealed)
        self._check_documents()
        if self._untold and not self._findings.is_journal_damaged():
            self._name_untold()

    def _missing(self, gap: int | range) -> None:
        numbers = range(gap, gap + 1) if isinstance(gap, int) else gap
        key = entry_key(numbers.start)
        self._findings.add(
            BreachKind.ENTRY_MISSING,
            key,
            expected=f"entry {gap_text(numbers)}",
            found="no entry, though there are later",
        )

    def _entry(self, number: int, data: bytes, before: str | None) -> str | None:
        """Read one entry and return its sha256, None when it is damaged and the next cannot be compared with it."""
        key = entry_key(number)
        try:
            entry = JournalEntry.from_bytes(data, where=key)
        except BrokenChain as error:
            self._findings.add(BreachKind.ENTRY_UNREADABLE, key, expected=error.expected, found=error.found)
            return None
        self._follow(entry, number, before)
        for event in entry.events:
            self._event(entry, event)
        self._documents |= {document.key: document for document in entry.documents}
        return sha256_hex(data)

    def _follow(self, entry: JournalEntry, number: int, before: str | None) -> None:
        """Compare an entry with its place; what it says of the one before is held against that one."""
        is_first = before == ""
        if entry.number != number or (is_first and entry.prev is not None):
            self._broken(number, f"number {number}", f"number {entry.number} with prev {entry.prev}")
        elif before and entry.prev != before:
            self._broken(number - 1, f"sha256 {entry.prev}, as entry {number} says", f"sha256 {before}")

    def _broken(self, number: int, expected: str, found: str) -> None:
        self._findings.add(BreachKind.JOURNAL_BROKEN, entry_key(number), expected=expected, found=found)

    def _event(self, entry: JournalEntry, event: LineageEvent) -> None:
        if event.generation is None:
            return
        name = token(event.slot, event.generation)
        if event.outcome is Outcome.COMMITTED:
            self._untold.discard(name)
        told = f"as run {event.run_id} told in entry {entry.number}"
        known = self._seals.get(name)
        key = record_key(event.slot, event.generation)
        if known is None:
            # A record that is there is either not sound, which is noted, or younger than the walk over the records.
            if not self._findings.has(BreachKind.EVENT_WITHOUT_RECORD, key) and self._store.head(key) is None:
                self._findings.add(
                    BreachKind.EVENT_WITHOUT_RECORD, key, expected=f"a record, {told}", found="none", slot=event.slot
                )
        elif not _agrees(event, known):
            self._findings.add(
                BreachKind.RECORD_ALTERED,
                key,
                expected=f"record {event.record_sha256} with content {event.content_digest}, {told}",
                found=f"record {known[:16].hex()}… with content {known[16:].hex()}…",
                slot=event.slot,
            )

    def _checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint, one of an empty journal when there is none, None when it cannot be read."""
        data = self._store.get(CHECKPOINT)
        if data is None:
            return Checkpoint.empty()
        try:
            return Checkpoint.from_bytes(data, where=CHECKPOINT)
        except BrokenChain as error:
            self._findings.add(BreachKind.CHECKPOINT_UNREADABLE, CHECKPOINT, expected=error.expected, found=error.found)
            return None

    def _compare(self, checkpoint: Checkpoint, last: int, sealed: Checkpoint | None) -> None:
        """Compare the checkpoint with the journal as it was read after it; `sealed` is what it has to be."""
        says = f"size {checkpoint.size}, head {checkpoint.head}, root {checkpoint.frontier.root.hex()}"
        if checkpoint.size > last:
            self._findings.add(BreachKind.CHECKPOINT_AHEAD, CHECKPOINT, expected=f"{says}", found=f"{last} entries")
        elif checkpoint.size and sealed is not None and self._contradict(checkpoint, sealed):
            # An entry that another follows has a witness against the checkpoint; the last one has none.
            key = CHECKPOINT if checkpoint.size < last or checkpoint.head == sealed.head else entry_key(last)
            found = f"an entry with sha256 {sealed.head}, root {sealed.frontier.root.hex()}"
            self._findings.add(BreachKind.CHECKPOINT_CONTRADICTS, key, expected=says, found=found)
        elif checkpoint.size < last and self._lags(last):
            self._findings.add(BreachKind.CHECKPOINT_BEHIND, CHECKPOINT, expected=f"size {last}", found=says)

    def _contradict(self, checkpoint: Checkpoint, sealed: Checkpoint) -> bool:
        """Compare tree heads, and only the last entries where an earlier one is damaged, which is told by itself."""
        if self._findings.is_journal_damaged():
            return checkpoint.head != sealed.head
        return checkpoint.tree_head != sealed.tree_head

    def _lags(self, last: int) -> bool:
        """Ask again: a run that ended while the entries were read has moved it."""
        now = self._checkpoint()
        return now is not None and now.size < last

    def _check_documents(self) -> None:
        """Compare every document that an entry tells of with what is kept, and name those that no entry tells of."""
        for key, told in self._documents.items():
            data = self._store.get(key)
            expected = f"{told.kind} with sha256 {told.sha256}"
            if data is None:
                self._findings.add(BreachKind.DOCUMENT_MISSING, key, expected=expected, found="none")
            elif sha256_hex(data) != told.sha256:
                found = f"bytes with sha256 {sha256_hex(data)}"
                self._findings.add(BreachKind.DOCUMENT_ALTERED, key, expected=expected, found=found)
        for key in documents_in(self._store):
            if key not in self._documents and not self._findings.concern(key):
                self._findings.add(
                    BreachKind.DOCUMENT_NOT_IN_JOURNAL, key, expected="an entry that tells of it", found="none"
                )

    def _name_untold(self) -> None:
        """Name them only on a whole journal: what a lost entry told cannot be told apart from what none did."""
        for key, slot in unaccounted(self._store, self._untold):
            data = self._store.get(key)
            try:
                record = GenerationRecord.from_bytes(data or b"", where=key)
            except MrvError:
                continue  # it was sound a moment ago; the next check tells
            self._findings.add(
                BreachKind.RECORD_NOT_IN_JOURNAL,
                key,
                expected=f"an entry that tells of it, event {event_of(record).event_id}",
                found=f"none; run {record.run_id} wrote it at {record.written_utc}",
                slot=slot,
            )


def event_of(record: GenerationRecord) -> LineageEvent:
    """Return the event of a commit as far as its record tells: the factor version only where the record names it."""
    version = record.slot.factor_version or record.pins.get("factor_version")
    return LineageEvent.of_commit(record, factor_version=version)


def _grown(checkpoint: Checkpoint, data: bytes) -> Checkpoint:
    origin = checkpoint.origin or origin_of(sha256_hex(data))
    return Checkpoint(frontier=checkpoint.frontier.grown(leaf_hash(data)), origin=origin, head=sha256_hex(data))


def _agrees(event: LineageEvent, known: bytes) -> bool:
    return (event.record_sha256 or "")[:32] + (event.content_digest or "")[:32] == known.hex()
