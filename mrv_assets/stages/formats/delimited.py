"""Reading a delimited source file: every cell is text, so `0042` stays `0042` and `891e3` stays `891e3`.

What does not belong here: what the cells mean, and which records are the project's (ingest).
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import pyarrow as pa
from pyarrow import csv as arrow_csv

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import Delivery, columns_missing, unreadable
from mrv_assets.stages.formats.encodings import as_utf8
from mrv_assets.stages.formats.headers import places_in, refuse_no_text
from mrv_assets.stages.formats.quoting import refuse_stray_quotes

# The csv module's 128 KiB per cell is less than the outline of one large county in WKT.
csv.field_size_limit(sys.maxsize)

MAX_RECORD = 2**24
"""Bytes, 16 MiB, of UTF-8 up to which a record is read; the outline of a country has about one mebibyte."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
_USUAL_DELIMITERS = ",;\t|"


def read_delimited(data: bytes, source: Source, *, where: str) -> Delivery:
    """Read the wanted columns of a file in `source.text_encoding` with `source.delimiter`; its first record names them.

    Cells are given as they are written, without their quotes, an empty one as empty text. A blank line holds no
    record. Records are numbered by the line they stand on; where blank lines or line ends inside of cells stand
    between them, they are counted instead, from 1.

    Raises GateError: gate `source_readable` when the bytes are not text in the declared encoding, the delimiter is
    another, quotes do not enclose whole cells, a record is longer than `MAX_RECORD` or a cell holds control
    characters; gate `columns_present` when a header name appears twice, a wanted column is missing or a row is ragged.
    A file that was cut inside of the last cell of a row looks whole: only its size or checksum can tell.
    """
    delimiter = _checked(source.delimiter, where)
    text = as_utf8(data, source.text_encoding, where=where)
    header, last = _header(text, delimiter)
    begin = _end_of_line(text, last)
    _refuse_other_delimiter(text[:begin], header, source, where)
    refuse_stray_quotes(text, delimiter, where=where)
    places = places_in(header, source.wanted, where=where)
    lines = _lines(text, begin)
    try:
        if not places:
            raise columns_missing(where, expected="a mapped column, by which rows are counted", found="constants alone")
        table = _table(pa.py_buffer(text).slice(begin), lines, len(header), places, delimiter)
    except pa.ArrowInvalid as error:
        raise _unparsable(text, len(header), delimiter, where, error) from error
    record, first = ("line", last + 1) if lines == table.num_rows else ("record", 1)
    refuse_no_text(table, where=where, record=record, first=first)
    return Delivery(columns=table, geometry=None, crs=None, record=record, first=first)


def _checked(delimiter: str, where: str) -> str:
    if not delimiter.isascii() or delimiter == '"' or not (delimiter == "\t" or delimiter.isprintable()):
        raise unreadable(
            where,
            expected="a printable ASCII character or a tab between cells, not the quote",
            found=f"delimiter = {delimiter!r}",
            remedy="correct delimiter under [source] in the project file",
        )
    return delimiter


def _table(body: pa.Buffer, lines: int, width: int, places: Mapping[str, int], delimiter: str) -> pa.Table:
    """Return the columns at the places as text. Raises ArrowInvalid for a ragged row or one above `MAX_RECORD`."""
    if not lines:
        return pa.table({name: pa.array([], pa.string()) for name in places})
    numbered = [str(place) for place in range(width)]
    table = arrow_csv.read_csv(
        pa.BufferReader(body),
        read_options=arrow_csv.ReadOptions(column_names=numbered, block_size=MAX_RECORD),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            check_utf8=False,  # it is: as_utf8 made sure
            column_types=dict.fromkeys(numbered, pa.string()),
            null_values=[],
            strings_can_be_null=False,
            include_columns=[numbered[place] for place in places.values()],
        ),
    )
    return table.rename_columns(list(places))


def _header(text: bytes, delimiter: str) -> tuple[Sequence[str], int]:
    """Return the first record and the number of the line that it ends on."""
    for cells, _, last in _records(text, delimiter):
        return cells, last
    return [], 0


def _records(text: bytes, delimiter: str) -> Iterator[tuple[Sequence[str], int, int]]:
    """Give each record with its first and last line, slowly: for the header, and to name what is wrong."""
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(text), "utf-8", newline=""), delimiter=delimiter)
    line = 0
    for cells in reader:
        if cells:
            yield cells, line + 1, reader.line_num
        line = reader.line_num


def _end_of_line(text: bytes, number: int) -> int:
    """Return the offset behind a line, by its number."""
    end = next(islice(_LINE_END.finditer(text), max(0, number - 1), None), None)
    return len(text) if end is None else end.end()


def _lines(text: bytes, begin: int) -> int:
    """Return the number of lines from an offset on, blank ones at the end left out."""
    end = len(text)
    while end > begin and text[end - 1] in b"\r\n":
        end -= 1
    breaks = text.count(b"\n", begin, end)
    if text.find(b"\r", begin, end) >= 0:
        breaks += text.count(b"\r", begin, end) - text.count(b"\r\n", begin, end)
    return breaks + 1 if end > begin else 0


def _refuse_other_delimiter(head: bytes, header: Sequence[str], source: Source, where: str) -> None:
    """Refuse a file whose header has more of the wanted columns when it is split at another delimiter."""
    wanted = set(source.wanted)
    for other in _USUAL_DELIMITERS.replace(source.delimiter, ""):
        split = _header(head, other)[0]
        if len(wanted & set(split)) > len(wanted & set(header)):
            raise unreadable(
                f"{where}, header",
                expected=f"names with {source.delimiter!r} between them",
                found=f"{other!r} between them: {head[:80].decode('utf-8', 'ignore').strip()!r}",
                remedy=f"set delimiter = {_toml(other)} under [source] in the project file",
            )


def _toml(character: str) -> str:
    return '"\\t"' if character == "\t" else f'"{character}"'


def _unparsable(text: bytes, width: int, delimiter: str, where: str, error: pa.ArrowInvalid) -> GateError:
    for cells, line, last in _records(text, delimiter):
        if len(cells) != width:
            is_cut = len(cells) < width and not _lines(text, _end_of_line(text, last))
            return columns_missing(
                f"{where}, line {line}",
                expected=f"{width} cells, as the header has",
                found=f"{len(cells)} cells: {delimiter.join(cells)[:80]!r}"
                + (", in the last row, as in a file that was cut short" if is_cut else ""),
            )
    return unreadable(where, expected=f"records of at most {MAX_RECORD} bytes", found=str(error))
