"""Whether source coordinates are finite, on the globe, in the area of use and split at the antimeridian.

A ring that crosses ±180° turns inside out when it is projected vertex by vertex, and comes out valid and a
hundred times too large. What does not belong here: projecting (projection).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from mrv_assets.stages.footprints import Mask, Shapes

MAX_LATITUDE = 86.0
AREA_OF_USE_MARGIN_DEG = 6.0  # one UTM zone: neighbouring zones are used beyond their edge on purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Misplaced:
    """Shapes that break one rule of placement, and the rule."""

    shapes: Mask
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vertices:
    longitude: NDArray[np.float64]
    latitude: NDArray[np.float64]
    ring: NDArray[np.int64]
    shape: NDArray[np.int64]


def misplaced(geographic: Shapes, crs: CRS) -> Iterator[Misplaced]:
    """Yield every rule that polygons in degrees of longitude and latitude break, the simplest rule first.

    `crs` is the CRS they were delivered in; its area of use is widened by `AREA_OF_USE_MARGIN_DEG` on all
    sides.
    """
    v = _vertices(geographic)
    is_finite = np.isfinite(v.longitude) & np.isfinite(v.latitude)
    rules = (
        (~is_finite, "finite coordinates"),
        (np.abs(v.longitude) > 180.0, "longitudes from -180 to 180"),
        (np.abs(v.latitude) > MAX_LATITUDE, f"latitudes from -{MAX_LATITUDE} to {MAX_LATITUDE}"),
        (_leaps(v), "rings split at the antimeridian, no step over 180 degrees of longitude"),
        (is_finite & ~_in_area_of_use(v, crs), f"coordinates in the area of use of {crs.name}"),
    )
    for is_bad, rule in rules:
        if is_bad.any():
            shapes = np.zeros(len(geographic), dtype=np.bool_)
            shapes[v.shape[is_bad]] = True
            yield Misplaced(shapes=shapes, rule=rule)


def _vertices(shapes: Shapes) -> _Vertices:
    parts, shape_of_part = shapely.get_parts(shapes, return_index=True)
    rings, part_of_ring = shapely.get_rings(parts, return_index=True)
    coordinates, ring = shapely.get_coordinates(rings, return_index=True)
    return _Vertices(
        longitude=coordinates[:, 0],
        latitude=coordinates[:, 1],
        ring=ring,
        shape=shape_of_part[part_of_ring[ring]],
    )


def _leaps(v: _Vertices) -> Mask:
    with np.errstate(invalid="ignore"):
        is_leap: Mask = (np.abs(np.diff(v.longitude)) > 180.0) & (np.diff(v.ring) == 0)
    return np.append(is_leap, False)[: len(v.longitude)]


def _in_area_of_use(v: _Vertices, crs: CRS) -> Mask:
    area = crs.area_of_use
    if area is None:
        return np.ones(len(v.longitude), dtype=np.bool_)
    margin = AREA_OF_USE_MARGIN_DEG
    is_east = v.longitude >= area.west - margin
    is_west = v.longitude <= area.east + margin
    # An area of use across the antimeridian has its west east of its east.
    is_lon: Mask = is_east & is_west if area.west <= area.east else is_east | is_west
    is_lat: Mask = (v.latitude >= area.south - margin) & (v.latitude <= area.north + margin)
    return is_lon & is_lat
