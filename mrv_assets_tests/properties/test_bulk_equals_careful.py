"""The bulk route and the careful route are two ways to one result, for every footprint that the bulk route takes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
import shapely
from hypothesis import example, given
from hypothesis import strategies as st

from mrv_assets.domain.contract import NORMALIZED
from mrv_assets.domain.limits import AREA_LIMIT
from mrv_assets.domain.source import Footprint
from mrv_assets.stages.bulk import in_bulk
from mrv_assets.stages.careful import carefully
from mrv_assets.stages.footprints import Bounds
from mrv_assets.stages.placed import Placed, in_row_order
from mrv_assets.stages.projection import Operation, operation_from
from mrv_assets_tests.plots import activity, encoded, normalized, normalized_table, policy

WHERE = "plots under test"
SAME_AREA, SAME_AREA_OF_A_FIELD = 2e-6, 1e-6  # the largest rings that go in bulk reach over 10 km
Ring = list[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """From one CRS to another; a place in the source, and the largest ring there, in the source's units."""

    source: str
    target: str
    x: float
    y: float
    size: float

    @property
    def operation(self) -> Operation:
        """The operation from the one to the other."""
        return _operation(self.source, self.target)

    def placed(self, ring: Ring) -> shapely.Polygon:
        """Return a ring of the unit circle at this place; where it crosses itself or not, stays as it is."""
        return shapely.Polygon([(self.x + self.size * x, self.y + self.size * y) for x, y in ring])


@cache
def _operation(source: str, target: str) -> Operation:
    return operation_from(source, policy=policy(target), where=WHERE)


WAYS = {
    f"{way.source} to {way.target}": way
    for way in (
        Way(source="EPSG:4326", target="EPSG:6933", x=-93.2, y=45.1, size=0.03),
        Way(source="EPSG:4326", target="EPSG:5070", x=-93.2, y=45.1, size=0.03),
        Way(source="EPSG:4326", target="EPSG:3035", x=10.0, y=50.0, size=0.03),
        Way(source="EPSG:26915", target="EPSG:6933", x=460_000.0, y=4_980_000.0, size=3000.0),
        Way(source="EPSG:26915", target="EPSG:5070", x=460_000.0, y=4_980_000.0, size=3000.0),
        Way(source="EPSG:6933", target="EPSG:6933", x=-9_000_000.0, y=5_200_000.0, size=3000.0),
        Way(source="EPSG:6933", target="EPSG:5070", x=-9_000_000.0, y=5_200_000.0, size=3000.0),
        Way(source="EPSG:6933", target="EPSG:3035", x=1_000_000.0, y=5_600_000.0, size=3000.0),
        Way(source="EPSG:4269", target="EPSG:6933", x=-93.2, y=45.1, size=0.03),
        Way(source="EPSG:4269", target="EPSG:5070", x=-93.2, y=45.1, size=0.03),
    )
}
ways = pytest.mark.parametrize("way", [pytest.param(way, id=name) for name, way in WAYS.items()])

angles = st.floats(0.0, 2.0 * math.pi)
_points = st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))


@st.composite
def stars(draw: st.DrawFn) -> Ring:
    """Return a ring without crossings around the origin, of any size down to a hundredth of the unit circle."""
    reaches = draw(st.lists(st.floats(0.3, 1.0), min_size=3, max_size=20))
    size, turn = draw(st.floats(0.01, 1.0)), draw(angles)
    steps = [turn + 2.0 * math.pi * n / len(reaches) for n in range(len(reaches))]
    return [(size * r * math.cos(a), size * r * math.sin(a)) for r, a in zip(reaches, steps, strict=True)]


@st.composite
def slivers(draw: st.DrawFn) -> Ring:
    """Return a star that is pressed flat, and turned."""
    flatness, turn = draw(st.floats(1e-6, 1e-2)), draw(angles)
    flat = [(x, y * flatness) for x, y in draw(stars())]
    return [(x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)) for x, y in flat]


@st.composite
def repeating(draw: st.DrawFn) -> Ring:
    """Return a star with a vertex that stands there again, at once or later on."""
    ring = draw(stars())
    again, place = draw(st.integers(0, len(ring) - 1)), draw(st.integers(0, len(ring)))
    return [*ring[:place], ring[again], *ring[place:]]


scribbles = st.lists(_points, min_size=3, max_size=12)
on_a_grid = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=9).map(
    lambda ring: [(x / 4.0, y / 4.0) for x, y in ring]
)
too_large = stars().map(lambda ring: [(x * 40.0, y * 40.0) for x, y in ring])
rings = stars() | slivers() | repeating() | scribbles | on_a_grid | too_large


@st.composite
def wound(draw: st.DrawFn, ring: st.SearchStrategy[Ring]) -> Ring:
    """Return a ring that starts anywhere and runs either way."""
    drawn = draw(ring)
    turn = draw(st.integers(0, len(drawn) - 1))
    turned = [*drawn[turn:], *drawn[:turn]]
    return turned[::-1] if draw(st.booleans()) else turned


