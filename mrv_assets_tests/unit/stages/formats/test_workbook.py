from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.worksheet.worksheet import Worksheet

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import Delivery
from mrv_assets.stages.formats.sheets import MAX_CELLS, cell_name
from mrv_assets.stages.formats.workbook import read_workbook
from mrv_assets_tests.world import PUBLIC_DATA

WHERE = "anoka 2021, source electricity.xlsx"
HEADER = ("id", "fips", "year", "qty", "note")
ROW = ("a", "27003", 2021, 2.5, None)
SHEET = "xl/worksheets/sheet1.xml"
FLAT_FILE = PUBLIC_DATA / "uk-conversion-factors" / "raw" / "2023_flat_file_update_v1.1.xlsx"


def source(**changes: Any) -> Source:
    """Return a source that wants the columns id, fips, year and qty, of which the first two are ids."""
    return Source.parse(
        {
            "path": "electricity.xlsx",
            "format": "xlsx",
            "geometry": "none",
            "where": {"fips": "27003"},
            "columns": {"row_id": "id", "epoch": "year", "activity_qty": "qty"},
            "constants": {"activity_id": "electricity", "region": "US/MROW", "unit": "MWh"},
        }
        | changes
    )


def book(
    *rows: tuple[Any, ...], header: tuple[Any, ...] = HEADER, edit: Callable[[Worksheet], None] | None = None
) -> bytes:
    """Return a workbook of one sheet with a header and rows, changed by `edit` before it is saved."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert isinstance(sheet, Worksheet)
    for row in (header, *rows):
        sheet.append(row)
    if edit is not None:
        edit(sheet)
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


def sheets(*names: str, hidden: str = "") -> bytes:
    """Return a workbook of several sheets; every row id is the sheet's name."""
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.worksheets[0])
    for name in names:
        sheet = workbook.create_sheet(name)
        sheet.sheet_state = "hidden" if name == hidden else "visible"
        sheet.append(HEADER)
        sheet.append((name, *ROW[1:]))
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


def with_parts(data: bytes, changes: Mapping[str, Callable[[bytes], bytes]]) -> bytes:
    """Return the workbook with the bytes of some of its parts changed; a part that was not there is made of nothing."""
    target = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as old, ZipFile(target, "w", ZIP_DEFLATED) as new:
        for name in sorted({*old.namelist(), *changes}):
            content = old.read(name) if name in old.namelist() else b""
            new.writestr(name, changes[name](content) if name in changes else content)
    return target.getvalue()


def replaced(old: bytes, new: bytes, *, part: str = SHEET, data: bytes | None = None) -> bytes:
    """Return a workbook whose sheet has other XML in one place."""

    def replace(xml: bytes) -> bytes:
        assert old in xml
        return xml.replace(old, new, 1)

    return with_parts(book(ROW) if data is None else data, {part: replace})


def strings(count: str) -> bytes:
    """Return a workbook with shared strings that say to be so many."""
    xml = f'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" uniqueCount="{count}"><si/></sst>'
    return with_parts(book(ROW), {"xl/sharedStrings.xml": lambda _: xml.encode()})


def read(data: bytes, **changes: Any) -> Delivery:
    """Read a workbook."""
    return read_workbook(data, source(**changes), where=WHERE)


def column(name: str, data: bytes, **changes: Any) -> list[str]:
    """Return the cells of one wanted column."""
    cells: list[str] = read(data, **changes).columns.column(name).to_pylist()
    return cells


def quantity(value: Any, *, number_format: str = "General", **changes: Any) -> str:
    """Return what becomes of the value of one quantity cell."""

    def edit(sheet: Worksheet) -> None:
        sheet["D2"] = value
        sheet["D2"].number_format = number_format

    (text,) = column("qty", book(ROW, edit=edit), **changes)
    return text


