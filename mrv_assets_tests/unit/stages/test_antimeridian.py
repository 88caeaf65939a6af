from __future__ import annotations

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from mrv_assets.stages.antimeridian import bounding_box, crossing, encloses_pole, split, unwrapped, wrapped
from mrv_assets.stages.footprints import Bounds

EAST, WEST = "((179 -17, 180 -17, 180 -16, 179 -16, 179 -17))", "((-180 -17, -179 -17, -179 -16, -180 -16, -180 -17))"
FIJI = f"MULTIPOLYGON ({EAST}, {WEST})"
POLE = "POLYGON ((45 80, 135 80, -135 80, -45 80, 45 80))"


def only(wkt: str) -> NDArray[np.object_]:
    """Return an array of this shape."""
    return np.array([shapely.from_wkt(wkt)])


def ring(*longitudes: float) -> str:
    """Return a polygon that goes through these longitudes at 17° south and back at 16° south."""
    there = [f"{x} -17" for x in longitudes]
    back = [f"{x} -16" for x in reversed(longitudes)]
    return f"POLYGON (({', '.join([*there, *back, there[0]])}))"


@pytest.mark.parametrize(
    ("wkt", "is_crossing"),
    [
        pytest.param(ring(179, -179), True, id="179 to -179"),
        pytest.param(ring(179, 181), True, id="179 to 181"),
        pytest.param(ring(-181, -179), True, id="-181 to -179"),
        pytest.param(ring(190, 200), True, id="longitudes of 0 to 360"),
        pytest.param(ring(0, 180), False, id="half the world: drawn as it is"),
        pytest.param(ring(-90, 90), False, id="half the world about Greenwich"),
        pytest.param(ring(0, 180.00000001), True, id="a little more than half the world"),
        pytest.param(ring(-180, 180), False, id="a band around the world"),
        pytest.param(ring(-180, -90, 0, 90, 180), False, id="a band around the world, with vertices"),
        pytest.param(ring(179, 180, -180, -179), True, id="a step on the spot at the antimeridian"),
        pytest.param(FIJI, False, id="split already"),
        pytest.param("POINT (181 0)", False, id="point"),
        pytest.param("POLYGON ((179 0, inf 0, -179 1, 179 0))", False, id="not finite"),
    ],
)
def test_crossing_is_a_step_over_half_the_world_or_a_longitude_beyond_it(wkt: str, *, is_crossing: bool) -> None:
    """Nobody draws an edge the long way round; one of exactly half the world is taken as drawn."""
    assert list(crossing(np.array([shapely.box(0, 0, 1, 1), *only(wkt)]))) == [False, is_crossing]


@pytest.mark.parametrize(
    "wkt",
    [
        pytest.param(ring(179, -179), id="179 to -179"),
        pytest.param(ring(-179, 179), id="the other way"),
        pytest.param(ring(179, 181), id="179 to 181"),
        pytest.param(ring(539, 541), id="a turn further"),
        pytest.param(ring(-181, -179), id="-181 to -179"),
        pytest.param(f"MULTIPOLYGON ({ring(179, -179)[8:]})", id="multipolygon of one"),
    ],
)
def test_two_degrees_of_fiji_are_split(wkt: str) -> None:
    """However the crossing is written, the two halves are the same land."""
    assert split(only(wkt))[0].normalize() == shapely.from_wkt(FIJI).normalize()


@pytest.mark.parametrize(
    "wkt",
    [
        pytest.param(ring(0.1, 1.7), id="far away"),
        pytest.param(ring(-180, 180), id="a band around the world"),
        pytest.param(FIJI, id="split already"),
        pytest.param("POINT (181 0)", id="point"),
        pytest.param("LINESTRING (179 0, -179 0)", id="line"),
        pytest.param("POLYGON EMPTY", id="empty"),
    ],
)
def test_what_does_not_cross_is_left_as_it_is(wkt: str) -> None:
    """Not a bit of it changes, and a missing footprint stays missing."""
    shapes = np.array([None, *only(wkt)])
    for done in (split(shapes), unwrapped(shapes)):
        assert done[0] is None
        assert shapely.equals_exact(done[1], shapes[1])


@pytest.mark.parametrize(
    ("wkt", "pieces"),
    [
        pytest.param(ring(180, 182), ["POLYGON ((-180 -17, -178 -17, -178 -16, -180 -16, -180 -17))"], id="touches it"),
        pytest.param(ring(190, 200), ["POLYGON ((-170 -17, -160 -17, -160 -16, -170 -16, -170 -17))"], id="0 to 360"),
        pytest.param(ring(179, 180, -180, -179), [f"POLYGON {EAST}", f"POLYGON {WEST}"], id="both names of it"),
        pytest.param(
            "POLYGON ((170 0, -170 0, -170 9, 170 9, 170 0), (-179 1, -178 1, -178 2, -179 2, -179 1), "
            "(178 1, 179 1, 179 2, 178 2, 178 1), (179 5, -179 5, -179 6, 179 6, 179 5), "
            "(184 1, 185 1, 185 2, 184 2, 184 1))",
            [
                (
                    "POLYGON ((170 0, 180 0, 180 5, 179 5, 179 6, 180 6, 180 9, 170 9, 170 0), "
                    "(178 1, 179 1, 179 2, 178 2, 178 1))"
                ),
                (
                    "POLYGON ((-170 0, -180 0, -180 5, -179 5, -179 6, -180 6, -180 9, -170 9, -170 0), "
                    "(-179 1, -178 1, -178 2, -179 2, -179 1), (-176 1, -175 1, -175 2, -176 2, -176 1))"
                ),
            ],
            id="holes in either half, across, and beyond 180",
        ),
    ],
)
def test_pieces_keep_their_holes_and_touch_the_antimeridian(wkt: str, pieces: list[str]) -> None:
    """The library alone would keep only the last hole of each half."""
    (done,) = split(only(wkt))
    assert sorted(p.normalize().wkt for p in shapely.get_parts(done)) == sorted(
        shapely.from_wkt(p).normalize().wkt for p in pieces
    )
    for reversed_ in (done.reverse(), split(np.array([only(wkt)[0].reverse()]))[0]):
        assert reversed_.normalize() == done.normalize()


