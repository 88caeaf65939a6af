from __future__ import annotations

import math

import numpy as np
import shapely
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.limits import AREA_LIMIT
from mrv_assets.stages.antimeridian import crossing, split
from mrv_assets.stages.footprints import canonical_wkb, repaired
from mrv_assets.stages.projection import Carried, Operation, operation_from
from mrv_assets.stages.vertices import densified

WHERE = "plots under test"
EASE_BY_OTHER_NAMES = (
    "urn:ogc:def:crs:EPSG::6933",
    "+proj=cea +lat_ts=30 +lon_0=0 +x_0=0 +y_0=0 +datum=WGS84 +units=m",
)


def operation(crs: str) -> Operation:
    """Return the operation to EPSG:6933."""
    return operation_from(crs, policy=CrsPolicy.parse({}), where=WHERE)


GEOGRAPHIC = operation("EPSG:4326")


def carried(shape: shapely.Geometry) -> Carried:
    """Carry one footprint in longitudes and latitudes to EPSG:6933."""
    return GEOGRAPHIC.carried(np.array([shape]))


def content(shape: shapely.Geometry) -> bytes:
    """Return the canonical bytes of a footprint in longitudes and latitudes."""
    return canonical_wkb(repaired(carried(shape).shapes).shapes)[0]


@st.composite
def stars(draw: st.DrawFn, west: tuple[float, float] = (-175.0, 175.0)) -> shapely.Polygon:
    """Return a star-shaped polygon of a hundredth of a degree to four degrees, anywhere that the CRS allows."""
    x, y = draw(st.floats(*west)), draw(st.floats(-80, 80))
    size = draw(st.floats(0.01, 4.0))
    reaches = draw(st.lists(st.floats(0.3, 1.0), min_size=3, max_size=9))
    angles = [2 * math.pi * n / len(reaches) for n in range(len(reaches))]
    return shapely.Polygon(
        [(x + size * r * math.cos(a), y + size * r * math.sin(a)) for r, a in zip(reaches, angles, strict=True)]
    )


def wound_otherwise(star: shapely.Polygon, turn: int, *, is_reversed: bool) -> shapely.Polygon:
    """Return the same polygon, its ring starting elsewhere and perhaps running the other way."""
    ring = list(star.exterior.coords)[:-1]
    turned = [*ring[turn % len(ring) :], *ring[: turn % len(ring)]]
    return shapely.Polygon(turned[::-1] if is_reversed else turned)


def moved_by(shape: shapely.Geometry, degrees: float) -> shapely.Geometry:
    """Return a shape with other longitudes."""
    return shapely.transform(shape, lambda xy: xy + np.array([degrees, 0.0]))


def with_jumps(shape: shapely.Geometry) -> shapely.Geometry:
    """Return a shape with its longitudes written from -180 to 180, as most files have them."""
    return shapely.transform(shape, lambda xy: np.column_stack([(xy[:, 0] + 180.0) % 360.0 - 180.0, xy[:, 1]]))


@given(star=stars(), turn=st.integers(0, 8), is_reversed=st.booleans())
def test_one_footprint_has_one_content(star: shapely.Polygon, turn: int, *, is_reversed: bool) -> None:
    """Where a ring starts and which way it runs says nothing about the place."""
    assert content(wound_otherwise(star, turn, is_reversed=is_reversed)) == content(star)


@given(star=stars((177.0, 183.0)), turn=st.integers(0, 8), is_reversed=st.booleans())
def test_one_footprint_across_the_antimeridian_has_one_content(
    star: shapely.Polygon, turn: int, *, is_reversed: bool
) -> None:
    """Nor does it when the footprint is split."""
    jumping = with_jumps(star)
    assert content(wound_otherwise(jumping, turn, is_reversed=is_reversed)) == content(jumping)


@given(star=stars((176.0, 184.0)), turns=st.integers(-1, 0))
def test_land_across_the_antimeridian_has_the_area_of_the_same_land_elsewhere(
    star: shapely.Polygon, turns: int
) -> None:
    """In EPSG:6933 areas do not depend on longitude, so 90 degrees further west a footprint is as large."""
    elsewhere = shapely.area(carried(moved_by(star, -90.0)).shapes)[0]
    for written in (moved_by(star, 360.0 * turns), with_jumps(star)):
        here = carried(written)
        assert math.isclose(shapely.area(here.shapes)[0], elsewhere, rel_tol=1e-4)
        assert math.isclose(here.geodesic_m2[0], shapely.area(here.shapes)[0], rel_tol=1e-3)
        assert np.abs(shapely.bounds(here.shapes)).max() <= 17_367_531.0


@given(star=stars((176.0, 184.0)))
def test_splitting_conserves_the_land(star: shapely.Polygon) -> None:
    """Halves lie between -180 and 180, do not cross any more, and are as large as the whole."""
    jumping = np.array([with_jumps(star)])
    halves = split(jumping)
    assert not crossing(halves).any()
    assert math.isclose(halves[0].area, star.area, rel_tol=1e-9, abs_tol=4e-7 * star.length)
    assert shapely.is_valid(halves).all()


@given(star=stars())
def test_planar_area_is_close_to_the_area_on_the_ellipsoid(star: shapely.Polygon) -> None:
    """The equal-area CRS keeps its promise for any footprint, because long edges are densified."""
    done = carried(star)
    planar = shapely.area(done.shapes)[0]
    assert abs(planar - done.geodesic_m2[0]) / planar < float(AREA_LIMIT) / 10
    assert planar > 0


@given(star=stars(), max_edge=st.floats(0.01, 1.0))
def test_densifying_keeps_the_place_and_bounds_every_edge(star: shapely.Polygon, max_edge: float) -> None:
    """Vertices are only added, and no edge stays longer than allowed."""
    (dense,) = densified(np.array([star]), max_edge)
    steps = np.diff(shapely.get_coordinates(dense), axis=0)
    assert np.hypot(steps[:, 0], steps[:, 1]).max() <= max_edge * (1 + 1e-9)
    assert math.isclose(dense.area, star.area, rel_tol=1e-9)
    assert set(star.exterior.coords) <= set(dense.exterior.coords)


@given(
    crs=st.sampled_from(EASE_BY_OTHER_NAMES),
    xy=st.lists(st.tuples(st.floats(-17_367_530, 17_367_530), st.floats(-7_324_184, 7_324_184)), min_size=1),
)
def test_equal_area_coordinates_keep_their_bits(crs: str, xy: list[tuple[float, float]]) -> None:
    """Under other names EPSG:6933 is still EPSG:6933; only the sign of a zero goes, which says nothing."""
    same = operation(crs)
    points = shapely.points(np.array(xy))
    kept = shapely.get_coordinates(same.carried(points).shapes)
    assert kept.tobytes() == (np.array(xy) + 0.0).tobytes()
    x, y = same.to_target.transform(*np.array(xy).T)
    assert np.array_equal(np.column_stack([x, y]), np.array(xy))
