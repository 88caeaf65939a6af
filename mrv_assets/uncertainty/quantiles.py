"""Quantiles of Student's t and of the normal distribution, as decimals rounded once to 1e-9.

What does not belong here: what they are multiplied with.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from scipy import special

from mrv_assets.domain.errors import ContractError

_STEP = Decimal("1e-9")
_WIDE = Context(prec=60, rounding=ROUND_HALF_EVEN)
_LEAST, _MOST = Fraction(1, 10**6), 1 - Fraction(1, 10**9)  # nearer to 0 or 1 binary64 does not tell them apart


def student_t(confidence: Decimal, degrees_of_freedom: int) -> Decimal:
    """Return the two-sided quantile: t such that the interval from -t to t holds `confidence`, such as 0.90.

    Raises ContractError for a confidence that is no probability and for less than 1 degree of freedom.
    """
    _require_probability(confidence, "confidence of an interval")
    return student_t_below((1 + Fraction(confidence)) / 2, degrees_of_freedom)


def student_t_below(probability: Decimal | Fraction, degrees_of_freedom: int) -> Decimal:
    """Return the one-sided quantile: t such that `probability` lies below it. Two thirds is `Fraction(2, 3)`.

    Raises ContractError as `student_t` does.
    """
    _require_probability(probability, "probability below a quantile")
    if degrees_of_freedom < 1:
        raise ContractError(
            "sample is too small for an interval",
            where="Student's t",
            expected="at least 1 degree of freedom, which is a sample of 2",
            found=str(degrees_of_freedom),
            remedy="measure more units, or join strata as the rule set allows",
        )
    return _rounded(float(special.stdtrit(degrees_of_freedom, float(probability))))


def normal(probability: Decimal | Fraction) -> Decimal:
    """Return the one-sided quantile of the standard normal distribution: 1.644853627 for 0.95.

    Raises ContractError for what is no probability.
    """
    _require_probability(probability, "probability below a quantile")
    return _rounded(float(special.ndtri(float(probability))))


def normal_interval(confidence: Decimal) -> Decimal:
    """Return the two-sided quantile of the standard normal distribution: 1.959963985 for 0.95.

    Raises ContractError for what is no probability.
    """
    _require_probability(confidence, "confidence of an interval")
    return normal((1 + Fraction(confidence)) / 2)


def _require_probability(value: Decimal | Fraction, what: str) -> None:
    if not _LEAST <= value <= _MOST:
        raise ContractError(
            f"{what} is no probability",
            where="quantile",
            expected="a number from 0.000001 to 0.999999999, such as 0.90",
            found=str(value),
            remedy="give the level as a share, not in percent",
        )


def _rounded(quantile: float) -> Decimal:
    return Decimal(quantile).quantize(_STEP, context=_WIDE)
