"""The totals of a previewed bump: by project, factor and period, with what exceeds the threshold of a restatement.

Totals are of what the ledger would report: partitions that are held or refused move no reported tonne and are counted
beside them. Pure. What does not belong here: computing the preview (pipeline) and showing it (cli, orchestration).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from mrv_assets.domain.factor_spans import FactorKey
from mrv_assets.domain.tonnes import Move, Tonnes
from mrv_assets.pipeline.impact import Impact, PartitionImpact

_Key = TypeVar("_Key", str, FactorKey)
_NOTHING = Move(before=Tonnes(), after=Tonnes())


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """The reported tonnes of some partitions before and after, and how many partitions would move, be held, refused.

    `materiality` is the share that the project calls a restatement, None where partitions of several are summed.
    `material` counts the moving partitions that exceed their own.
    """

    move: Move = _NOTHING
    moving: int = 0
    held: int = 0
    refused: int = 0
    material: int = 0
    materiality: Decimal | None = None

    @property
    def is_material(self) -> bool:
        """Whether the total exceeds the threshold of its project."""
        return self.materiality is not None and self.move.exceeds(self.materiality)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactTotals:
    """Every total of a preview, those by key with the largest change first."""

    overall: Total
    held: Move
    by_project: Mapping[str, Total]
    by_factor: Mapping[FactorKey, Total]
    by_period: Mapping[str, Total]

    @property
    def material(self) -> int:
        """How many partitions would be restated by more than their project's threshold."""
        return self.overall.material


def totals_of(impact: Impact) -> ImpactTotals:
    """Sum a preview up."""
    partitions = impact.partitions
    held = [one.move for one in partitions if one.move is not None and one.hold is not None]
    return ImpactTotals(
        overall=_total(partitions),
        held=sum(held, _NOTHING),
        by_project=_sorted(_by(partitions, lambda one: one.key.project_id, is_project=True)),
        by_factor=_sorted(_by_factor(partitions)),
        by_period=_sorted(_by(partitions, lambda one: one.key.period, is_project=False)),
    )


def largest_first(impact: Impact) -> Sequence[PartitionImpact]:
    """Return the partitions, the largest change first, those that are refused at the end."""

    def place(one: PartitionImpact) -> tuple[bool, Decimal, str, str]:
        return (one.move is None, -abs(one.move.delta) if one.move else Decimal(0), one.key.project_id, one.key.period)

    return sorted(impact.partitions, key=place)


def _total(partitions: Iterable[PartitionImpact], materiality: Decimal | None = None) -> Total:
    move, moving, held, refused, material = _NOTHING, 0, 0, 0, 0
    for one in partitions:
        refused += one.move is None
        held += one.move is not None and one.hold is not None
        if one.move is not None and one.is_moving:
            move, moving, material = move + one.move, moving + 1, material + one.is_material
    return Total(move=move, moving=moving, held=held, refused=refused, material=material, materiality=materiality)


def _by(
    partitions: Iterable[PartitionImpact], key: Callable[[PartitionImpact], str], *, is_project: bool
) -> dict[str, Total]:
    groups: dict[str, list[PartitionImpact]] = {}
    for one in partitions:
        groups.setdefault(key(one), []).append(one)
    return {name: _total(group, group[0].materiality if is_project else None) for name, group in sorted(groups.items())}


def _by_factor(partitions: Iterable[PartitionImpact]) -> dict[FactorKey, Total]:
    moves: dict[FactorKey, list[Move]] = {}
    for one in partitions:
        if one.is_moving:
            for key, move in one.factors.items():
                moves.setdefault(key, []).append(move)
    return {key: Total(move=sum(each, _NOTHING), moving=len(each)) for key, each in sorted(moves.items())}


def _sorted(totals: Mapping[_Key, Total]) -> dict[_Key, Total]:
    return dict(sorted(totals.items(), key=lambda item: -abs(item[1].move.delta)))
