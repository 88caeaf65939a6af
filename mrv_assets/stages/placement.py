"""Whether footprints can be where their coordinates say: finite, on the globe, in reach of the project and its CRS.

Each rule catches a mistake that gives a valid polygon in the wrong place: units mistaken for degrees or metres, axes
swapped, another zone, another country, a digit too many. What does not belong here: the antimeridian (antimeridian),
the plane of a CRS (source_plane) and projecting (projection).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from mrv_assets.stages.antimeridian import crossing_twice, encloses_pole, unwrapped, wrapped
from mrv_assets.stages.equal_area import AREA_OF_USE_MARGIN_DEG, MAX_LATITUDE
from mrv_assets.stages.footprints import Bounds, Mask, Shapes
from mrv_assets.stages.projection import Operation
from mrv_assets.stages.source_plane import on_plane
from mrv_assets.stages.vertices import MAX_ADDED, vertices_to_add

BOUNDARY_MARGIN = 0.1
MIN_BOUNDARY_MARGIN_DEG = 0.05
_LIKE_DEGREES = (360.0, 90.0)
_LIKE_METRES = 1000.0
_SWAPPED = "axes in the order x, y (longitude, latitude): swapped, the footprint lies in the project's boundary"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Misplaced:
    """Shapes that break one rule of placement, the rule, and the first coordinates of the source that break it."""

    shapes: Mask
    rule: str
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Shapes with each of their vertices: as delivered, in degrees, and the shape it belongs to."""

    given: Floats
    longitude: Floats
    latitude: Floats
    owner: NDArray[np.int64]
    shapes: Shapes
    geographic: Shapes

    @classmethod
    def of(cls, shapes: Shapes, operation: Operation) -> _Places:
        geographic = operation.geographic(shapes)
        given, owner = shapely.get_coordinates(shapes, return_index=True)
        longitude, latitude = shapely.get_coordinates(geographic).T
        return cls(
            given=given, longitude=longitude, latitude=latitude, owner=owner, shapes=shapes, geographic=geographic
        )

    def whole(self, is_bad: Mask) -> Mask:
        """Mark the vertices of shapes whose every vertex is marked."""
        is_whole = np.ones(len(self.shapes), dtype=np.bool_)
        is_whole[self.owner[~is_bad]] = False
        return is_whole[self.owner]

    def fault(self, is_bad: Mask, rule: str) -> Iterator[Misplaced]:
        """Yield the shapes that have a marked vertex, if there are any."""
        if is_bad.any():
            marked = np.zeros(len(self.shapes), dtype=np.bool_)
            marked[self.owner[is_bad]] = True
            x, y = self.given[np.flatnonzero(is_bad)[0]]
            yield Misplaced(shapes=marked, rule=rule, example=f"x {float(x)!r}, y {float(y)!r}")


def misplaced(shapes: Shapes, operation: Operation, *, boundary: Bounds | None) -> Iterator[Misplaced]:
    """Yield every rule that polygons or points of the operation's source CRS break, the one that explains most first.

    `boundary` is the `bounding_box` of the project's land; footprints must touch it, widened by a tenth of its size and
    by 0.05 degrees at least. Areas of use are widened by `AREA_OF_USE_MARGIN_DEG` on all sides. A later rule may mark a
    shape that an earlier one marked.
    """
    places = _Places.of(shapes, operation)
    is_finite: Mask = np.all(np.isfinite(places.given), axis=1)
    yield from places.fault(~is_finite, "finite coordinates")
    yield from _units(places, operation, boundary)
    is_away, is_swapped = _away(places, operation, boundary)
    yield from places.fault(is_swapped[places.owner], _SWAPPED)
    yield from _plane(places, operation, is_finite)
    yield from places.fault(is_away[places.owner], "footprints that touch the project's boundary")
    yield from _globe(places, operation)
    yield from _edges(places, operation)


def _units(places: _Places, operation: Operation, boundary: Bounds | None) -> Iterator[Misplaced]:
    size = np.abs(places.given)
    if operation.is_geographic_source:
        is_metres: Mask = np.any(size > _LIKE_METRES, axis=1)
        yield from places.fault(is_metres, "degrees, not metres: the coordinates look like metres")
        return
    # At the origin of a projected CRS, where metres do look like that, only the project's land can tell.
    at_home = np.zeros(len(places.owner), dtype=np.bool_)
    if boundary is not None:
        at_home = _touches(places.geographic, boundary)[places.owner]
    is_small: Mask = np.all(size <= _LIKE_DEGREES, axis=1)
    is_degrees = places.whole(is_small) & ~at_home
    yield from places.fault(is_degrees, "metres, not degrees: the coordinates look like longitudes and latitudes")


