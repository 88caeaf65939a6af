"""The UK flat file as its publisher lays it out: the front page, the header row, and one record for each row.

Columns move from year to year and get other names; they are found by name. What does not belong here: which records
become factors (uk_totals, uk_conversion).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from mrv_assets.importers.cells import Row, first_filled, iso_day
from mrv_assets.importers.refusal import refused
from mrv_assets.importers.workbook import Rows

_FIELDS = ("scope", "level 1", "level 2", "level 3", "level 4", "column text", "uom")
_GHG = ("ghg", "ghg/unit")
_VALUE = re.compile(r"ghg conversion factor ([0-9]{4})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """What the front page says: the year of the factors, the version of the file and the day of its last change."""

    year: int
    version: str
    updated: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row of the flat file: what is measured (`fields`, in the publisher's order), the gas label and the value."""

    fields: tuple[str, ...]
    ghg: str
    value: str
    place: str

    @property
    def levels(self) -> tuple[str, ...]:
        """Level 1 to 4 and the column text, empty ones too."""
        return self.fields[1:6]

    @property
    def uom(self) -> str:
        """The unit of the activity as published."""
        return self.fields[6]

    @property
    def label(self) -> str:
        """The key under which the publisher lists the value, letter by letter."""
        return " | ".join((*self.fields, self.ghg))


def read_edition(sheets: Mapping[str, Rows], *, where: str) -> Edition:
    """Return what the front page says. Raises FactorError when it has no year."""
    said: dict[str, str] = {}
    for row in next(iter(sheets.values()), []):
        for at, text in enumerate(row):
            if text.endswith(":") and text not in said:
                said[text] = first_filled(row[at + 1 :])
    year, updated = said.get("Year:", ""), said.get("Updated:", "")
    if not re.fullmatch("[0-9]{4}", year):
        raise refused("front page has no year", where=where, expected="Year: and four digits", found=year or "nothing")
    return Edition(
        year=int(year),
        version=said.get("Version:", ""),
        updated=iso_day(updated),
    )


def read_records(sheets: Mapping[str, Rows], edition: Edition, *, where: str) -> Iterator[Record]:
    """Return every row below the header row that says anything.

    Raises FactorError when no sheet has the header, a column is missing or twice, or the factors are of another year
    than the front page says.
    """
    name, number, columns = _header(sheets, edition, where)
    wanted = [columns[field] for field in _FIELDS]
    for at, row in enumerate(sheets[name][number:], start=number + 1):
        if any(row):
            yield Record(
                fields=tuple(row[column] for column in wanted),
                ghg=row[columns["ghg"]],
                value=row[columns["value"]],
                place=f"{where}, sheet {name!r}, row {at}",
            )


def _header(sheets: Mapping[str, Rows], edition: Edition, where: str) -> tuple[str, int, Mapping[str, int]]:
    for name, rows in sheets.items():
        for number, row in enumerate(rows, start=1):
            names = [text.casefold() for text in row]
            if "scope" in names and "level 1" in names:
                place = f"{where}, sheet {name!r}, row {number}"
                return name, number, _columns(names, row, edition, place)
    raise refused(
        "no sheet has the flat file's header",
        where=where,
        expected="a row with Scope, Level 1, ...",
        found=", ".join(sheets),
    )


def _columns(names: Sequence[str], row: Row, edition: Edition, place: str) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for at, name in enumerate(names):
        year = _VALUE.fullmatch(name)
        field = "ghg" if name in _GHG else "value" if year else name
        if field in found and field in (*_FIELDS, "ghg", "value"):
            raise refused("column is there twice", where=place, expected="each column once", found=row[at])
        if year and int(year[1]) != edition.year:
            raise refused("factors are of another year", where=place, expected=f"{edition.year}", found=row[at])
        found[field] = at
    missing = [field for field in (*_FIELDS, "ghg", "value") if field not in found]
    if missing:
        raise refused("column is missing", where=place, expected=", ".join(missing), found=", ".join(filter(None, row)))
    return found
