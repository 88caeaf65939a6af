"""The table of a shapefile (dBase), column by column and strictly, into the types that it declares.

GDAL is not used: it reads `12A` in a number as 12, `20201345` in a date as 1970-01-01, drops blanks at the beginning of
a text, and takes a table that was cut off as a shorter one. What does not belong here: shapes (vector), what is in
a cell (dbf_cells) and which encoding it is (dbf_codec).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.dbf_cells import CELLS, Cells
from mrv_assets.stages.formats.dbf_codec import dbf_codec
from mrv_assets.stages.formats.headers import places_in, refuse_no_text

_HEADER, _DESCRIPTOR = 32, 32  # bytes
_END_OF_FIELDS = 0x0D
_DELETED = ord("*")
_REMEDY = (
    "correct the field; text: have the .cpg delivered with the table, or set encoding under [source] after asking "
    "who made the file"
)
_KINDS = "text (C), numbers (N, F), dates (D) or booleans (L)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    name: str
    kind: str
    begin: int
    width: int
    decimals: int


def dbf_columns(
    data: bytes, cpg: bytes | None, source: Source, *, records: int, where: str
) -> tuple[pa.Table, pa.BooleanArray]:
    """Return the wanted columns of the records that are not marked as deleted, and which records these are.

    Text without the blanks at its end is string, N without decimals int64 (or text of digits, when one is beyond it),
    other numbers float64, D date32, L bool. A cell without a value is null: all blank, a number of stars, a date of
    zeros, a question mark. Raises GateError: see `read_shapefile`.
    """
    codec = dbf_codec(cpg, source.encoding, where=where)
    counted, header, width = (int.from_bytes(data[at : at + size], "little") for at, size in ((4, 4), (8, 2), (10, 2)))
    if counted != records:
        raise unreadable(where, expected=f"{records} records, as the .shx has", found=f"{counted} in the .dbf")
    if len(data) < header + records * width or header <= _HEADER or not width:
        expected = f"a whole .dbf of {header + records * width} bytes, as its header says"
        raise unreadable(where, expected=expected, found=f"{len(data)} bytes")
    fields = list(_fields(data[_HEADER:header], width, codec, where))
    places_in([field.name for field in fields], source.wanted, where=where)
    rows = np.frombuffer(data, np.uint8, count=records * width, offset=header).reshape(records, width)
    is_kept = rows[:, 0] != _DELETED
    columns = {
        field.name: _column(rows, is_kept, field, codec, where) for field in fields if field.name in source.wanted
    }
    table = pa.table({name: columns[name] for name in source.wanted})
    refuse_no_text(table, where=where, record="record", first=1)
    return table, pa.array(is_kept)


def _fields(descriptors: bytes, width: int, codec: str, where: str) -> Iterator[_Field]:
    """Give the fields of a table in their order; a record begins with its mark of deletion."""
    begin = 1
    for start in range(0, len(descriptors), _DESCRIPTOR):
        descriptor = descriptors[start : start + _DESCRIPTOR]
        if descriptor[0] == _END_OF_FIELDS:
            return
        if len(descriptor) < _DESCRIPTOR or begin + descriptor[16] > width:
            raise unreadable(where, expected=f"fields of {width} bytes in all", found="one that reaches beyond them")
        field = _Field(
            name=_name(descriptor[:11], codec, where),
            kind=chr(descriptor[11]),
            begin=begin,
            width=descriptor[16],
            decimals=descriptor[17],
        )
        begin += field.width
        yield field


def _name(raw: bytes, codec: str, where: str) -> str:
    try:
        return raw.partition(b"\0")[0].decode(codec).rstrip()
    except UnicodeDecodeError as error:
        raise unreadable(where, expected=f"field names in {codec}", found=str(error), remedy=_REMEDY) from error


def _column(rows: NDArray[np.uint8], is_kept: NDArray[np.bool_], field: _Field, codec: str, where: str) -> pa.Array:
    if field.kind not in CELLS:
        raise unreadable(f"{where}, field {field.name!r}", expected=_KINDS, found=f"a field of kind {field.kind!r}")
    cells = np.ascontiguousarray(rows[is_kept, field.begin : field.begin + field.width])
    raw = pa.Array.from_buffers(pa.binary(field.width), len(cells), [None, pa.py_buffer(cells)]).cast(pa.binary())
    return CELLS[field.kind](
        Cells(
            raw=raw,
            codec=codec,
            decimals=field.decimals,
            at=lambda index: f"{where}, record {index + 1}, field {field.name!r}",
            remedy=_REMEDY,
        )
    )
