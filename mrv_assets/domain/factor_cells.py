"""Reading the cells of a factor release: rows of a CSV with exactly the declared columns, decimals and days.

What does not belong here: what a row means (factors) and what a coefficient means (factor_chains).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation

from mrv_assets.domain.errors import FactorError


def csv_rows(
    data: bytes, columns: Sequence[str], *, where: str, may_be_empty: bool = False
) -> list[tuple[int, dict[str, str]]]:
    """Return (line number, row) pairs of an UTF-8 CSV whose header is exactly `columns`.

    Raises FactorError for another header, a ragged row, and for no rows unless the file `may_be_empty`.
    """
    try:
        reader = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
        header = next(reader, [])
        rows = [(reader.line_num, row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise malformed("file cannot be read", where=where, expected="UTF-8 CSV", found=str(error)) from error
    if header != list(columns):
        raise malformed(
            "header is not the declared one", where=where, expected=",".join(columns), found=",".join(header)
        )
    for line, row in rows:
        if len(row) != len(columns):
            raise malformed(
                "row is ragged",
                where=f"{where}, line {line}",
                expected=f"{len(columns)} cells",
                found=f"{len(row)} cells",
            )
    if not rows and not may_be_empty:
        raise malformed("file has no rows", where=where, expected="at least one row", found="0 rows")
    return [(line, dict(zip(columns, row, strict=True))) for line, row in rows]


def decimal_cell(text: str, *, where: str, what: str) -> Decimal:
    """Return a finite decimal of 0 or more. Raises FactorError naming `where` for anything else."""
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise malformed(f"{what} is not a decimal", where=where, expected="decimal text", found=repr(text)) from error
    if not value.is_finite() or value.is_signed():
        raise FactorError(
            f"{what} must be finite and not negative",
            where=where,
            expected="0 or more",
            found=text,
            remedy="declare a removal by flux = removal with a positive value; never by a negative factor",
        )
    return value


def date_cell(text: str, *, where: str) -> date:
    """Return the day. Raises FactorError naming `where` for anything but YYYY-MM-DD."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise malformed("validity is not a date", where=where, expected="YYYY-MM-DD", found=repr(text)) from error


def refuse_blanks(row: dict[str, str], names: Sequence[str], *, where: str) -> None:
    """Raise FactorError naming `where` and the first of the cells that says nothing."""
    for name in names:
        if not row[name].strip():
            raise malformed("cell is empty", where=where, expected=f"a {name}", found="nothing")


def malformed(what: str, *, where: str, expected: str, found: str) -> FactorError:
    """Return the error of a file that has to be corrected before it is released."""
    return FactorError(
        what,
        where=where,
        expected=expected,
        found=found,
        remedy="correct the file before it is released; a released file is corrected by a new release",
    )
