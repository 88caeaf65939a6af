"""The units of the EPA hub by the names that `domain.units` knows.

A gallon of this publisher is the US liquid gallon, its Btu the international table Btu of US energy statistics, and a
vehicle-mile is a mile that one vehicle drives. What does not belong here: units of other publishers.
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.importers.refusal import refused

_NAMES: Mapping[str, str] = {
    "short ton": "short_ton",
    "mmBtu": "MBtu_it",
    "scf": "scf",
    "gallon": "US_liquid_gallon",
    "mile": "mile",
    "vehicle-mile": "mile",
    "passenger-mile": "passenger*mile",
    "short ton-mile": "short_ton*mile",
    "MWh": "MWh",
}
AMBIGUOUS = frozenset({"ton-mile"})
"""Published units that do not say enough: a ton is short, long or metric. Such rows are left out."""


def epa_unit(text: str, *, where: str) -> str:
    """Return the name of a unit. Raises FactorError for one that is not in the table, the row named."""
    if text not in _NAMES:
        raise refused("unit is unknown", where=where, expected=f"one of {', '.join(_NAMES)}", found=repr(text))
    return _NAMES[text]
