"""The sheets of a published workbook as text, read as safely as a source file is.

What does not belong here: where a publisher puts what (uk_*, epa_*).
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from python_calamine import CalamineError, load_workbook

from mrv_assets.domain.errors import GateError
from mrv_assets.importers.cells import Row, cell_text
from mrv_assets.importers.refusal import refused
from mrv_assets.stages.formats.archives import read_member
from mrv_assets.stages.formats.sheets import cell_name, reach
from mrv_assets.stages.formats.workbook_parts import sheet_parts, workbook_members

Rows = Sequence[Row]


def read_sheets(data: bytes, *, where: str) -> Mapping[str, Rows]:
    """Return the cells of every sheet by its name, as text, from A1 on; all rows of a sheet are of one length.

    Of merged cells the first has the text, the others are empty. Raises FactorError when the file is no safe XLSX
    workbook, or has an error value or a formula without a stored result: the reader would give these as empty.
    """
    try:
        parts = sheet_parts(data, workbook_members(data, where=where), where=where)
        for name, part in parts.items():
            _refuse_faults(read_member(data, part, where=where), f"{where}, sheet {name!r}")
        with load_workbook(io.BytesIO(data)) as book:
            cells = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in parts}
    except GateError as error:
        raise refused(error.what, where=error.where, expected=error.expected, found=error.found) from error
    except (CalamineError, OverflowError) as error:
        raise refused("workbook cannot be read", where=where, expected="an XLSX workbook", found=str(error)) from error
    return {name: [[cell_text(cell) for cell in row] for row in rows] for name, rows in cells.items()}


def _refuse_faults(xml: bytes, where: str) -> None:
    for column, (row, what) in reach(xml, where=where).faults.items():
        raise refused(
            "cell has no value",
            where=f"{where}, cell {cell_name(row, column)}",
            expected="text or a number",
            found=what,
        )
