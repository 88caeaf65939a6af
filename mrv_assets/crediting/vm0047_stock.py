"""VM0047: how much carbon a project holds, as CO2 (Eq 1 for areas, Eq 22 to 25 for a census of planted units).

What does not belong here: how sure it is (vm0047_uncertainty) and what of it is credited (vm0047_removals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from mrv_assets.crediting.fifty_digits import FIFTY_DIGITS
from mrv_assets.crediting.refused import refused, require_not_negative
from mrv_assets.domain.exact import rounded

CO2_PER_C = Fraction(44, 12)
"""The ratio of the molecular weights, exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumStock:
    """The carbon of one stratum and pool, t C/ha, at t = 0 and at t; `area_ha` is the area of the stratum."""

    area_ha: Decimal
    start_tc_per_ha: Decimal
    end_tc_per_ha: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class CensusSample:
    """A sample of the census: above-ground woody biomass of each live unit, t dry matter, and the number of dead ones.

    A live unit below the size threshold is in it with 0. A unit that was not found is dead.
    """

    live_tonnes: Sequence[Decimal]
    dead: int

    def __post_init__(self) -> None:
        if not self.live_tonnes or self.dead < 0 or self.size < 2:
            raise refused(
                "census sample",
                expected="at least 2 sampled units, at least 1 of them alive",
                found=f"{len(self.live_tonnes)} alive, {self.dead} dead",
                remedy="sample more units of the census",
            )
        require_not_negative(**{f"biomass of sampled unit {n}": each for n, each in enumerate(self.live_tonnes)})

    @property
    def size(self) -> int:
        """How many units were sampled, dead ones too."""
        return len(self.live_tonnes) + self.dead

    @property
    def mortality(self) -> Fraction:
        """The share of the sample that is dead."""
        return Fraction(self.dead, self.size)

    @property
    def mean_tonnes(self) -> Fraction:
        """The mean of the live units, t dry matter: the dead ones are in the mortality and are not counted twice."""
        return sum((Fraction(each) for each in self.live_tonnes), Fraction(0)) / len(self.live_tonnes)

    @property
    def relative_error(self) -> Decimal:
        """The standard error of the mean of the live units as a share of that mean.

        Raises ContractError for fewer than 2 live units and for a mean of 0: neither has a relative error.
        """
        n, mean = len(self.live_tonnes), self.mean_tonnes
        if n < 2 or not mean:
            raise refused(
                "census sample",
                expected="at least 2 live units with biomass, for the spread between them",
                found=f"{n} alive, mean {float(mean):g} t",
                remedy="sample more units of the census",
            )
        variance = sum(((Fraction(each) - mean) ** 2 for each in self.live_tonnes), Fraction(0)) / (n - 1) / n
        with localcontext(FIFTY_DIGITS):
            return _quotient(variance).sqrt() / _quotient(mean)


def stock_change(strata: Sequence[StratumStock]) -> Decimal:
    """Return the stock change of an area since t = 0, t CO2e, rounded once to 1e-9 (Eq 1, pools and strata summed).

    Raises ContractError when there is no stratum or an area below 0.
    """
    if not strata:
        raise refused("strata", expected="at least one stratum", found="none", remedy="give each stratum and its area")
    require_not_negative(**{f"area of stratum {n}": each.area_ha for n, each in enumerate(strata)})
    carbon = sum(
        (Fraction(s.area_ha) * (Fraction(s.end_tc_per_ha) - Fraction(s.start_tc_per_ha)) for s in strata), Fraction(0)
    )
    return rounded(carbon * CO2_PER_C, places=9)


def census_stock(units: int, sample: CensusSample, *, root_shoot: Decimal, carbon_fraction: Decimal) -> Decimal:
    """Return the stock of a census, t CO2e, rounded once to 1e-9 (Eq 22 to 25).

    `units` is the complete census at t = 0. It is the stock change since then too: there were no units before.
    Raises ContractError for fewer than 1 unit.
    """
    if units < 1:
        raise refused("census units", expected="1 or more", found=units, remedy="give the complete census at t = 0")
    require_not_negative(root_shoot_ratio=root_shoot, carbon_fraction=carbon_fraction)
    per_unit = sample.mean_tonnes * (1 + Fraction(root_shoot)) * Fraction(carbon_fraction)
    return rounded(units * (1 - sample.mortality) * per_unit * CO2_PER_C, places=9)


def _quotient(value: Fraction) -> Decimal:
    return FIFTY_DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
