"""Whether a CRS keeps areas, so that hectares may be measured in it, and which part of its plane is in use.

Equal-area is measured on the ellipsoid of the CRS, not believed by name: a projection whose formulas are for a sphere,
such as ESRI:54009, keeps areas of the sphere and is off by 0.7 percent on the ellipsoid. What does not belong here:
how coordinates get into it (projection).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS, Geod, Transformer

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.crs import degrees_from_greenwich, known_crs, named

MAX_LATITUDE = 86.0
AREA_OF_USE_MARGIN_DEG = 6.0  # one UTM zone: neighbouring zones are used beyond their edge on purpose
_SAME_SCALE = 1e-6
_GRID = 61
_STEP_DEG = 1e-3
_SEAMLESS, _MERIDIAN = "Azimuthal", "Longitude of"

Extent = tuple[float, float, float, float]
Floats = NDArray[np.float64]


def equal_area_crs(text: str, *, where: str) -> CRS:
    """Return the projected CRS that `text` names, in metres, whose areal scale is 1 all over its area of use.

    Raises GateError (gate `crs_operation_accurate`) when it is not projected, not in metres, has no area of use, or
    when the areal scale differs from 1 by more than a millionth anywhere between 86° south and north.
    """
    crs = known_crs(text, gate="crs_operation_accurate", where=where)
    if not crs.is_projected or any(axis.unit_conversion_factor != 1.0 for axis in crs.axis_info):
        raise _refused(where, "a projected CRS in metres", f"{named(crs)} in {crs.axis_info[0].unit_name}")
    if crs.area_of_use is None:
        raise _refused(where, "a CRS with an area of use, such as one of EPSG's", f"{named(crs)} without one")
    if degrees_from_greenwich(crs)[0] != 1.0 or (centre_of(crs) is None and not _is_seamless(crs)):
        raise _refused(where, "a projection about a meridian, in degrees", f"{named(crs)}")
    scale, latitude = _worst_scale(crs.to_wkt())
    if not abs(scale - 1.0) <= _SAME_SCALE:
        found = f"{named(crs)}: {scale:.7f} at latitude {latitude:.1f}"
        raise _refused(where, f"an areal scale within {_SAME_SCALE} of 1 on the ellipsoid", found)
    return crs


def centre_of(crs: CRS) -> float | None:
    """Return the meridian that the plane of a projected CRS is centred on, degrees; the plane is cut at 180° from it.

    None for an azimuthal projection, whose plane has no cut.
    """
    if _is_seamless(crs) or crs.coordinate_operation is None:
        return None
    meridians = [p.value for p in crs.coordinate_operation.params if p.name.startswith(_MERIDIAN)]
    return float(meridians[0]) if len(meridians) == 1 else None


def plane_of(crs: CRS) -> Transformer:
    """Return the operation from longitude and latitude, degrees, on the datum of an equal-area CRS to its plane.

    Longitudes are counted from the central meridian, -180 and 180 being the two sides of the cut: PROJ has one name for
    both when the central meridian is not 0. In an azimuthal projection they are counted as in its geographic CRS.
    """
    if centre_of(crs):
        definition = crs.to_json_dict()
        for parameter in definition["conversion"]["parameters"]:
            if parameter["name"].startswith(_MERIDIAN):
                parameter["value"] = 0.0
        definition.pop("id", None)
        return Transformer.from_crs(crs.geodetic_crs, CRS.from_json_dict(definition), always_xy=True)
    return Transformer.from_crs(crs.geodetic_crs, crs, always_xy=True)


def extent(crs: CRS) -> Extent:
    """Return xmin, ymin, xmax and ymax, m, of an equal-area CRS: of its area of use, widened by 6 degrees on all sides.

    Never beyond 86° of latitude or the cut of the plane, and rounded outwards to whole metres: for EPSG:6933
    ±17 367 531 and ±7 324 185. Raises TypeError for a CRS without an area of use.
    """
    x, y = plane_of(crs).transform(*_grid(crs, AREA_OF_USE_MARGIN_DEG))
    return (
        float(math.floor(np.min(x))),
        float(math.floor(np.min(y))),
        float(math.ceil(np.max(x))),
        float(math.ceil(np.max(y))),
    )


def _is_seamless(crs: CRS) -> bool:
    return crs.coordinate_operation is not None and _SEAMLESS in crs.coordinate_operation.method_name


def is_same_plane(source: CRS, target: CRS) -> bool:
    """Tell whether an equal-area CRS is meant under two names: then the operation moves nothing, to the last bit."""
    if not source.equals(target, ignore_axis_order=True):
        return False
    xmin, ymin, xmax, ymax = extent(target)
    x, y = (axis.ravel() for axis in np.meshgrid(np.linspace(xmin, xmax, _GRID), np.linspace(ymin, ymax, _GRID)))
    moved_x, moved_y = Transformer.from_crs(source, target, always_xy=True).transform(x, y)
    return np.array_equal(moved_x, x) and np.array_equal(moved_y, y)


@cache
def _worst_scale(wkt: str) -> tuple[float, float]:
    """Return the areal scale that differs most from 1 over the area of use, and the latitude of it."""
    crs = CRS.from_wkt(wkt)
    # Inside its edges, so that no difference is taken across the cut of the plane.
    longitude, latitude = _grid(crs, -2.0 * _STEP_DEG)
    scale = _areal_scale(crs, longitude, latitude)
    worst = int(np.argmax(np.nan_to_num(np.abs(scale - 1.0), nan=np.inf, posinf=np.inf)))
    return float(scale[worst]), float(latitude[worst])


def _areal_scale(crs: CRS, longitude: Floats, latitude: Floats) -> Floats:
    """Return the area on the plane by area on the ellipsoid, from differences over ±0.001°, exact to about 1e-9."""
    plane = plane_of(crs)

    def step(east: float, north: float) -> Floats:
        ahead: Floats = np.array(plane.transform(longitude + east, latitude + north))
        behind: Floats = np.array(plane.transform(longitude - east, latitude - north))
        return ahead - behind

    (x_east, y_east), (x_north, y_north) = step(_STEP_DEG, 0.0), step(0.0, _STEP_DEG)
    on_plane = np.abs(x_east * y_north - y_east * x_north) / math.radians(2.0 * _STEP_DEG) ** 2
    geod = crs.get_geod() or Geod(ellps="WGS84")
    phi = np.radians(latitude)
    on_ellipsoid = geod.a**2 * (1.0 - geod.es) * np.cos(phi) / (1.0 - geod.es * np.sin(phi) ** 2) ** 2
    scale: Floats = on_plane / on_ellipsoid
    return scale


def _grid(crs: CRS, margin: float) -> tuple[Floats, Floats]:
    """Return longitudes, as `plane_of` counts them, and latitudes over the area of use widened by `margin` degrees.

    Raises TypeError for a CRS without an area of use.
    """
    if crs.area_of_use is None:
        raise TypeError(f"{named(crs)} has no area of use")
    west, south, east, north = crs.area_of_use.bounds
    south, north = max(south - margin, -MAX_LATITUDE), min(north + margin, MAX_LATITUDE)
    west, east = west - margin, (east if west <= east else east + 360.0) + margin
    centre = centre_of(crs)
    if centre is not None:
        turn = centre + 360.0 * round(((west + east) / 2.0 - centre) / 360.0)
        west, east = max(west - turn, -180.0), min(east - turn, 180.0)
    longitude, latitude = np.meshgrid(np.linspace(west, east, _GRID), np.linspace(south, north, _GRID))
    return longitude.ravel(), latitude.ravel()


def _refused(where: str, expected: str, found: str) -> GateError:
    return GateError(
        "areas cannot be measured in this CRS",
        gate="crs_operation_accurate",
        where=where,
        expected=expected,
        found=found,
        remedy="set equal_area under [crs] to an equal-area CRS such as EPSG:6933, EPSG:8857, EPSG:3035 or EPSG:5070",
    )
