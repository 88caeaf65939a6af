"""The journal: numbered, hash-chained entries of what every run did, created once each and never changed.

The end is found from the checkpoint, which is a hint, and a listing that starts after it, so appending does
not get slower with age. What does not belong here: what an event says (domain) and which events a run has
(pipeline).
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from mrv_assets.domain.checkpoint import Checkpoint, origin_of
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.dsse import CHECKPOINT as CHECKPOINT_TYPE
from mrv_assets.domain.dsse import Signer
from mrv_assets.domain.errors import CommitConflict, Transient
from mrv_assets.domain.journal_entry import JournalEntry, KeptDocument, Parent, unreadable
from mrv_assets.domain.lineage import LineageEvent
from mrv_assets.domain.merkle import leaf_hash
from mrv_assets.storage.clock import Clock, utc_text
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause, backoff, settle

ENTRIES = "journal/entries/"
CHECKPOINT = "journal/checkpoint.json"
_ENTRY = re.compile(r"journal/entries/([0-9]{12})\.json")
# In every round some writer wins, so this many lost rounds mean that many entries of others.
_ROUNDS = 100
_LONGEST_BACKOFF = 5


def entry_key(number: int) -> str:
    """Return the key of one entry; twelve digits, so that keys sort as numbers do."""
    return f"{ENTRIES}{number:012d}.json"


def entry_number(key: str) -> int:
    """Return the number of an entry's key, 0 for a foreign object among them."""
    match = _ENTRY.fullmatch(key)
    return int(match[1]) if match else 0


class Journal:
    """The journal of one object store. With a signer, the checkpoint behind every entry is signed.

    Raises StoreUnavailable from any method when the store does not answer.
    """

    def __init__(
        self, store: ObjectStore, clock: Clock, *, signer: Signer | None = None, pause: Pause = time.sleep
    ) -> None:
        self._store = store
        self._clock = clock
        self._signer = signer
        self._pause = pause

    def append(
        self,
        run_id: str,
        events: Sequence[LineageEvent],
        *,
        documents: Sequence[KeptDocument] = (),
        parent: Parent | None = None,
    ) -> int:
        """Keep all events of a run, and the documents that it kept, as one entry and return its number.

        No events and no documents, no entry: then it is 0.

        Raises CommitConflict when others kept taking the next number, CommitStateUnknown when the store does
        not say whether the entry landed. Events that land twice after such a doubt do no harm: their ids are
        the same.
        """
        if not events and not documents:
            return 0
        for attempt in range(1, _ROUNDS + 1):
            size, head = self._end()
            entry = JournalEntry(
                number=size + 1,
                prev=head,
                run_id=run_id,
                written_utc=utc_text(self._clock()),
                write_id=uuid.uuid4().hex,
                events=tuple(events),
                documents=tuple(documents),
                parent=parent,
            )
            data = entry.to_bytes()
            if settle(self._store, entry_key(entry.number), data, pause=self._pause) == data:
                self._advance(entry.number, data)
                return entry.number
            self._pause(backoff(min(attempt, _LONGEST_BACKOFF)))
        raise CommitConflict(
            "other writers kept taking the next journal number",
            where=f"{self._store.uri}, run {run_id}",
            expected=f"a free number within {_ROUNDS} attempts",
            found=f"{_ROUNDS} entries of others",
            remedy="run again when fewer writers are at work; what was committed stays committed",
        )

    def entries(self, start: int = 1) -> Iterator[JournalEntry]:
        """Yield the entries from number `start` (at least 1) to the one that is last when the call begins.

        Raises BrokenChain at the first entry that is gone, unreadable, or does not continue the one before
        it.
        """
        size = self.size()
        prev = sha256_hex(self.raw(start - 1)) if 1 < start <= size else None
        for number in range(start, size + 1):
            data = self.raw(number)
            entry = JournalEntry.from_bytes(data, where=entry_key(number))
            if (entry.number, entry.prev) != (number, prev):
                raise unreadable(entry_key(number), f"number {entry.number} with prev {entry.prev}, after {prev}")
            yield entry
            prev = sha256_hex(data)

    def size(self) -> int:
        """Return the number of the last entry, 0 for an empty journal."""
        return self._end()[0]

    def raw(self, number: int) -> bytes:
        """Return the bytes of an entry. Raises BrokenChain when there is none."""
        data = self._store.get(entry_key(number))
        if data is None:
            raise unreadable(entry_key(number), "no entry, though the journal goes on")
        return data

    def checkpoint(self) -> Checkpoint:
        """Return the stored checkpoint, which may lag behind; that of an empty journal when there is none."""
        data = self._store.get(CHECKPOINT)
        return Checkpoint.from_bytes(data, where=CHECKPOINT) if data is not None else Checkpoint.empty()

    def present(self) -> Checkpoint:
        """Return the checkpoint of the journal as it is now, signed where there is a signer; write nothing."""
        size, _ = self._end()
        known = self.checkpoint()
        return self._signed(known) if known.size >= size else self._moved(known, size, None)

    def catch_up(self) -> bool:
        """Move a checkpoint that lags to the last entry; tell whether it did. Raises BrokenChain like `size`."""
        size, _ = self._end()
        known = self.checkpoint()
        if known.size >= size:
            return False
        self._store.replace(CHECKPOINT, self._moved(known, size, None).to_bytes())
        return True

    def _end(self) -> tuple[int, str | None]:
        """Return the number of the last entry and its sha256, 0 and None when there is none.

        Raises BrokenChain when the entry that the checkpoint names is not there.
        """
        known = self.checkpoint()
        start_after = entry_key(known.size) if known.size else ""
        numbers = (entry_number(key) for key in self._store.list(ENTRIES, start_after=start_after))
        newest = max(numbers, default=0)
        if newest <= known.size:
            self._require_head(known)
            return known.size, known.head
        return newest, sha256_hex(self.raw(newest))

    def _require_head(self, known: Checkpoint) -> None:
        if known.size and sha256_hex(self.raw(known.size)) != known.head:
            raise unreadable(entry_key(known.size), f"an entry whose sha256 is not {known.head}, as in {CHECKPOINT}")

    def _advance(self, size: int, last: bytes) -> None:
        # The entry is kept already. A checkpoint that cannot be written only makes the next listing longer.
        with suppress(Transient):
            known = self.checkpoint()
            if known.size < size:
                self._store.replace(CHECKPOINT, self._moved(known, size, last).to_bytes())

    def _moved(self, known: Checkpoint, size: int, last: bytes | None) -> Checkpoint:
        """Return the checkpoint after `size` entries; `last` are the bytes of the last one where they are at hand."""
        frontier, origin, data = known.frontier, known.origin, b""
        for number in range(known.size + 1, size + 1):
            data = last if last is not None and number == size else self.raw(number)
            origin = origin or origin_of(sha256_hex(data))
            frontier = frontier.grown(leaf_hash(data))
        return self._signed(Checkpoint(frontier=frontier, origin=origin, head=sha256_hex(data)))

    def _signed(self, checkpoint: Checkpoint) -> Checkpoint:
        head = checkpoint.tree_head
        if self._signer is None or head is None:
            return checkpoint
        return replace(checkpoint, signatures=self._signer.sign(CHECKPOINT_TYPE, head.to_bytes()).signatures)
