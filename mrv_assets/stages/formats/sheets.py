"""How far a sheet's values reach, and what its reader gives as empty although it is not.

The reader gives an error value and a formula without a result as an empty cell, and takes memory for the whole
rectangle up to the farthest value; one far cell ends the process. So the XML is looked through before it is read.
What does not belong here: the cells (workbook).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.plain_xml import Attributes, local, new_parser, parse

MAX_CELLS = 2**25
"""Most cells of the rectangle from A1 to the farthest value; the reader takes 32 bytes for each, full or empty."""

_LAST_ROW, _LAST_COLUMN = 2**20, 2**14


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How many rows and columns the values of a sheet span from A1, and which columns have a fault.

    `faults` gives by column the first row with a fault, both from 0, and what it is.
    """

    rows: int
    columns: int
    faults: Mapping[int, tuple[int, str]]


def reach(xml: bytes, *, where: str) -> Reach:
    """Return how far a sheet's values reach, and where it has error values or formulas without a stored result.

    Raises GateError (gate `source_readable`) when the XML is broken or has a document type, when cells are not in
    order or not where they say, and when the values span more than `MAX_CELLS`.
    """
    sheet = _Sheet(where)
    parse(sheet.parser, xml, where=where)
    if sheet.rows * sheet.columns > MAX_CELLS:
        raise unreadable(
            where,
            expected=f"a table of at most {MAX_CELLS} cells",
            found=f"values that span {sheet.rows} rows and {sheet.columns} columns",
            remedy="delete what stands far outside of the table, or have it delivered as CSV",
        )
    return Reach(rows=sheet.rows, columns=sheet.columns, faults=sheet.faults)


def cell_name(row: int, column: int) -> str:
    """Return what a spreadsheet calls a cell, such as `B7`, from its row and column, both from 0."""
    letters, rest = "", column + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


class _Sheet:
    """Follows the XML of one sheet. Rows and columns are counted from 1 here, as the XML does."""

    def __init__(self, where: str) -> None:
        self.rows = self.columns = 0
        self.faults: dict[int, tuple[int, str]] = {}
        self.parser = new_parser(where)
        self.parser.StartElementHandler = self._start
        self._where = where
        self._row = self._column = 0
        self._row_text = ""
        self._kind: str | None = None
        self._is_formula = False
        self._text: list[str] = []

    def _start(self, name: str, attributes: Attributes) -> None:
        element = local(name)
        if element == "c":
            self._next_cell(attributes.get("r"), attributes.get("t"))
        elif element in ("v", "is"):
            if self._column > self.columns:  # noqa: PLR1730 - a call of max for every cell is slow
                self.columns = self._column
            self.rows = self._row
            if self._is_formula or self._kind == "e":
                self.parser.CharacterDataHandler = self._text.append
        elif element == "f":
            self._is_formula = True
            self.parser.EndElementHandler = self._end
        elif element == "row":
            self._next_row(attributes.get("r"))

    def _next_row(self, text: str | None) -> None:
        row = self._row + 1 if text is None else int(text) if re.fullmatch("[0-9]{1,7}", text) else 0
        if not self._row < row <= _LAST_ROW:
            raise self._disorder(f"row {text!r} behind row {self._row}")
        self._row, self._row_text, self._column = row, str(row), 0

    def _next_cell(self, address: str | None, kind: str | None) -> None:
        if address is None:
            column = self._column + 1
        else:
            column = _column_of(address.removesuffix(self._row_text)) if address.endswith(self._row_text) else 0
        if not (self._row and self._column < column <= _LAST_COLUMN):
            raise self._disorder(f"cell {address!r} in row {self._row}, behind column {self._column}")
        self._column, self._kind = column, kind
        if kind == "e":
            self.parser.EndElementHandler = self._end

    def _end(self, name: str) -> None:
        """Close a cell that has an error value or a formula; other cells are not followed to their end."""
        if local(name) == "v":
            self.parser.CharacterDataHandler = None
        if local(name) != "c":
            return
        text = "".join(self._text)
        if self._kind == "e":
            self._fault(f"the error value {text}")
        elif self._is_formula and not text and self._kind != "str":
            self._fault("a formula without a stored result")
        self._is_formula, self._text = False, []
        self.parser.EndElementHandler = self.parser.CharacterDataHandler = None

    def _fault(self, what: str) -> None:
        self.faults.setdefault(self._column - 1, (self._row - 1, what))

    def _disorder(self, found: str) -> GateError:
        return unreadable(self._where, expected="cells one after another, each in the row that it names", found=found)


@lru_cache(maxsize=2**15)
def _column_of(letters: str) -> int:
    """Return the number of a column from 1, or 0 for letters that name none."""
    if not re.fullmatch("[A-Z]{1,3}", letters):
        return 0
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
