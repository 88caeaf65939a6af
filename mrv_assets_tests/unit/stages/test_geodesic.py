from __future__ import annotations

import numpy as np
import pytest
import shapely
from pyproj import Geod

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.stages import geodesic
from mrv_assets.stages.footprints import Areas, Shapes
from mrv_assets.stages.geodesic import areas_beside_m2, geodesic_areas_m2
from mrv_assets.stages.projection import Operation, operation_from
from mrv_assets.stages.vertices import MAX_ADDED

WGS84 = Geod(ellps="WGS84")


def strip(latitude: float, width_m: float, *, length_deg: float = 0.099) -> shapely.Polygon:
    """Return a strip along a parallel, one of its long sides a single edge, the other with 30 vertices."""
    north = latitude + width_m / 111_132.0
    side = [(10.0 + length_deg * k / 30, north) for k in range(30, -1, -1)]
    return shapely.Polygon([(10.0, latitude), (10.0 + length_deg, latitude), *side])


def operation(crs: str = "EPSG:4326") -> Operation:
    """Return the operation from this CRS to EPSG:6933."""
    return operation_from(crs, policy=CrsPolicy.parse({}), where="plots 2021")


def by_geodesics(shapes: Shapes) -> Areas:
    """Return areas between the vertices there are."""
    return geodesic_areas_m2(shapes, WGS84)


@pytest.mark.parametrize(
    ("latitude", "width_m"),
    [(45.0, 10.0), (45.0, 30.0), (-45.0, 10.0), (60.0, 5.0), (80.0, 3.0), (0.0, 10.0)],
)
def test_strip_with_one_straight_side_has_the_same_area_on_both_sides(latitude: float, width_m: float) -> None:
    """A geodesic bows 1.2 m off its long side, a tenth of the strip, and none of that is land."""
    done = operation().carried(np.array([strip(latitude, width_m)]))
    assert done.geodesic_m2 == pytest.approx(shapely.area(done.shapes), rel=1e-3)
    assert shapely.get_num_coordinates(done.shapes).tolist() == [34]


def test_strip_by_its_vertices_alone_would_be_refused() -> None:
    """Eight percent less than what is there, which is what is measured with vertices every metre or so."""
    line = strip(45.0, 10.0)
    exact = by_geodesics(np.array([shapely.segmentize(line, 2e-5)]))[0]
    assert by_geodesics(np.array([line]))[0] / exact == pytest.approx(0.926, abs=0.01)
    assert operation().carried(np.array([line])).geodesic_m2[0] == pytest.approx(exact, rel=1e-3)


def test_strip_in_metres_has_its_area_too() -> None:
    """Edges of ten kilometres in Mercator bow as much."""
    side = [(1_000_000.0 + 9_900.0 * k / 30, 5_600_010.0) for k in range(30, -1, -1)]
    done = operation("EPSG:3857").carried(
        np.array([shapely.Polygon([(1_000_000.0, 5_600_000.0), (1_009_900.0, 5_600_000.0), *side])])
    )
    assert done.geodesic_m2 == pytest.approx(shapely.area(done.shapes), rel=1e-3)


def test_compact_footprint_is_measured_once() -> None:
    """Its area on the ellipsoid keeps its bits."""
    boxes = np.array([shapely.box(10.0, 45.0, 10.05, 45.05), shapely.box(10.0, 60.0, 12.0, 61.0)])
    done, dense = operation().carried(boxes), operation().densified(boxes)
    assert done.geodesic_m2.tobytes() == operation().geodesic_areas_m2(dense).tobytes()


def test_of_the_two_readings_of_an_edge_the_nearer_one_is_held_beside_the_plane() -> None:
    """A plane on which edges are geodesics is not worse than one on which they are parallels."""
    lines = np.array([strip(45.0, 10.0)] * 3)
    [coarse], [fine] = by_geodesics(lines[:1]), operation().carried(lines[:1]).geodesic_m2
    planar = np.array([coarse * 1.001, fine * 1.001, np.nan])
    assert areas_beside_m2(planar, lines, 0.1, by_geodesics) == pytest.approx([coarse, fine, coarse], rel=1e-6)


def test_finer_edges_are_bounded_whatever_the_shape() -> None:
    """A shape whose areas disagree because it is wrong is no reason to run out of memory."""
    largest = []

    def measured(shapes: Shapes) -> Areas:
        largest.append(int(shapely.get_num_coordinates(shapes).sum()))
        return np.ones(len(shapes))

    areas_beside_m2(np.full(40, 2.0), np.array([shapely.box(0, 0, 1, 1e4)] * 40), 0.1, measured)
    assert len(largest) > 4
    assert max(largest[1:]) <= geodesic._AT_ONCE + MAX_ADDED + 5


def test_points_have_no_area() -> None:
    """And no edges to cut."""
    points = np.array([shapely.Point(1, 2)])
    assert areas_beside_m2(shapely.area(points), points, 0.1, by_geodesics).tolist() == [0.0]
    assert len(areas_beside_m2(np.empty(0), points[:0], 0.1, by_geodesics)) == 0
