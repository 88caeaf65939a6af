"""The bulk route: footprints that are plain rings, in reach of everything and far from every edge of a rule.

A footprint may take it only when none of the careful route's questions can have another answer than "nothing to do";
what is left out here costs time and nothing else. What does not belong here: the arithmetic of rings (plain_rings).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from mrv_assets.domain.geometry import validity
from mrv_assets.domain.limits import AREA_LIMIT
from mrv_assets.stages.authalic import ring_areas_m2
from mrv_assets.stages.equal_area import MAX_LATITUDE, centre_of
from mrv_assets.stages.footprints import Bounds
from mrv_assets.stages.placed import Placed, Rows
from mrv_assets.stages.plain_rings import Floats, Rings, encoded, plain_rings
from mrv_assets.stages.projection import Operation
from mrv_assets.stages.sieve import Mask
from mrv_assets.stages.source_plane import on_plane

_FROM_THE_CUT_DEG = 1.0
_LEAST_PROJECTED = 360.0  # smaller coordinates may be degrees
_LARGEST_DEGREE = 180.0
_CLOSE = float(AREA_LIMIT) / 10.0  # areas that are further apart are measured again with care
_SPECK_M2, _SLIVER = 0.1, 2e-4  # area, m2, and share of the square of its diagonal that a compact ring has at least


def in_bulk(wkb: pa.Array, rows: Rows, *, operation: Operation, land: Bounds | None) -> Iterator[Placed]:
    """Yield those of the footprints that are plain, normalised; the others are for the careful route."""
    for rings in plain_rings(wkb):
        short = rings.only(_is_short(rings, operation) & rings.is_simple)
        if len(short.rows):
            placed = _placed(short, operation, land)
            if len(placed.rows):
                yield replace(placed, rows=rows[placed.rows])


def _is_short(rings: Rings, operation: Operation) -> Mask:
    """Tell which rings are so small that no edge can be too long."""
    xmin, ymin, xmax, ymax = rings.bounds
    with np.errstate(invalid="ignore"):
        short: Mask = np.hypot(xmax - xmin, ymax - ymin) <= operation.max_edge
    return short


def _placed(rings: Rings, operation: Operation, land: Bounds | None) -> Placed:
    degrees = rings.moved(operation.degrees)
    is_plain = _is_well_placed(rings, degrees, operation, land)
    rings, degrees = rings.only(is_plain), degrees.only(is_plain)
    planar = rings if operation.is_identity else rings.moved(operation.to_target.transform)
    # Adding 0.0 turns -0.0 into 0.0: one place, one spelling.
    planar = planar.moved(lambda x, y: (x + 0.0, y + 0.0)).normalised
    area_m2 = np.abs(planar.signed_area)
    geodesic_m2 = ring_areas_m2(degrees, operation.geod)
    wkb = encoded(planar)
    is_good = validity(pa.chunked_array([wkb])) & np.isfinite(area_m2) & (area_m2 > 0.0)
    is_good &= _is_compact(planar, area_m2) & (np.abs(area_m2 - geodesic_m2) <= _CLOSE * area_m2)
    if not is_good.all():
        wkb, area_m2, geodesic_m2 = wkb.filter(pa.array(is_good)), area_m2[is_good], geodesic_m2[is_good]
    never = np.zeros(len(area_m2), dtype=np.bool_)
    return Placed(
        rows=rings.rows[is_good],
        wkb=wkb,
        area_m2=area_m2,
        before_m2=area_m2,
        geodesic_m2=geodesic_m2,
        is_repaired=never,
        is_split=never,
        has_z=never,
        is_plain=~never,
    )


def _is_compact(planar: Rings, area_m2: Floats) -> Mask:
    """Tell which rings are no slivers and no specks: of these the area on the ellipsoid is not known well enough."""
    west, south, east, north = planar.bounds
    compact: Mask = area_m2 >= _SPECK_M2 + _SLIVER * ((east - west) ** 2 + (north - south) ** 2)
    return compact


def _is_well_placed(rings: Rings, degrees: Rings, operation: Operation, land: Bounds | None) -> Mask:
    """Tell which rings are certainly where they may be; of the others the careful route says why not, if so."""
    xmin, ymin, xmax, ymax = rings.bounds
    west, south, east, north = box = degrees.bounds
    well: Mask = (west >= -_LARGEST_DEGREE) & (east <= _LARGEST_DEGREE)
    well &= np.maximum(np.abs(south), np.abs(north)) <= MAX_LATITUDE
    if not operation.is_geographic_source:
        well &= np.maximum.reduce([np.abs(bound) for bound in (xmin, ymin, xmax, ymax)]) > _LEAST_PROJECTED
        well &= on_plane(xmin, ymin, operation) & on_plane(xmax, ymax, operation)
    centre = centre_of(operation.target)
    if centre is not None:
        for longitude in (west, east):
            from_centre = (longitude - centre + _LARGEST_DEGREE) % (2.0 * _LARGEST_DEGREE) - _LARGEST_DEGREE
            well &= np.abs(from_centre) < _LARGEST_DEGREE - _FROM_THE_CUT_DEG
    for area in _areas(operation, land):
        well &= _is_inside(box, area)
    return well


def _areas(operation: Operation, land: Bounds | None) -> Iterator[Bounds]:
    """Yield the boxes that a ring has to lie in: not widened, so that a ring near their edge is looked at again."""
    for crs in (operation.source, operation.target):
        if crs.area_of_use is not None:
            yield crs.area_of_use.bounds
    if operation.area is not None:
        yield operation.area
    if land is not None:
        yield land


def _is_inside(box: tuple[Floats, Floats, Floats, Floats], area: Bounds) -> Mask:
    """Tell which boxes lie in an area, which runs across the antimeridian when its west is greater than its east.

    The boxes have longitudes from -180 to 180, so one that begins east of such an area's west does not leave it.
    """
    west, south, east, north = box
    inside: Mask = (south >= area[1]) & (north <= area[3])
    if area[0] <= area[2]:
        return inside & (west >= area[0]) & (east <= area[2])
    return inside & ((west >= area[0]) | (east <= area[2]))
