"""Polygons in longitude and latitude that cross the antimeridian: found, made continuous, and split at ±180°.

An edge is the straight line between its two vertices in longitude and latitude, as in flat GeoJSON. Between vertices
more than 180 degrees of longitude apart that is the line across the antimeridian: it takes the shorter way round. An
edge of exactly 180 degrees stays as it is drawn, because both ways are equally long. One of exactly 360 degrees is a
step on the spot, from one name of the antimeridian to its other name; only when a shape has all its vertices on the
antimeridian are such edges a band around the world. In a projected CRS edges are straight on the map instead: they get
their vertices there before they come here, and those are so close together that the shorter way is the only one.

The direction of a ring says nothing about which side of it is land: formats disagree about it. So it is ambiguous which
land a ring around a pole encloses; it is split as the library understands its direction, and placement refuses it.

What does not belong here: the rule that longitudes and latitudes have to keep (placement).
"""

from __future__ import annotations

import antimeridian
import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.errors import GEOSException

from mrv_assets.stages.footprints import Bounds, Mask, Shapes
from mrv_assets.stages.vertices import Vertices

_HALF_TURN, _TURN = 180.0, 360.0
# The library rounds the latitude of a crossing to 1e-7 degrees and takes longitudes within 1.8e-7 for the antimeridian.
_ROUNDING_DEG = 4e-7
_SAME_AREA = 1e-9
_LIBRARY_FAILS = (ValueError, AssertionError, RecursionError, GEOSException)


