"""A column of WKB as a file has it, checked whole and in one pass, into little-endian ISO WKB.

Only rows in another dialect (big-endian, EWKB, with measures) are written anew. What does not belong here: whether a
shape is valid, and coordinates (normalize).
"""

from __future__ import annotations

from typing import Any

import geoarrow.pyarrow as ga
import numpy as np
import pyarrow as pa
import shapely
from geoarrow.c.lib import GeoArrowCException
from numpy.typing import NDArray

from mrv_assets.stages.delivery import unreadable

_PIECE = 2**30
_CURVED = {
    8: "CircularString", 9: "CompoundCurve", 10: "CurvePolygon", 11: "MultiCurve", 12: "MultiSurface", 13: "Curve",
    14: "Surface", 15: "PolyhedralSurface", 16: "TIN", 17: "Triangle",
}  # fmt: skip
_EWKB_Z, _EWKB_M, _EWKB_SRID = 0x80000000, 0x40000000, 0x20000000
_EXPECTED = "whole WKB of a point, line, polygon or a collection of them"


def iso_wkb(column: pa.ChunkedArray, *, where: str, record: str, first: int) -> tuple[pa.ChunkedArray, dict[str, str]]:
    """Return the column as `pa.binary()`, every value whole ISO WKB in little-endian order; and facts.

    Nulls, empty shapes and Z values are kept. Measures (M) are no place: they are dropped, and the fact
    `measures_dropped` counts the rows. `rewritten_wkb` counts the rows that came in another dialect. Raises GateError
    (gate `source_readable`) naming the first row that is no whole WKB, is a curve, a TIN or a polyhedral surface, or
    brings an SRID of its own.
    """
    facts = {"measures_dropped": 0, "rewritten_wkb": 0}
    chunks, row = [], first
    for chunk in _storage(column):
        at = f"{where}, {record}"
        _refuse_broken(chunk, at, row)
        written, dropped, rewritten = _iso(chunk, at, row)
        chunks.append(written)
        facts["measures_dropped"] += dropped
        facts["rewritten_wkb"] += rewritten
        row += len(chunk)
    return pa.chunked_array(chunks, pa.binary()), {name: str(count) for name, count in facts.items() if count}


def _storage(column: pa.ChunkedArray) -> list[pa.Array]:
    """Return chunks of plain binary: importing geoarrow anywhere makes pyarrow read some files as extension types."""
    chunks = column.chunks
    if isinstance(column.type, pa.BaseExtensionType):
        chunks = [chunk.storage for chunk in chunks]
    return [piece for chunk in chunks for piece in _pieces(chunk)]


def _pieces(chunk: pa.Array) -> list[pa.Array]:
    """Return the chunk as binary, in pieces small enough for its 32-bit offsets."""
    if chunk.type == pa.binary():
        return [chunk]
    rows = max(1, len(chunk) * _PIECE // max(1, chunk.nbytes))
    return [chunk[start : start + rows].cast(pa.binary()) for start in range(0, len(chunk), rows)]


def _refuse_broken(chunk: pa.Array, at: str, first: int) -> None:
    if _fault(chunk) is None:
        return
    low, high = 0, len(chunk)  # the first broken row lies in low..high-1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _fault(chunk[low:middle]) else (middle, high)
    value = chunk[low].as_py()
    kind = _CURVED.get(int.from_bytes(value[1:5], "little" if value[:1] == b"\x01" else "big") % 1000)
    raise unreadable(
        f"{at} {first + low}",
        expected=_EXPECTED,
        found=kind or _fault(chunk[low:high]) or "",
        remedy="deliver its outline as straight edges, with vertices that its maker stands for" if kind else "",
    )


def _fault(chunk: pa.Array) -> str | None:
    try:
        ga.unique_geometry_types(ga.wkb().wrap_array(chunk))
    except GeoArrowCException as error:
        return str(error).rpartition("(22): ")[2]
    return None


def _iso(chunk: pa.Array, at: str, first: int) -> tuple[pa.Array, int, int]:
    codes, order = _codes(chunk), _first_bytes(chunk)
    is_extended = codes >= _EWKB_SRID
    if np.any(has_srid := is_extended & (codes & _EWKB_SRID > 0)):
        row = first + _rows(chunk)[np.flatnonzero(has_srid)[0]]
        raise unreadable(f"{at} {row}", expected="ISO WKB, whose CRS the file states", found="EWKB with an SRID")
    has_m = np.where(is_extended, codes & _EWKB_M > 0, codes // 1000 >= 2)
    stale = has_m | is_extended | (order != 1)
    if not np.any(stale):
        return chunk, 0, 0
    values = chunk.to_numpy(zero_copy_only=False)
    has_z = np.where(is_extended, codes & _EWKB_Z > 0, codes // 1000 % 2 == 1)
    rows = _rows(chunk)
    for dimension in (2, 3):
        some = rows[stale & (has_z == (dimension == 3))]
        values[some] = shapely.to_wkb(
            shapely.from_wkb(values[some]), output_dimension=dimension, byte_order=1, flavor="iso"
        )
    return pa.array(values, pa.binary()), int(has_m.sum()), int((stale & ~has_m).sum())


def _rows(chunk: pa.Array) -> NDArray[np.int64]:
    """Return the positions of the values that are not null."""
    return np.flatnonzero(np.asarray(chunk.is_valid()))


def _first_bytes(chunk: pa.Array) -> NDArray[np.uint8]:
    data, begins = _bytes(chunk)
    return data[begins]


def _codes(chunk: pa.Array) -> NDArray[np.int64]:
    """Return the type code in the header of each value that is not null."""
    data, begins = _bytes(chunk)
    four = data[np.minimum(begins[:, None] + np.arange(1, 5), len(data) - 1)].astype(np.int64)
    weights = 256 ** np.arange(4, dtype=np.int64)
    codes: NDArray[np.int64] = np.where(data[begins] == 1, four @ weights, four @ weights[::-1])
    return codes


def _bytes(chunk: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return all bytes of the chunk and where each value that is not null begins."""
    _, offsets, data = chunk.buffers()
    begins: Any = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk)]
    return np.frombuffer(data or b"\0", np.uint8), begins[_rows(chunk)].astype(np.int64)
