"""VM0047: the 90 % half-width of a stock change as a share of it, and what is deducted for it (Eq 28, 29 and 31).

v1.0 has forms of its own (Eq 27 and 28 there). What does not belong here: half-widths of other documents, and the
credited removals (vm0047_removals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from mrv_assets.crediting.fifty_digits import FIFTY_DIGITS
from mrv_assets.crediting.refused import refused, require_not_negative
from mrv_assets.crediting.rounding import share
from mrv_assets.crediting.vm0047_stock import CensusSample
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.uncertainty.quantiles import student_t

LEVEL = Decimal("0.90")
"""The level of every half-width of this document, two-sided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventories:
    """The standard errors of the stock at t = 0 and at t, t CO2e, and the correlation between the two.

    `correlation` is 0 unless the plots are permanent. `degrees_of_freedom` are plots less strata.
    """

    error_start: Decimal
    error_end: Decimal
    correlation: Decimal
    degrees_of_freedom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolUncertainty:
    """The stock of one pool at t = 0 and at t, t CO2e, each with its 90 % half-width as a share (v1.0)."""

    stock_start: Decimal
    half_width_start: HalfWidth90
    stock_end: Decimal
    half_width_end: HalfWidth90


def area_half_width(inventories: Inventories, stock_change: Decimal) -> HalfWidth90:
    """Return the half-width of a stock change (v1.1 Eq 28 before the 10 %), a share of its size, rounded to 1e-12.

    Raises ContractError for a stock change of 0, a standard error below 0, a correlation beyond ±1, and fewer than 1
    degree of freedom.
    """
    first, last, rho = inventories.error_start, inventories.error_end, inventories.correlation
    require_not_negative(standard_error_at_the_start=first, standard_error_at_the_end=last)
    if not -1 <= rho <= 1:
        raise refused("correlation", expected="-1 to 1", found=rho, remedy="correct the correlation of the plots")
    _refuse_no_change(stock_change)
    t = student_t(LEVEL, inventories.degrees_of_freedom)
    with localcontext(FIFTY_DIGITS):
        variance = max(first * first + last * last - 2 * rho * first * last, Decimal(0))
        return HalfWidth90(relative=share(t * variance.sqrt() / abs(stock_change)))


def area_half_width_v1_0(pools: Sequence[PoolUncertainty], stock_change: Decimal) -> HalfWidth90:
    """Return the half-width of a stock change by v1.0 Eq 27: percentages of each pool and date in quadrature.

    Raises ContractError for a stock change of 0 and when there is no pool.
    """
    if not pools:
        raise refused("pools", expected="at least one pool", found="none", remedy="give each pool with its half-widths")
    _refuse_no_change(stock_change)
    with localcontext(FIFTY_DIGITS):
        squares = [
            (stock * half_width.relative) ** 2
            for pool in pools
            for stock, half_width in (
                (pool.stock_start, pool.half_width_start),
                (pool.stock_end, pool.half_width_end),
            )
        ]
        return HalfWidth90(relative=share(sum(squares, Decimal(0)).sqrt() / abs(stock_change)))


def mortality_half_width(sample: CensusSample) -> Decimal:
    """Return the half-width of the surviving share as a share of it (Eq 31): 0 when no sampled unit is dead."""
    if not sample.dead:
        return Decimal(0)
    t = student_t(LEVEL, sample.size - 1)
    with localcontext(FIFTY_DIGITS):
        mortality = Decimal(sample.mortality.numerator) / sample.mortality.denominator
        return t * (mortality * (1 - mortality) / (sample.size - 1)).sqrt() / (1 - mortality)


def census_half_width(sample: CensusSample) -> HalfWidth90:
    """Return the half-width of a census stock, dimensional reading of Eq 29: each term with its own t, once.

    It is v1.0 Eq 28 too. Raises ContractError for fewer than 2 live units.
    """
    error = sample.relative_error
    biomass = FIFTY_DIGITS.multiply(_biomass_t(sample), error)
    return HalfWidth90(relative=_quadrature(biomass, mortality_half_width(sample)))


def census_half_width_literal(sample: CensusSample) -> HalfWidth90:
    """Return the half-width of a census stock, Eq 29 as printed: the term of mortality, which has its t, times t again.

    Never below the dimensional reading. Raises ContractError for fewer than 2 live units.
    """
    error = sample.relative_error
    t = _biomass_t(sample)
    with localcontext(FIFTY_DIGITS):
        return HalfWidth90(relative=_quadrature(t * error, t * mortality_half_width(sample)))


def deduction(half_width: HalfWidth90, stock_change: Decimal, *, allowance: Decimal) -> Decimal:
    """Return the share that is deducted: what the half-width has above `allowance`, 0 to 1, rounded to 1e-12.

    Grows with the half-width. A stock that has shrunk has no deduction, because that would make the loss smaller.
    """
    if stock_change < 0:
        return Decimal(0)
    with localcontext(FIFTY_DIGITS):
        return share(min(Decimal(1), max(Decimal(0), half_width.relative - allowance)))


def _biomass_t(sample: CensusSample) -> Decimal:
    return student_t(LEVEL, len(sample.live_tonnes) - 1)


def _quadrature(first: Decimal, second: Decimal) -> Decimal:
    with localcontext(FIFTY_DIGITS):
        return share((first * first + second * second).sqrt())


def _refuse_no_change(stock_change: Decimal) -> None:
    if not stock_change:
        raise refused(
            "stock change",
            expected="a stock change other than 0, which the half-width is a share of",
            found=stock_change,
            remedy="a period without any change has no relative uncertainty; report it without this rule set",
        )
