"""VM0047 appendix 1, step 5: slopes of the stocking index of project plots and of their matched controls (A3 to A6).

What does not belong here: what the slopes say about the project (vm0047_benchmark).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from mrv_assets.crediting.fifty_digits import FIFTY_DIGITS
from mrv_assets.crediting.refused import refused
from mrv_assets.uncertainty.quantiles import student_t


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedSet:
    """One project plot and the weights of its control plots, by plot; the weights of one set sum to 1."""

    project_plot: str
    control_weights: Mapping[str, Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One stocking index: `time` in years since t = 0, its weight, and the index itself."""

    time: Decimal
    weight: Decimal
    index: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """An annual increase of the stocking index, its standard error, and how many observations it rests on."""

    per_year: Decimal
    error: Decimal
    observations: int

    @property
    def is_significant(self) -> bool:
        """Whether it differs from 0 at the 5 % level, two-sided."""
        t = student_t(Decimal("0.95"), self.observations - 2)
        return FIFTY_DIGITS.abs(self.per_year) > FIFTY_DIGITS.multiply(t, self.error)


Series = Mapping[str, Mapping[int, Decimal]]
"""The stocking index by plot and by year since t = 0; a year without an index is missing there."""


def complete_sets(sets: Sequence[MatchedSet], series: Series, year: int) -> list[MatchedSet]:
    """Return the sets of which every plot has an index in a year; a set with a missing one is left out as a whole."""
    return [
        each
        for each in sets
        if all(year in series.get(plot, {}) for plot in (each.project_plot, *each.control_weights))
    ]


def observations(
    sets: Sequence[MatchedSet], series: Series, years: Sequence[int]
) -> tuple[list[Observation], list[Observation]]:
    """Return the weighted observations of project plots and of control plots (A3, A4), missing sets left out.

    Every weight is divided by the number of sets of all years together, so that one set more in one year counts.
    Raises ContractError when no set is complete in any year.
    """
    found = [(year, each) for year in years for each in complete_sets(sets, series, year)]
    if not found:
        raise refused(
            "matched sets", expected="a set with an index for every plot", found="none", remedy="add the stocking index"
        )
    count = Decimal(len(found))
    project: list[Observation] = []
    control: list[Observation] = []
    with localcontext(FIFTY_DIGITS):
        for year, each in found:
            time = Decimal(year)
            project.append(Observation(time=time, weight=1 / count, index=series[each.project_plot][year]))
            control.extend(
                Observation(time=time, weight=weight / count, index=series[plot][year])
                for plot, weight in each.control_weights.items()
            )
    return project, control


def slope(data: Sequence[Observation]) -> Slope:
    """Return the weighted least-squares slope (A5, A6) with its standard error, 50 digits.

    The document names the error and gives no equation for it: weighted residual variance with n - 2 degrees of freedom
    over the spread of time. Raises ContractError for observations at one time only, and for fewer than 3.
    """
    if len({each.time for each in data}) < 2 or len(data) < 3:
        raise refused(
            "stocking index",
            expected="at least 3 observations at 2 times or more",
            found=f"{len(data)} observations",
            remedy="give the index of each plot for each year since t = 0; one plot has no spread",
        )
    with localcontext(FIFTY_DIGITS):
        total = sum((each.weight for each in data), Decimal(0))
        time = sum((each.weight * each.time for each in data), Decimal(0)) / total
        index = sum((each.weight * each.index for each in data), Decimal(0)) / total
        spread = sum((each.weight * (each.time - time) ** 2 for each in data), Decimal(0))
        shared = sum((each.weight * (each.time - time) * (each.index - index) for each in data), Decimal(0))
        per_year = shared / spread
        residual = sum(
            (each.weight * (each.index - index - per_year * (each.time - time)) ** 2 for each in data), Decimal(0)
        )
        error = (residual / (len(data) - 2) / spread).sqrt()
    return Slope(per_year=per_year, error=error, observations=len(data))


def mean_annual_increase(weights: Sequence[Decimal], changes: Sequence[Decimal], years: int) -> Decimal:
    """Return the weighted mean change a year of one matched set, as v1.0 Example 1 computes it, 50 digits.

    It is the slope of A5 for two dates. Raises ContractError for no plot, other numbers of weights, and no year.
    """
    if not weights or len(weights) != len(changes) or years < 1:
        raise refused(
            "changes of the stocking index",
            expected="one for each weight, over 1 year or more",
            found=f"{len(changes)} changes, {len(weights)} weights, {years} years",
            remedy="give weight and change of each plot",
        )
    with localcontext(FIFTY_DIGITS):
        pairs = zip(weights, changes, strict=True)
        return sum((weight * change for weight, change in pairs), Decimal(0)) / sum(weights, Decimal(0)) / years