def test_wanted_columns_are_text() -> None:
    """The wanted columns of the only sheet are text, each row numbered as the sheet does it."""
    delivery = read(book(ROW, ("0042", "27003", "2021-Q1", "1,5", "x")))
    assert set(delivery.columns.schema.types) == {pa.string()}
    assert delivery.columns.select(["id", "fips", "year", "qty"]).to_pylist() == [
        {"id": "a", "fips": "27003", "year": "2021", "qty": "2.5"},
        {"id": "0042", "fips": "27003", "year": "2021-Q1", "qty": "1,5"},
    ]
    assert (delivery.record, delivery.first) == ("row", 2)
    assert (delivery.geometry, delivery.crs) == (None, None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(42, "42", id="whole"),
        pytest.param(42.0, "42", id="whole fraction"),
        pytest.param(-0.5, "-0.5", id="fraction"),
        pytest.param(4437787.2208569858, "4437787.220856986", id="shortest text"),
        pytest.param(1e-7, "1e-07", id="small"),
        pytest.param(1e22, "1e+22", id="large"),
        pytest.param("0042", "0042", id="text"),
        pytest.param(" 1,5 ", " 1,5 ", id="text with space"),
        pytest.param(None, "", id="empty"),
        pytest.param(True, "TRUE", id="true"),
        pytest.param(False, "FALSE", id="false"),
        pytest.param(date(2021, 3, 4), "2021-03-04", id="date"),
        pytest.param(datetime.fromisoformat("2021-03-04T05:06"), "2021-03-04T05:06:00", id="instant"),
        pytest.param(time(5, 6), "05:06:00", id="time"),
    ],
)
def test_cell_becomes_the_text_that_a_person_would_type(value: object, text: str) -> None:
    """Text stays, numbers get the shortest text that is the same number, dates ISO 8601, truth values their name."""
    formats = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm", time: "hh:mm"}
    assert quantity(value, number_format=formats.get(type(value), "General")) == text


def test_number_is_written_with_the_declared_decimal_mark() -> None:
    """A typed number has no mark of its own; it is written so that it reads the same as the text cells beside it."""
    assert quantity(2.5, decimal_mark=",") == "2,5"


def test_rows_are_counted_as_records_when_empty_rows_stand_between() -> None:
    """An empty row holds no record, and after one the row of the sheet is not known any more."""
    delivery = read(book(ROW, (None,) * 5, ROW))
    assert (delivery.record, delivery.first, delivery.columns.num_rows) == ("record", 1, 2)


def test_formatted_but_empty_rows_are_no_rows() -> None:
    """Rows below the table that only have a format, wherever they end, change nothing."""

    def edit(sheet: Worksheet) -> None:
        sheet["A1048576"].number_format = "0.00"
        sheet["XFD3"].number_format = "0.00"

    delivery = read(book(ROW, edit=edit))
    assert (delivery.record, delivery.columns.num_rows) == ("row", 1)


def test_header_without_rows_is_an_empty_delivery() -> None:
    """A sheet of a header only has the columns, typed as text, and no rows."""
    columns = read(book()).columns
    assert (columns.num_rows, set(columns.schema.types)) == (0, {pa.string()})


def test_table_may_begin_in_another_column() -> None:
    """Empty columns before the table have empty names and are left out."""
    assert column("id", book((None, *ROW), header=(None, *HEADER))) == ["a"]


def test_formula_counts_by_its_stored_result() -> None:
    """The result that was stored with a formula is the cell's value; an empty text is a result too."""
    stored = replaced(b"<v>2.5</v>", b"<f>1+1.5</f><v>2.5</v>")
    assert column("qty", stored) == ["2.5"]
    assert column("qty", replaced(b't="n"><v>2.5</v>', b't="str"><f>""</f><v></v>')) == [""]


def test_layer_names_the_sheet() -> None:
    """With more than one sheet the declared one is read, hidden or not."""
    data = sheets("2020", "2021", hidden="2021")
    assert column("id", data, layer="2020") == ["2020"]
    assert column("id", data, layer="2021") == ["2021"]


