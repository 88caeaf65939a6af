"""Slots and their generations: what is current, what was, and the one way to become current.

The record of generation N+1 is created if absent, and that is the commit: before it readers see N, after it
N+1, and nobody sees a mix. A record is never changed or removed, so a number is never used twice. What does
not belong here: deciding whether a new generation is needed (pipeline) and what a record says (domain).
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import pyarrow as pa

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import BlobRef, GenerationRecord, InputRef, Quarantined, UpstreamRef, check_chain
from mrv_assets.domain.partition import Asset, Slot, checked_id
from mrv_assets.storage import blobs
from mrv_assets.storage.clock import Clock, utc_text
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.overview import Overview
from mrv_assets.storage.parquet import read_parquet
from mrv_assets.storage.races import broken, moved, require_agreement
from mrv_assets.storage.settle import Pause, settle
from mrv_assets.storage.slot_paths import COMMITS, parse_record_key, record_key, slot_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A content that has passed its gates and asks to become current.

    `quarantined` is the Parquet of the rows that were set aside, None for none. `expected` is the generation that was
    current when this was decided, None for an empty slot.
    """

    slot: Slot
    content: bytes
    media_type: str
    content_digest: str
    rows: int
    inputs_digest: str
    inputs: Sequence[InputRef]
    upstream: Sequence[UpstreamRef]
    pins: Mapping[str, str]
    evidence: Mapping[str, str]
    gates: Sequence[GateOutcome]
    reason: str
    run_id: str
    expected: GenerationRecord | None
    quarantined: bytes | None = None
    quarantined_rows: int = 0

    @property
    def contents(self) -> tuple[tuple[BlobRef, bytes], ...]:
        """Everything that has to be stored before the record may name it, with its digest, taken anew."""
        main = (blobs.blob_ref(self.content, self.media_type), self.content)
        if self.quarantined is None:
            return (main,)
        return (main, (blobs.blob_ref(self.quarantined, blobs.PARQUET), self.quarantined))


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """The generation that is current after a commit.

    Not ours when another writer kept the same content first.
    """

    record: GenerationRecord
    is_ours: bool