def _away(places: _Places, operation: Operation, boundary: Bounds | None) -> tuple[Mask, Mask]:
    """Tell which shapes are away from the project's land, and which of the others are in it when they are swapped."""
    nowhere = np.zeros(len(places.shapes), dtype=np.bool_)
    if boundary is None:
        return nowhere, nowhere
    is_away = ~_touches(places.geographic, boundary) & ~shapely.is_empty(places.shapes)
    swapped = shapely.transform(places.shapes[is_away], lambda xy: xy[:, ::-1])
    is_swapped = nowhere.copy()
    is_swapped[is_away] = _touches(operation.geographic(swapped), boundary)
    return is_away & ~is_swapped, is_swapped


def _plane(places: _Places, operation: Operation, is_finite: Mask) -> Iterator[Misplaced]:
    has_place = np.isfinite(places.longitude) & np.isfinite(places.latitude)
    source = operation.source.name
    yield from places.fault(is_finite & ~has_place, f"coordinates that have a longitude and a latitude in {source}")
    is_beside = has_place & ~on_plane(places.given[:, 0], places.given[:, 1], operation)
    yield from places.fault(is_beside, f"coordinates on the map of {source}: these are beyond its edge")


def _globe(places: _Places, operation: Operation) -> Iterator[Misplaced]:
    has_place = np.isfinite(places.longitude) & np.isfinite(places.latitude)
    yield from places.fault(has_place & (np.abs(places.longitude) > 360.0), "longitudes from -360 to 360")
    is_ambiguous = crossing_twice(places.geographic)[places.owner]
    yield from places.fault(
        is_ambiguous, "one way across 180 degrees: longitudes beyond it, or a step over it, not both"
    )
    is_polar = has_place & (np.abs(places.latitude) > MAX_LATITUDE)
    yield from places.fault(is_polar, f"latitudes from -{MAX_LATITUDE} to {MAX_LATITUDE}")
    yield from places.fault(encloses_pole(places.geographic)[places.owner], "rings that do not run around a pole")
    for area, name in _areas_of_use(operation):
        is_outside = has_place & ~_within(places, area)
        yield from places.fault(is_outside, f"coordinates in the area of use of {name}")


def _edges(places: _Places, operation: Operation) -> Iterator[Misplaced]:
    is_long = vertices_to_add(places.shapes, operation.max_edge) > MAX_ADDED
    apart = f"one every {operation.max_edge:g} {operation.source.axis_info[0].unit_name}"
    yield from places.fault(is_long[places.owner], f"edges that {MAX_ADDED} vertices are enough for, {apart}")


def _areas_of_use(operation: Operation) -> Iterator[tuple[Bounds, str]]:
    for crs in (operation.source, operation.target):
        if crs.area_of_use is not None:
            yield crs.area_of_use.bounds, crs.name
    if operation.area is not None:
        yield operation.area, operation.name


def _within(places: _Places, area: Bounds) -> Mask:
    west, south, east, north = area
    margin = AREA_OF_USE_MARGIN_DEG
    width = east - west if west <= east else east - west + 360.0
    with np.errstate(invalid="ignore"):
        from_middle = np.abs(wrapped(places.longitude - (west + width / 2.0)))
        is_lon = from_middle <= width / 2.0 + margin
        is_lat: Mask = (places.latitude >= south - margin) & (places.latitude <= north + margin)
    return is_lon & is_lat


def _touches(geographic: Shapes, boundary: Bounds) -> Mask:
    """Tell which shapes have a bounding box that meets the boundary's, the latter widened by its margin."""
    west, south, east, north = boundary
    width = east - west if west <= east else east - west + 360.0
    margin_x = max(BOUNDARY_MARGIN * width, MIN_BOUNDARY_MARGIN_DEG)
    margin_y = max(BOUNDARY_MARGIN * (north - south), MIN_BOUNDARY_MARGIN_DEG)
    with np.errstate(invalid="ignore"):
        xmin, ymin, xmax, ymax = shapely.bounds(unwrapped(geographic)).T
        apart = np.abs(wrapped((xmin + xmax) / 2.0 - (west + width / 2.0)))
        is_lon = apart <= (xmax - xmin + width) / 2.0 + margin_x
        is_touching: Mask = is_lon & (ymax >= south - margin_y) & (ymin <= north + margin_y)
    return is_touching
