"""What must be true of the SQLite file of a GeoPackage before GDAL's answers may be believed.

SQLite lets any cell hold any type. GDAL then reads `abc` in a whole number as 0, 1.5 as 1 and a geometry that is none
as null, without a warning; and of rows that its threads read, its warnings do not reach us. So SQLite is asked.
What does not belong here: reading the layer (vector).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pyogrio.raw import read_arrow

from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.gdal import asked

_MAGIC = b"SQLite format 3\0"
_HEADER = 100  # bytes
_APPLICATIONS = (b"GPKG", b"GP10", b"GP11")
_WAL = 2

_WHOLE = "typeof({0}) = 'integer'"
_DAY = "typeof({0}) = 'text' AND date(substr({0}, 1, 10)) IS substr({0}, 1, 10)"
_AS_DECLARED = {
    ("OFTInteger", "OFSTBoolean"): "{0} IN (0, 1)",
    ("OFTInteger", "OFSTInt16"): f"{_WHOLE} AND {{0}} BETWEEN -32768 AND 32767",
    ("OFTInteger", "OFSTNone"): f"{_WHOLE} AND {{0}} BETWEEN -2147483648 AND 2147483647",
    ("OFTInteger64", "OFSTNone"): _WHOLE,
    ("OFTReal", "OFSTNone"): "typeof({0}) IN ('real', 'integer')",
    ("OFTReal", "OFSTFloat32"): "typeof({0}) IN ('real', 'integer')",
    ("OFTDate", "OFSTNone"): f"{_DAY} AND length({{0}}) = 10",
    ("OFTDateTime", "OFSTNone"): f"{_DAY} AND {{0}} GLOB '*T[0-2][0-9]:[0-5][0-9]*Z' AND julianday({{0}}) IS NOT NULL",
}
_TEXT = "typeof({0}) = 'text'"


def check_database(data: bytes, *, where: str) -> None:
    """Raise GateError (gate `source_readable`) unless the bytes are a whole SQLite file of a GeoPackage."""
    if not data.startswith(_MAGIC) or len(data) < _HEADER or data[68:72] not in _APPLICATIONS:
        found = f"bytes that begin with {data[:16]!r}, application {data[68:72]!r}"
        raise unreadable(where, expected="a GeoPackage: SQLite 3 with the application id GPKG", found=found)
    page = int.from_bytes(data[16:18], "big")
    size = (2**16 if page == 1 else page) * int.from_bytes(data[28:32], "big")
    if data[24:28] == data[92:96] and len(data) < size:  # else the size in the header is out of date, and SQLite knows
        raise unreadable(where, expected=f"{size} bytes, as its header says", found=f"{len(data)}")


def journal_facts(data: bytes) -> Mapping[str, str]:
    """Return the fact `journal_mode` for a database in WAL mode, whose latest rows may lie in a file beside it."""
    return {"journal_mode": "wal"} if _WAL in data[18:20] else {}


def check_cells(data: bytes, info: Mapping[str, Any], table: pa.Table, *, where: str) -> None:
    """Raise GateError (gate `source_readable`) unless all cells are there, each as its column declares.

    `info` describes the layer that `table` was read from. Numbers must be in the range of their column, dates must be
    days that there are; no row and no geometry may be left out.
    """
    described = zip(info["fields"], info["ogr_types"], info["ogr_subtypes"], strict=True)
    kinds = {name: kind for name, *kind in described if name in table.column_names}
    shape = info["geometry_name"]
    counts = [f"count({_quoted(shape) if shape else 'NULL'}) AS shapes", "count(*) AS rows_there"]
    for number, (name, kind) in enumerate(kinds.items()):
        fault = f"NOT ({_AS_DECLARED.get(tuple(kind), _TEXT).format(_quoted(name))})"
        counts.append(f"coalesce(sum({_quoted(name)} IS NOT NULL AND {fault}), 0) AS bad{number}")
    query = f"SELECT {', '.join(counts)} FROM {_quoted(info['layer_name'])}"
    _, answer = asked(lambda: read_arrow(data, sql=query), where=where)
    found = {name: int(column[0].as_py()) for name, column in zip(answer.column_names, answer.columns, strict=True)}
    for number, (name, kind) in enumerate(kinds.items()):
        if found[f"bad{number}"]:
            expected = f"cells of the type that the column declares ({kind[0].removeprefix('OFT')})"
            raise unreadable(
                f"{where}, column {name!r}", expected=expected, found=f"{found[f'bad{number}']} cell(s) of another"
            )
    shapes = len(table) - table.column(shape).null_count if shape else 0
    if (found["rows_there"], found["shapes"]) != (len(table), shapes):
        raise unreadable(
            where,
            expected=f"{found['rows_there']} rows with {found['shapes']} geometries, as the database has",
            found=f"{len(table)} with {shapes} that can be read",
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
