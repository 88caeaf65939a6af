from __future__ import annotations

import codecs
from typing import Any

import pyarrow as pa
import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import Delivery
from mrv_assets.stages.formats.delimited import MAX_RECORD, read_delimited

WHERE = "anoka 2021, source electricity.csv"
HEADER = "id,fips,year,qty,note"
WANTED = ("id", "fips", "year", "qty")


def source(**changes: Any) -> Source:
    """Return a source that wants the columns id, fips, year and qty."""
    return Source.parse(
        {
            "path": "electricity.csv",
            "format": "csv",
            "geometry": "none",
            "where": {"fips": "27003"},
            "columns": {"row_id": "id", "epoch": "year", "activity_qty": "qty"},
            "constants": {"activity_id": "electricity", "region": "US/MROW", "unit": "MWh"},
        }
        | changes
    )


def text(*rows: str, header: str = HEADER, end: str = "\n") -> str:
    """Return a delimited file of a header and rows."""
    return "".join(row + end for row in (header, *rows))


def read(data: bytes | str, **changes: Any) -> Delivery:
    """Read a file; one that is given as text is in UTF-8."""
    return read_delimited(data.encode() if isinstance(data, str) else data, source(**changes), where=WHERE)


def cells(data: bytes | str, **changes: Any) -> list[tuple[str, ...]]:
    """Return the wanted cells of a file, row by row, in the order id, fips, year, qty."""
    columns = read(data, **changes).columns
    return list(zip(*(columns.column(name).to_pylist() for name in WANTED), strict=True))


ROW = "a,27003,2021,2.5,"
CELLS = ("a", "27003", "2021", "2.5")


def test_wanted_columns_are_text_as_written() -> None:
    """No cell is typed, stripped or taken for a null, and what nobody asked for is left out."""
    rows = text("0042,891e3, 3-4 ,NA,x", "1914310000010100016,null,,007,")
    delivery = read(rows)
    assert sorted(delivery.columns.column_names) == sorted(WANTED)
    assert set(delivery.columns.schema.types) == {pa.string()}
    assert delivery.columns.column("id").null_count == 0
    assert cells(rows) == [("0042", "891e3", " 3-4 ", "NA"), ("1914310000010100016", "null", "", "007")]
    assert (delivery.geometry, delivery.crs) == (None, None)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_ends_do_not_matter(end: str) -> None:
    """The three ways to end a line read the same, and the last line may do without."""
    data = text(ROW, ROW, end=end)
    assert cells(data) == cells(data.removesuffix(end)) == [CELLS, CELLS]


def test_quoted_cells_may_hold_anything() -> None:
    """Delimiters, line ends and doubled quotes belong to the cell that they are quoted in."""
    data = text('"a, the\nfirst ""one""","27003",2021,"",', header='"id","fips",year,"qty","a\nnote"')
    assert cells(data) == [('a, the\nfirst "one"', "27003", "2021", "")]


@pytest.mark.parametrize(
    ("data", "numbered"),
    [
        pytest.param(text(ROW, ROW), ("line", 2), id="one record a line"),
        pytest.param(text(ROW, ROW) + "\n\r\n", ("line", 2), id="blank lines at the end"),
        pytest.param("\n\n" + text(ROW, ROW), ("line", 4), id="blank lines before the header"),
        pytest.param(text(ROW, "", ROW), ("record", 1), id="blank line between"),
        pytest.param(text(ROW, ROW + '"a\nnote"'), ("record", 1), id="line end in a cell"),
        pytest.param(text(ROW, ROW, header=HEADER.replace("note", '"a\nnote"')), ("line", 3), id="header on two lines"),
    ],
)
def test_records_are_numbered_by_line_where_a_person_would_find_them_there(
    data: str, numbered: tuple[str, int]
) -> None:
    """A blank line holds no record; where lines and records part, records are counted and called so."""
    delivery = read(data)
    assert (delivery.record, delivery.first) == numbered
    assert delivery.columns.num_rows == 2