@pytest.mark.parametrize(
    ("layer", "says"),
    [
        pytest.param(None, "expected one sheet, or layer under", id="not said"),
        pytest.param("2022", "expected a sheet '2022'", id="not there"),
        pytest.param("data", "expected a sheet 'data'", id="other letters"),
    ],
)
def test_sheet_that_is_not_said_or_not_there_is_refused_with_the_list(layer: str | None, says: str) -> None:
    """A hidden sheet counts, and the refusal lists all sheets."""
    changes = {} if layer is None else {"layer": layer}
    with pytest.raises(
        GateError, match=f"{says}.*found sheets 'Data', 'Old' .hidden.*name the sheet as layer"
    ) as caught:
        read(sheets("Data", "Old", hidden="Old"), **changes)
    assert caught.value.gate == "source_readable"


@pytest.mark.parametrize(
    ("value", "number_format", "found"),
    [
        pytest.param(27003, "General", "27003, kept as a number", id="number"),
        pytest.param(891000.0, "0.00E+00", "891000, kept as a number", id="exponent"),
        pytest.param(1914310000010100016, "General", r"1.9143100000101e\+18, kept as a number", id="long number"),
        pytest.param(date(2024, 3, 4), "d-mmm", "2024-03-04, kept as a date", id="date"),
        pytest.param(True, "General", "TRUE, kept as a number", id="truth value"),
        pytest.param(3, "00000", "3, kept as a number", id="number shown with zeros"),
    ],
)
@pytest.mark.parametrize("cell", ["A2", "B2"], ids=["row id", "selecting"])
def test_id_that_is_no_text_is_refused(cell: str, value: object, number_format: str, found: str) -> None:
    """A number or date in an id column was retyped by the spreadsheet: refused by cell, with what to do."""

    def edit(sheet: Worksheet) -> None:
        sheet[cell] = value
        sheet[cell].number_format = number_format

    with pytest.raises(GateError, match=rf"cell {cell}\]: expected text in column.*{found}.*format the column as text"):
        read(book(ROW, edit=edit))


def test_empty_id_is_left_to_the_gates() -> None:
    """An id cell that is empty is empty text; whether a row may lack its id is not judged here."""
    assert column("id", book((None, *ROW[1:]))) == [""]


@pytest.mark.parametrize(
    ("value", "kind", "says"),
    [
        pytest.param(
            "#REF!", "e", "cell D2.*expected a value in column 'qty'; found the error value #REF!", id="error"
        ),
        pytest.param("#DIV/0!", "s", "cell D2.*found the error value #DIV/0!", id="error pasted as text"),
        pytest.param(
            "=1+1", "f", "cell D2.*found a formula without a stored result.*calculated and saved", id="formula"
        ),
        pytest.param(timedelta(days=2), "d", "cell D2.*expected text or a number.*a duration of 2 days", id="duration"),
        pytest.param("a_x0007_b", "s", r"row 2, column 'qty'.*control character U\+0007", id="control character"),
    ],
)
def test_cell_without_a_value_is_refused(value: object, kind: str, says: str) -> None:
    """Error values, formulas that nobody calculated, durations and control characters are refused by cell."""

    def edit(sheet: Worksheet) -> None:
        sheet["D2"] = value
        sheet["D2"].data_type = kind

    with pytest.raises(GateError, match=says) as caught:
        read(book(ROW, edit=edit))
    assert caught.value.gate == "source_readable"


