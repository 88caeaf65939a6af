"""Whether lost content can be made again from here: newest generation, by this code, from inputs that are here.

What does not belong here: finding out that it was lost (fsck) and saying so (doctor_chain).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mrv_assets.domain.approval import APPROVAL
from mrv_assets.domain.errors import Refusal, Tampering
from mrv_assets.domain.generation import REINSTATEMENT, WITHDRAWAL, GenerationRecord
from mrv_assets.domain.partition import Slot
from mrv_assets.pipeline.doctor_chain import Remade
from mrv_assets.pipeline.present import Present
from mrv_assets.pipeline.recipes import stage_code
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.breach import Breach, BreachKind

_KEPT_HERE = (APPROVAL, WITHDRAWAL, REINSTATEMENT)
"""The kinds of inputs that are words of people, kept in the store itself and checked there."""

_LOST = frozenset({BreachKind.BLOB_MISSING, BreachKind.BLOB_ALTERED})


class Remaking:
    """Tells of lost contents whether running the partition makes the same bytes, or why it cannot."""

    def __init__(
        self,
        world: World,
        present: Present,
        *,
        resting: Mapping[str, Sequence[GenerationRecord]],
        newest: Mapping[Slot, int],
        breaches: Iterable[Breach],
    ) -> None:
        """Look among the generations that rest on each blob, by its key, and the newest number of each slot."""
        self._world = world
        self._present = present
        self._resting = resting
        self._newest = newest
        self._lost = {breach.key for breach in breaches if breach.kind in _LOST}

    def of(self, key: str) -> Sequence[Remade]:
        """Return one answer for each generation that needs the blob."""
        return tuple(self._remade(record) for record in self._resting.get(key, ()))

    def _remade(self, record: GenerationRecord) -> Remade:
        slot = record.slot
        version = slot.factor_version or record.pins.get("factor_version", "")
        command = f"mrv run {slot.project_id} {slot.period} {version}".rstrip()
        reasons = tuple(self._reasons(record))
        return Remade(who=f"{slot}, generation {record.generation}", command=command, why_not="; ".join(reasons))

    def _reasons(self, record: GenerationRecord) -> Iterator[str]:
        if record.generation != self._newest[record.slot]:
            yield f"a run makes the newest generation, {self._newest[record.slot]}, and not an earlier one"
        if record.pins.get("code") != stage_code(record.slot.asset):
            yield "it was made by other code than this"
        for ref in record.inputs:
            found = self._present.look(ref)
            if not found.is_here and ref.kind not in _KEPT_HERE:
                yield f"{ref.kind} {ref.name} is {found.presence.value}"
        for up in record.upstream:
            yield from self._upstream_reasons(up.slot, up.generation)

    def _upstream_reasons(self, slot: Slot, generation: int) -> Iterator[str]:
        try:
            record = self._world.slots.record(slot, generation)
        except (Tampering, Refusal):
            yield f"the record of {slot}, generation {generation}, cannot be read"
            return
        if not self._lost.isdisjoint(blob_key(blob) for blob in record.blobs):
            yield f"the content of {slot}, generation {generation}, is lost as well"