class SlotStore:
    """Every slot of one object store.

    Raises StoreUnavailable from any method when the store does not answer.
    """

    def __init__(
        self, store: ObjectStore, clock: Clock, *, pause: Pause = time.sleep, overview: Overview | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._pause = pause
        self._overview = overview

    def at_a_glance(self, *, asset: Asset | None = None, project_id: str | None = None) -> SlotStore:
        """Return the same slots, whose `current` is answered from one listing taken now.

        For a run over many slots: what others commit meanwhile it does not see until it commits to the same
        slot itself, which then is a CommitConflict, or until `refresh`. With an asset, or an asset and a project, only
        these are listed, and every other slot is asked for itself.
        """
        listed = self._store.list(_folder(asset, project_id))
        only = None if asset is None else project_id
        overview = Overview(listed, asset=asset, project_id=only, before=self._overview)
        return SlotStore(self._store, self._clock, pause=self._pause, overview=overview)

    def listed(self, asset: Asset) -> Iterator[Slot]:
        """Yield every slot of an asset that had a generation when `at_a_glance` listed them, without asking again.

        Raises ValueError for slots that were not taken at a glance.
        """
        if self._overview is None:
            raise ValueError("only slots at a glance were listed")
        return self._overview.slots(asset)

    def refresh(self, slot: Slot) -> None:
        """Ask the store about this slot from now on, whatever a listing has shown."""
        if self._overview is not None:
            self._overview.forget(slot)

    def current(self, slot: Slot) -> GenerationRecord | None:
        """Return the newest generation, or None for an empty slot.

        Raises BrokenChain when a number is missing below it.
        """
        newest = self.newest(slot)
        return self.record(slot, newest) if newest else None

    def newest(self, slot: Slot) -> int:
        """Return the number of the newest generation, 0 for an empty slot, without reading a record.

        Raises BrokenChain as `current` does.
        """
        listed = self._overview.newest(slot) if self._overview is not None else None
        return self._newest(slot) if listed is None else listed

    def record(self, slot: Slot, generation: int) -> GenerationRecord:
        """Return one generation.

        Raises BrokenChain when it is gone, cannot be read, or is the record of something else.
        """
        if self._overview is None:
            return self._read(slot, generation)
        record = self._overview.kept(slot, generation)
        if record is None:
            record = self._read(slot, generation)
            self._overview.keep(record)
        return record

    def _read(self, slot: Slot, generation: int) -> GenerationRecord:
        key = record_key(slot, generation)
        data = self._store.get(key)
        if data is None:
            raise broken(slot, generation, expected="its record", found=f"nothing under {key}")
        record = GenerationRecord.from_bytes(data, where=key)
        if (record.slot, record.generation) != (slot, generation):
            found = f"the record of {record.slot}, generation {record.generation}"
            raise broken(slot, generation, expected="its own record", found=found)
        return record

    def history(self, slot: Slot) -> tuple[GenerationRecord, ...]:
        """Return all generations, oldest first. Raises BrokenChain unless each names the one before it."""
        records = tuple(self._read(slot, number) for number in range(1, self._newest(slot) + 1))
        check_chain(records)
        return records

    def list_slots(self, *, asset: Asset | None = None, project_id: str | None = None) -> Iterator[tuple[Slot, int]]:
        """Yield every slot that has a generation, with its newest number, from one listing and no record.

        Limited to one asset, one project or both when they are given. Foreign objects are passed over.
        """
        for slot, generations in groupby(self.listed_records(asset=asset, project_id=project_id), key=itemgetter(0)):
            yield slot, max(number for _, number in generations)

    def listed_records(
        self, *, asset: Asset | None = None, project_id: str | None = None
    ) -> Iterator[tuple[Slot, int]]:
        """Yield slot and number of every record that is listed, gaps or not, limited as `list_slots` is."""
        for key in self._store.list(_folder(asset, project_id)):
            parsed = parse_record_key(key)
            if parsed is not None and project_id in (None, parsed[0].project_id):
                yield parsed

    def load_bytes(self, record: GenerationRecord) -> bytes:
        """Return the content of a generation, checked against its digest.

        Raises GateError for a generation without passing gates, DigestMismatch for other bytes, Tampering
        when they are gone.
        """
        record.require_passed()
        return blobs.load_blob(self._store, record.blob, where=f"{record.slot}, generation {record.generation}")

    def load_table(self, record: GenerationRecord, *, columns: list[str] | None = None) -> pa.Table:
        """Return the content of a generation as a table, all of it or only some columns.

        Raises what `load_bytes` raises, and ContractError for a document.
        """
        if record.blob.media_type != blobs.PARQUET:
            raise ContractError(
                "content is not a table",
                where=f"{record.slot}, generation {record.generation}",
                expected=blobs.PARQUET,
                found=record.blob.media_type,
                remedy="read it with load_bytes",
            )
        return read_parquet(self.load_bytes(record), columns=columns)

    def load_quarantine(self, record: GenerationRecord) -> pa.Table | None:
        """Return the rows that were set aside, or None when there are none. Raises what `load_bytes` raises."""
        record.require_passed()
        if record.quarantine is None:
            return None
        where = f"{record.slot}, generation {record.generation}, quarantine"
        return read_parquet(blobs.load_blob(self._store, record.quarantine.blob, where=where))

    def has_blob(self, record: GenerationRecord) -> bool:
        """Tell whether the content is there in the right size, without reading it; a skip rests on this."""
        return all(blobs.has_blob(self._store, blob) for blob in record.blobs)

    def commit(self, draft: Draft, *, proof: Callable[[], None] = lambda: None) -> Committed:
        """Make the draft the current generation, once, whatever is repeated, lost or raced.

        `proof` is asked when the content is stored and before a record names it; what it raises keeps the generation
        from being made. So a proof that takes long can be made meanwhile.

        Raises, with nothing written, GateError when a gate is red or missing and CommitConflict when
        `expected` is no longer current; CommitConflict also when another writer wins with other content.
        Raises CommitStateUnknown when the store does not say whether the record landed; the next run settles
        it. Deletes nothing, ever.
        """
        contents = draft.contents
        record = self._record_of(draft, [ref for ref, _ in contents])
        record.require_passed()
        self.refresh(draft.slot)
        newest, before = self._newest(draft.slot), record.generation - 1
        if newest == record.generation:
            return self._agreed(record)
        if newest != before:
            raise moved(record, newest)
        is_reused = self._put(contents)
        proof()
        data, key = record.to_bytes(), record_key(draft.slot, record.generation)
        if settle(self._store, key, data, pause=self._pause) == data:
            if is_reused:
                # It was an orphan, perhaps, and collected before the record named it; from here on it stays.
                self._put(contents)
            return Committed(record=record, is_ours=True)
        return self._agreed(record)

    def _put(self, contents: Sequence[tuple[BlobRef, bytes]]) -> bool:
        """Store the contents; tell whether any of them was there already."""
        reused = [blobs.put_blob(self._store, ref, data, pause=self._pause) for ref, data in contents]
        return any(reused)

    def _agreed(self, ours: GenerationRecord) -> Committed:
        theirs = self.record(ours.slot, ours.generation)
        require_agreement(ours, theirs)
        return Committed(record=theirs, is_ours=False)

    def _record_of(self, draft: Draft, refs: Sequence[BlobRef]) -> GenerationRecord:
        expected = draft.expected
        if expected is not None and expected.slot != draft.slot:
            raise IdentityError(
                "draft continues another slot",
                where=str(draft.slot),
                expected="the current generation of the same slot",
                found=str(expected.slot),
                remedy="take `expected` from current(slot)",
            )
        main, *aside = refs
        return GenerationRecord(
            slot=draft.slot,
            generation=expected.generation + 1 if expected else 1,
            prev=expected.sha256 if expected else None,
            blob=main,
            content_digest=draft.content_digest,
            rows=draft.rows,
            inputs_digest=draft.inputs_digest,
            inputs=draft.inputs,
            upstream=draft.upstream,
            pins=draft.pins,
            evidence=draft.evidence,
            gates=draft.gates,
            reason=draft.reason,
            run_id=draft.run_id,
            write_id=uuid.uuid4().hex,
            written_utc=utc_text(self._clock()),
            quarantine=Quarantined(blob=aside[0], rows=draft.quarantined_rows) if aside else None,
        )

    def _newest(self, slot: Slot) -> int:
        """Return the newest generation number, 0 for an empty slot.

        Raises BrokenChain when one below it is gone.
        """
        listed = {
            parsed[1]
            for key in self._store.list(slot_folder(slot))
            if (parsed := parse_record_key(key)) and parsed[0] == slot
        }
        newest = max(listed, default=0)
        for number in range(1, newest):
            # A listing may miss a record that is created while it runs; only asking for it tells.
            if number not in listed and self._store.head(record_key(slot, number)) is None:
                raise broken(slot, number, expected=f"every generation up to {newest}", found="no record of this one")
        return newest


def _folder(asset: Asset | None, project_id: str | None) -> str:
    """Return the folder that holds the records of an asset and project, or the nearest one above them."""
    if project_id is not None:
        checked_id(project_id, what="project_id")
    if asset is None:
        return COMMITS
    return f"{COMMITS}{asset.value}/" + (f"project_id={project_id}/" if project_id is not None else "")
