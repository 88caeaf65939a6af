"""Rows of evidence that a control looks at: cells that are blank and ids that are there more than once.

What does not belong here: what a control makes of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

Rows = Sequence[Mapping[str, str]]


def blank_cells(rows: Rows, *columns: str) -> list[str]:
    """Return row and column of each cell of these columns that says nothing, rows by their first cell."""
    return [
        f"{next(iter(row.values()), '?')}: {column}" for row in rows for column in columns if not row[column].strip()
    ]


def repeated(ids: Sequence[str]) -> list[str]:
    """Return the ids that are there more than once, in order."""
    return sorted(name for name, count in Counter(ids).items() if count > 1)
