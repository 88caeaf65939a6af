"""Reading a sheet of an XLSX workbook: every cell becomes the text that a person would have typed.

What does not belong here: what the cells mean, and which rows are the project's (ingest).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta

import pyarrow as pa
from python_calamine import (
    CalamineError,
    CalamineSheet,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
    load_workbook,
)

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import Delivery, columns_missing, unreadable
from mrv_assets.stages.formats.archives import read_member
from mrv_assets.stages.formats.headers import places_in, refuse_no_text
from mrv_assets.stages.formats.sheets import Reach, cell_name, reach
from mrv_assets.stages.formats.workbook_parts import sheet_parts, workbook_members

_IDS = ("row_id", "activity_id", "region")
_ERRORS = frozenset({"#REF!", "#DIV/0!", "#N/A", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"})
_EXACT = 2.0**53

Cell = str | int | float | bool | date | time | timedelta
Rows = Iterator[Sequence[Cell]]
Range = tuple[tuple[int, int], tuple[int, int]]


def read_workbook(data: bytes, source: Source, *, where: str) -> Delivery:
    """Read the wanted columns of the sheet `source.layer`, or of the only one; its first row names them.

    Text stays as it is. A whole number becomes its digits, another the shortest text that gives the same binary64,
    with the declared decimal mark; a date or time becomes ISO 8601 and a truth value TRUE or FALSE. Ids are text and
    nothing else: a number or date in their column may have lost zeros or digits. Formulas count by their stored result,
    hidden rows and sheets like others; an empty row holds no record. Rows are numbered as the sheet does; where empty
    rows stand between them, they are counted as records from 1.

    Raises GateError: gate `source_readable` when the file is no XLSX workbook or is encrypted, when its zip is unsafe
    (`archives`), the sheet is not named or not there, wanted cells are merged or hold error values, formulas without a
    result, durations, control characters, or ids that are not text; gate `columns_present` when a header name appears
    twice, a wanted column is missing or header cells are merged.
    """
    held = workbook_members(data, where=where)
    parts = sheet_parts(data, held, where=where)
    try:
        with load_workbook(io.BytesIO(data)) as book:
            hidden = {m.name: m.visible is not SheetVisibleEnum.Visible for m in book.sheets_metadata if _is_table(m)}
            name = _chosen(hidden, source, where)
            where = f"{where}, sheet {name!r}"
            reached = reach(read_member(data, parts.get(name, ""), where=where), where=where)
            return _read(book.get_sheet_by_name(name), reached, source, where)
    except (CalamineError, OverflowError) as error:
        raise unreadable(where, expected="an XLSX workbook", found=f"one that cannot be read: {error}") from error


def _is_table(sheet: SheetMetadata) -> bool:
    return sheet.typ is SheetTypeEnum.WorkSheet


def _chosen(hidden: Mapping[str, bool], source: Source, where: str) -> str:
    if source.layer is None and len(hidden) == 1:
        return next(iter(hidden))
    if source.layer is not None and source.layer in hidden:
        return source.layer
    listing = ", ".join(f"{name!r}{' (hidden)' if is_hidden else ''}" for name, is_hidden in hidden.items())
    expected = "one sheet, or layer under [source]" if source.layer is None else f"a sheet {source.layer!r}"
    raise unreadable(
        where, expected=expected, found=f"sheets {listing}", remedy="name the sheet as layer under [source]"
    )


def _read(sheet: CalamineSheet, reached: Reach, source: Source, where: str) -> Delivery:
    left = [""] * (sheet.start[1] if sheet.start else 0)
    rows = ([*left, *row] for row in sheet.iter_rows())
    header = [_text(cell, source) or "" for cell in next(rows, [])]
    merged = sheet.merged_cell_ranges or []
    _refuse_merged_header(merged, where)
    places = places_in(header, source.wanted, where=where)
    _refuse_lost_cells(merged, reached, places, where)
    columns, last = _columns(rows, places, source, where)
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    record, first = ("row", 2) if table.num_rows == last else ("record", 1)
    refuse_no_text(table, where=where, record=record, first=first)
    return Delivery(columns=table, geometry=None, crs=None, record=record, first=first)


def _columns(rows: Rows, places: Mapping[str, int], source: Source, where: str) -> tuple[dict[str, list[str]], int]:
    """Return the wanted columns as text, and how many rows lie between the header and the last that is not empty."""
    columns: dict[str, list[str]] = {name: [] for name in places}
    ids = {*source.where, *(source.columns[name] for name in _IDS if name in source.columns)}
    last = 0
    for number, row in enumerate(rows, start=1):
        if row.count("") == len(row):
            continue
        last = number
        for name, place in places.items():
            cell = row[place]
            text = cell if isinstance(cell, str) and cell not in _ERRORS else _text(cell, source)
            if text is None or (name in ids and not isinstance(cell, str)):
                raise _not_text(cell, text, f"{where}, cell {cell_name(number, place)}", name)
            columns[name].append(text)
    return columns, last


def _text(cell: Cell, source: Source) -> str | None:
    """Return what a person would type for the cell, None for an error value or a duration."""
    match cell:
        case str():
            return None if cell in _ERRORS else cell
        case bool():
            return "TRUE" if cell else "FALSE"
        case float() | int():
            return str(int(cell)) if abs(cell) <= _EXACT and cell == int(cell) else _repr(float(cell), source)
        case datetime() | date() | time():
            return cell.isoformat()
        case _:
            return None


def _repr(number: float, source: Source) -> str:
    return repr(number).replace(".", source.decimal_mark)


def _not_text(cell: Cell, text: str | None, where: str, name: str) -> GateError:
    if isinstance(cell, str):
        return unreadable(where, expected=f"a value in column {name!r}", found=f"the error value {cell}")
    if isinstance(cell, timedelta):
        return unreadable(where, expected=f"text or a number in column {name!r}", found=f"a duration of {cell}")
    return unreadable(
        where,
        expected=f"text in column {name!r}, since it holds ids",
        found=f"{text}, kept as a {'number' if isinstance(cell, int | float) else 'date'}: zeros or digits may be lost",
        remedy="format the column as text and enter the ids again, or have the table delivered as CSV",
    )


def _refuse_merged_header(merged: Sequence[Range], where: str) -> None:
    for area in merged:
        if area[0][0] == 0:
            raise columns_missing(
                where, expected="a name in every header cell", found=f"merged cells {_area_name(area)} in the first row"
            )


def _refuse_lost_cells(merged: Sequence[Range], reached: Reach, places: Mapping[str, int], where: str) -> None:
    """Refuse what the reader gives as empty although it is not: faults, and merged cells but the first."""
    for name, place in places.items():
        if place in reached.faults:
            row, what = reached.faults[place]
            raise unreadable(
                f"{where}, cell {cell_name(row, place)}",
                expected=f"a value in column {name!r}",
                found=what,
                remedy="correct the cell, or have the workbook calculated and saved by a spreadsheet program",
            )
        for area in merged:
            if area[0][1] <= place <= area[1][1]:
                raise unreadable(
                    where,
                    expected=f"a cell of its own in every row of column {name!r}",
                    found=f"merged cells {_area_name(area)}",
                    remedy="unmerge the cells and fill every one",
                )


def _area_name(area: Range) -> str:
    return ":".join(cell_name(row, column) for row, column in area)