def test_header_without_rows_is_an_empty_delivery() -> None:
    """A file of a header only has the columns, typed as text, and no rows, with or without a line end."""
    for data in (HEADER, HEADER + "\n", HEADER + "\r\n\r\n"):
        columns = read(data).columns
        assert (columns.num_rows, set(columns.schema.types)) == (0, {pa.string()})


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "], ids=["comma", "semicolon", "tab", "bar", "space"])
def test_delimiter_is_the_declared_one(delimiter: str) -> None:
    """Other characters that often delimit are text between declared delimiters."""
    first = ",;\t|".replace(delimiter, "")
    data = text(delimiter.join([first, "27003", "2021", "2.5", ""]), header=HEADER.replace(",", delimiter))
    assert cells(data, delimiter=delimiter) == [(first, "27003", "2021", "2.5")]


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        pytest.param("utf-8", b"", id="UTF-8"),
        pytest.param("utf-8", codecs.BOM_UTF8, id="UTF-8 marked"),
        pytest.param("utf-8-sig", b"", id="UTF-8 said to be marked"),
        pytest.param("UTF8", codecs.BOM_UTF8, id="UTF-8 in other letters"),
        pytest.param("utf-16", None, id="UTF-16"),
        pytest.param("utf-16-le", b"", id="UTF-16 LE"),
        pytest.param("utf-16-le", codecs.BOM_UTF16_LE, id="UTF-16 LE marked"),
        pytest.param("utf-16-be", codecs.BOM_UTF16_BE, id="UTF-16 BE marked"),
        pytest.param("utf-32", None, id="UTF-32"),
        pytest.param("cp1252", b"", id="cp1252"),
        pytest.param("latin-1", b"", id="Latin-1"),
    ],
)
def test_declared_encoding_is_used_and_a_byte_order_mark_is_no_text(encoding: str, mark: bytes | None) -> None:
    """Text in the declared encoding reads the same in all of them; the mark never joins the first header."""
    name = "utf-8" if encoding == "utf-8-sig" else encoding
    data = text("M\u00fcller,27003,2021,2.5,").encode(name)
    assert cells((mark or b"") + data, encoding=encoding) == [("M\u00fcller", "27003", "2021", "2.5")]


LATIN = text(ROW, "M\u00fcller,27003,2021,2.5,")


