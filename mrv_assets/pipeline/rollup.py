"""Rolling up: the figures of shorter periods as one of a longer one, each day once and with shared errors kept.

Months make a quarter, quarters a year, years a monitoring period. Nothing is stored: a roll-up is derived from the live
figures whenever it is asked for. What does not belong here: showing it (cli).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from mrv_assets.domain.certificate import Totals
from mrv_assets.domain.contract import contract_of
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.figure_uncertainty import DeclaredUncertainty, FigureUncertainty
from mrv_assets.domain.partition import Asset, Period
from mrv_assets.domain.window import overlapping
from mrv_assets.pipeline.figures import Figure, live_figures, upstream_record
from mrv_assets.pipeline.world import World
from mrv_assets.stages.spread import USED, figure_terms, figure_uncertainty
from mrv_assets.uncertainty.factored_terms import SourcedTerm


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledUp:
    """The figures of a project inside a period, by their days, which are all days of the period, each once.

    `uncertainty` is None where the project says nothing of it.
    """

    project_id: str
    period: Period
    parts: Sequence[Figure]
    totals: Totals
    uncertainty: FigureUncertainty | None


def roll_up(world: World, project_id: str, period: Period) -> RolledUp:
    """Roll up what is reported now.

    Raises ContractError when days are missing or in two figures, when a figure reaches beyond the period, because it
    cannot be cut, and when figures are in other warming potentials than others. Raises what reading figures raises.
    """
    project = world.references.project(project_id)
    found = live_figures(world.slots, project_id=project_id, period=None)
    parts = sorted(
        (figure for figure in found if Period.parse(figure.period).overlaps(period)),
        key=lambda figure: Period.parse(figure.period).first,
    )
    _require_each_day_once(project_id, period, [Period.parse(figure.period) for figure in parts])
    _require_one_gwp_set(project_id, period, parts)
    return RolledUp(
        project_id=project_id,
        period=period,
        parts=parts,
        totals=_sum(parts),
        uncertainty=_spread(world, parts, project.uncertainty, period) if project.uncertainty else None,
    )


def _require_each_day_once(project_id: str, period: Period, parts: Sequence[Period]) -> None:
    beyond = [str(part) for part in parts if not period.contains(part)]
    twice = [f"{one} and {other}" for one, other in overlapping(parts)]
    missing = [] if beyond or twice else _missing(period, parts)
    if beyond or twice or missing:
        raise ContractError(
            "period cannot be rolled up",
            where=f"{project_id} {period}",
            expected=f"live figures for every day from {period.first} to {period.last}, each day in one of them",
            found="; ".join(
                [
                    *(f"{part} reaches beyond it" for part in beyond),
                    *(f"{pair} share days" for pair in twice),
                    *(f"nothing for {gap}" for gap in missing),
                ]
            ),
            remedy="report the missing periods first, or roll up a period that whole figures make up",
        )


def _require_one_gwp_set(project_id: str, period: Period, parts: Sequence[Figure]) -> None:
    found = {part.period: _gwp_sets(part) for part in parts}
    if len(set(found.values())) > 1:
        raise ContractError(
            "figures in different warming potentials cannot be added",
            where=f"{project_id} {period}",
            expected="one GWP set behind all figures",
            found=", ".join(f"{name} with {gwp_set}" for name, gwp_set in found.items()),
            remedy="run the periods that differ with a factor release of the other GWP set",
        )


def _gwp_sets(figure: Figure) -> str:
    """Return the GWP sets that a figure rests on by name; their files never change once they are released."""
    return " and ".join(sorted({ref.name for ref in figure.certificate.inputs if ref.kind == "gwp_set"})) or "none"


def _missing(period: Period, parts: Sequence[Period]) -> list[str]:
    gaps, due = [], period.first
    for part in parts:
        if part.first > due:
            gaps.append(f"{due} to {part.first - timedelta(days=1)}")
        due = part.last + timedelta(days=1)
    if due <= period.last:
        gaps.append(f"{due} to {period.last}")
    return gaps


def _sum(parts: Sequence[Figure]) -> Totals:
    first, *others = (figure.totals for figure in parts)
    total = first
    for more in others:
        total = Totals(
            emissions_tco2e=EXACT.add(total.emissions_tco2e, more.emissions_tco2e),
            removals_tco2e=EXACT.add(total.removals_tco2e, more.removals_tco2e),
            activity_rows=total.activity_rows + more.activity_rows,
        )
    return total


def _spread(world: World, parts: Sequence[Figure], said: DeclaredUncertainty, period: Period) -> FigureUncertainty:
    """Join the terms of all figures: what they share, such as one factor, stays one error."""
    terms = [term for figure in parts for term in _terms(world, figure, said)]
    where = f"{parts[0].project_id} {period}"
    return figure_uncertainty(terms, said, seed=f"{parts[0].project_id} {period}", where=where)


def _terms(world: World, figure: Figure, said: DeclaredUncertainty) -> Sequence[SourcedTerm]:
    factored = upstream_record(world.slots, figure.record, Asset.FACTORED)
    known = {column.name for column in contract_of(Asset.FACTORED, factored.pins.get("contract")).columns}
    if not known.issuperset(USED):
        raise ContractError(
            "figure does not say whose factors it was made with",
            where=f"{factored.slot}, generation {factored.generation}",
            expected=f"a factored table with {', '.join(USED)}",
            found=f"contract {factored.pins.get('contract')}",
            remedy="run the partition again: the figure stays, and its tables say more",
        )
    release = world.references.factor_release(figure.factor_version)
    table = world.slots.load_table(factored, columns=USED)
    return figure_terms(table, release, said, where=str(factored.slot))
