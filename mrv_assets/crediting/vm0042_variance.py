"""VM0042: the variance of the mean change of soil carbon, measured again (Eq 70, 71) or modelled, and Eq 74.

What does not belong here: what the deduction is applied to (vm0042_net).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.fifty_digits import FIFTY_DIGITS
from mrv_assets.crediting.refused import refused, require_not_negative
from mrv_assets.crediting.rounding import share
from mrv_assets.uncertainty.quantiles import student_t

Points = Sequence[tuple[Decimal, Decimal]]
"""Soil carbon of each point at the start and at the end of the period, t CO2e/ha."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoilStratum:
    """One stratum: its area in the project, ha, its points there, and those of the control sites paired with it."""

    name: str
    area_ha: Decimal
    project: Points
    control: Points


def change_variance(points: Points, area_ha: Decimal, *, what: str) -> Fraction:
    """Return the variance of the total change of a stratum, (t CO2e)²: both dates less twice their covariance (Eq 71).

    That sum is the variance of the changes of the points. Raises ContractError naming `what` for fewer than 2 points
    and an area of 0 or less.
    """
    n = len(points)
    if n < 2 or area_ha <= 0:
        raise refused(
            what,
            expected="at least 2 points on an area above 0 ha",
            found=f"{n} points on {area_ha} ha",
            remedy="measure more points; one point has no variance",
        )
    changes = [Fraction(end) - Fraction(start) for start, end in points]
    mean = sum(changes, Fraction(0)) / n
    squares = sum(((each - mean) ** 2 for each in changes), Fraction(0))
    return Fraction(area_ha) ** 2 * squares / (n * (n - 1))


def remeasured_variance(strata: Sequence[SoilStratum]) -> Fraction:
    """Return the variance of the mean change, project less controls, (t CO2e/ha)² (Eq 70), strata by project area.

    Raises ContractError when there is no stratum, and naming the stratum for fewer than 2 points.
    """
    if not strata:
        raise refused(
            "strata", expected="at least one stratum", found="none", remedy="give each stratum and its points"
        )
    total = sum(
        (
            change_variance(each.project, each.area_ha, what=f"stratum {each.name}, project")
            + change_variance(each.control, each.area_ha, what=f"stratum {each.name}, control")
            for each in strata
        ),
        Fraction(0),
    )
    return total / sum((Fraction(each.area_ha) for each in strata), Fraction(0)) ** 2


def modelled_variance(*, sampling: Decimal, area_ha: Decimal, model: Decimal) -> Fraction:
    """Return the variance of a modelled mean change, (t CO2e/ha)²: sampling, (t CO2e)², over area squared, plus model.

    Raises ContractError for a variance below 0 and an area of 0 or less.
    """
    require_not_negative(variance_of_sampling=sampling, variance_of_model=model)
    if area_ha <= 0:
        raise refused("area", expected="above 0 ha", found=area_ha, remedy="give the area of the project")
    return Fraction(sampling) / Fraction(area_ha) ** 2 + Fraction(model)


def points_less_strata(strata: Sequence[SoilStratum]) -> int:
    """Return the degrees of freedom of the stratified design: points less strata, of project or controls, the fewer."""
    return min(sum(len(s.project) - 1 for s in strata), sum(len(s.control) - 1 for s in strata))


def exceedance_t(level: Decimal, degrees_of_freedom: int) -> Decimal:
    """Return t of Eq 74. `level` is two-sided: 1/3 for the one-sided 2/3 of the document."""
    return student_t(level, degrees_of_freedom)


def deduction(variance: Fraction, mean: Fraction, *, t: Decimal) -> Decimal:
    """Return the share that is deducted (Eq 74), 0 to 1, rounded to 1e-12: error of the mean over its size, times t.

    `mean` is per hectare like the variance. There is no allowance. At most 1, because the document defines the
    deduction as a fraction of 0 to 1. Raises ContractError for a variance below 0 and a mean of 0.
    """
    if variance < 0:
        raise refused("variance", expected="0 or more", found=float(variance), remedy="correct the variances")
    if not mean:
        raise refused(
            "mean change",
            expected="a mean change other than 0, which the error is a share of",
            found=0,
            remedy="a period in which soil carbon did not change has no relative uncertainty",
        )
    relative = _square_root(variance / mean**2)
    return min(Decimal(1), share(FIFTY_DIGITS.multiply(relative, t)))


def _square_root(value: Fraction) -> Decimal:
    return FIFTY_DIGITS.sqrt(FIFTY_DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator)))
