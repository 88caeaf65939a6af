"""VMD0054 v1.1: leakage from production that a project displaces, which VM0047 takes for areas.

Leakage-only accounting: a commodity of which more is produced does not offset another one. What does not belong here:
reading the evidence (vm0047_area).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.refused import refused, require_not_negative
from mrv_assets.crediting.vm0047_stock import CO2_PER_C
from mrv_assets.domain.exact import rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Displacement:
    """The shares by which lost production becomes new land: of it that is supplied elsewhere, and of that on new land.

    Both 0 to 1; the document has one pair for agriculture and one for fuelwood.
    """

    increased_supply: Decimal
    new_land: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Commodity:
    """One displaced commodity, in its own unit of production a year.

    `historical` is the mean of the reference period, `years` those since the start, `mitigated` what is produced for it
    elsewhere by agreement, `yield_per_ha` what new land gives.
    """

    historical: Decimal
    years: int
    monitored: Decimal
    mitigated: Decimal
    yield_per_ha: Decimal
    displacement: Displacement


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLand:
    """What a hectare of new land loses: biomass and reference soil carbon, t C/ha, and the three soil factors."""

    biomass: Decimal
    soil_reference: Decimal
    land_use: Decimal
    management: Decimal
    inputs: Decimal

    @property
    def loss(self) -> Fraction:
        """Carbon lost, t C/ha. Raises ContractError when it comes to a gain: leakage gives no credit."""
        kept = Fraction(self.land_use) * Fraction(self.management) * Fraction(self.inputs)
        lost = Fraction(self.biomass) + Fraction(self.soil_reference) * (1 - kept)
        if lost < 0:
            raise refused(
                "carbon lost on new land", expected="0 or more", found=f"{float(lost):g} t C/ha", remedy="give 0"
            )
        return lost


def displaced_production(commodity: Commodity, *, growth: Decimal) -> Fraction:
    """Return the production that is lost and not mitigated, units a year: never below 0.

    The historical mean grows by `growth` a year. Raises ContractError for numbers below 0.
    """
    require_not_negative(
        historical_production=commodity.historical,
        monitored_production=commodity.monitored,
        mitigated_production=commodity.mitigated,
        years_since_start=Decimal(commodity.years),
    )
    baseline = Fraction(commodity.historical) * (1 + Fraction(growth)) ** commodity.years
    return max(baseline - Fraction(commodity.monitored) - Fraction(commodity.mitigated), Fraction(0))


def new_hectares(commodities: Sequence[Commodity], *, growth: Decimal) -> Fraction:
    """Return the land that is cleared elsewhere, ha, 0 or more. Raises ContractError for a yield of 0 or less."""
    hectares = Fraction(0)
    for each in commodities:
        if each.yield_per_ha <= 0:
            raise refused("yield of new land", expected="above 0", found=each.yield_per_ha, remedy="give the yield")
        moved = Fraction(each.displacement.increased_supply) * Fraction(each.displacement.new_land)
        hectares += displaced_production(each, growth=growth) * moved / Fraction(each.yield_per_ha)
    return hectares


def leakage(commodities: Sequence[Commodity], land: NewLand, *, growth: Decimal, mitigation: Decimal) -> Decimal:
    """Return the leakage through a year, t CO2e, 0 or more, rounded once to 1e-9.

    `mitigation` are the emissions of the mitigation itself, t CO2e. Raises ContractError for numbers below 0.
    """
    require_not_negative(emissions_of_mitigation=mitigation)
    lost = new_hectares(commodities, growth=growth) * land.loss * CO2_PER_C
    return rounded(lost + Fraction(mitigation), places=9)
