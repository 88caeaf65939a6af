"""What a store has to hold in the end: what the same partitions come to when nobody disturbs them.

What does not belong here: disturbing them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.figures import live_figures
from mrv_assets.pipeline.fsck import check_store, repair_store
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World

_TABLES = (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED)
"""What holds nothing of a run. A certificate names the records below it, and a record says when it was written."""

_K = TypeVar("_K")
_V = TypeVar("_V")

Contents = Mapping[Slot, tuple[str, ...]]
Figures = Mapping[tuple[str, str], Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The generations of each slot, the contents of the tables, oldest first, and the figures in t CO2e."""

    generations: Mapping[Slot, int]
    contents: Contents
    figures: Figures

    @classmethod
    def of(cls, world: World) -> Truth:
        """Read a store."""
        slots = world.slots
        histories = {slot: slots.history(slot) for slot, _ in slots.list_slots()}
        figures = live_figures(slots, project_id=None, period=None)
        return cls(
            generations={slot: len(history) for slot, history in histories.items()},
            contents={
                slot: tuple(record.content_digest for record in history)
                for slot, history in histories.items()
                if slot.asset in _TABLES
            },
            figures={(figure.project_id, figure.period): figure.totals.net_tco2e for figure in figures},
        )

    @property
    def total_tco2e(self) -> Decimal:
        """The sum of all figures."""
        return sum(self.figures.values(), Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """How a store differs from the truth, and what fsck says of it.

    `missing` and `extra` count generations, `wrong` contents and figures. `completed` tells by kind what a repair
    completed, `breaches` what is still wrong after it.
    """

    generations: int
    missing: int
    extra: int
    wrong: int
    completed: Mapping[str, int]
    breaches: int
    total_tco2e: Decimal


def run_in_peace(world: World, wanted: Sequence[PartitionKey]) -> None:
    """Walk the partitions through all assets without Dagster."""
    run = Run(world.at_a_glance(), run_id="undisturbed")
    for key in wanted:
        for asset in Asset:
            run.advance(asset, key)
    run.close()


def compare(world: World, truth: Truth) -> Found:
    """Compare a store with the truth, and let fsck check and repair it."""
    found = Truth.of(world)
    pairs = [(truth.generations.get(slot, 0), found.generations.get(slot, 0)) for slot in _either(truth, found)]
    before = check_store(world)
    if before.repairable:
        repair_store(world, before)
    return Found(
        generations=sum(found.generations.values()),
        missing=sum(max(0, wanted - there) for wanted, there in pairs),
        extra=sum(max(0, there - wanted) for wanted, there in pairs),
        wrong=_differing(truth.contents, found.contents) + _differing(truth.figures, found.figures),
        completed=Counter(breach.kind.value for breach in before.repairable),
        breaches=len(check_store(world).breaches),
        total_tco2e=found.total_tco2e,
    )


def _either(truth: Truth, found: Truth) -> set[Slot]:
    return {*truth.generations, *found.generations}


def _differing(wanted: Mapping[_K, _V], found: Mapping[_K, _V]) -> int:
    return sum(1 for key in {*wanted, *found} if wanted.get(key) != found.get(key))
