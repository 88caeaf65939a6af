"""What footprints in WKB are, measured in bulk: their types, bounds, validity, areas, and which of them overlap.

All rows of a project often share its land: such a shape is measured once, and the last few are kept by their bytes.
Done by libraries that read WKB without a Python object for each shape: geoarrow for what stands in the bytes, SedonaDB
on all cores for what has to be computed. Neither takes bytes that are no WKB: ask for `readable` first. What does not
belong here: changing footprints (stages) and judging them (compliance).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
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
_SHARED = 1 << 24  # bytes of a chunk that is repeated
_REMEMBERED = 16  # shapes
_TYPE = 5  # byte order, then the type as four bytes
_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], dtype=np.uint64)


def readable(wkb: Column) -> Column:
    """Return the column with null for what is no WKB, in at least one chunk; itself when all of it is."""
    if not wkb.num_chunks:
        return pa.chunked_array([pa.nulls(0, wkb.type)])  # geoarrow ends the process over a column without chunks
    if not len(wkb):
        return wkb
    shape = _shape_of_all(wkb)
    if shape is not None and _is_readable(shape):
        return wkb
    try:
        ga.box_agg(ga.as_wkb(wkb))
    except GeoArrowCException:
        # Chunk by chunk, because together they may be more than one Arrow array holds.
        is_bad = (pa.array(_is_unreadable(chunk.to_numpy(zero_copy_only=False))) for chunk in wkb.chunks)
        return pa.chunked_array([pc.if_else(bad, None, chunk) for bad, chunk in zip(is_bad, wkb.chunks, strict=True)])
    return wkb


def _shape_of_all(wkb: Column) -> bytes | None:
    """Return the WKB that every row has, None where rows differ or have none."""
    if not len(wkb) or (len(wkb) > 1 and not is_one_shape(wkb)):
        return None
    shape: bytes | None = wkb[0].as_py()
    return shape


@lru_cache(maxsize=_REMEMBERED)
def _is_readable(shape: bytes) -> bool:
    try:
        ga.box_agg(ga.as_wkb(_column(shape)))
    except GeoArrowCException:
        return False
    return True


def _column(shape: bytes) -> Column:
    return pa.chunked_array([pa.array([shape], pa.binary())])


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


def repeated(shape: bytes | None, rows: int) -> Column:
    """Return a column with the same WKB, or null, in every row, in chunks that share their memory."""
    size = max(1, min(rows, _SHARED // max(1, len(shape or b""))))
    chunk = pa.repeat(pa.scalar(shape, pa.binary()), size)
    return pa.chunked_array([chunk] * (rows // size) + [chunk[: rows % size]], pa.binary())


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
    """Return xmin, ymin, xmax, ymax of each readable shape, shape (n, 4); NaN where it is null or empty."""
    shape = _shape_of_all(wkb)
    if shape is not None:
        return np.repeat(np.array([_bounds_of(shape)]), len(wkb), axis=0)
    return np.concatenate([np.empty((0, 4)), *(_bounds(chunk) for chunk in wkb.chunks)])


@lru_cache(maxsize=_REMEMBERED)
def _bounds_of(shape: bytes) -> tuple[float, ...]:
    return tuple(_bounds(pa.array([shape], pa.binary()))[0].tolist())


def _bounds(chunk: pa.Array) -> Floats:
    storage = ga.box(ga.as_wkb(chunk)).storage
    corners = np.column_stack([field.to_numpy(zero_copy_only=False) for field in storage.flatten()])
    is_there = np.isfinite(corners).all(axis=1) & chunk.is_valid().to_numpy(zero_copy_only=False)
    return np.where(is_there[:, None], corners, np.nan)


def validity(wkb: Column) -> Mask:
    """Return whether each readable shape is valid by the OGC's rules; False where it is null."""
    return _per_shape(wkb, {"st_isvalid(g)": False})[0]


def areas_and_validity(wkb: Column) -> tuple[Floats, Mask]:
    """Return the planar area of each readable shape in squared units of its coordinates, and `validity`.

    NaN and False where it is null.
    """
    area, is_valid = _per_shape(wkb, {"st_area(g)": np.nan, "st_isvalid(g)": False})
    return area, is_valid


def _per_shape(wkb: Column, asked: Mapping[str, float]) -> list[NDArray[Any]]:
    """Compute values for each shape, each with the value for null; a column of one shape throughout is asked once."""
    if not len(wkb):
        return [np.empty(0, dtype=np.array(absent).dtype) for absent in asked.values()]
    shape = _shape_of_all(wkb)
    if shape is None:
        return _values(wkb, asked)
    return [np.repeat(value, len(wkb)) for value in _values_of(shape, tuple(asked.items()))]


@lru_cache(maxsize=_REMEMBERED)
def _values_of(shape: bytes, asked: tuple[tuple[str, float], ...]) -> tuple[NDArray[Any], ...]:
    return tuple(_values(_column(shape), dict(asked)))


