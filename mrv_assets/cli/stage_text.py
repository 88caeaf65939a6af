"""The words and tables of `mrv source` about a stage: what the rows of a period would become.

What does not belong here: the file itself (source_text).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from pyproj import CRS
from pyproj.exceptions import CRSError
from rich.table import Table

from mrv_assets.cli.aside_text import aside_table
from mrv_assets.cli.show_text import named_lines
from mrv_assets.cli.terminal import plain_table, stdout
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.staged import Staged
from mrv_assets.pipeline.stage_preview import StagePreview

FIRST_REASONS = 5
_WIDTH = 22
_LONGEST_CODE = 20

Lines: TypeAlias = Iterable[tuple[str, str]]


def print_stage(stage: StagePreview) -> None:
    """Print what a stage would make, or by which gates it would be refused."""
    console, staged = stdout(), stage.staged
    if staged is None:
        # What the one gate says stands in the panel, in full.
        gates = ", ".join(gate.gate for gate in stage.gates)
        console.print(f"\nWould be refused: {stage.slot}{gates and f' ({gates})'}", style="bold red")
        return
    is_good = stage.refusal is None
    title = "Would become" if is_good else "Would be refused:"
    console.print(f"\n{title} {stage.slot}", style="bold" if is_good else "bold red")
    console.print(laid_out([*_row_lines(staged), *_footprint_lines(staged), *_content_lines(stage)]))
    if staged.quarantined is not None:
        rows_in = int(staged.evidence["rows_in"])
        console.print(aside_table(staged.quarantined, rows_in=rows_in, first=FIRST_REASONS))
    console.print("", _gates_table(stage.gates), sep="\n")


def _row_lines(staged: Staged) -> Iterator[tuple[str, str]]:
    yield "rows in", f"{int(staged.evidence['rows_in']):,}"
    yield "rows staged", f"{staged.rows:,}"
    yield "rows set aside", f"{int(staged.evidence['rows_quarantined']):,}"


def _footprint_lines(staged: Staged) -> Iterator[tuple[str, str]]:
    said = staged.evidence
    if "crs_operation" in said:
        yield "CRS", f"{crs_name(said['crs_source'])} to {crs_name(said['crs_target'])}"
        yield "operation", f"{said['crs_operation']}, accuracy {said['crs_operation_accuracy_m']} m"
        if said["crs_missing_grids"]:
            yield "better, not installed", said["crs_missing_grids"]
        if said["crs_waived_because"]:
            yield "waived because", said["crs_waived_because"]
    if "footprints_plain" in said:
        names = {"plain": "plain", "repaired": "repaired", "split": "split at 180°", "z_dropped": "with Z dropped"}
        counts = ", ".join(f"{int(said[f'footprints_{key}']):,} {text}" for key, text in names.items())
        yield "footprints", f"{staged.rows:,}, of them {counts}"
        planar, geodesic = (float(said[f"area_{kind}_ha"]) for kind in ("planar", "geodesic"))
        worst = float(said["area_max_relative_difference"])
        yield "area on the plane", f"{planar:,.4f} ha"
        yield "area on the ellipsoid", f"{geodesic:,.4f} ha; of one footprint at most {worst:.1e} apart"
        if int(said["footprints_repaired"]):
            before, after = (float(said[f"repair_area_{when}_ha"]) for when in ("before", "after"))
            yield "area of the repaired", f"{before:,.4f} ha before, {after:,.4f} ha after"


def _content_lines(stage: StagePreview) -> Iterator[tuple[str, str]]:
    if stage.content_digest is not None:
        yield "content digest", stage.content_digest
        same = "another than" if stage.is_new else "the same as"
        current = stage.current
        yield (
            "which is",
            "the first of its slot" if current is None else f"{same} that of generation {current.generation}",
        )


def _gates_table(gates: Iterable[GateOutcome]) -> Table:
    """Lay out what each gate observed, the red ones first and with their limit; what passed needs none."""
    table = plain_table()
    table.add_column("gate", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("observed", overflow="fold", ratio=1)
    for gate in sorted(gates, key=lambda gate: gate.passed):
        limit = "" if gate.passed else f"\nlimit: {gate.limit}"
        table.add_row(gate.gate, "passed" if gate.passed else "RED", gate.observed + limit)
    return table


def laid_out(lines: Lines) -> Table:
    """Lay out names and values."""
    return named_lines(list(lines), width=_WIDTH)


def crs_name(text: str) -> str:
    """Return a CRS as a person calls it: its code, or the name in a definition, which would fill a screen."""
    if len(text) <= _LONGEST_CODE:
        return text
    try:
        return str(CRS.from_user_input(text).name)
    except CRSError:
        return text