@pytest.mark.parametrize(
    ("data", "encoding", "says"),
    [
        pytest.param(
            LATIN.encode("cp1252"),
            "utf-8",
            r"line 3.*expected text in utf-8; found byte 0xFC at offset 41: .*; "
            r"as cp1252 it reads '.*M\u00fcller,27003.*set encoding = .cp1252. under",
            id="cp1252 as UTF-8",
        ),
        pytest.param(
            (LATIN + "\x81").encode("latin-1"), "utf-8", r"line 3.*byte 0xFC at offset 41.*, in b'", id="bytes as UTF-8"
        ),
        pytest.param(
            LATIN.encode(),
            "cp1252",
            r"found declared cp1252, but bytes are UTF-8: line 3 would read '.*M\u00c3\u00bcller.*' "
            r"instead of '.*M\u00fcller.*set encoding = .utf-8. under",
            id="UTF-8 as cp1252",
        ),
        pytest.param(LATIN.encode(), "latin-1", "declared latin-1, but bytes are UTF-8", id="UTF-8 as Latin-1"),
        pytest.param(LATIN.encode(), "ascii", "declared ascii, but bytes are UTF-8", id="UTF-8 as ASCII"),
        pytest.param(
            LATIN.encode("latin-1"), "ascii", "byte 0xFC at offset 41: ordinal not in range", id="Latin-1 as ASCII"
        ),
        pytest.param(
            codecs.BOM_UTF8 + LATIN.encode("ascii", "ignore"),
            "cp1252",
            r'the file starts with a UTF-8 byte order mark.*set encoding = "utf-8"',
            id="marked UTF-8 as cp1252",
        ),
        pytest.param(
            LATIN.encode("utf-16"),
            "utf-8",
            r'found the file starts with a UTF-16 byte order mark \(UTF-16-LE\)\. Remedy: set encoding = "utf-16"',
            id="UTF-16 as UTF-8",
        ),
        pytest.param(
            codecs.BOM_UTF16_BE + LATIN.encode("utf-16-be"),
            "latin-1",
            r"starts with a UTF-16 byte order mark \(UTF-16-BE\)",
            id="UTF-16 BE as Latin-1",
        ),
        pytest.param(
            codecs.BOM_UTF16_BE + LATIN.encode("utf-16-be"),
            "utf-16-le",
            r"starts with a UTF-16 byte order mark \(UTF-16-BE\)",
            id="other byte order",
        ),
        pytest.param(LATIN.encode("utf-32"), "utf-16", "starts with a UTF-32 byte order mark", id="UTF-32 as UTF-16"),
        pytest.param(
            LATIN.encode("utf-16-le"),
            "utf-8",
            r'a NUL byte at offset 1, line 1, and so many more.*set encoding = "utf-16-le"',
            id="unmarked UTF-16 as UTF-8",
        ),
        pytest.param(
            text(ROW).encode("utf-16-be"), "cp1252", r'set encoding = "utf-16-be"', id="unmarked UTF-16 as cp1252"
        ),
        pytest.param(
            LATIN.encode("utf-16-le"),
            "utf-16",
            r'expected a byte order mark, as utf-16 has; found none.*"utf-16-le" or "utf-16-be"',
            id="nobody says the byte order",
        ),
        pytest.param(
            LATIN.encode(),
            "utf-16-le",
            r"bytes of which none is NUL.*set encoding = .utf-8. under",
            id="UTF-8 as UTF-16",
        ),
        pytest.param(
            text(ROW, "a\x00,27003,2021,2.5,").encode(), "utf-8", "a NUL byte at offset 41, line 3", id="NUL in a cell"
        ),
        pytest.param(
            LATIN.encode().partition(b"\xbc")[0],
            "utf-8",
            "line 3.*a file that ends in the middle of a character",
            id="cut character",
        ),
        pytest.param(
            LATIN.encode("utf-16")[:-1],
            "utf-16",
            "a file that ends in the middle of a character",
            id="cut character of UTF-16",
        ),
        pytest.param(
            LATIN.encode("utf-16-le").replace(b"\xfc\x00", b"\x00\xd8"),
            "utf-16-le",
            "line 3.*illegal UTF-16 surrogate",
            id="half a pair",
        ),
        pytest.param(b"x", "latin-15x", "found encoding = 'latin-15x'. Remedy: correct encoding", id="unknown"),
        pytest.param(b"x", "zip", "found encoding = 'zip'", id="no text encoding"),
        pytest.param(b"x", "undefined", "found encoding = 'undefined'", id="undefined"),
        pytest.param(b"x", "utf\x00", "expected a text encoding", id="NUL in the name"),
        pytest.param(b"PK\x03\x04rest", "latin-1", "bytes that begin as a zip archive or a workbook does", id="zip"),
        pytest.param(b"\x1f\x8brest", "latin-1", "bytes that begin as a gzip file does", id="gzip"),
    ],
)
def test_bytes_that_are_not_in_the_declared_encoding_are_refused(data: bytes, encoding: str, says: str) -> None:
    """No byte is replaced and no encoding guessed: the refusal names the place, how it would read, and the remedy."""
    with pytest.raises(GateError, match=says) as caught:
        read(data, encoding=encoding)
    assert caught.value.gate == "source_readable"


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        pytest.param("a\x07", r"line 3, column 'id'.*control character U\+0007", id="bell"),
        pytest.param("a\x7f", r"control character U\+007F", id="delete"),
        pytest.param("\x93a\x94", r"U\+0093; the file may be in cp1252 rather than latin-1", id="C1"),
        pytest.param("\ufeffid", "a byte order mark, as where one file was appended to another", id="second mark"),
        pytest.param("M\ufffdller", r"U\+FFFD: an earlier step lost what stood there", id="replacement character"),
    ],
)
def test_cell_that_holds_no_text_is_refused(cell: str, says: str) -> None:
    """Control characters, a byte order mark or a replacement character in a wanted cell are refused with their line."""
    with pytest.raises(GateError, match=says) as caught:
        read(text(ROW, f"{cell},27003,2021,2.5,"))
    assert caught.value.gate == "source_readable"


