"""Areas on the ellipsoid by geodesics, exact between the vertices that there are.

Between two vertices a geodesic and the straight line of a CRS part: over 0.1 degrees of longitude at 45° north by
1.2 m, which is much of a strip of 10 m. So where the plane has another area, edges are cut finer for the measure, and
nowhere else. What does not belong here: the vertices that are kept (vertices) and areas in bulk (authalic).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import Geod

from mrv_assets.stages.antimeridian import unwrapped
from mrv_assets.stages.footprints import POLYGONAL, Areas, Shapes
from mrv_assets.stages.vertices import MAX_ADDED, densified, vertices_to_add

_CLOSE = 1e-4  # areas that are not further apart are not measured again
_FINER = 20.0  # lines part by the square of their length: by 3 mm instead of 1.2 m
_AT_ONCE = 1 << 20  # vertices


def geodesic_areas_m2(geographic: Shapes, geod: Geod) -> Areas:
    """Return the area of each shape on the ellipsoid, m2, from longitudes and latitudes; 0 for a point."""
    # While a polygon lies on both sides of the antimeridian, its holes seem to run the same way as its outside.
    oriented = shapely.orient_polygons(unwrapped(geographic))
    areas = np.zeros(len(geographic))
    for index in np.flatnonzero(np.isin(shapely.get_type_id(geographic), POLYGONAL)):
        areas[index] = abs(geod.geometry_area_perimeter(oriented[index])[0])
    return areas


def areas_beside_m2(planar_m2: Areas, dense: Shapes, max_edge: float, measured: Callable[[Shapes], Areas]) -> Areas:
    """Return the areas on the ellipsoid to hold beside those on the plane: of the two readings of an edge the nearer.

    `dense` are the shapes with no edge longer than `max_edge`, and `measured` gives their geodesic areas, m2. Either an
    edge is a geodesic, or a straight line of the source: that one is cut into twenty, or more coarsely where that would
    be more than `MAX_ADDED` vertices, of which no strip is in need. On the plane an edge lies between the two.
    """
    areas = measured(dense)
    with np.errstate(invalid="ignore"):
        apart = np.flatnonzero(np.abs(areas - planar_m2) > _CLOSE * areas)
    longest = np.maximum(max_edge / _FINER, shapely.length(dense[apart]) / MAX_ADDED)
    for some in _portions(vertices_to_add(dense[apart], longest)):
        rows = apart[some]
        straight = measured(densified(dense[rows], longest[some]))
        is_nearer = np.abs(straight - planar_m2[rows]) < np.abs(areas[rows] - planar_m2[rows])
        areas[rows] = np.where(is_nearer, straight, areas[rows])
    return areas


def _portions(vertices: NDArray[np.float64]) -> Iterator[NDArray[np.int64]]:
    """Yield the shapes, by number, in portions of so few vertices that they find room."""
    ends = np.flatnonzero(np.diff(np.cumsum(vertices) // _AT_ONCE)) + 1
    yield from np.split(np.arange(len(vertices)), ends)
