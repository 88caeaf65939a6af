"""Two writers, one slot: when another writer's generation is as good as ours, and what to say when it is not.

What does not belong here: reading and writing records (slots).
"""

from __future__ import annotations

from mrv_assets.domain.errors import BrokenChain, CommitConflict
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Slot


def require_agreement(ours: GenerationRecord, theirs: GenerationRecord) -> None:
    """Return when another writer's generation says what ours would have said.

    Raises CommitConflict, which names both, for other content; BrokenChain when it continues another record,
    and GateError when it has not passed its gates.
    """
    if theirs.prev != ours.prev:
        raise broken(
            ours.slot,
            ours.generation,
            expected=f"a record with prev {ours.prev}",
            found=f"prev {theirs.prev}",
        )
    if theirs.content_digest != ours.content_digest:
        raise CommitConflict(
            "another writer took the generation number with other content",
            where=f"{ours.slot}, generation {ours.generation}",
            expected=f"content {ours.content_digest} of run {ours.run_id}",
            found=f"content {theirs.content_digest} of run {theirs.run_id}",
            remedy="decide again on the new current generation",
        )
    theirs.require_passed()


def moved(ours: GenerationRecord, newest: int) -> CommitConflict | BrokenChain:
    """Return the error for a slot whose `newest` generation is not the one that ours was decided on."""
    before = ours.generation - 1
    if newest < before:
        return broken(ours.slot, before, expected="the record this was decided on", found=f"newest is {newest}")
    return CommitConflict(
        "slot has moved on since this was decided",
        where=str(ours.slot),
        expected=f"generation {before} to be current, for content {ours.content_digest} of run {ours.run_id}",
        found=f"generation {newest}",
        remedy="decide again on the new current generation",
    )


def broken(slot: Slot, generation: int, *, expected: str, found: str) -> BrokenChain:
    """Return the error for a record that is gone, or is not what it should be."""
    return BrokenChain(
        "history of the slot is not whole",
        where=f"{slot}, generation {generation}",
        expected=expected,
        found=found,
        remedy="stop, keep the store as it is and restore the record from a replica",
    )
