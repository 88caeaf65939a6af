"""VM0047: the plot database of §9.3.1 as matched sets and time series, and their two slopes.

What does not belong here: whether the database is complete (compliance).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal

from mrv_assets.crediting.counted import MOST_YEARS, whole_years
from mrv_assets.crediting.vm0047_series import MatchedSet, Series, Slope, observations, slope
from mrv_assets.domain.monitoring import Monitoring


def matched_sets(evidence: Monitoring) -> list[MatchedSet]:
    """Return a set for each project plot that table `control_plots` refers to, with the frozen weights.

    Raises ContractError when the table is missing or has no row, for a control plot that is twice in one set, and for
    weights of 0 or less: by A1 none is 0, and a plot of no weight would narrow the error of the slope.
    """
    name = "control_plots"
    rows = evidence.table(name, "plot", "project_plot", "weight")
    weights: dict[str, dict[str, Decimal]] = defaultdict(dict)
    for row in rows:
        if row["plot"] in weights[row["project_plot"]]:
            raise evidence.unusable(f"table {name}", expected="each control plot once in a set", found=row["plot"])
        weights[row["project_plot"]][row["plot"]] = evidence.cell(name, row, "weight")
    if not weights:
        raise evidence.missing(f"table {name}, rows")
    for plot, controls in weights.items():
        if min(controls.values()) <= 0:
            raise evidence.unusable(
                f"table {name}, weights of {plot}", expected="above 0", found=f"{min(controls.values()):f}"
            )
    return [MatchedSet(project_plot=plot, control_weights=controls) for plot, controls in sorted(weights.items())]


def series(evidence: Monitoring) -> Series:
    """Return the stocking index of table `stocking_index` by plot and year since t = 0; an empty cell is a missing one.

    Raises ContractError when the table is missing, for two values of one plot and year, and for a part of a year.
    """
    name = "stocking_index"
    found: dict[str, dict[int, Decimal]] = defaultdict(dict)
    for row in evidence.table(name, "plot", "year", "si"):
        year = year_of(evidence, row)
        if not row["si"].strip():
            continue
        if year in found[row["plot"]]:
            raise evidence.unusable(f"table {name}", expected="one value for each plot and year", found=row["plot"])
        found[row["plot"]][year] = evidence.cell(name, row, "si")
    return found


def year_of(evidence: Monitoring, row: Mapping[str, str]) -> int:
    """Return the year since t = 0 of a row of table `stocking_index`. Raises ContractError when it is not whole."""
    return whole_years(evidence, "stocking_index", row, "year", least=-MOST_YEARS)


def years(found: Series) -> list[int]:
    """Return the years since t = 0 in which any plot has an index, in order; earlier ones are for matching only."""
    return sorted({year for values in found.values() for year in values if year >= 0})


def slopes(evidence: Monitoring) -> tuple[Slope, Slope]:
    """Return the slopes of project plots and control plots, all data since t = 0. Raises ContractError as `slope`."""
    found = series(evidence)
    project, control = observations(matched_sets(evidence), found, years(found))
    return slope(project), slope(control)
