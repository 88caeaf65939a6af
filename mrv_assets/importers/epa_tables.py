"""The stacked tables of an EPA hub: where each begins, what stands in it and what its notes say.

What does not belong here: what columns mean (epa_columns).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mrv_assets.importers.cells import Row
from mrv_assets.importers.workbook import Rows

_HEADING = re.compile(r"Table [0-9]+")
_END = re.compile(r"(Source|Notes?):?\b")
_MARK = re.compile(r"(?<=[a-z) ]) ?([A-Z])$")
_ONE_LINE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table: its heading, its rows with their numbers as the sheet counts them, and the text below it.

    `first` is the column of the labels, from 0. `notes` are the lines below the rows.
    """

    name: str
    title: str
    first: int
    rows: Sequence[tuple[int, Row]]
    notes: Sequence[str]

    @property
    def source(self) -> str:
        """The source that is named below the table, if it is one short line such as an eGRID vintage."""
        named = [line.removeprefix("Source:").strip() for line in self.notes if line.startswith("Source:")]
        return named[0] if named and 0 < len(named[0]) <= _ONE_LINE else ""

    def without_mark(self, text: str) -> str:
        """Return a label without the letter of a footnote: `Passenger Car A` and `AircraftC`, but not `HDPE`.

        A letter is a mark only when a line of the notes explains it, and no capital stands before it.
        """
        match = _MARK.search(text)
        is_explained = match is not None and any(f" {match[1]} " in f" {line}" for line in self.notes)
        return text[: match.start()].strip() if match and is_explained else text.strip()


def read_tables(rows: Rows) -> list[Table]:
    """Return the tables of a sheet in its order. A table ends where the next one begins."""
    starts = [
        (at, column)
        for at, row in enumerate(rows)
        for column, text in enumerate(row[:-1])
        if _HEADING.fullmatch(text) and row[column + 1]
    ]
    ends = [at for at, _ in starts[1:]] + [len(rows)]
    return [_table(rows, at, end, column) for (at, column), end in zip(starts, ends, strict=True)]


def _table(rows: Rows, start: int, end: int, column: int) -> Table:
    body: list[tuple[int, Row]] = []
    notes: list[str] = []
    for at in range(start + 1, end):
        label = rows[at][column + 1]
        if notes or _END.match(label):
            notes += [text for text in rows[at] if text]
        else:
            body.append((at + 1, rows[at]))
    return Table(
        name=rows[start][column], title=rows[start][column + 1], first=column + 1, rows=tuple(body), notes=tuple(notes)
    )
