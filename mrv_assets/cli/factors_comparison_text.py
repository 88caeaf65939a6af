"""The words and tables of two releases side by side, for `mrv factors diff` and `mrv factors import`.

What does not belong here: the comparison itself, and its JSON (factors_comparison).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table

from mrv_assets.cli.factors_comparison import Comparison
from mrv_assets.cli.factors_text import (
    co2e_text,
    coefficient_change_text,
    days_text,
    first_of,
    gas_lines,
    gas_text,
    is_total,
    key_text,
    more,
    percent_text,
)
from mrv_assets.cli.show_text import named_lines
from mrv_assets.cli.terminal import plain_table, stdout
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.factor_diff import GasChange, KeptFactor, Renaming, Step
from mrv_assets.domain.factor_spans import FactorKey, FactorSpan
from mrv_assets.domain.region_diff import RegionDiff
from mrv_assets.importers.comparison import KeyChange

FIRST_CHANGED = 15
FIRST_OTHERS = 5
_NONE = "-"
_DIGEST = 12


def print_comparison(comparison: Comparison, *, is_all: bool, how: str) -> None:
    """Print what differs, the first rows of each kind or all; `how` says how to see the rest."""
    console, diff = stdout(), comparison.diff
    console.print(f"{comparison.before.name} → {comparison.after.name}", style="bold", soft_wrap=True)
    console.print(named_lines(list(_summary(comparison)), width=12))
    if diff.changed:
        _print_changed(diff.changed, is_all=is_all, how=how)
    for title, found in (("Removed", diff.removed), ("Added", diff.added)):
        if found:
            _print_spans(title, found, is_all=is_all, how=how)
    if diff.renamings:
        _print_renamings(diff.renamings, is_all=is_all, how=how)
    if isinstance(comparison.regions, GateError):
        console.print(f"\nRegions cannot be compared: {comparison.regions}")
    elif not comparison.regions.is_empty:
        _print_regions(comparison.regions, is_all=is_all, how=how)
    if comparison.published is not None:
        _print_published(comparison.published, is_all=is_all, how=how)


def _summary(comparison: Comparison) -> Iterator[tuple[str, str]]:
    before, after, counts = comparison.before.release, comparison.after.release, comparison.counts
    sets = (before.gwp.name, after.gwp.name)
    yield "GWP set", sets[0] if len(set(sets)) == 1 else f"{sets[0]} → {sets[1]}: CO2e moves where no gas does"
    moved = sum(factor.has_other_days for factor in comparison.diff.unchanged)
    yield "unchanged", f"{counts['unchanged']:,}" + (f", of them {moved:,} hold for other days" if moved else "")
    yield "changed", f"{counts['changed']:,}"
    candidates = counts["renaming_candidates"]
    renamed = f", of them {candidates:,} perhaps only renamed" if candidates else ""
    yield "removed", f"{counts['removed']:,}{renamed}"
    yield "added", f"{counts['added']:,}{renamed}"


def _print_changed(changed: Sequence[KeptFactor], *, is_all: bool, how: str) -> None:
    rows = [(factor, step) for factor in changed for step in factor.steps if not step.is_same]
    rows.sort(key=lambda row: row[1].before is None or row[1].after is None)
    shown = first_of(len(rows), is_all, FIRST_CHANGED)
    table = plain_table(title="\nChanged, the largest change first")
    table.add_column("factor", overflow="fold", ratio=1)
    table.add_column("gas", no_wrap=True)
    for name in ("before", "after"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("change", justify="right", no_wrap=True)
    for factor, step in rows[:shown]:
        days = f"\n{days_text(step.first, step.last)}" if len(factor.steps) > 1 else ""
        cells = ("\n".join(column) for column in zip(*_lines(step), strict=True))
        table.add_row(f"{key_text(factor.key)}{days}{_coefficients(step)}", *cells)
    _print(table, len(rows), shown, how)


def _lines(step: Step) -> Iterator[tuple[str, str, str, str]]:
    """Yield gas, before, after and change: of the sum in t CO2e, and of each gas as it was published."""
    sides = [span for span in (step.before, step.after) if span]
    if not all(is_total(span.gases) for span in sides):
        before, after = (co2e_text(span.net) + " t" if span else _NONE for span in (step.before, step.after))
        yield "CO2e", before, after, _change(step)
    if len(sides) == 1 and not is_total(sides[0].gases):
        return
    for gas in step.gases:
        before, after = (gas_text(side) if side else _NONE for side in (gas.before, gas.after))
        yield gas.gas, before, after, _change(gas)
    if len({span.flux for span in sides}) > 1:
        yield "flux", sides[0].flux.value, sides[1].flux.value, ""


def _coefficients(step: Step) -> str:
    """Return a line for every coefficient that moved a chain, once where the chains of several gases share it."""
    lines = dict.fromkeys(coefficient_change_text(change) for gas in step.gases for change in gas.coefficients)
    return "".join(f"\n{line}" for line in lines)


def _change(of: Step | GasChange) -> str:
    if of.before is None:
        return "new"
    return "gone" if of.after is None else percent_text(of.change)


def _print_spans(title: str, found: Mapping[FactorKey, Sequence[FactorSpan]], *, is_all: bool, how: str) -> None:
    shown = first_of(len(found), is_all, FIRST_OTHERS)
    table = plain_table(title=f"\n{title}")
    table.add_column("factor", overflow="fold", ratio=1)
    table.add_column("t CO2e per unit", justify="right", no_wrap=True)
    table.add_column("gases", overflow="fold")
    for key, spans in list(found.items())[:shown]:
        times = f", and {len(spans) - 1} other time(s)" if len(spans) > 1 else ""
        table.add_row(key_text(key), co2e_text(spans[-1].net), gas_lines(spans[-1].gases) + times)
    _print(table, len(found), shown, how)


def _print_renamings(renamings: Sequence[Renaming], *, is_all: bool, how: str) -> None:
    shown = first_of(len(renamings), is_all, FIRST_OTHERS)
    table = plain_table(title="\nPerhaps only renamed: equal values and close names; candidates, for a person to judge")
    table.add_column("alike", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("removed, and added below it", overflow="fold", ratio=1)
    for pair in renamings[:shown]:
        table.add_row(f"{pair.likeness:.0%}", "-", pair.removed.activity_id)
        table.add_row("", "+", key_text(pair.added))
    _print(table, len(renamings), shown, how)


def _print_regions(regions: RegionDiff, *, is_all: bool, how: str) -> None:
    stdout().print("\nWhere regions are, by the outlines of regions.parquet", style="bold")
    stdout().print(f"{len(regions.unchanged):,} unchanged")
    outlines = [f"{one.region}: {one.before[:_DIGEST]} → {one.after[:_DIGEST]}" for one in regions.changed]
    named = {"with another outline": outlines, "removed": regions.removed, "added": regions.added}
    _print_lists({title: names for title, names in named.items() if names}, is_all=is_all, how=how)


def _print_published(published: KeyChange, *, is_all: bool, how: str) -> None:
    stdout().print("\nThe publisher's own keys, letter by letter, with or without a value", style="bold")
    _print_lists({"vanished": published.vanished, "new": published.new}, is_all=is_all, how=how)


def _print_lists(named: Mapping[str, Sequence[str]], *, is_all: bool, how: str) -> None:
    console = stdout()
    for title, keys in named.items():
        shown = first_of(len(keys), is_all, FIRST_OTHERS)
        console.print(f"{len(keys):,} {title}")
        grid = Table.grid()
        grid.add_column(overflow="fold")
        for key in keys[:shown]:
            grid.add_row(f"  {key}")
        console.print(grid)
        for note in more(len(keys), shown, how):
            console.print(f"  {note}", style="dim")


def _print(table: Table, count: int, shown: int, how: str) -> None:
    stdout().print(table)
    for note in more(count, shown, how):
        stdout().print(note, style="dim")
