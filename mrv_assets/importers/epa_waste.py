"""The waste table of an EPA hub: materials by treatments, weighted already, in a GWP set that its notes name.

What does not belong here: tables by gas (epa_rows).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mrv_assets.domain.factors import CO2E
from mrv_assets.importers.epa_rows import Value
from mrv_assets.importers.epa_tables import Table
from mrv_assets.importers.refusal import refused

_MEASURE = "Metric Tons CO2e / Short Ton Material"
_WEIGHTED = re.compile(r"\b(AR[4-6]) GWP(?:s| values) are used")


def read_waste(table: Table, *, where: str) -> Iterator[Value]:
    """Return every cell of the matrix, cells without a number too.

    Raises FactorError when the table has another measure, or no row of treatments below it.
    """
    treatments: list[tuple[int, str]] = []
    is_measured = False
    for number, row in table.rows:
        if _MEASURE in row:
            is_measured = True
        elif is_measured and not treatments:
            filled = [(at, text) for at, text in enumerate(row) if text and at > table.first]
            treatments = [(at, table.without_mark(text)) for at, text in filled]
        elif treatments and row[table.first]:
            for at, treatment in treatments:
                labels = (table.without_mark(row[table.first]), treatment)
                yield Value(labels=labels, gas=CO2E, mass="t", per="short ton", block="", text=row[at], row=number)
    if not treatments:
        raise refused("waste table is laid out otherwise", where=where, expected=_MEASURE, found=table.title)


def waste_set(table: Table, *, where: str) -> str:
    """Return the name of the GWP set that the notes of the table say it is weighted with."""
    named = _WEIGHTED.search(" ".join(table.notes))
    if not named:
        raise refused("mixed GWP", where=where, expected="a note such as AR4 GWPs are used", found="none")
    return named[1].casefold()
