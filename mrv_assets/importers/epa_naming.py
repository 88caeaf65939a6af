"""What an EPA factor is called in a release: activity id, region, and the label that the id is made from.

What does not belong here: how tables are read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mrv_assets.importers.epa_rows import Value
from mrv_assets.importers.ids import activity_id
from mrv_assets.importers.refusal import refused

# By words of the title, since titles are long, have numbers of categories in them, and change their spaces.
_PREFIXES: Mapping[str, str] = {
    "Stationary Combustion": "stationary-combustion",
    "Mobile Combustion CO2": "mobile-combustion-co2",
    "On-Road Gasoline Vehicles": "on-road-gasoline-vehicles",
    "On-Road Diesel and Alternative Fuel Vehicles": "on-road-diesel-and-alternative-fuel-vehicles",
    "Non-Road Vehicles": "non-road-vehicles",
    "Electricity": "electricity",
    "Steam and Heat": "steam-and-heat",
    "Upstream Transportation and Distribution": "transportation-and-distribution",
    "Waste Generated in Operations": "waste",
    "Business Travel": "business-travel-and-commuting",
}
_ELECTRICITY: Mapping[str, str] = {
    "Total Output Emission Factors": "electricity.delivered",
    "Non-Baseload Emission Factors": "electricity.non-baseload",
}
_AVERAGE = "US Average"
_BIOMASS = re.compile(r"(?i)\b(biomass|biodiesel|ethanol)\b")
_SUBREGION = re.compile(r"([A-Z]{4})(?: \(.+\))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The identity of a row."""

    activity_id: str
    region: str
    label: str


def prefix_of(title: str) -> str | None:
    """Return with what the ids of a table begin, None for a table that is not known."""
    return next((prefix for words, prefix in _PREFIXES.items() if words in title), None)


def is_biogenic(value: Value) -> bool:
    """Tell whether a value is CO2 of biomass, by the words of its labels."""
    return value.gas == "CO2" and _BIOMASS.search(" ".join(value.labels)) is not None


def named(prefix: str, value: Value, *, where: str) -> Named:
    """Return the identity of a value: national, but for the eGRID subregions, which are regions and no activities.

    Raises FactorError for electricity of what is neither a subregion nor the US average.
    """
    if prefix == "electricity":
        return _electricity(value, where)
    labels = (prefix, value.block, *value.labels)
    return Named(activity_id=activity_id(labels), region="US", label=" | ".join(labels))


def _electricity(value: Value, where: str) -> Named:
    subregion = next((match[1] for text in value.labels if (match := _SUBREGION.fullmatch(text))), None)
    if value.block not in _ELECTRICITY or not (subregion or _AVERAGE in value.labels):
        raise refused(
            "electricity of an unknown place or kind",
            where=where,
            expected=f"a subregion such as MROW, or {_AVERAGE}; {' or '.join(_ELECTRICITY)}",
            found=" | ".join((value.block, *value.labels)),
        )
    region = f"US/{subregion}" if subregion else "US"
    return Named(activity_id=_ELECTRICITY[value.block], region=region, label=value.block)
