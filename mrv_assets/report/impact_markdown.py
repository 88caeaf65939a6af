"""A previewed bump as Markdown, for a page that has no room for ten thousand rows.

What does not belong here: the terminal (cli).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mrv_assets.domain.factor_spans import FactorKey
from mrv_assets.pipeline.impact import Impact, PartitionImpact
from mrv_assets.report.impact import ImpactTotals, Total, largest_first
from mrv_assets.report.markdown import table
from mrv_assets.report.wording import share, signed_tonnes, tonnes

_SHOWN = 50
_REST = "`mrv factors impact --json`"
_HEAD = ("before, t", "after, t", "change, t", "change", "")
RESTATED = "beyond the threshold"


def impact_markdown(impact: Impact, totals: ImpactTotals) -> str:
    """Return the totals and the partitions that change most as tables."""
    overall = totals.overall
    summary = (
        f"**{impact.before or 'what is live'} → {impact.after}**: {overall.moving:,} figures would move by "
        f"{signed_tonnes(overall.move.delta)} t CO2e, {overall.material:,} of them {RESTATED}; "
        f"{overall.held:,} held, {overall.refused:,} refused, {impact.already:,} rest on it already."
    )
    parts = [summary]
    if impact.partitions:
        parts += [_totals("project", totals.by_project), _totals("factor", totals.by_factor)]
        parts += [_totals("period", totals.by_period), _partitions(largest_first(impact))]
    return "\n\n".join(parts)


def _totals(name: str, totals: Mapping[str, Total] | Mapping[FactorKey, Total]) -> str:
    rows = [(str(key), *_cells(total)) for key, total in totals.items() if total.moving]
    return table((name, *_HEAD), rows, shown=_SHOWN, rest=_REST)


def _cells(total: Total) -> tuple[str, ...]:
    move = total.move
    mark = RESTATED if total.is_material else ""
    return tonnes(move.before.net), tonnes(move.after.net), signed_tonnes(move.delta), share(move.share), mark


def _partitions(partitions: Sequence[PartitionImpact]) -> str:
    rows = [(one.key.project_id, one.key.period, *_partition(one)) for one in partitions]
    return table(("project", "period", *_HEAD), rows, shown=_SHOWN, rest=_REST)


def _partition(one: PartitionImpact) -> tuple[str, ...]:
    if one.move is None:
        return tonnes(one.before.net), "", "", "", f"refused: {one.refusal}"
    notes = [RESTATED] * one.is_material + ([f"held: {one.hold}"] if one.hold else [])
    delta, part = signed_tonnes(one.move.delta), share(one.move.share)
    return tonnes(one.before.net), tonnes(one.move.after.net), delta, part, "; ".join(notes)
