"""The journal entries of a bundle: in the tree of the checkpoint, and telling of exactly these records.

An entry that is not in the tree is at fault itself; one that is, is held against the records. What does not belong
here: signatures over the checkpoint (sealed) and checkpoints that were published elsewhere (outside).
"""

from __future__ import annotations

from collections.abc import Iterator

from mrv_assets.domain.checkpoint import TreeHead, origin_of
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import BrokenChain, MrvError, SignatureInvalid
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import LineageEvent, Outcome
from mrv_assets.domain.merkle import leaf_hash, verify_inclusion
from mrv_assets.verify.leaves import first_leaf
from mrv_assets.verify.reading import Entry, Parts, broken, named
from mrv_assets.verify.sealed import Signed
from mrv_assets.verify.verification import Check, held

_NOT_REPEATED = "prev, write_id, evidence or another leaf that the journal does not repeat"


def verify_journal(parts: Parts, signed: Signed) -> Check:
    """Check that the entries are in the tree and tell of the records of the bundle, the commits among them.

    `signed` tells of the checkpoint. Raises BrokenChain naming the entry and event, the proof, the leaf of the
    checkpoint or that of the record; SignatureInvalid naming the leaf of a checkpoint that was changed.
    """
    head = _head(parts)
    apart = [fault for told in parts.entries if (fault := _not_in_tree(told, head, parts)) is not None]
    if apart and signed.is_altered and signed.error is not None:
        require_told(parts, is_proven=False)
        raise _head_altered(signed.error, "checkpoint root or size", apart[0].expected, apart[0].found)
    if apart:
        require_told(parts, is_proven=False)
        raise parts.spoilt or apart[0]
    if signed.is_altered and signed.error is not None:
        raise _contradicted(parts, head, signed.error)
    _require_head(parts, head)
    told = require_told(parts, is_proven=True)
    numbers = ", ".join(str(one.proven.number) for one in parts.entries)
    rest = [named(record) for record in parts.records if record.slot not in told]
    more = f"; told of in entries that are not here: {', '.join(rest)}" if rest else ""
    return held("journal", f"entry {numbers} of {head.size} tells of {len(told)} records{more}")


def _head(parts: Parts) -> TreeHead:
    if parts.head is None or not parts.entries:
        raise broken("bundle has no proof of the journal", parts.where, "entries and a checkpoint", "not both")
    try:
        bytes.fromhex(parts.head.root), bytes.fromhex(parts.head.last)
    except (ValueError, TypeError) as error:
        raise broken("checkpoint root or last is no digest", parts.where, "64 hex digits", str(error)) from error
    return parts.head


def _not_in_tree(told: Entry, head: TreeHead, parts: Parts) -> MrvError | None:
    place = f"{parts.where}, proof of {told}"
    try:
        verify_inclusion(
            leaf_hash(told.proven.data),
            index=told.proven.number - 1,
            size=head.size,
            proof=told.proven.proof,
            root=bytes.fromhex(head.root),
            where=place,
        )
    except BrokenChain as error:
        what = f"{error.what}: changed is the entry, a node of its proof, or the checkpoint"
        is_whole = error.what.startswith("leaf")
        return broken(what if is_whole else error.what, place, error.expected, error.found)
    return None


def require_told(parts: Parts, *, is_proven: bool) -> set[object]:
    """Check what the entries tell of the records; return the slots that they tell of.

    Raises BrokenChain naming the leaf of the record, for entries that are proven, else that of the event.
    """
    told_slots: set[object] = set()
    for record in parts.records:
        for told, event in _events_of(parts, record):
            _require_event(told, event, record, parts, is_proven=is_proven)
            told_slots.add(record.slot)
    for record in filter(None, (parts.sealing, parts.reporting)):
        if not any(event.outcome is Outcome.COMMITTED for _, event in _events_of(parts, record)):
            entries = ", ".join(map(str, parts.entries))
            raise broken(f"{entries} does not tell of {named(record)}", parts.where, "an event of its commit", "none")
    return told_slots


def _events_of(parts: Parts, record: GenerationRecord) -> Iterator[tuple[Entry, LineageEvent]]:
    for told in parts.entries:
        for event in told.entry.events:
            if (event.slot, event.generation) == (record.slot, record.generation):
                yield told, event


def _require_event(
    told: Entry, event: LineageEvent, record: GenerationRecord, parts: Parts, *, is_proven: bool
) -> None:
    expected = LineageEvent.of_commit(record, factor_version=event.factor_version)
    names = ("content_digest",) if event.outcome is not Outcome.COMMITTED else tuple(expected.to_json())
    stated, recorded = event.to_json(), expected.to_json()
    last = ("record_sha256",)
    for name in (*(name for name in names if name not in last), *last):
        leaf = first_leaf(stated.get(name), recorded.get(name))
        if leaf is None:
            continue
        if is_proven:
            path = _NOT_REPEATED if name in last else _recorded(name)
            raise broken(f"{named(record)}: {path} is not what {told} tells", parts.where, leaf.stated, leaf.found)
        what = f"{told}, event {event.event_id} of {record.slot}: {name} is not what the record says"
        raise broken(what, parts.where, leaf.found, leaf.stated)


def _recorded(name: str) -> str:
    """Return what a record calls the leaf that an event calls `name`."""
    return {"occurred_utc": "written_utc", "source": "evidence", "inputs": "inputs or upstream"}.get(name, name)


def _require_head(parts: Parts, head: TreeHead) -> None:
    """Check what the entries can say of the head beside its root: the first names the journal, the last is named."""
    for leaf, expected, found in _said_by_entries(parts, head):
        if expected != found:
            raise broken(f"checkpoint {leaf} is another one", parts.where, expected, found)


def _said_by_entries(parts: Parts, head: TreeHead) -> Iterator[tuple[str, str, str]]:
    for told in parts.entries:
        sha256 = sha256_hex(told.proven.data)
        if told.proven.number == 1:
            yield "origin", origin_of(sha256), str(head.origin)
        if told.proven.number == head.size:
            yield "last", sha256, str(head.last)


def _contradicted(parts: Parts, head: TreeHead, error: MrvError) -> MrvError:
    """Return the error for a checkpoint whose signature does not hold although its root does."""
    for leaf, expected, found in _said_by_entries(parts, head):
        if expected != found:
            return _head_altered(error, f"checkpoint {leaf}", expected, found)
    return _head_altered(error, "checkpoint origin, last or size, or its signature", error.expected, error.found)


def _head_altered(error: MrvError, leaf: str, expected: str, found: str) -> SignatureInvalid:
    what = f"{error.what}: {leaf} was changed"
    return SignatureInvalid(what, where=error.where, expected=expected, found=found, remedy=error.remedy)
