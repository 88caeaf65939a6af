"""Ingest: the project's rows of a source file become activity rows of one period, every value as given.

What does not belong here: judging values (the gates judge nulls, NaN, infinities and negatives) and changing
them (normalize).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from mrv_assets.domain.contract import ACTIVITY
from mrv_assets.domain.errors import GateError, IdentityError, listed
from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import GeometrySource, Project
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.crs import declared_crs
from mrv_assets.stages.delimited import Selection, select_rows
from mrv_assets.stages.footprints import wkb_of_geojson, wkb_of_wkt

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_NOT_AVAILABLE = ("", "NA")


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
    empty table, for the gate `rows_present` to judge. Geometry is ISO WKB in the CRS that the evidence names.

    Raises GateError naming the gate: `columns_present`, `crs_declared`, `epochs_in_period`, `quantity_valid`
    (text that is no number), `geometry_present`.
    """
    where = f"{project.id} {period}, source {project.source.path}"
    selection = select_rows(data, project.source, where=where)
    crs = declared_crs(project, boundary_crs=boundary_crs, where=where)
    epochs = _epochs(selection.columns["epoch"], where)
    columns = _rows_in(period, selection, epochs, where)
    columns["activity_qty"] = _quantities(columns["activity_qty"], columns["row_id"], where)
    columns["geometry"] = _geometry(project, boundary, columns, where)
    table = ACTIVITY.conform(
        pa.table({c.name: pa.array(columns[c.name], c.type) for c in ACTIVITY.columns}), where=where
    )
    evidence = {
        "source_rows": str(selection.source_rows),
        "project_rows": str(selection.rows),
        "selected_rows": str(table.num_rows),
        "source_periods": ",".join(sorted(epochs)),
        "crs": crs.crs,
        "crs_declared_because": crs.because,
    }
    return Staged(content=table, evidence=evidence, crs=crs.crs)


def _epochs(texts: Sequence[str], where: str) -> dict[str, Period]:
    """Return the distinct epochs of the project in the whole file; one that is unreadable may be ours."""
    epochs: dict[str, Period] = {}
    refused: dict[str, str] = {}
    for text in sorted(set(texts)):
        try:
            epochs[text] = Period.parse(text)
        except IdentityError as error:
            refused[text] = error.expected
    if refused:
        first = next(iter(refused))
        raise _epoch_error(
            "epoch is not a canonical period", where, expected=refused[first], found=listed(list(refused))
        )
    return epochs


def _rows_in(
    period: Period, selection: Selection, epochs: Mapping[str, Period], where: str
) -> dict[str, Sequence[Any]]:
    across = [text for text, epoch in epochs.items() if epoch.overlaps(period) and not period.contains(epoch)]
    if across:
        raise _epoch_error(
            "epoch lies across the edge of the period",
            where,
            expected=f"epochs that lie in {period} or apart from it",
            found=listed(across),
        )
    is_ours = [period.contains(epochs[text]) for text in selection.columns["epoch"]]
    return {
        name: [value for value, keep in zip(column, is_ours, strict=True) if keep]
        for name, column in selection.columns.items()
    }


def _quantities(texts: Sequence[str], row_ids: Sequence[str], where: str) -> list[float | None]:
    """Return the binary64 nearest to each text; None where the source says that it has no value."""
    bad = [
        (row_id, text)
        for text, row_id in zip(texts, row_ids, strict=True)
        if text not in _NOT_AVAILABLE and not _NUMBER.fullmatch(text)
    ]
    if bad:
        raise GateError(
            "quantity is no number",
            gate="quantity_valid",
            where=f"{where}, row {bad[0][0]!r}",
            expected="a number such as 12.5 or 1.25e1, without separators, units or spaces",
            found=f"{bad[0][1]!r}; {len(bad)} such row(s): {listed([row_id for row_id, _ in bad])}",
            remedy="correct the quantity in the source file",
        )
    return [None if text in _NOT_AVAILABLE else float(text) for text in texts]


def _geometry(
    project: Project, boundary: Mapping[str, Any], columns: Mapping[str, Sequence[Any]], where: str
) -> list[bytes | None]:
    if project.source.geometry is GeometrySource.WKT:
        return wkb_of_wkt(columns["geometry"], columns["row_id"], where=where)
    footprint = wkb_of_geojson(boundary, where=f"{where}, boundary {project.boundary.path}")
    return [footprint] * len(columns["row_id"])


def _epoch_error(what: str, where: str, *, expected: str, found: str) -> GateError:
    return GateError(
        what,
        gate="epochs_in_period",
        where=where,
        expected=expected,
        found=found,
        remedy="correct the epochs in the source file, or report the period that they span",
    )
