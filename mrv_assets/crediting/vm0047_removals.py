"""VM0047: credited removals of a monitoring period, from what stands now and what stood before (Eq 30, 32, 33, 34).

Stock change, project emissions and leakage are through year t, so that the differences are those of the period. What
does not belong here: where the shares come from (vm0047_uncertainty, vm0047_benchmark).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from mrv_assets.crediting.refused import refused, require_not_negative
from mrv_assets.crediting.rounding import tonnes
from mrv_assets.domain.exact import EXACT, rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What stands through a year, t CO2e: stock change since t = 0, and its two shares, each 0 to 1."""

    stock_change: Decimal
    uncertainty: Decimal = Decimal(0)
    benchmark: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        for name, value in (("uncertainty", self.uncertainty), ("performance benchmark", self.benchmark)):
            if not 0 <= value <= 1:
                raise refused(name, expected="a share of 0 to 1", found=value, remedy="give 12.5 % as 0.125")

    @property
    def withheld(self) -> Decimal:
        """What uncertainty takes of the stock change, t CO2e, exact: 0 or more, and 0 of a loss."""
        return EXACT.multiply(max(self.stock_change, Decimal(0)), self.uncertainty)


class Benchmarked(Protocol):
    """What the benchmark takes of a standing, t CO2e, exact, after its uncertainty."""

    def __call__(self, standing: Standing) -> Decimal:
        """Return it."""


def benchmarked(standing: Standing) -> Decimal:
    """Return what the benchmark takes under v1.1 Eq 32: nothing of a loss, so that a loss is never made smaller."""
    return benchmarked_v1_0(standing) if standing.stock_change > 0 else Decimal(0)


def benchmarked_v1_0(standing: Standing) -> Decimal:
    """Return what the benchmark takes under v1.0 Eq 30, which has no MIN: negative for a loss, which gets smaller."""
    left = EXACT.subtract(standing.stock_change, standing.withheld)
    return EXACT.multiply(left, standing.benchmark)


def uncertainty_deduction(now: Standing, before: Standing) -> Decimal:
    """Return what uncertainty takes in the period, t CO2e, rounded once to 1e-9.

    Negative when more was withheld before than is now: by Eq 32 a better inventory gives that back.
    """
    return tonnes(EXACT.subtract(now.withheld, before.withheld))


def all_deductions(now: Standing, before: Standing, benchmark: Benchmarked) -> Decimal:
    """Return what uncertainty and benchmark take together in the period, t CO2e, rounded once to 1e-9."""
    each = (EXACT.add(standing.withheld, benchmark(standing)) for standing in (now, before))
    return tonnes(EXACT.subtract(*each))


def credited_removals(
    now: Standing, before: Standing, *, project_emissions: Decimal, leakage: Decimal, benchmark: Benchmarked
) -> Decimal:
    """Return the removals of the period, t CO2e (Eq 32, with `benchmarked_v1_0` Eq 30, without leakage Eq 33).

    `project_emissions` and `leakage` are those of the period. Negative for a loss. The deductions are rounded once to
    1e-9, all else is exact. Raises ContractError for emissions or leakage below 0.
    """
    require_not_negative(project_emissions=project_emissions, leakage=leakage)
    change = EXACT.subtract(now.stock_change, before.stock_change)
    kept = EXACT.subtract(change, all_deductions(now, before, benchmark))
    return EXACT.subtract(kept, EXACT.add(project_emissions, leakage))


def uncredited(removals: Decimal) -> Decimal:
    """Return what is credited when the half-width is above the whole of the removals: 0, or the loss of the equation.

    The document says 0. A loss by the equation stays one, or else a worse inventory would undo it.
    """
    return min(removals, Decimal(0))


def annual(removals: Decimal, years: int) -> tuple[Decimal, ...]:
    """Return the removals of each year of the period (Eq 34): equal to 1e-9, and exactly the whole together.

    Raises ContractError for less than one year.
    """
    if years < 1:
        raise refused("years of the period", expected="1 or more", found=years, remedy="give whole years")
    ends = [rounded(Fraction(removals) * n / years, places=9) for n in range(years)] + [removals]
    return tuple(EXACT.subtract(after, before) for before, after in pairwise(ends))
