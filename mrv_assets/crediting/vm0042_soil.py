"""VM0042: soil mass and soil carbon of one composite sample (Eq 3), from which equivalent soil mass is compared.

What does not belong here: the change between two dates and its variance (vm0042_variance).
"""

from __future__ import annotations

from decimal import Decimal, localcontext

from mrv_assets.crediting.fifty_digits import FIFTY_DIGITS
from mrv_assets.crediting.refused import refused, require_not_negative
from mrv_assets.crediting.rounding import tonnes

_PI = Decimal("3.14159265358979323846264338327950288419716939937511")
_MG_PER_HA = 10_000
"""The equation's factor: g/mm² to Mg/ha. Its product with g/kg is kg/ha."""


def soil_mass(dry_mass_g: Decimal, *, probe_diameter_mm: Decimal, cores: int) -> Decimal:
    """Return the dry soil mass of a layer, Mg/ha, rounded to 1e-9.

    Raises ContractError for a mass below 0, and for no core or no diameter.
    """
    require_not_negative(dry_mass=dry_mass_g)
    if probe_diameter_mm <= 0 or cores < 1:
        raise refused(
            "soil cores",
            expected="1 core or more, of a diameter above 0 mm",
            found=f"{cores} cores of {probe_diameter_mm} mm",
            remedy="give the inside diameter of the probe and the number of cores of the composite sample",
        )
    with localcontext(FIFTY_DIGITS):
        area_mm2 = _PI * (probe_diameter_mm / 2) ** 2 * cores
        return tonnes(dry_mass_g / area_mm2 * _MG_PER_HA)


def soil_carbon(mass_mg_per_ha: Decimal, organic_carbon_g_per_kg: Decimal) -> Decimal:
    """Return the organic carbon of a layer, kg/ha (Eq 3), rounded to 1e-9. Raises ContractError below 0."""
    require_not_negative(soil_mass=mass_mg_per_ha, organic_carbon=organic_carbon_g_per_kg)
    with localcontext(FIFTY_DIGITS):
        return tonnes(mass_mg_per_ha * organic_carbon_g_per_kg)
