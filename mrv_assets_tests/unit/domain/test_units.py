from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.units import canonical_unit, tonnes_per, unit_symbol


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("MWh", "megawatt_hour"),
        ("megawatt_hour", "megawatt_hour"),
        ("MW*h", "hour * megawatt"),
        ("kWh", "kilowatt_hour"),
        ("GJ", "gigajoule"),
        ("mcf", "thousand_cubic_feet"),
        ("scf", "standard_cubic_foot"),
        ("km2", "kilometer ** 2"),
        ("km**2", "kilometer ** 2"),
        ("m3", "meter ** 3"),
        ("ha", "hectare"),
        ("t", "metric_ton"),
        ("short_ton", "short_ton"),
        ("long_ton", "long_ton"),
        ("lb", "pound"),
        ("kg", "kilogram"),
        ("US_liquid_gallon", "US_liquid_gallon"),
        ("imperial_gallon", "imperial_gallon"),
        ("therm", "therm"),
        ("kg/m3", "kilogram / meter ** 3"),
        ("MBtu_it", "megainternational_british_thermal_unit"),
        ("Btu_iso", "Btu_iso"),
        ("oil_barrel", "oil_barrel"),
        ("t*km", "kilometer * metric_ton"),
        ("short_ton*mile", "mile * short_ton"),
        ("passenger*km", "kilometer * passenger"),
        ("passenger*mile", "mile * passenger"),
        ("room_night", "room_night"),
        ("FTE*hour", "full_time_equivalent * hour"),
        ("ML", "megaliter"),
    ],
)
def test_unit_has_one_canonical_name(text: str, canonical: str) -> None:
    """A declared name becomes its canonical name, and that name stays itself."""
    assert canonical_unit(text) == canonical
    assert canonical_unit(canonical) == canonical


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("ton", "short_ton"),
        ("tons", "short_ton"),
        ("gal", "US_liquid_gallon"),
        ("gallons", "imperial_gallon"),
        ("Btu", "Btu_iso"),
        ("BTU", "Btu_th"),
        ("mmBtu", "MBtu_it"),
        ("mWh", "milliwatt"),
        ("bbl", "oil_barrel"),
    ],
)
def test_ambiguous_unit_is_refused_with_the_choices(text: str, choices: str) -> None:
    """A name with more than one meaning is refused, and the refusal says the names to choose from."""
    with pytest.raises(ContractError, match=rf"unit is refused.*{choices}"):
        canonical_unit(text)


@pytest.mark.parametrize("text", ["", " ", "mwh", "furlongs per fortnite", "percent", "1", "%", "12 MWh", "kg CO2"])
def test_unknown_and_dimensionless_units_are_refused(text: str) -> None:
    """What is no unit with a dimension is refused."""
    with pytest.raises(ContractError, match="unit is refused"):
        canonical_unit(text)


@pytest.mark.parametrize(
    ("unit", "tonnes"),
    [
        ("lb", "0.00045359237"),
        ("kg", "0.001"),
        ("g", "0.000001"),
        ("t", "1"),
        ("short_ton", "0.90718474"),
        ("long_ton", "1.0160469088"),
        ("Mg", "1"),
    ],
)
def test_mass_converts_to_tonnes_exactly(unit: str, tonnes: str) -> None:
    """The one conversion of the platform is exact in decimals: 1000 short tons are 907.18474 t."""
    assert tonnes_per(unit) == Decimal(tonnes)


@pytest.mark.parametrize(
    ("unit", "says"), [("MWh", "a unit of mass"), ("ton", "short_ton"), ("lbs of CO2", "known to pint")]
)
def test_mass_that_is_none_is_refused(unit: str, says: str) -> None:
    """Only masses become tonnes, and ambiguous ones do not."""
    with pytest.raises(ContractError, match=says):
        tonnes_per(unit)


@pytest.mark.parametrize(
    ("unit", "symbol"),
    [
        ("MWh", "MWh"),
        ("lb", "lb"),
        ("MBtu_it", "MBtu_it"),
        ("km2", "km²"),
        ("passenger*km", "km·passenger"),
        ("t", "t"),
    ],
)
def test_unit_has_a_short_form_for_tables(unit: str, symbol: str) -> None:
    """The symbol is short, and still says which of several units of the name it is."""
    assert unit_symbol(canonical_unit(unit)) == symbol