def test_winding_of_holes_and_outsides_says_nothing() -> None:
    """Shapefiles run the other way round than GeoJSON, holes included, and mean the same land."""
    holed = only("POLYGON ((170 0, -170 0, -170 9, 170 9, 170 0), (179 1, 179 2, -179 2, -179 1, 179 1))")
    (done,) = split(holed)
    assert done.area == pytest.approx(20 * 9 - 2)
    exterior, hole = holed[0].exterior.coords, holed[0].interiors[0].coords
    for shell in (exterior, exterior[::-1]):
        for inside in (hole, hole[::-1]):
            assert split(np.array([shapely.Polygon(shell, [inside])]))[0].normalize() == done.normalize()


@pytest.mark.parametrize(
    "wkt",
    [
        pytest.param("POLYGON ((179 0, -179 2, -179 0, 179 2, 179 0))", id="bow-tie on it"),
        pytest.param("POLYGON ((178 0, -179 2, -179 0, 178 2, 178 0))", id="bow-tie over it"),
        pytest.param(
            "POLYGON ((170 0, -170 0, -170 9, 170 9, 170 0), (169 1, -169 1, -169 2, 169 2, 169 1))",
            id="hole wider than its outside",
        ),
    ],
)
def test_polygon_that_cannot_be_cut_is_none(wkt: str) -> None:
    """There is no telling which land is meant, so there are no halves; its neighbours are split all the same."""
    done = split(np.array([*only(wkt), *only(ring(179, -179))]))
    assert done[0] is None
    assert done[1].area == pytest.approx(2.0)


def test_invalid_polygon_is_cut_and_not_repaired() -> None:
    """Its fault is in one half, as it was in the whole, for the repair to find and measure."""
    knotted = only("POLYGON ((177 0, -178 0, -178 5, 178 5, 177 4, 178 4, 177 5, 177 0))")
    (done,) = split(knotted)
    assert done.area == pytest.approx(unwrapped(knotted)[0].area)
    assert [part.is_valid for part in shapely.get_parts(done)] == [False, True]


@pytest.mark.parametrize(
    ("wkt", "is_pole"),
    [
        pytest.param(POLE, True, id="north"),
        pytest.param(POLE.replace("80", "-80"), True, id="south"),
        pytest.param("POLYGON ((0 0, 120 5, -120 0, 0 0))", True, id="around the equator"),
        pytest.param(ring(179, -179), False, id="across the antimeridian"),
        pytest.param(ring(-180, 180), False, id="a band around the world"),
        pytest.param("POLYGON ((0 85, 120 86, 60 87, 0 85))", False, id="near the pole"),
    ],
)
def test_ring_around_a_pole_is_told_by_its_longitudes(wkt: str, *, is_pole: bool) -> None:
    """Which pole and which side, only the direction of the ring would say, and formats disagree about that."""
    assert list(encloses_pole(only(wkt))) == [is_pole]


def test_unwrapped_longitudes_are_continuous_and_holes_lie_inside() -> None:
    """179 goes on to 181, and a hole written as -179 comes along."""
    (done,) = unwrapped(only("POLYGON ((178 0, -178 0, -178 9, 178 9, 178 0), (-179.5 1, -179 1, -179 2, -179.5 1))"))
    assert shapely.bounds(done).tolist() == [178.0, 0.0, 182.0, 9.0]
    assert shapely.bounds(shapely.Polygon(done.interiors[0])).tolist() == [180.5, 1.0, 181.0, 2.0]


def test_wrapped_longitudes_keep_both_names_of_the_antimeridian() -> None:
    """What lies from -180 to 180 keeps its bits."""
    assert wrapped(np.array([-180.0, 180.0, 0.1, 181.0, -181.0, 361.0])).tolist() == [-180, 180, 0.1, -179, 179, 1]


@pytest.mark.parametrize(
    ("wkt", "box"),
    [
        pytest.param([ring(10, 11)], (10.0, -17.0, 11.0, -16.0), id="one"),
        pytest.param([FIJI], (179.0, -17.0, -179.0, -16.0), id="split already"),
        pytest.param([ring(179, -179)], (179.0, -17.0, -179.0, -16.0), id="across"),
        pytest.param([ring(170, 171), ring(-171, -170)], (170.0, -17.0, -170.0, -16.0), id="on both sides"),
        pytest.param([ring(-100, -90), ring(90, 100)], (90.0, -17.0, -90.0, -16.0), id="the shorter way round"),
        pytest.param([ring(10, 20), ring(12, 13), ring(30, 31)], (10.0, -17.0, 31.0, -16.0), id="one within another"),
        pytest.param([ring(-180, 180)], (-180.0, -17.0, 180.0, -16.0), id="the whole way round"),
        pytest.param(["POINT (5 6)"], (5.0, 6.0, 5.0, 6.0), id="point"),
    ],
)
def test_bounding_box_is_the_smallest_one(wkt: list[str], box: Bounds) -> None:
    """Land on both sides of the antimeridian has a box across it, not one around the world."""
    assert bounding_box(np.array([shapely.from_wkt(text) for text in wkt])) == pytest.approx(box)
