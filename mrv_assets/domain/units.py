"""Units by declared name: canonical spelling, refusal of ambiguous ones, exact conversion of masses to tonnes.

The unit of a factor's denominator must be the unit of the quantity, so the only conversion in the platform is
mass to tonnes, and it happens once. What does not belong here: global warming potentials and factors.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

import pint

from mrv_assets.domain.errors import ContractError

_POWERS = re.compile(r"\b(km|m|cm|mm)([23])\b")

_REGISTRY: pint.UnitRegistry[Decimal] = pint.UnitRegistry(
    non_int_type=Decimal,
    case_sensitive=True,
    preprocessors=[lambda text: _POWERS.sub(r"\1**\2", text)],
)
for _definition in (
    "standard_cubic_foot = foot ** 3 = scf",
    "thousand_cubic_feet = 1000 * standard_cubic_foot = mcf",
    # pint files these under an ambiguous name (`ton`, `gallon`); here the canonical name is the unambiguous one.
    "short_ton = 2000 * pound",
    "US_liquid_gallon = 231 * inch ** 3",
    "Btu_iso = 1055.056 * joule",
    # What publishers count beside lengths, masses and times; nothing converts into them.
    "passenger = [passenger]",
    "room_night = [room_night]",
    "full_time_equivalent = [full_time_equivalent] = FTE",
):
    _REGISTRY.define(_definition)

_AMBIGUOUS = {
    "ton": "t (metric), short_ton or long_ton",
    "tons": "t (metric), short_ton or long_ton",
    "gal": "US_liquid_gallon or imperial_gallon",
    "gallon": "US_liquid_gallon or imperial_gallon",
    "gallons": "US_liquid_gallon or imperial_gallon",
    "Btu": "Btu_iso, Btu_it or Btu_th",
    "BTU": "Btu_iso, Btu_it or Btu_th",
    "btu": "Btu_iso, Btu_it or Btu_th",
    "mmBtu": "mega Btu_it spelled MBtu_it, or MJ",
    "mWh": "MWh (megawatt hour); mWh is a milliwatt hour",
    "bbl": "oil_barrel",
    "barrel": "oil_barrel",
}


@cache
def canonical_unit(text: str) -> str:
    """Return the one name of the unit that `text` declares, for example `MWh` → `megawatt_hour`.

    Raises ContractError for unknown names and for names that mean different quantities to different senders.
    """
    if text in _AMBIGUOUS:
        raise _refused(text, f"one of {_AMBIGUOUS[text]}", "a name with more than one meaning")
    try:
        unit = _REGISTRY.parse_units(text, as_delta=False)
    except (pint.UndefinedUnitError, pint.errors.DefinitionSyntaxError, ValueError) as error:
        raise _refused(text, "a unit name known to pint", str(error)) from error
    if unit.dimensionless:
        raise _refused(text, "a unit with a dimension", "no dimension")
    return str(unit)


@cache
def unit_symbol(canonical: str) -> str:
    """Return how a canonical unit is written in a table, `megawatt_hour` → `MWh`. Raises as `canonical_unit`."""
    return format(_REGISTRY.Unit(canonical_unit(canonical)), "~P")


@cache
def tonnes_per(mass_unit: str) -> Decimal:
    """Return how many metric tonnes one `mass_unit` is, exactly (lb: 0.00045359237).

    Raises ContractError when the unit is unknown, ambiguous or no mass.
    """
    canonical = canonical_unit(mass_unit)
    try:
        return Decimal(_REGISTRY.Quantity(Decimal(1), canonical).to("metric_ton").magnitude)
    except pint.DimensionalityError as error:
        raise _refused(mass_unit, "a unit of mass such as t, kg, g, lb", canonical) from error


def _refused(text: str, expected: str, found: str) -> ContractError:
    return ContractError(
        "unit is refused",
        where=f"unit {text!r}",
        expected=expected,
        found=found,
        remedy="declare the unit by an unambiguous name in the project's [source.constants] or the factor release",
    )
