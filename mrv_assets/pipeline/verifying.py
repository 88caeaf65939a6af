"""Checking certificates where the store is at hand: contents, growth of the journal and predecessors come from it.

What does not belong here: the checks themselves (verify).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.errors import BrokenChain, MrvError, Transient
from mrv_assets.domain.generation import BlobRef, GenerationRecord
from mrv_assets.domain.merkle import consistency_proof
from mrv_assets.pipeline.bundling import Told, bundle_of
from mrv_assets.pipeline.certificates import certificates, reported_certificates, taken_back
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import PARQUET, blob_key
from mrv_assets.verify.bundle import verify_bundle
from mrv_assets.verify.reader import AtHand, Reader
from mrv_assets.verify.verification import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One generation of a certificate, and what became of its check: an outcome or the first breach."""

    record: GenerationRecord
    outcome: Verification | MrvError


def verify_stored(
    world: World,
    record: GenerationRecord,
    reader: Reader,
    *,
    outside: Sequence[Envelope] = (),
    told: Told | None = None,
) -> Verification:
    """Check one generation of a certificate. Raises what `bundle_of` and `verify_bundle` raise.

    BrokenChain also where the journal is shorter than a published checkpoint, which is a journal rolled back.
    """
    told = told or Told.of(world)
    return verify_bundle(
        bundle_of(world, record, told=told),
        where=f"{record.slot}, generation {record.generation}",
        reader=reader,
        at_hand=AtHand(
            blobs=lambda sha256: world.store.get(blob_key(BlobRef(sha256=sha256, size=0, media_type=PARQUET))),
            outside=outside,
            growth=partial(_growth, told),
            history=_history(world, record),
            withdrawn=taken_back(world.slots, record.slot.project_id, record.slot.period, record.content_digest),
        ),
    )


def judge_all(
    world: World, records: Sequence[GenerationRecord], reader: Reader, *, outside: Sequence[Envelope] = ()
) -> Iterator[Judgement]:
    """Check each of these generations by itself. Raises StoreUnavailable when the store does not answer."""
    try:
        told = Told.of(world)
    except Transient:
        raise
    except MrvError as error:
        yield from (Judgement(record=record, outcome=error) for record in records)
        return
    for record in records:
        try:
            yield Judgement(record=record, outcome=verify_stored(world, record, reader, outside=outside, told=told))
        except Transient:
            raise
        except MrvError as error:
            yield Judgement(record=record, outcome=error)


def _growth(told: Told, first: int, second: int) -> tuple[bytes, ...] | None:
    if second > len(told.leaves):
        raise BrokenChain(
            "journal is shorter than a checkpoint that was published: it was rolled back",
            where="journal",
            expected=f"{second} entries, at least",
            found=f"{len(told.leaves)} entries",
            remedy="stop, keep the store as it is and restore the journal from a replica",
        )
    return consistency_proof(told.leaves[:second], first) if first >= 1 else None


def _history(world: World, record: GenerationRecord) -> frozenset[str]:
    """Return the sha256 of every certificate that this one can have taken the place of."""
    slot = record.slot
    earlier = (world.slots.record(slot, number) for number in range(1, record.generation))
    reported = reported_certificates(world.slots, slot.project_id, slot.period)
    return frozenset((*(one.content_digest for one in earlier), *reported))


def all_certificates(world: World) -> tuple[GenerationRecord, ...]:
    """Return every generation of every certificate. Raises BrokenChain for a record that is gone or unreadable."""
    return tuple(certificates(world.slots))
