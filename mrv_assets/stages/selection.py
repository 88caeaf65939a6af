"""The project's rows of a delivery: picked out by text equality, under our column names, ids as text.

What does not belong here: reading the file (formats) and what the cells mean (ingest).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mrv_assets.domain.source import GeometrySource, Source
from mrv_assets.stages.delivery import Delivery, columns_missing

_TYPED = ("activity_qty",)  # of these the type of the file is kept; the others are read as text
_GEOMETRY = {GeometrySource.WKT: ("wkt",), GeometrySource.LONLAT: ("longitude", "latitude")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The rows of one project, all periods, as columns by our names.

    `numbers` is the number of each row in the file, as a person counts it. `geometry` is the footprint that the records
    carry, None in a file without. A source with WKT has it under `wkt`, one with coordinates under `longitude` and
    `latitude`.
    """

    source_rows: int
    columns: Mapping[str, pa.ChunkedArray]
    geometry: pa.ChunkedArray | None
    numbers: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """How many rows are the project's."""
        return len(self.numbers)

    def only(self, is_wanted: pa.ChunkedArray) -> Selection:
        """Return the rows that the mask marks: these themselves when it marks all."""
        if pc.all(is_wanted, skip_nulls=False).as_py() is True:
            return self
        return Selection(
            source_rows=self.source_rows,
            columns={name: column.filter(is_wanted) for name, column in self.columns.items()},
            geometry=None if self.geometry is None else self.geometry.filter(is_wanted),
            numbers=self.numbers[is_wanted.to_numpy()],
        )


def select_rows(delivery: Delivery, source: Source, *, where: str) -> Selection:
    """Return the project's rows of a delivery.

    Raises GateError (gate `columns_present`) for an id column that the file holds as fractions, and when nothing is
    mapped of a file without geometry, of which nobody can tell then how many rows it has.
    """
    table, rows = delivery.columns, _records(delivery, where)
    mapping = {**source.columns, **dict(zip(_GEOMETRY.get(source.geometry, ()), source.geometry_columns, strict=True))}
    columns = {
        ours: table.column(theirs) if ours in _TYPED else _as_text(table.column(theirs), theirs, where)
        for ours, theirs in mapping.items()
    }
    columns |= {ours: _repeated(text, rows) for ours, text in source.constants.items()}
    whole = Selection(
        source_rows=rows,
        columns=columns,
        geometry=delivery.geometry if source.geometry is GeometrySource.RECORD else None,
        numbers=np.arange(delivery.first, delivery.first + rows, dtype=np.int64),
    )
    for theirs, text in source.where.items():
        is_ours = pc.equal(_as_text(table.column(theirs), theirs, where), text)
        table = table.filter(is_ours)
        whole = whole.only(pc.fill_null(is_ours, False))
    return whole


def _records(delivery: Delivery, where: str) -> int:
    """Return how many records there are; a table without columns does not know."""
    known = delivery.columns.column(0) if delivery.columns.num_columns else delivery.geometry
    if known is None:
        raise columns_missing(where, expected="a mapped column, or a geometry in each record", found="constants alone")
    return len(known)


def _as_text(column: pa.ChunkedArray, name: str, where: str) -> pa.ChunkedArray:
    """Return the cells as text: an integer by its digits, a day or instant as ISO 8601; null stays null."""
    if pa.types.is_floating(column.type):
        raise columns_missing(
            f"{where}, column {name}",
            expected="text or whole numbers, since ids, units and periods are text",
            found=f"{column.type}, which has lost leading zeros and may have lost digits",
        )
    return column.cast(pa.string())


def _repeated(text: str, rows: int) -> pa.ChunkedArray:
    return pa.chunked_array([pa.repeat(pa.scalar(text, pa.string()), rows)])
