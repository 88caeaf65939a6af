"""From an estimate and its standard error to the half-width of its interval, as a share of the estimate.

What does not belong here: where a standard error comes from (sampling), the interval at another level (levels).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from mrv_assets.domain.confidence import HalfWidth90, HalfWidth95
from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.digits import decimal, exact
from mrv_assets.uncertainty.quantiles import normal_interval, student_t

NINETY = Decimal("0.90")
NINETY_FIVE = Decimal("0.95")


def half_width_90(estimate: Decimal, standard_error: Decimal, degrees_of_freedom: int, *, where: str) -> HalfWidth90:
    """Return the 90 % half-width by Student's t: t x SE / |estimate|, rounded to 50 digits.

    Raises ContractError naming `where` for an estimate of 0, a negative standard error, numbers that are none, and
    less than 1 degree of freedom.
    """
    t = student_t(NINETY, _enough(degrees_of_freedom, where))
    return HalfWidth90(relative=_share(estimate, standard_error, t, where))


def half_width_95(estimate: Decimal, standard_error: Decimal, degrees_of_freedom: int, *, where: str) -> HalfWidth95:
    """Return the 95 % half-width by Student's t. Otherwise as `half_width_90`."""
    t = student_t(NINETY_FIVE, _enough(degrees_of_freedom, where))
    return HalfWidth95(relative=_share(estimate, standard_error, t, where))


def normal_half_width_90(estimate: Decimal, standard_error: Decimal, *, where: str) -> HalfWidth90:
    """Return the 90 % half-width of a normal distribution whose standard error is known. Refuses as `half_width_90`."""
    return HalfWidth90(relative=_share(estimate, standard_error, normal_interval(NINETY), where))


def normal_half_width_95(estimate: Decimal, standard_error: Decimal, *, where: str) -> HalfWidth95:
    """Return the 95 % half-width of a normal distribution whose standard error is known. Refuses as `half_width_90`."""
    return HalfWidth95(relative=_share(estimate, standard_error, normal_interval(NINETY_FIVE), where))


def limits_half_width_90(estimate: Decimal, *, lower: Decimal, upper: Decimal, where: str) -> HalfWidth90:
    """Return half of what lies between the limits of a 90 % interval, as a share of |estimate|.

    Which of the two limits is the larger is of no account. Raises ContractError naming `where` for an estimate of 0 and
    numbers that are none.
    """
    low, high = exact(lower, what="lower limit", where=where), exact(upper, what="upper limit", where=where)
    return HalfWidth90(relative=_share(estimate, decimal(abs(high - low) / 2), Decimal(1), where))


def _share(estimate: Decimal, standard_error: Decimal, quantile: Decimal, where: str) -> Decimal:
    size = abs(exact(estimate, what="estimate", where=where))
    error = exact(standard_error, what="standard error", where=where)
    if not size:
        raise ContractError(
            "estimate is 0",
            where=where,
            expected="an estimate other than 0, because a half-width is a share of it",
            found=str(estimate),
            remedy="report the absolute interval; no relative uncertainty exists for a change of 0",
        )
    if error < 0:
        raise ContractError(
            "standard error is negative",
            where=where,
            expected="0 or more",
            found=str(standard_error),
            remedy="correct the standard error or the variance that it was taken from",
        )
    return decimal(Fraction(quantile) * error / size)


def _enough(degrees_of_freedom: int, where: str) -> int:
    if degrees_of_freedom < 1:
        raise ContractError(
            "sample is too small for an interval",
            where=where,
            expected="at least 1 degree of freedom, which is a sample of 2",
            found=str(degrees_of_freedom),
            remedy="measure more units, or join strata as the rule set allows",
        )
    return degrees_of_freedom
