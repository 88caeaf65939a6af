"""What a cell says: its text without stray space, and its number as the decimal that was published.

A workbook stores binary64. A number typed with up to 15 digits comes back exactly from its first 15 significant
digits, and no spreadsheet shows more; what stands behind them is left over from a calculation
(0.41204999999999997 is 0.41205). So a number is written with at most 15 significant digits, and never with an exponent.
What does not belong here: what columns and rows mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

Cell = str | int | float | bool | date | time | timedelta
Row = Sequence[str]

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def cell_text(cell: Cell) -> str:
    """Return the text of a cell: runs of white space as one space, a number as its published decimal, a day as ISO."""
    match cell:
        case str():
            return " ".join(cell.split())
        case bool():
            return "TRUE" if cell else "FALSE"
        case int() | float():
            return published_decimal(float(cell))
        case datetime():
            return cell.date().isoformat()
        case _:
            return str(cell)


def published_decimal(number: float) -> str:
    """Return a number with at most 15 significant digits, without exponent and without zeros that say nothing."""
    text = f"{Decimal(f'{number:.15g}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def decimal_text(text: str) -> str | None:
    """Return the text of a cell if it is a plain decimal, None if it is anything else such as `< 1` or `NA`."""
    return text if _NUMBER.fullmatch(text) else None


def iso_day(text: str) -> date | None:
    """Return the day of an ISO text, None if it is none: publishers print days such as 31/06/2017."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def first_filled(cells: Iterable[str]) -> str:
    """Return the first text that is not empty, or an empty one."""
    return next((text for text in cells if text), "")
