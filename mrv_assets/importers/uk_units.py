"""The units of the UK flat file by the names that `domain.units` knows.

What does not belong here: units of other publishers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from mrv_assets.importers.refusal import refused

_NAMES: Mapping[str, str] = {
    "kg": "kg",
    "tonnes": "t",
    "litres": "litre",
    "million litres": "ML",
    "cubic metres": "m3",
    "kwh": "kWh",
    "gj": "GJ",
    "km": "km",
    "miles": "mile",
    "passenger.km": "passenger*km",
    "tonne.km": "t*km",
    "room per night": "room_night",
    "per fte working hour": "FTE*hour",
}
_QUALIFIED = re.compile(r"(.+?) \((.+)\)")


def uk_unit(uom: str, *, where: str) -> tuple[str, str]:
    """Return the unit and what qualifies it: `kWh (Gross CV)` → `kWh`, `Gross CV`.

    The qualifier tells activities apart, not units, so it belongs into the activity id. Raises FactorError for a unit
    that is not in the table, the row named.
    """
    match = _QUALIFIED.fullmatch(uom)
    name, qualifier = (match[1], match[2]) if match else (uom, "")
    if name.casefold() not in _NAMES:
        raise refused("unit is unknown", where=where, expected=f"one of {', '.join(_NAMES)}", found=repr(uom))
    return _NAMES[name.casefold()], qualifier
