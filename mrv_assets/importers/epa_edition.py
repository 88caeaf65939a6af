"""What an EPA hub says of itself: when it was last modified, and which potentials it recommends.

What does not belong here: its tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from mrv_assets.importers.cells import first_filled, iso_day
from mrv_assets.importers.refusal import refused
from mrv_assets.importers.weighting import weighted_with
from mrv_assets.importers.workbook import Rows

# Not strptime, which asks the locale.
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MODIFIED = re.compile(
    r"Last Modified: (?:(?P<d1>\d{1,2}) (?P<m1>[A-Z][a-z]+)|(?P<m2>[A-Z][a-z]+) (?P<d2>\d{1,2}),) (?P<y>\d{4})"
)
_HEADING = "Table 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """The day of the last change, and the GWP set of the potentials at the head of the hub."""

    modified: date
    gwp_set: str

    @property
    def title(self) -> str:
        """The name of the edition as rows cite it."""
        return f"EPA GHG Emission Factors Hub, last modified {self.modified.isoformat()}"


def read_edition(rows: Rows, *, where: str) -> Edition:
    """Return the edition. Raises FactorError when the day is missing or the potentials are none that we know."""
    potentials: dict[str, str] = {}
    modified = None
    for row in rows:
        if _HEADING in row:
            break
        modified = next((_day(match) for text in row if (match := _MODIFIED.fullmatch(text))), modified)
        for at, text in enumerate(row):
            if text in ("CH4", "N2O"):
                potentials[text] = first_filled(row[at + 1 :])
    if modified is None:
        raise refused("edition is unknown", where=where, expected="Last Modified: and a day", found="none")
    gwp_set = weighted_with(potentials.get("CH4", ""), potentials.get("N2O", ""), where=f"{where}, above {_HEADING}")
    return Edition(modified=modified, gwp_set=gwp_set)


def _day(match: re.Match[str]) -> date | None:
    said: Mapping[str, str | None] = match.groupdict()
    month, day = (said["m1"] or said["m2"] or "")[:3], said["d1"] or said["d2"] or ""
    number = _MONTHS.index(month) + 1 if month in _MONTHS else 0
    return iso_day(f"{match['y']}-{number:02d}-{day:0>2}")
