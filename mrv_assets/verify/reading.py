"""Reading the parts of a bundle so far that a change in one of them can be named, also where its own seal is broken.

A record or entry that was edited without being sealed anew is read as what it says, and the broken seal is kept, to be
raised when no check has named the leaf before. What does not belong here: what the parts say of one another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mrv_assets.domain.bundle import Bundle, ProvenEntry
from mrv_assets.domain.checkpoint import TreeHead
from mrv_assets.domain.digest import self_sealed_json
from mrv_assets.domain.dsse import CHECKPOINT, IN_TOTO, Envelope
from mrv_assets.domain.errors import BrokenChain, MrvError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.domain.trust import utc_instant

STOP = "do not rely on this file; ask the operator for it again, and compare both with what was published"
_CHAIN = tuple(asset for asset in Asset if asset is not Asset.LEDGER)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A journal entry as it is read, and how it was handed out."""

    proven: ProvenEntry
    entry: JournalEntry

    def __str__(self) -> str:
        return f"journal entry {self.proven.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A bundle that is read: the five records and that of the ledger, entries and tree head.

    `spoilt` is the first part whose own seal is broken.
    """

    where: str
    envelope: Envelope
    records: Sequence[GenerationRecord]
    ledger: bytes | None
    entries: Sequence[Entry]
    checkpoint: Envelope | None
    head: TreeHead | None
    spoilt: MrvError | None

    @property
    def sealing(self) -> GenerationRecord:
        """The record of the certificate."""
        return self.records[len(_CHAIN) - 1]

    @property
    def key(self) -> PartitionKey:
        """The partition of the record of the certificate."""
        return _key(self.sealing)

    @property
    def reporting(self) -> GenerationRecord | None:
        """The record of the ledger, None where the certificate was never reported."""
        return self.records[len(_CHAIN)] if len(self.records) > len(_CHAIN) else None


def read_parts(bundle: Bundle, where: str) -> Parts:
    """Read every part. Raises BrokenChain naming the part that is none, is missing, or is of another kind."""
    _require_kind("envelope", bundle.envelope, IN_TOTO, where)
    if bundle.checkpoint is not None:
        _require_kind("checkpoint", bundle.checkpoint, CHECKPOINT, where)
    names = [asset.value for asset in Asset][: len(bundle.records)]
    if len(bundle.records) not in (len(_CHAIN), len(Asset)):
        raise broken("records are not those of one certificate", where, "5, or 6 with the ledger", f"{len(names)}")
    read = [_record(data, f"{where}, record {name}") for name, data in zip(names, bundle.records, strict=True)]
    told = [_entry(proven, where) for proven in bundle.entries]
    signed = bundle.checkpoint
    head = None if signed is None else TreeHead.from_bytes(signed.payload, where=f"{where}, checkpoint")
    return Parts(
        where=where,
        envelope=bundle.envelope,
        records=_in_order([record for record, _ in read], where),
        ledger=bundle.ledger,
        entries=tuple(entry for entry, _ in told),
        checkpoint=bundle.checkpoint,
        head=head,
        spoilt=next((error for _, error in (*read, *told) if error is not None), None),
    )


def named(record: GenerationRecord) -> str:
    """Return how a record is told of in an error."""
    return f"record {record.slot.asset} generation {record.generation}"


def broken(what: str, where: str, expected: str, found: str) -> BrokenChain:
    """Return the error for parts that do not belong together."""
    return BrokenChain(what, where=where, expected=expected, found=found, remedy=STOP)


def _require_kind(name: str, envelope: Envelope, kind: str, where: str) -> None:
    if envelope.payload_type != kind:
        raise broken(f"{name}.payloadType is another one", where, kind, envelope.payload_type[:100])


def _in_order(records: Sequence[GenerationRecord], where: str) -> tuple[GenerationRecord, ...]:
    for asset, record in zip(Asset, records, strict=False):
        if record.slot.asset is not asset:
            raise broken("record is of another asset", where, f"that of {asset}", named(record))
    return tuple(records)


def _record(data: bytes, where: str) -> tuple[GenerationRecord, MrvError | None]:
    record, spoilt = _leniently(data, lambda one: GenerationRecord.from_bytes(one, where=where), where)
    for name in ("pins", "evidence"):
        if not all(isinstance(text, str) for text in getattr(record, name).values()):
            raise broken(f"{name} hold what is no text", where, "text by name", f"{getattr(record, name)!r}"[:100])
    for name in ("generation", "rows"):
        if type(getattr(record, name)) is not int:
            raise broken(f"{name} is no number", where, "a whole number", f"{getattr(record, name)!r}"[:100])
    for name in ("content_digest", "inputs_digest", "run_id", "written_utc"):
        if not isinstance(getattr(record, name), str):
            raise broken(f"{name} is no text", where, "text", f"{getattr(record, name)!r}"[:100])
    _require_instant(record.written_utc, where)
    _require_identity(record, where)
    return record, spoilt


def _entry(proven: ProvenEntry, where: str) -> tuple[Entry, MrvError | None]:
    place = f"{where}, journal entry {proven.number}"
    entry, spoilt = _leniently(proven.data, lambda one: JournalEntry.from_bytes(one, where=place), place)
    if type(entry.number) is not int or entry.number != proven.number:
        what = f"journal entry {proven.number}: number is another one"
        raise broken(what, where, f"{proven.number}", f"{entry.number}")
    _require_instant(entry.written_utc, place)
    return Entry(proven=proven, entry=entry), spoilt


def _require_instant(text: object, where: str) -> None:
    try:
        utc_instant(str(text), where=where)
    except MrvError as error:
        raise broken("written_utc is no instant", where, error.expected, f"{text!r}"[:100]) from error


def _require_identity(record: GenerationRecord, where: str) -> None:
    try:
        _key(record)
    except MrvError as error:
        raise broken("slot is none", where, error.expected, error.found[:100]) from error


def _key(record: GenerationRecord) -> PartitionKey:
    slot = record.slot
    version = "none" if slot.factor_version is None else slot.factor_version
    return PartitionKey(project_id=slot.project_id, period=slot.period, factor_version=version)


def _leniently(data: bytes, read: Callable[[bytes], T], where: str) -> tuple[T, MrvError | None]:
    try:
        return read(data), None
    except BrokenChain as error:
        again = _sealed_anew(data)
        if again is None or again == data:
            raise
        spoilt = broken(f"{error.what}: its own seal is broken", where, error.expected, error.found)
        return read(again), spoilt


def _sealed_anew(data: bytes) -> bytes | None:
    try:
        document = json.loads(data)
        del document["self_sha256"]
        return self_sealed_json(document)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, MrvError):
        return None