def bulk(wkb: pa.Array, operation: Operation, land: Bounds | None = None) -> Placed | None:
    """Return the footprints that the bulk route takes, None for none."""
    parts = list(in_bulk(wkb, np.arange(len(wkb)), operation=operation, land=land))
    return in_row_order(parts) if parts else None


def careful(wkb: pa.Array, operation: Operation, land: Bounds | None = None) -> Placed:
    """Return all footprints by the careful route."""
    return carefully(wkb, np.arange(len(wkb)), operation=operation, footprint=Footprint.AREA, land=land)


def faulty_rows(placed: Placed) -> set[int]:
    """Return the rows that have any fault."""
    return {int(row) for is_bad, _ in placed.faults for row in placed.rows[is_bad]}


def check_both(shapes: list[shapely.Polygon], operation: Operation, land: Bounds | None = None) -> Placed | None:
    """Assert that both routes agree on every footprint that the bulk route takes, and return these, None for none."""
    wkb = pa.array([encoded(shape) for shape in shapes], pa.binary())
    fast, slow = bulk(wkb, operation, land), careful(wkb, operation, land)
    if fast is None:
        return None
    rows = fast.rows
    assert fast.wkb.equals(slow.wkb.take(pa.array(rows)))
    assert fast.area_m2.tobytes() == slow.area_m2[rows].tobytes()
    assert not fast.faults
    assert not faulty_rows(slow) & set(rows.tolist())
    for name in ("is_repaired", "is_split", "has_z"):
        assert not getattr(slow, name)[rows].any()
        assert not getattr(fast, name).any()
    assert fast.before_m2.tobytes() == fast.area_m2.tobytes()
    # An edge is a great circle here and a geodesic there: much less than what would make the areas implausible.
    assert fast.geodesic_m2 == pytest.approx(slow.geodesic_m2[rows], rel=float(AREA_LIMIT) / 4)
    return fast


STAR = [(1.0, 0.0), (-0.5, 0.8), (-0.5, -0.8)]
SLIVER = [(1.0, 0.0), (-0.4999999999999998, 0.0016914558667664819), (-0.2500000000000002, -0.0008457279333832406)]
BOW_TIE = [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)]


@ways
@given(drawn=st.lists(wound(rings), min_size=1, max_size=8))
@example(drawn=[[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]])
@example(drawn=[[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.5), (0.0, 0.25)]])
def test_what_goes_in_bulk_comes_out_as_if_it_had_been_handled_with_care(way: Way, drawn: list[Ring]) -> None:
    """Bytes and planar areas have the same bits, and nothing is accepted that the careful route refuses or mends."""
    check_both([way.placed(ring) for ring in drawn], way.operation)


@ways
@given(drawn=st.lists(wound(stars()), min_size=1, max_size=8))
def test_plain_rings_do_go_in_bulk(way: Way, drawn: list[Ring]) -> None:
    """Rings without a fault, well inside every area of use, are all taken, and their geodesic areas are right."""
    shapes = [way.placed(ring) for ring in drawn]
    fast = check_both(shapes, way.operation)
    assert fast is not None
    assert fast.rows.tolist() == list(range(len(shapes)))
    expected = way.operation.geodesic_areas_m2(way.operation.geographic(np.array(shapes)))
    assert fast.geodesic_m2 == pytest.approx(expected, rel=SAME_AREA)
    is_field = expected < 1e6
    assert fast.geodesic_m2[is_field] == pytest.approx(expected[is_field], rel=SAME_AREA_OF_A_FIELD, abs=1e-3)


@given(
    drawn=wound(stars()),
    x=st.sampled_from([-180.0, 180.0, -179.99, 0.0, 90.0]),
    y=st.sampled_from([-86.0, 86.0, 0.0, -85.97, 90.0]),
)
def test_at_the_edges_of_the_world_both_routes_agree(drawn: Ring, x: float, y: float) -> None:
    """Near the antimeridian, the equator and the last latitude, what the bulk route takes is what is right."""
    way = Way(source="EPSG:4326", target="EPSG:6933", x=x, y=y, size=0.04)
    check_both([way.placed(drawn)], way.operation)


@given(drawn=wound(stars()), x=st.sampled_from([-180.0, 160.6, 160.62, 175.0, 180.0, -171.2, -171.18, -150.0, 0.0]))
def test_at_the_edges_of_an_area_across_the_antimeridian_both_routes_agree(drawn: Ring, x: float) -> None:
    """That of NZGD2000, and of the operation from it, runs from 160.6 east over 180 degrees to 171.2 west."""
    way = Way(source="EPSG:4167", target="EPSG:6933", x=x, y=-40.0, size=0.04)
    check_both([way.placed(drawn)], way.operation)


