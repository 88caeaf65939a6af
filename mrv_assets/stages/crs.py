"""Which coordinate reference system footprints came in, and who says so.

Only a geographic or projected CRS places a footprint. Of a compound CRS the horizontal part does, of a 3-D one its
first two axes, x before y whatever the CRS says about their order. What does not belong here: getting from that CRS to
the one that areas are measured in (projection).
"""

from __future__ import annotations

import math
from dataclasses import replace

from pyproj import CRS
from pyproj.exceptions import CRSError

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.project import Project
from mrv_assets.domain.remedies import DECLARE_CRS
from mrv_assets.domain.source import DeclaredCrs, GeometrySource

_USABLE = ("Geographic 2D CRS", "Projected CRS")
_SHOWN = 60


def declared_crs(project: Project, *, tagged: str | None, boundary_crs: str | None, where: str) -> DeclaredCrs | None:
    """Return the CRS of the project's footprints and why it may be believed; None when rows have none. Never a default.

    `tagged` is what the source file says of itself and `boundary_crs` what the boundary file says, None for an untagged
    file; each counts only when footprints come from that file. Coordinates in columns have no tag. Raises GateError
    (gate `crs_declared`) when neither the file nor the project says, when they contradict each other, or when the CRS
    cannot place a footprint.
    """
    geometry = project.source.geometry
    if geometry is GeometrySource.NONE:
        return None
    if geometry is GeometrySource.BOUNDARY:
        return _declared(project.boundary.declared, boundary_crs, file="boundary file", where=where)
    tag = tagged if geometry is GeometrySource.RECORD else None
    return _declared(project.source.declared, tag, file="source file", where=where)


def _declared(declared: DeclaredCrs | None, tag: str | None, *, file: str, where: str) -> DeclaredCrs:
    if declared is None:
        if tag is None:
            raise _unusable(where, "a CRS in the file or declared_crs in the project", "neither", "crs_declared")
        declared = DeclaredCrs(crs=tag, because=f"the {file} is tagged with it")
    crs = known_crs(declared.crs, gate="crs_declared", where=where)
    if tag is not None:
        found = known_crs(tag, gate="crs_declared", where=where)
        if not crs.equals(found, ignore_axis_order=True):
            expected = f"the CRS that the project declares, {named(crs)}"
            raise _unusable(where, expected, f"a file tagged {named(found)}", "crs_declared")
    if CRS.from_user_input(declared.crs).is_compound:
        return replace(declared, because=f"{declared.because}; its horizontal part {named(crs)} is used")
    return declared


def known_crs(text: str, *, gate: str, where: str) -> CRS:
    """Return the horizontal CRS that `text` names, 2-D.

    Raises GateError of `gate` unless PROJ knows it as geographic or projected: geocentric, vertical, engineering
    (local) and derived ones place no footprint, and one with a datum shift of its own has no known accuracy.
    """
    expected = "a CRS that PROJ knows, such as EPSG:4326"
    if "+init=" in text:
        raise _unusable(where, expected, f"{text!r}, which does not say the order of its axes", gate)
    try:
        crs = CRS.from_user_input(text)
    except CRSError as error:
        raise _unusable(where, expected, f"{_short(text)!r}: {_short(str(error))}", gate) from error
    horizontal = (crs.sub_crs_list[0] if crs.is_compound else crs).to_2d()
    if horizontal.type_name not in _USABLE:
        raise _unusable(where, "a geographic or projected CRS", f"{named(crs)}, a {crs.type_name}", gate)
    return horizontal


def degrees_from_greenwich(crs: CRS) -> tuple[float, float]:
    """Return the degrees in one angular unit of a CRS, exactly 1.0 for a degree, and the longitude of its meridian."""
    geodetic, meridian = crs.geodetic_crs, crs.prime_meridian
    if geodetic is None or meridian is None:
        raise TypeError(f"{named(crs)} has no longitudes")
    unit = math.degrees(geodetic.axis_info[0].unit_conversion_factor)
    longitude = meridian.longitude * math.degrees(float(meridian.unit_conversion_factor))
    return (1.0 if math.isclose(unit, 1.0) else unit), longitude


def named(crs: CRS) -> str:
    """Return the code of a CRS, its name, or both, for a message; never the whole text of it."""
    # Not by `to_authority`, which searches the whole database for some, and takes half a minute.
    code = crs.to_json_dict().get("id")
    return f"{code['authority']}:{code['code']} ({crs.name})" if code else _short(crs.name)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _unusable(where: str, expected: str, found: str, gate: str) -> GateError:
    return GateError(
        "footprints have no usable CRS",
        gate=gate,
        where=where,
        expected=expected,
        found=found,
        remedy=DECLARE_CRS,
    )
