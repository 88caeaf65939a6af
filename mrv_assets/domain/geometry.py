"""What footprints in WKB are, measured in bulk: their types, bounds, validity, areas, and which of them overlap.

Done by libraries that read WKB without a Python object for each shape: geoarrow for what stands in the bytes, SedonaDB
on all cores for what has to be computed. What does not belong here: changing footprints (stages) and judging them
(compliance).
"""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

import geoarrow.pyarrow as ga
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import sedonadb
import shapely
from geoarrow.c.lib import GeoArrowCException
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sedonadb.context import SedonaContext

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Column: TypeAlias = pa.ChunkedArray

POLYGON, MULTIPOLYGON, POINT = 3, 6, 1
_QUESTIONS = count()
_TYPE = 5  # byte order, then the type as four bytes


def readable(wkb: Column) -> Column:
    """Return the column with null for what is no WKB; itself when all of it is."""
    if not wkb.num_chunks:
        return pa.chunked_array([pa.nulls(0, wkb.type)])  # geoarrow ends the process over a column without chunks
    if not len(wkb):
        return wkb  # geoarrow ends the process at a column without chunks
    try:
        ga.box_agg(ga.as_wkb(wkb))
    except GeoArrowCException:
        is_bad = pa.array(_is_unreadable(wkb.to_numpy()))
        return pa.chunked_array([pc.if_else(is_bad, None, wkb.combine_chunks())])
    return wkb


def _is_unreadable(values: NDArray[Any]) -> Mask:
    try:
        with np.errstate(invalid="ignore"):
            missing: Mask = shapely.is_missing(shapely.from_wkb(values, on_invalid="ignore"))
    except NotImplementedError:  # over a single curve, which has no place here either
        if len(values) == 1:
            return np.ones(1, dtype=np.bool_)
        return np.concatenate([_is_unreadable(values[index : index + 1]) for index in range(len(values))])
    return missing


def is_one_shape(wkb: Column) -> bool:
    """Tell whether several rows have the same bytes throughout."""
    if len(wkb) < 2 or not wkb[0].is_valid:
        return False
    return pc.all(pc.equal(wkb, wkb[0]), skip_nulls=False).as_py() is True


def type_codes(wkb: Column) -> NDArray[np.int64]:
    """Return the ISO type of each shape: 3 is a flat polygon, 1003 one with Z; 0 for null, -1 for big-endian bytes."""
    return np.concatenate([np.empty(0, dtype=np.int64), *(_type_codes(chunk) for chunk in wkb.chunks)])


def _type_codes(chunk: pa.Array) -> NDArray[np.int64]:
    codes = np.zeros(len(chunk), dtype=np.int64)
    offsets = np.frombuffer(chunk.buffers()[1], dtype=np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    rows = np.flatnonzero(np.diff(offsets) >= _TYPE)
    if len(rows):
        data = np.frombuffer(chunk.buffers()[2], dtype=np.uint8)
        head = data[offsets[rows].astype(np.int64)[:, None] + np.arange(_TYPE)]
        code = np.ascontiguousarray(head[:, 1:]).view("<u4")[:, 0].astype(np.int64)
        codes[rows] = np.where(head[:, 0] == 1, code, -1)
    return np.where(chunk.is_valid().to_numpy(zero_copy_only=False), codes, 0)


def bounds(wkb: Column) -> Floats:
    """Return xmin, ymin, xmax, ymax of each shape, shape (n, 4); NaN where it is null, empty or no WKB."""
    asked = wkb.slice(0, 1) if is_one_shape(wkb) else wkb
    found = np.concatenate([np.empty((0, 4)), *(_bounds(chunk) for chunk in readable(asked).chunks)])
    return found if len(found) == len(wkb) else np.repeat(found, len(wkb), axis=0)


def _bounds(chunk: pa.Array) -> Floats:
    storage = ga.box(ga.as_wkb(chunk)).storage
    corners = np.column_stack([field.to_numpy(zero_copy_only=False) for field in storage.flatten()])
    is_there = np.isfinite(corners).all(axis=1) & chunk.is_valid().to_numpy(zero_copy_only=False)
    return np.where(is_there[:, None], corners, np.nan)


def areas(wkb: Column) -> Floats:
    """Return the planar area of each shape in squared units of its coordinates; NaN where it is null or no WKB."""
    return _per_shape(wkb, "st_area(g)", np.float64, np.nan)


def validity(wkb: Column) -> Mask:
    """Return whether each shape is valid by the OGC's rules; False where it is null or no WKB."""
    return _per_shape(wkb, "st_isvalid(g)", np.bool_, False)


def _per_shape(wkb: Column, expression: str, dtype: type[Any], absent: object) -> NDArray[Any]:
    """Compute one value for each shape; a column of the same shape throughout is computed once."""
    if not len(wkb):
        return np.empty(0, dtype=dtype)
    is_one = is_one_shape(wkb)
    asked = wkb.slice(0, 1) if is_one else wkb
    answers = _asked(f"select {expression} as v from {{shapes}} order by i", asked).column("v")
    values = answers.fill_null(pa.scalar(absent, answers.type)).to_numpy().astype(dtype)
    return np.repeat(values, len(wkb)) if is_one else values


def overlaps(wkb: Column, group: NDArray[np.int64]) -> pa.Table:
    """Return the pairs of polygons of one group whose interiors meet: `a` and `b` (a < b) by row, and `shared`.

    `shared` is their common area in squared units of the coordinates. Shapes must be valid.
    """
    # A difference, because an equality would be planned as a hash join of all pairs, ahead of the spatial one.
    query = (
        "select a.i as a, b.i as b, st_area(st_intersection(a.g, b.g)) as shared from {shapes} a join {shapes} b "
        "on st_intersects(a.g, b.g) where a.k - b.k = 0 and a.i < b.i"
    )
    found = _asked(query, wkb, group)
    return found.filter(pc.greater(found.column("shared"), 0.0)).sort_by([("a", "ascending"), ("b", "ascending")])


def _asked(query: str, wkb: Column, group: NDArray[np.int64] | None = None) -> pa.Table:
    columns = {"i": pa.array(np.arange(len(wkb))), "g": ga.as_wkb(readable(wkb))}
    if group is not None:
        columns["k"] = pa.array(group)
    # A name of its own for every question, because several threads may ask at once.
    session, name = _session(), f"shapes_{next(_QUESTIONS)}"
    session.create_data_frame(pa.table(columns)).to_view(name)
    try:
        return session.sql(query.format(shapes=name)).to_arrow_table()
    finally:
        session.drop_view(name)


@cache
def _session() -> SedonaContext:
    return sedonadb.connect()