@given(drawn=wound(stars()), x=st.floats(-93.6, -92.9), y=st.floats(44.9, 45.5))
def test_at_the_edges_of_the_land_both_routes_agree(drawn: Ring, x: float, y: float) -> None:
    """What does not lie in the project's land for certain is left to the route that can say why not."""
    way = Way(source="EPSG:4326", target="EPSG:6933", x=x, y=y, size=0.04)
    check_both([way.placed(drawn)], way.operation, land=(-93.5, 45.0, -93.0, 45.4))


@example(drawn=[STAR, SLIVER, BOW_TIE], cuts=[2])
@given(drawn=st.lists(wound(rings), min_size=1, max_size=12), cuts=st.lists(st.integers(0, 12), max_size=5))
def test_batches_may_be_cut_anywhere(drawn: list[Ring], cuts: list[int]) -> None:
    """The same rows in other batches are the same table, byte for byte, with the same rows set aside beside it."""
    way = WAYS["EPSG:4326 to EPSG:6933"]
    whole = activity(*[way.placed(ring) for ring in drawn], crs=way.source)
    edges = [0, *sorted(min(cut, len(drawn)) for cut in cuts), len(drawn)]
    pieces = pa.concat_tables([whole.slice(a, b - a) for a, b in itertools.pairwise(edges)])
    one, other = (normalized_table(table, quarantine="0.9") for table in (whole.combine_chunks(), pieces))
    assert NORMALIZED.digest(one.table) == NORMALIZED.digest(other.table)
    assert one.table.equals(other.table, check_metadata=True)
    assert one.quarantined == other.quarantined
    # Areas on the ellipsoid are by numpy's tan, whose last bit depends on how many numbers it has at once.
    measured = {"area_geodesic_ha", "area_max_relative_difference"}
    assert {k: v for k, v in one.evidence.items() if k not in measured} == {
        k: v for k, v in other.evidence.items() if k not in measured
    }
    for name in measured:
        assert float(one.evidence[name]) == pytest.approx(float(other.evidence[name]), rel=1e-9, abs=1e-12)


ODD = {
    "Z": shapely.force_3d(shapely.box(-93.2, 45.1, -93.19, 45.11), 7.0),
    "several parts": shapely.MultiPolygon([shapely.box(-93.2, 45.1, -93.19, 45.11), shapely.box(-93, 45, -92.9, 45.1)]),
    "hole": shapely.box(-93.2, 45.1, -93.1, 45.2) - shapely.box(-93.16, 45.14, -93.15, 45.15),
    "big-endian": shapely.to_wkb(shapely.box(-93.2, 45.1, -93.19, 45.11), byte_order=0, flavor="iso"),
    "long edges": shapely.box(-95.0, 44.0, -92.0, 46.0),
    "across the antimeridian": shapely.Polygon([(179.99, 1.0), (-179.99, 1.0), (-179.99, 1.01), (179.99, 1.01)]),
    "at the antimeridian": shapely.box(179.9, 1.0, 179.95, 1.05),
    "longitudes to 360": shapely.box(266.8, 45.1, 266.81, 45.11),
    "spike": shapely.from_wkt("POLYGON ((10 10, 10.01 10, 10.01 10.01, 10.02 10.01, 10.01 10.01, 10 10.01, 10 10))"),
    "vertex twice": shapely.from_wkt("POLYGON ((20 20, 20.01 20, 20.01 20, 20.01 20.01, 20 20))"),
    "many vertices": shapely.Point(-93.2, 45.1).buffer(0.01, quad_segs=32),
    "wrapped in a collection": shapely.GeometryCollection([shapely.box(-93.2, 45.1, -93.19, 45.11)]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_footprints_take_the_careful_route(name: str) -> None:
    """None of them is counted as plain, and all of them are good."""
    evidence = normalized(ODD[name], crs="EPSG:4326").evidence
    assert (evidence["footprints_plain"], evidence["rows_quarantined"]) == ("0", "0")


@given(order=st.permutations([*ODD, *["plain"] * 6]))
def test_rows_come_out_in_their_order_whichever_route_they_took(order: list[str]) -> None:
    """Mixed in any way, each row has the footprint and the area that it has alone."""
    together = normalized(*(_shape(name, place) for place, name in enumerate(order)), crs="EPSG:4326")
    assert together.evidence["footprints_plain"] == "6"
    found = zip(*(together.table.column(c).to_pylist() for c in ("geometry", "area_ha")), strict=True)
    assert list(found) == [_alone(name, place if name == "plain" else 0) for place, name in enumerate(order)]


def _shape(name: str, place: int) -> shapely.Geometry | bytes:
    west = -93.0 + place / 10
    return shapely.box(west, 45.0, west + 0.01, 45.01) if name == "plain" else ODD[name]


@cache
def _alone(name: str, place: int) -> tuple[bytes, float]:
    [row] = normalized(_shape(name, place), crs="EPSG:4326").table.to_pylist()
    return row["geometry"], row["area_ha"]
