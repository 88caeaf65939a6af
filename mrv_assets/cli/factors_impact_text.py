"""The words, tables and JSON of `mrv factors impact`.

What does not belong here: the preview (pipeline.impact) and its totals (report.impact).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.table import Table

from mrv_assets.cli.factors_text import key_json, key_text, more
from mrv_assets.cli.show_text import named_lines
from mrv_assets.cli.terminal import parts, plain_table, stdout
from mrv_assets.domain.factor_diff import percent
from mrv_assets.domain.tonnes import Move, Tonnes
from mrv_assets.pipeline.impact import Impact, PartitionImpact
from mrv_assets.report.impact import ImpactTotals, Total, largest_first
from mrv_assets.report.wording import share, signed_tonnes, tonnes

_HOW = "--top N shows more, --json has every value"
_MARK = "!"
_TONNES = ("before, t", "after, t", "change, t", "change")


def impact_json(impact: Impact, totals: ImpactTotals) -> dict[str, object]:
    """Return a preview in JSON-ready values, all of them exact but per cents, which have nine decimals."""
    return {
        "before": impact.before,
        "after": impact.after,
        "already_on_after": impact.already,
        "total": _total_json(totals.overall),
        "held": _move_json(totals.held),
        "by_project": [
            {"project_id": name, "materiality": total.materiality, "is_material": total.is_material}
            | _total_json(total)
            for name, total in totals.by_project.items()
        ],
        "by_factor": [key_json(key) | _total_json(total) for key, total in totals.by_factor.items()],
        "by_period": [{"period": period} | _total_json(total) for period, total in totals.by_period.items()],
        "partitions": [_partition_json(one) for one in largest_first(impact)],
    }


def print_impact(impact: Impact, totals: ImpactTotals, *, top: int) -> None:
    """Print a preview: what it comes to, then the first rows by partition, project, factor and period."""
    console = stdout()
    console.print(f"{impact.before or 'what is live'} → {impact.after}", style="bold", soft_wrap=True)
    console.print(named_lines(list(_summary(impact, totals)), width=12))
    if not impact.partitions:
        return
    applied = [one for one in largest_first(impact) if one.move is not None]
    _print_partitions(applied, top)
    _print_totals("\nBy project", ("project",), [((name,), t) for name, t in totals.by_project.items()], top)
    _print_totals("\nBy factor", ("factor",), [((key_text(key),), t) for key, t in totals.by_factor.items()], top)
    if len(totals.by_period) > 1:
        _print_totals("\nBy period", ("period",), [((name,), t) for name, t in totals.by_period.items()], top)
    _print_held(impact)
    _print_refused([one for one in impact.partitions if one.move is None], top)


def _summary(impact: Impact, totals: ImpactTotals) -> Iterator[tuple[str, str]]:
    overall, move = totals.overall, totals.overall.move
    ends = f"from {tonnes(move.before.net)} to {tonnes(move.after.net)}"
    yield "would move", f"{overall.moving:,} figure(s) by {signed_tonnes(move.delta)} t CO2e, {ends}"
    projects = sum(total.is_material for total in totals.by_project.values())
    counted = f"{overall.material:,} figure(s) and {projects:,} project total(s)"
    yield "restated", f"{counted} beyond the project's threshold, marked {_MARK}"
    if overall.held:
        held = f"{overall.held:,} figure(s), which the ledger does not move; they would change by"
        yield "held", f"{held} {signed_tonnes(totals.held.delta)} t"
    if overall.refused:
        yield "refused", f"{overall.refused:,} figure(s) of which {impact.after} makes none"
    if impact.already:
        yield "already", f"{impact.already:,} figure(s) rest on {impact.after}"
    yield "written", "nothing"


def _print_partitions(applied: Sequence[PartitionImpact], top: int) -> None:
    table = _table("\nBy partition, the largest change first", ("project", "period"))
    for one in applied[:top]:
        mark = (_MARK if one.is_material else "") + (" held" if one.hold else "")
        if one.move is not None:
            table.add_row(one.key.project_id, one.key.period, *_cells(one.move), mark.strip())
    _print(table, len(applied), top)


def _print_totals(title: str, names: Sequence[str], rows: Sequence[tuple[Sequence[str], Total]], top: int) -> None:
    moving = [(cells, total) for cells, total in rows if total.moving]
    if not moving:
        return
    table = _table(title, names)
    for cells, total in moving[:top]:
        mark = _MARK if total.is_material else ""
        table.add_row(*cells, *_cells(total.move), mark)
    _print(table, len(moving), top)


def _print_held(impact: Impact) -> None:
    reasons = Counter(one.hold for one in impact.partitions if one.hold is not None and one.move is not None)
    if reasons:
        table = plain_table(title="\nHeld: computed and certified by a run, and not reported")
        table.add_column("figures", justify="right", no_wrap=True)
        table.add_column("why", overflow="fold", ratio=1)
        for reason, count in reasons.most_common(5):
            table.add_row(f"{count:,}", reason)
        _print(table, len(reasons), 5)


def _print_refused(refused: Sequence[PartitionImpact], top: int) -> None:
    if not refused:
        return
    table = plain_table(title="\nRefused")
    table.add_column("project", overflow="fold")
    table.add_column("period", overflow="fold")
    table.add_column("why", overflow="fold", ratio=1)
    for one in refused[:top]:
        table.add_row(one.key.project_id, one.key.period, str(one.refusal))
    _print(table, len(refused), top)


def _table(title: str, names: Iterable[str]) -> Table:
    table = plain_table(title=title)
    for name in names:
        table.add_column(name, overflow="fold")
    for name in _TONNES:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    return table


def _cells(move: Move) -> tuple[str, str, str, str]:
    return tonnes(move.before.net), tonnes(move.after.net), signed_tonnes(move.delta), share(move.share)


def _print(table: Table, count: int, shown: int) -> None:
    stdout().print(table)
    for note in more(count, min(count, shown), _HOW):
        stdout().print(note, style="dim")


def _partition_json(one: PartitionImpact) -> dict[str, object]:
    return {
        "project_id": one.key.project_id,
        "period": one.key.period,
        "live": one.live,
        "would_move": one.is_moving,
        "hold": one.hold,
        "materiality": one.materiality,
        "is_material": one.is_material,
        "refusal": None if one.refusal is None else {**parts(one.refusal), "text": str(one.refusal)},
        **(_move_json(one.move) if one.move else {"before_tco2e": _tonnes_json(one.before), "after_tco2e": None}),
        "factors": [key_json(key) | _move_json(move) for key, move in one.factors.items()],
    }


def _total_json(total: Total) -> dict[str, object]:
    counts = {name: getattr(total, name) for name in ("moving", "held", "refused", "material")}
    return {**counts, **_move_json(total.move)}


def _move_json(move: Move) -> dict[str, object]:
    return {
        "before_tco2e": _tonnes_json(move.before),
        "after_tco2e": _tonnes_json(move.after),
        "delta_tco2e": move.delta,
        "delta_percent": None if move.share is None else percent(move.share),
    }


def _tonnes_json(of: Tonnes) -> Mapping[str, object]:
    return {"emissions": of.emissions, "removals": of.removals, "net": of.net}
