"""How many units to measure for a wanted half-width.

What does not belong here: what the measured units then say (sampling).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.digits import decimal, exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What is expected of a stratum: how many units it could hold, and their standard deviation."""

    units: Decimal
    sd: Decimal


def sample_size(strata: Sequence[Expected], *, allowed_error: Decimal, t: Decimal, where: str) -> Decimal:
    """Return n = (sum of N s)² / (N² E² / t² + sum of N s²) before it is rounded up, to 50 digits.

    `allowed_error` is the wanted half-width E in the unit of the standard deviations; t is usually 2. BioCarbon Fund
    Sourcebook, section 6.5.2. Raises ContractError for no stratum and for numbers that are not above 0.
    """
    error, quantile = (_above_0(x, name, where) for x, name in ((allowed_error, "allowed error"), (t, "t")))
    units = [_above_0(stratum.units, "units of a stratum", where) for stratum in strata]
    sds = [_above_0(stratum.sd, "standard deviation of a stratum", where) for stratum in strata]
    if not strata:
        raise _refused("no stratum is given", where, "none")
    spread = sum((n * s for n, s in zip(units, sds, strict=True)), Fraction(0))
    squares = sum((n * s**2 for n, s in zip(units, sds, strict=True)), Fraction(0))
    return decimal(spread**2 / (sum(units, Fraction(0)) ** 2 * error**2 / quantile**2 + squares))


def whole_units(size: Decimal) -> int:
    """Return the number of units to measure: rounded up."""
    return int(size.to_integral_value(rounding=ROUND_CEILING))


def _above_0(value: Decimal, name: str, where: str) -> Fraction:
    number = exact(value, what=name, where=where)
    if number <= 0:
        raise _refused(f"{name} is not above 0", where, str(value))
    return number


def _refused(what: str, where: str, found: str) -> ContractError:
    return ContractError(
        what,
        where=where,
        expected="at least one stratum, and numbers above 0",
        found=found,
        remedy="take units and standard deviations from a preliminary inventory",
    )