def _values(wkb: Column, asked: Mapping[str, float]) -> list[NDArray[Any]]:
    columns = ", ".join(f"{expression} as v{number}" for number, expression in enumerate(asked))
    answers = _answered(f"select i, {columns} from {{shapes}}", wkb, i=np.arange(len(wkb)))
    place = np.argsort(answers.column("i").to_numpy())  # several cores answer, in any order
    return [
        answers.column(f"v{number}").fill_null(absent).to_numpy()[place] for number, absent in enumerate(asked.values())
    ]


def first_alike(wkb: Column, boxes: Floats) -> NDArray[np.int64]:
    """Return for each readable shape the first row with the same bytes, which is its own when there is none before.

    `boxes` are the `bounds`: only shapes with the same box are compared. Rows without one keep their own number.
    """
    rows = np.arange(len(wkb))
    if is_one_shape(wkb):
        return np.zeros_like(rows)
    bits, marks = boxes.view(np.uint64), np.zeros(len(boxes), dtype=np.uint64)
    for side in range(4):  # one by one, because together they are as large as the boxes
        marks += bits[:, side] * _MIX[side]
    in_order = np.sort(marks)
    may_repeat = np.isin(marks, in_order[1:][in_order[1:] == in_order[:-1]]) & np.isfinite(boxes[:, 0])
    at = np.flatnonzero(may_repeat)
    if len(at):
        codes = wkb.filter(pa.array(may_repeat)).dictionary_encode().combine_chunks().indices.to_numpy()
        rows[at] = at[np.unique(codes, return_index=True)[1]][codes]
    return rows


def overlaps(wkb: Column, boxes: Floats, *, among: Mask, strip: int = 1 << 19) -> pa.Table:
    """Return the pairs of polygons whose interiors meet: `a` and `b` (a < b) by row, and `shared`.

    `shared` is their common area in squared units of the coordinates. Shapes must be readable, `boxes` are their
    `bounds`, and only those `among` are looked at: they must be valid, and no two of them the same, because a shape
    that n rows have is found n squared times. They are gone through in strips of the map, each with `strip` shapes and
    those that reach into it, because what a join needs of memory grows with what is in it.
    """
    found = [_overlaps(wkb, is_in) for is_in in _strips(boxes, among, strip) if is_in.sum() > 1]
    if not found:
        return pa.table({"a": np.empty(0, np.int64), "b": np.empty(0, np.int64), "shared": np.empty(0)})
    # Two shapes that reach over the edge of a strip meet on both sides of it.
    pairs = pa.concat_tables(found).group_by(["a", "b"]).aggregate([("shared", "min")])
    return pairs.rename_columns(["a", "b", "shared"]).sort_by([("a", "ascending"), ("b", "ascending")])


def _strips(boxes: Floats, among: Mask, strip: int) -> Iterator[Mask]:
    """Yield which shapes reach into each strip, so that any two that meet are together in one."""
    is_there: Mask = among & np.isfinite(boxes[:, 0])
    if is_there.sum() <= strip:
        yield is_there
        return
    axis = max((0, 1), key=lambda axis: _shapes_across(boxes[:, axis], boxes[:, axis + 2]))
    low, high = boxes[:, axis], boxes[:, axis + 2]
    begins = np.sort(low[is_there])[::strip]
    for begin, end in zip(begins, [*begins[1:], np.inf], strict=True):
        yield is_there & (high >= begin) & (low <= end)


def _shapes_across(low: Floats, high: Floats) -> float:
    """Return how many of the shapes, side by side, are as wide as all of them: along that axis strips cut fewest."""
    width = float(np.nanmean(high - low))
    return float(np.nanmax(high) - np.nanmin(low)) / width if width else np.inf


def _overlaps(wkb: Column, is_asked: Mask) -> pa.Table:
    query = (
        "select a.i as a, b.i as b, st_area(st_intersection(a.g, b.g)) as shared from {shapes} a join {shapes} b "
        "on st_intersects(a.g, b.g) where a.i < b.i"
    )
    found = _answered(query, wkb.filter(pa.array(is_asked)), i=np.flatnonzero(is_asked))
    return found.filter(pc.greater(found.column("shared"), 0.0))


def _answered(query: str, wkb: Column, **numbers: NDArray[np.int64]) -> pa.Table:
    # A name of its own for every question, because several threads may ask at once.
    session, name = _session(), f"shapes_{next(_QUESTIONS)}"
    table = pa.table({"g": ga.as_wkb(wkb), **{name: pa.array(values) for name, values in numbers.items()}})
    session.create_data_frame(table).to_view(name)
    try:
        return session.sql(query.format(shapes=name)).to_arrow_table()
    finally:
        session.drop_view(name)


@cache
def _session() -> SedonaContext:
    return sedonadb.connect()
