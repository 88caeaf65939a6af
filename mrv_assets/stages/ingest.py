"""Ingest: the project's rows of a source file become activity rows of one period, every value as given.

What does not belong here: judging values (the gates judge nulls, NaN, infinities and negatives) and changing
them (normalize).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.contract import ACTIVITY
from mrv_assets.domain.errors import GateError, IdentityError, listed
from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import Project
from mrv_assets.domain.remedies import CORRECT_EPOCHS, CORRECT_QUANTITIES
from mrv_assets.domain.source import Source
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.crs import declared_crs
from mrv_assets.stages.formats.reading import read_delivery
from mrv_assets.stages.given_footprints import given_footprints
from mrv_assets.stages.quantities import changed, mixed_marks, quantities
from mrv_assets.stages.row_texts import set_nameless_aside
from mrv_assets.stages.selection import Selection, select_rows
from mrv_assets.stages.sieve import QUOTED, Fault, Mask, Sieve, marked


def ingest(
    data: bytes,
    *,
    project: Project,
    period: Period,
    boundary: Mapping[str, Any],
    boundary_crs: str | None,
) -> Staged:
    """Make the activity table of one project and period from the bytes of its source file.

    `boundary` is the GeoJSON geometry of the project's land and `boundary_crs` the CRS its file is tagged
    with, if any. A row belongs to the period when its epoch lies in it. A source without such rows gives an
    empty table, for the gate `rows_present` to judge. Geometry is ISO WKB in the CRS that the table says.

    Raises GateError naming the gate: `source_readable`, `columns_present`, `crs_declared`, `epochs_in_period`,
    `quantity_valid` (text that is no number), `geometry_present`. Where the project allows it, rows are set aside
    instead, with their reason.
    """
    source = project.source
    where = f"{project.id} {period}, source {source.path}"
    delivery = read_delivery(data, source, where=where)
    del data  # its memory is needed
    crs = declared_crs(project, tagged=delivery.crs, boundary_crs=boundary_crs, where=where)
    selection = select_rows(delivery, source, where=where)
    epochs, unreadable = _epochs(selection.columns["epoch"])
    if unreadable and source.quarantine is None:
        first = next(iter(unreadable))
        raise _epoch_error(_UNREADABLE_EPOCH.what, where, unreadable[first], listed(list(unreadable)))
    ours = _rows_in(period, selection, epochs, unreadable, where)
    sieve = Sieve(numbers=ours.numbers, row_ids=ours.columns["row_id"], policy=source.quarantine, where=where)
    epoch = ours.columns["epoch"].fill_null("")
    sieve.set_aside(marked(pc.is_in(epoch, pa.array(list(unreadable), pa.string()))), _UNREADABLE_EPOCH)
    if source.quarantine is not None:
        set_nameless_aside(sieve, ours)
    quantity = _quantities(sieve, ours, source)
    geometry = given_footprints(sieve, ours, source, boundary, where=f"{where}, boundary {project.boundary.path}")
    columns = {**ours.columns, "activity_qty": quantity, "geometry": geometry}
    table = sieve.kept(pa.table({c.name: columns[c.name] for c in ACTIVITY.columns}))
    evidence = {
        "source_format": source.format.value,
        "source_rows": str(selection.source_rows),
        "project_rows": str(selection.rows),
        "selected_rows": str(table.num_rows),
        "source_periods": ",".join(sorted(epochs)),
        "footprint": source.footprint.value,
        "geometry": source.geometry.value,
        "overlaps_because": source.overlaps_because or "",
        **({} if crs is None else {"crs": crs.crs, "crs_declared_because": crs.because, "edges": "planar"}),
        **delivery.facts,
    }
    quoted = {name: ours.columns[name] for name in QUOTED}
    said = None if crs is None else crs.crs
    return sieve.staged(ACTIVITY, table, given=quoted, crs=said, evidence=evidence, before={})


_UNREADABLE_EPOCH = Fault(
    what="epoch is not a canonical period",
    gate="epochs_in_period",
    expected="2021, 2021-Q1, 2021-03 or 2021-04-01_2021-12-31",
    found="another text",
    remedy=CORRECT_EPOCHS,
)
_NO_VALUE = Fault(
    what="quantity is no amount",
    gate="quantity_valid",
    expected="a finite number of 0 or more",
    found="no value, NaN, an infinity or a negative number",
    remedy=CORRECT_QUANTITIES,
)


def _epochs(column: pa.ChunkedArray) -> tuple[dict[str, Period], dict[str, str]]:
    """Return the distinct epochs of the project in the whole file, and those that say no period, with what would.

    One that is unreadable may be ours, whatever the period.
    """
    epochs: dict[str, Period] = {}
    unreadable: dict[str, str] = {}
    for text in sorted(column.fill_null("").unique().to_pylist()):
        try:
            epochs[text] = Period.parse(text)
        except IdentityError as error:
            unreadable[text] = error.expected
    return epochs, unreadable


def _rows_in(
    period: Period, selection: Selection, epochs: Mapping[str, Period], unreadable: Mapping[str, str], where: str
) -> Selection:
    """Return the rows of the period, and those of which nobody knows when they were."""
    across = [text for text, epoch in epochs.items() if epoch.overlaps(period) and not period.contains(epoch)]
    if across:
        expected = f"epochs that lie in {period} or apart from it"
        raise _epoch_error("epoch lies across the edge of the period", where, expected, listed(across))
    ours = [text for text, epoch in epochs.items() if period.contains(epoch)]
    column = selection.columns["epoch"].fill_null("")
    return selection.only(pc.is_in(column, pa.array([*ours, *unreadable], pa.string())))


def _quantities(sieve: Sieve, rows: Selection, source: Source) -> pa.ChunkedArray:
    """Return the binary64 nearest to each text; null where the source says that it has no value."""
    cells = rows.columns["activity_qty"]
    numbers, is_bad = quantities(cells, decimal_mark=source.decimal_mark)
    is_changed = changed(cells, is_bad, decimal_mark=source.decimal_mark)
    sieve.reject(
        is_bad & ~is_changed,
        Fault(
            what="quantity is no number",
            gate="quantity_valid",
            expected=_number(cells.type, source.decimal_mark),
            found=_first(cells, is_bad & ~is_changed) + _mixed(cells),
            remedy="correct the quantity in the source file, or decimal_mark under [source]",
        ),
    )
    sieve.reject(
        is_changed,
        Fault(
            what="quantity would become another amount",
            gate="quantity_valid",
            expected=_kept_number(cells.type),
            found=_first(cells, is_changed),
            remedy="correct the quantity in the source file, or have it delivered in a larger or smaller unit",
        ),
    )
    poisoned = pc.or_kleene(pc.is_null(numbers, nan_is_null=True), pc.or_(pc.is_inf(numbers), pc.less(numbers, 0.0)))
    sieve.set_aside(marked(poisoned), _NO_VALUE)
    return pa.chunked_array([numbers])


def _number(kind: pa.DataType, mark: str) -> str:
    """Say which cells of a type are quantities."""
    if pa.types.is_string(kind):
        return f"a number such as 12{mark}5 or 1{mark}25e1, without separators, units or spaces"
    return "text or numbers"


def _kept_number(kind: pa.DataType) -> str:
    """Say which numbers of a type are the same amount as a binary64."""
    if pa.types.is_string(kind):
        return "a number that a binary64 holds: with all its digits beyond 2**53, and neither 0 nor infinite as one"
    return "a number that a binary64 holds exactly: a whole one up to 2**53, or a decimal of 15 digits"


def _first(cells: pa.ChunkedArray, is_meant: Mask) -> str:
    """Return the first of the cells that are meant, as a person reads it; nothing where there is none."""
    first = cells.filter(pa.array(is_meant)).slice(0, 1).to_pylist()
    return "".join(repr(cell) if isinstance(cell, str) else str(cell) for cell in first)


def _mixed(cells: pa.ChunkedArray) -> str:
    said = mixed_marks(cells)
    return "" if said is None else f" ({said})"


def _epoch_error(what: str, where: str, expected: str, found: str) -> GateError:
    return GateError(
        what,
        gate="epochs_in_period",
        where=where,
        expected=expected,
        found=found,
        remedy=CORRECT_EPOCHS,
    )