def test_what_stands_in_unwanted_columns_does_not_matter() -> None:
    """An error value or a date in a column that nobody asked for refuses nothing."""

    def edit(sheet: Worksheet) -> None:
        sheet["E2"] = "#N/A"
        sheet["E2"].data_type = "e"

    assert column("id", book(ROW, edit=edit)) == ["a"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(book(header=()), "missing fips, id, qty, year; the header is empty", id="empty sheet"),
        pytest.param(book(ROW, header=(None,)), "the header is empty", id="empty first row"),
        pytest.param(
            book(ROW, header=("id", "fips", "year", "MWh")), "missing qty; the header is id, fips", id="missing"
        ),
        pytest.param(book(ROW, header=(*HEADER[:4], "qty")), "twice: qty", id="twice"),
        pytest.param(
            book(ROW, edit=lambda sheet: sheet.merge_cells("C1:D1")),
            "expected a name in every header cell; found merged cells C1:D1 in the first row",
            id="merged header",
        ),
    ],
)
def test_sheet_without_the_wanted_columns_is_refused(data: bytes, says: str) -> None:
    """A missing, doubled or merged header cell turns `columns_present` red."""
    with pytest.raises(GateError, match=says) as caught:
        read(data)
    assert caught.value.gate == "columns_present"


def test_merged_cells_of_a_wanted_column_are_refused() -> None:
    """Only the first of merged cells has the value, so the rows below it would lose theirs."""
    with pytest.raises(GateError, match=r"every row of column 'fips'; found merged cells B2:B3.*unmerge the cells"):
        read(book(ROW, ROW, edit=lambda sheet: sheet.merge_cells("B2:B3")))
    assert column("id", book(ROW, ROW, edit=lambda sheet: sheet.merge_cells("E2:E3"))) == ["a", "a"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "expected a whole zip archive", id="empty"),
        pytest.param(b"<html><table>", "expected an XLSX workbook; found HTML or XML text", id="HTML"),
        pytest.param(b"id,fips\n", "expected a whole zip archive; found bytes that begin with b'id,fips", id="CSV"),
        pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "found an old workbook", id="xls"),
        pytest.param(
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "found an encrypted workbook. Remedy: save it as an XLSX workbook without a password",
            id="encrypted",
        ),
        pytest.param(
            with_parts(book(), {}).replace(b"xl/workbook.xml", b"xl/workbook.bin"), "binary workbook", id="xlsb"
        ),
        pytest.param(
            with_parts(book(), {}).replace(b"xl/workbook.xml", b"xl/workbuch.xml"),
            "a zip archive without xl/workbook.xml",
            id="other zip",
        ),
        pytest.param(book(ROW)[:-40], "a broken or truncated one", id="truncated"),
        pytest.param(
            with_parts(book(), {SHEET: lambda _: bytes(20 * 2**20)}), "bytes out of one compressed byte", id="zip bomb"
        ),
        pytest.param(replaced(b"</sheetData>", b""), "expected well-formed XML; found mismatched tag", id="broken XML"),
        pytest.param(
            replaced(b"<worksheet", b'<!DOCTYPE w [<!ENTITY a "aaaa">]><worksheet'),
            "without a document type",
            id="entities",
        ),
        pytest.param(
            replaced(b"<workbook", b"<!DOCTYPE w><workbook", part="xl/workbook.xml"),
            "without a document type",
            id="DTD",
        ),
        pytest.param(
            replaced(b"<v>2.5</v>", b"<v>2,5</v>"), "one that cannot be read: Parse float error", id="bad number"
        ),
        pytest.param(
            replaced(b't="n"><v>2.5', b't="s"><v>7'), "one that cannot be read: .*shared string", id="no string"
        ),
        pytest.param(
            strings("4294967295"), "expected strings in .* bytes; found a count of 4294967295", id="false count"
        ),
        pytest.param(strings("many"), "expected shared strings and their count; found 'many'", id="no count"),
        pytest.param(
            book(ROW, edit=lambda sheet: sheet.cell(1_048_576, 16_384, "x") and None),
            f"at most {MAX_CELLS} cells; found values that span 1048576 rows and 16384 columns",
            id="far cell",
        ),
        pytest.param(replaced(b'r="D2"', b'r="ZZZZ99999999999"'), "cell 'ZZZZ99999999999' in row 2", id="no address"),
        pytest.param(replaced(b'r="D2"', b'r="AAAA2"'), "found cell 'AAAA2' in row 2", id="column beyond"),
        pytest.param(replaced(b'r="D2"', b'r="D3"'), "expected cells one after another", id="cell of another row"),
        pytest.param(replaced(b'r="D2"', b'r="A2"'), "found cell 'A2' in row 2, behind column 3", id="cell twice"),
        pytest.param(replaced(b'<row r="2"', b'<row r="1"'), "found row '1' behind row 1", id="row twice"),
        pytest.param(replaced(b'<row r="2"', b'<row r="9999999"'), "found row '9999999'", id="row beyond"),
        pytest.param(
            replaced(b"</sheets>", b'<sheet name="SHEET" sheetId="2" r:id="rId1"/></sheets>', part="xl/workbook.xml"),
            "every sheet and relation once; found twice: 'sheet'",
            id="sheet twice",
        ),
        pytest.param(
            replaced(b"worksheets/sheet1.xml", b"worksheets/sheet9.xml", part="xl/_rels/workbook.xml.rels"),
            "expected a member 'xl/worksheets/sheet9.xml'",
            id="sheet without a part",
        ),
    ],
)
def test_file_that_is_no_sound_workbook_is_refused(data: bytes, says: str) -> None:
    """What is no XLSX, or lies about itself, turns `source_readable` red; none of it ends the process."""
    with pytest.raises(GateError, match=says) as caught:
        read(data)
    assert caught.value.gate == "source_readable"


