from __future__ import annotations

import numpy as np
import pytest
import shapely

from mrv_assets.stages.vertices import densified, vertices_to_add

SQUARE = "POLYGON ((0 0, 1000 0, 1000 1000, 0 1000, 0 0))"


@pytest.mark.parametrize(
    "wkt",
    [
        pytest.param(SQUARE, id="square"),
        pytest.param("MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((2 2, 6 2, 6 6, 2 6, 2 2)))", id="overlapping"),
        pytest.param("POLYGON ((0 0, 4 0, 4 4, 8 4, 4 4, 0 4, 0 0))", id="spike"),
        pytest.param("POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))", id="bow-tie"),
        pytest.param("POLYGON ((0 0, 1 1, 2 2, 0 0))", id="collapsed"),
        pytest.param(
            "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1), (5 5, 5 6, 6 6, 6 5, 5 5))", id="holes"
        ),
        pytest.param(
            "MULTIPOLYGON (((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1)), ((20 0, 21 0, 21 1, 20 0)))",
            id="parts with holes",
        ),
        pytest.param("MULTIPOLYGON (((0 0, 9 0, 9 9, 0 0)))", id="one part"),
    ],
)
def test_densifying_adds_vertices_and_repairs_nothing(wkt: str) -> None:
    """An invalid footprint stays as it was, so that its repair is measured; GEOS alone would repair it unseen."""
    shapes = np.array([shapely.from_wkt(SQUARE), shapely.from_wkt(wkt)])
    dense = densified(shapes, 0.5)
    assert shapely.get_num_coordinates(dense[1]) > 2 * shapely.get_num_coordinates(shapes[1])
    assert shapely.equals_exact(shapely.from_wkt(wkt), densified(shapes, 1e9)[1])
    assert shapely.is_valid(dense[1]) == shapely.is_valid(shapes[1])
    assert dense[1].geom_type == shapes[1].geom_type
    assert shapely.area(dense) == pytest.approx(shapely.area(shapes))


def test_neighbours_still_share_their_edge_when_it_is_densified() -> None:
    """Two footprints that meet along a slanted edge neither overlap nor leave a gap, whichever way their rings run."""
    left = shapely.from_wkt("POLYGON ((0 0, 0.7 3.3, 0 3.3, 0 0))")
    right = shapely.from_wkt("POLYGON ((0 0, 0.7 0, 0.7 3.3, 0 0))")
    one, other = densified(np.array([left, right]), 0.1)
    assert len(set(one.exterior.coords) & set(other.exterior.coords)) == 35
    assert shapely.intersection(one, other).area == 0.0


def test_what_is_no_polygon_has_no_edges_to_densify() -> None:
    """Points, lines and missing footprints stay what they are, in their places."""
    shapes = np.array([None, shapely.Point(1, 2), shapely.box(0, 0, 1, 1), shapely.LineString([(0, 0), (9, 9)])])
    dense = densified(shapes, 0.5)
    assert dense[0] is None
    assert shapely.equals_exact(dense[[1, 3]], shapes[[1, 3]]).all()
    assert shapely.get_num_coordinates(dense[2]) == 9
    assert len(densified(shapes[:0], 0.5)) == 0


@pytest.mark.parametrize("max_edge", [0.3, 1.0, 7.0, np.array([0.3, 1e9, 0.7, 2.0])], ids=["short", "1", "7", "each"])
def test_vertices_to_add_are_known_before_they_are_added(max_edge: float | np.ndarray) -> None:
    """So that what would not find room is refused first; what is no polygon gets none."""
    hole = shapely.box(0, 0, 9, 9) - shapely.box(1, 1, 3, 2)
    shapes = np.array([shapely.box(0, 0, 2, 1), shapely.Point(1, 2), hole, shapely.MultiPolygon([hole])])
    grown = shapely.get_num_coordinates(densified(shapes, max_edge)) - shapely.get_num_coordinates(shapes)
    assert vertices_to_add(shapes, max_edge).tolist() == grown.tolist()


def test_more_vertices_than_there_is_room_for_are_counted_all_the_same() -> None:
    """Counting takes no room; an edge that is not finite has no number of them."""
    far, endless = shapely.box(0, 0, 1e300, 1), shapely.Polygon([(0, 0), (1, 0), (np.inf, 1)])
    counts = vertices_to_add(np.array([far, endless]), 1e-3)
    assert counts[0] == pytest.approx(2e303)
    assert not counts[1] <= 1e303
    assert len(vertices_to_add(np.array([far])[:0], 1.0)) == 0