def test_what_stands_in_unwanted_columns_does_not_matter() -> None:
    """A control character in a column that nobody asked for refuses nothing."""
    assert cells(text(ROW + "a\x07")) == [CELLS]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param("", "missing fips, id, qty, year; the header is empty", id="empty file"),
        pytest.param("\n\n", "the header is empty", id="blank lines only"),
        pytest.param(text(header="id,fips,year,MWh"), "missing qty; the header is id, fips, year, MWh", id="missing"),
        pytest.param(
            text(header="id,fips,year,Qty ,note"),
            r"missing qty \(but there is 'Qty '; names are matched exactly\)",
            id="nearly there",
        ),
        pytest.param(text(header="id,fips,year,qty,qty"), "every header name once; found twice: qty", id="twice"),
        pytest.param(text(header="id,fips,year,qty,note,note"), "twice: note", id="unwanted twice"),
        pytest.param(text(header="id,fips,year,qty,qty "), "twice: 'qty ' beside 'qty'", id="twice but for space"),
        pytest.param(
            text(header="id,fips,year,qty,caf\u00e9,cafe\u0301"),
            "twice: 'cafe\u0301' beside 'caf\u00e9'",
            id="twice in NFC",
        ),
        pytest.param(
            text(ROW, "b,27003"), "line 3.*expected 5 cells.*found 2 cells: 'b,27003', in the last row", id="cut"
        ),
        pytest.param(text(ROW, ROW + ",1"), r"line 3.*found 6 cells: 'a,27003,2021,2.5,,1'[.]", id="long last row"),
        pytest.param(text("b,27003", ROW), "line 2.*found 2 cells: 'b,27003'[.]", id="short row"),
        pytest.param(text(ROW, "", ROW + ",1,5", ROW), "line 4.*found 7 cells", id="long row behind a blank line"),
        pytest.param(text(ROW + '"\n\n"', ROW + "x,y"), "line 5.*found 6 cells", id="long row behind a long cell"),
        pytest.param(text(ROW, "  "), "line 3.*found 1 cells: '  '", id="space only"),
    ],
)
def test_file_without_the_wanted_columns_in_every_row_is_refused(data: str, says: str) -> None:
    """A missing or doubled column, or a ragged row, turns `columns_present` red and names the line."""
    with pytest.raises(GateError, match=says) as caught:
        read(data)
    assert caught.value.gate == "columns_present"


def test_wanted_column_without_a_name_is_refused() -> None:
    """A blank name maps nothing, even where the header has a blank name."""
    with pytest.raises(GateError, match="missing ;"):
        read(text(header="id,fips,year,"), columns={"row_id": "id", "epoch": "year", "activity_qty": ""})


def test_columns_without_a_name_are_left_out() -> None:
    """Empty header names, as spreadsheets leave them behind, are no duplicates of one another."""
    assert cells(text(ROW + ",,", header="id,fips,year,qty,,,")) == [CELLS]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(
            text(ROW, 'a 12" pipe,27003,2021,2.5,'),
            "line 3.*a quote in the middle of a cell: '.*a 12\" pipe",
            id="inch mark",
        ),
        pytest.param(text('"a"b,27003,2021,2.5,', ROW), "line 2.*a quote in the middle of a cell", id="text after"),
        pytest.param(text(' "a",27003,2021,2.5,'), "line 2.*a quote in the middle of a cell", id="space before"),
        pytest.param(
            text(ROW, '"a,27003,2021,2.5,', ROW), "line 3.*a quoted cell that never ends.*cut short", id="never closed"
        ),
        pytest.param(text(ROW + '"cut')[:-1], "line 2.*a quoted cell that never ends", id="cut in a quoted cell"),
        pytest.param(text(ROW) + '"', "line 3.*a quoted cell that never ends", id="last byte"),
        pytest.param(
            text(ROW.replace(",", ";"), header=HEADER.replace(",", ";")),
            r"""expected names with ',' between them; found ';' between them.*Remedy: set delimiter = ";" under""",
            id="semicolons",
        ),
        pytest.param(
            text(ROW.replace(",", "\t"), header=HEADER.replace(",", "\t")),
            r'Remedy: set delimiter = "\\t" under',
            id="tabs",
        ),
        pytest.param(
            '"id";"fips";"year";"qty, MWh";"qty"\n', r'Remedy: set delimiter = ";" under', id="quoted with semicolons"
        ),
        pytest.param(
            text("x" * (MAX_RECORD * 2) + ROW), f"expected records of at most {MAX_RECORD} bytes", id="huge record"
        ),
    ],
)
def test_file_that_is_no_such_table_is_refused(data: str, says: str) -> None:
    """Stray quotes, another delimiter and endless records turn `source_readable` red and name the place."""
    with pytest.raises(GateError, match=says) as caught:
        read(data)
    assert caught.value.gate == "source_readable"


@pytest.mark.parametrize("delimiter", ['"', "\n", "\x00", "\u00a6"])
def test_delimiter_that_cannot_be_one_is_refused(delimiter: str) -> None:
    """A quote, a line end, a control or a character beyond ASCII delimits nothing."""
    with pytest.raises(GateError, match="correct delimiter under"):
        read(text(ROW), delimiter=delimiter)


def test_outline_of_a_large_county_is_one_cell() -> None:
    """A cell of more than a mebibyte, and records that lie across the blocks of the reader, read whole."""
    outline = "POLYGON((" + "0 0," * 400_000 + "0 0))"
    rows = [f'{number},27003,2021,"{outline}",' for number in range(45)]
    found = cells(text(*rows))
    assert [row[0] for row in found] == [str(number) for number in range(45)]
    assert {row[3] for row in found} == {outline}