def test_cells_without_an_address_follow_one_another() -> None:
    """Writers may leave the addresses out; the cells are then where they stand."""
    data = with_parts(book(ROW), {SHEET: lambda xml: xml.replace(b' r="D2"', b"").replace(b'<row r="2"', b"<row")})
    assert column("qty", data) == ["2.5"]


@pytest.mark.parametrize(
    ("row", "place", "name"),
    [(0, 0, "A1"), (6, 1, "B7"), (0, 25, "Z1"), (0, 26, "AA1"), (1_048_575, 16_383, "XFD1048576")],
)
def test_cell_has_the_name_that_a_spreadsheet_gives_it(row: int, place: int, name: str) -> None:
    """A1 is the first cell and XFD1048576 the last."""
    assert cell_name(row, place) == name


@pytest.mark.skipif(
    not FLAT_FILE.is_file(), reason="the public data set is not here: no ../shared/data/uk-conversion-factors"
)
def test_public_workbook_with_a_title_above_its_table_is_refused() -> None:
    """A published workbook passes all that judges the file, and is refused since no table begins in its first row."""
    data = FLAT_FILE.read_bytes()
    with pytest.raises(GateError, match="found sheets 'Front page', 'Factors by Category'"):
        read(data)
    with pytest.raises(GateError, match=r"in the first row|the header is") as caught:
        read(data, layer="Factors by Category")
    assert caught.value.gate == "columns_present"


SOUND = book(ROW, ROW, edit=lambda sheet: sheet.merge_cells("E2:E3"))
MUTATED_PARTS = (SHEET, "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml")
TOKENS = [
    b"9999999999",
    b"-1",
    b"nan",
    b"XFD1048576",
    b'r="',
    b't="e"',
    b"<c ",
    b"</c>",
    b"<f>",
    b"<v>",
    b"</v>",
    b"<row ",
    b"<",
]


@given(
    part=st.sampled_from(MUTATED_PARTS),
    at=st.floats(0, 1, exclude_max=True),
    length=st.integers(0, 12),
    token=st.sampled_from(TOKENS) | st.binary(max_size=3),
)
def test_any_changed_part_is_refused_or_read(part: str, at: float, length: int, token: bytes) -> None:
    """XML that is broken anywhere is a refusal of ours or still a sheet, never another error."""

    def change(xml: bytes) -> bytes:
        begin = int(at * len(xml))
        return xml[:begin] + token + xml[begin + length :]

    data = with_parts(SOUND, {part: change})
    try:
        rows = read(data).columns.num_rows
    except GateError as refusal:
        rows = {"source_readable": 0, "columns_present": 0}[refusal.gate]
    assert rows <= 2
