"""The values of an EPA table: every factor with its labels, whatever the table is about.

What does not belong here: ids, regions and units of a release (epa_hub), and the matrix of waste (epa_waste).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mrv_assets.importers.cells import Row, decimal_text
from mrv_assets.importers.epa_columns import Columns, columns_of, is_header
from mrv_assets.importers.epa_tables import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One cell of factors: what it is about, and what it says, a number or not."""

    labels: tuple[str, ...]
    gas: str
    mass: str
    per: str
    block: str
    text: str
    row: int


def read_values(table: Table) -> Iterator[Value]:
    """Return every cell in a column of factors, cells without a number too.

    A row of labels alone is a heading for the rows below it. A label that is empty, or only explains the one above in
    brackets, is the one above, as long as the labels before it are the same.
    """
    header: list[Row] = []
    columns: Columns | None = None
    group, labels = "", tuple[str, ...]()
    for number, row in table.rows:
        if is_header(row, table.first):
            columns = columns_of([*header, row], table.first)
            header, group, labels = [*header[-1:]], "", ()
        elif columns is None:
            header.append(row)
        elif not any(row[column.at] for column in columns.factors):
            group = table.without_mark(row[table.first]) or group
        else:
            labels = _labels(table, columns, row, labels)
            yield from _values(row, columns, (group, *labels), number)


def _labels(table: Table, columns: Columns, row: Row, above: Sequence[str]) -> tuple[str, ...]:
    labels: list[str] = []
    is_same = bool(above)
    for place, at in enumerate(columns.labels):
        own = "" if row[at].startswith("(") else table.without_mark(row[at])
        labels.append(above[place] if is_same and not own else own)
        is_same = is_same and (not own or own == above[place])
    return tuple(labels)


def _values(row: Row, columns: Columns, labels: tuple[str, ...], number: int) -> Iterator[Value]:
    for column in columns.factors:
        per = column.per or (row[columns.unit] if columns.unit is not None else "")
        yield Value(
            labels=labels,
            gas=column.gas,
            mass=column.mass,
            per=per,
            block=column.block,
            text=row[column.at],
            row=number,
        )


def has_number(value: Value) -> bool:
    """Tell whether the cell is a plain decimal; `NA` and an empty cell are not."""
    return decimal_text(value.text) is not None