def wrapped(longitude: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return longitudes from -180 to 180; those that are so already keep their bits, -180 and 180 included."""
    return longitude - _TURN * np.round(longitude / _TURN)


def crossing(geographic: Shapes) -> Mask:
    """Tell which polygons have an edge over more than 180 degrees of longitude, or a longitude beyond ±180.

    Polygons that are not finite do not cross.
    """
    v = Vertices.of(geographic)
    longitude = v.xy[:, 0]
    with np.errstate(invalid="ignore"):
        step = np.where(np.diff(v.ring, prepend=-1) == 0, np.abs(np.diff(longitude, prepend=0.0)), 0.0)
    is_near = (step <= _HALF_TURN) & (np.abs(longitude) <= _HALF_TURN)
    is_finite: Mask = np.all(np.isfinite(v.xy), axis=1)
    is_band = _all_of(v.shape, np.abs(longitude) == _HALF_TURN, len(geographic))
    return _all_of(v.shape, is_finite, len(geographic)) & ~_all_of(v.shape, is_near, len(geographic)) & ~is_band


def crossing_twice(geographic: Shapes) -> Mask:
    """Tell which polygons have a longitude beyond ±180 and an edge over more than 180: which land is it then?"""
    v = Vertices.of(geographic)
    longitude = v.xy[:, 0]
    with np.errstate(invalid="ignore"):
        is_step = (np.diff(v.ring, prepend=-1) == 0) & (np.abs(np.diff(longitude, prepend=0.0)) > _HALF_TURN)
        is_beyond = np.abs(longitude) > _HALF_TURN
    return ~_all_of(v.shape, ~is_step, len(geographic)) & ~_all_of(v.shape, ~is_beyond, len(geographic))


def encloses_pole(geographic: Shapes) -> Mask:
    """Tell which polygons have a ring that runs once around the world, and so around a pole."""
    is_pole = np.zeros(len(geographic), dtype=np.bool_)
    candidates = np.flatnonzero(crossing(geographic))
    v = Vertices.of(geographic[candidates])
    turns = _turns(v)
    is_open = turns[v.starts] != turns[v.ends]
    is_pole[candidates[v.shape_of_ring[is_open]]] = True
    return is_pole


def unwrapped(geographic: Shapes) -> Shapes:
    """Make the longitudes of polygons that cross continuous, beyond 180 where need be: 179 to -179 becomes 179 to 181.

    Holes come to lie in their exterior ring. Polygons that do not cross, and those around a pole, stay as they are.
    """
    continuous = geographic.copy()
    chosen = np.flatnonzero(crossing(geographic) & ~encloses_pole(geographic))
    v = Vertices.of(geographic[chosen])
    if len(v.xy):
        turns = _turns(v)
        turns += _turns_home(v, v.xy[:, 0] + _TURN * turns)[v.ring]
        # Whole turns, added once, so that the vertex where a ring starts does not change the arithmetic.
        longitude = v.xy[:, 0] + _TURN * turns
        continuous[chosen] = v.put_back(geographic[chosen], np.column_stack([longitude, v.xy[:, 1]]), v.ring)
    return continuous


def split(geographic: Shapes) -> Shapes:
    """Return the polygons that cross cut in two at ±180, their longitudes from -180 to 180; the others as they are.

    None stands for a polygon that cannot be cut without changing its area, because a ring crosses itself there. Where
    an edge is cut its latitude is rounded to 1e-7 degrees, a centimetre, alike for neighbours.
    """
    halves = geographic.copy()
    is_pole = encloses_pole(geographic)
    continuous = unwrapped(geographic)
    for index in np.flatnonzero(crossing(geographic)):
        halves[index] = _over_pole(geographic[index]) if is_pole[index] else _halves(continuous[index])
    return halves


def bounding_box(geographic: Shapes) -> Bounds:
    """Return west, south, east and north, degrees, of the smallest box around all shapes.

    West is greater than east when the box lies across the antimeridian. Raises ValueError when there is no shape.
    """
    west, south, east, north = shapely.bounds(shapely.get_parts(unwrapped(geographic))).T
    order = np.argsort(wrapped(west))
    start, width = wrapped(west)[order], (east - west)[order]
    reach = np.maximum.accumulate(np.maximum(start + width, np.max(start + width) - _TURN))
    gap = np.append(start[1:], start[0] + _TURN) - reach
    last = int(np.argmax(gap))
    if gap[last] <= 0.0:
        return -_HALF_TURN, float(south.min()), _HALF_TURN, float(north.max())
    first = (last + 1) % len(start)
    return float(start[first]), float(south.min()), float(wrapped(reach[last : last + 1])[0]), float(north.max())


def _turns(v: Vertices) -> NDArray[np.float64]:
    """Return by how many turns each vertex must be moved to follow the one before it by the shorter way."""
    longitude = v.xy[:, 0]
    turn = -np.round(np.diff(longitude, prepend=0.0) / _TURN)
    turn[v.starts] = -np.round(longitude[v.starts] / _TURN)
    turns = np.cumsum(turn)
    before = turns[v.starts] - turn[v.starts]
    return turns - before[v.ring]


def _turns_home(v: Vertices, longitude: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how many turns each ring must be moved: an exterior to start west of 180°, a hole to lie within it."""
    west, east = np.minimum.reduceat(longitude, v.starts), np.maximum.reduceat(longitude, v.starts)
    middle = (west + east) / 2.0
    is_exterior = np.diff(v.part_of_ring, prepend=-1) != 0
    home = -np.floor((west[is_exterior] + _HALF_TURN) / _TURN)
    target = (middle[is_exterior] + _TURN * home)[v.part_of_ring]
    turns: NDArray[np.float64] = np.where(is_exterior, home[v.part_of_ring], np.round((target - middle) / _TURN))
    return turns


def _all_of(owner: NDArray[np.int64], is_true: Mask, owners: int) -> Mask:
    """Tell for each owner whether all that it owns is true."""
    all_true = np.ones(owners, dtype=np.bool_)
    all_true[owner[~is_true]] = False
    return all_true


def _halves(continuous: shapely.Geometry) -> shapely.Geometry | None:
    """Cut one polygon whose longitudes are continuous; None when the pieces are not the same land."""
    try:
        pieces = [piece for part in shapely.get_parts(continuous) for piece in _pieces(part)]
    except _LIBRARY_FAILS:
        return None
    # On the antimeridian itself the library may write a vertex twice, and a piece that is only a line.
    pieces = [piece for piece in pieces if piece.area > 0.0] or pieces
    whole = shapely.remove_repeated_points(pieces[0] if len(pieces) == 1 else shapely.multipolygons(pieces))
    allowed = _SAME_AREA * continuous.area + _ROUNDING_DEG * continuous.length
    return whole if abs(whole.area - continuous.area) <= allowed else None


def _pieces(part: shapely.Polygon) -> list[shapely.Polygon]:
    """Cut the exterior, then the holes, and take these away; the library loses holes that do not cross themselves."""
    land = _ring_pieces(part.exterior)
    if not part.interiors:
        return land
    holes = shapely.union_all([piece for ring in part.interiors for piece in _ring_pieces(ring)])
    return list(shapely.get_parts(shapely.difference(shapely.multipolygons(land), holes)))


def _ring_pieces(ring: shapely.LinearRing) -> list[shapely.Polygon]:
    # The library tells the inside of a ring by its direction, which can be seen only while longitudes are continuous.
    xy = shapely.get_coordinates(shapely.orient_polygons(shapely.Polygon(ring)))
    polygon = shapely.Polygon(np.column_stack([wrapped(xy[:, 0]), xy[:, 1]]))
    if not crossing(np.array([polygon]))[0]:
        return [polygon]
    return list(shapely.get_parts(antimeridian.fix_polygon(polygon, fix_winding=True, great_circle=False)))


def _over_pole(shape: shapely.Geometry) -> shapely.Geometry | None:
    try:
        parts = [
            antimeridian.fix_polygon(part, fix_winding=True, great_circle=False) for part in shapely.get_parts(shape)
        ]
    except _LIBRARY_FAILS:
        return None
    pieces = shapely.get_parts(parts)
    return pieces[0] if len(pieces) == 1 else shapely.multipolygons(pieces)
