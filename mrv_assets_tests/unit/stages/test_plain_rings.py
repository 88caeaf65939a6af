from __future__ import annotations

import math
import struct

import numpy as np
import pyarrow as pa
import pytest
import shapely

from mrv_assets.stages.plain_rings import MAX_VERTICES, Rings, encoded, plain_rings
from mrv_assets_tests.plots import encoded as wkb_of

SQUARE = shapely.box(0.0, 0.0, 4.0, 3.0)
TRIANGLE = shapely.Polygon([(1.0, 1.0), (5.0, 1.0), (5.0, 9.0)])
OPEN_TO_THE_WEST = [(0, 0), (4, 0), (4, 4), (0, 4), (0, 3), (3, 3), (3, 1), (0, 1)]
NAN, INF = float("nan"), float("inf")


def column(*shapes: shapely.Geometry | bytes | None) -> pa.Array:
    """Return footprints as a column."""
    return pa.array([wkb_of(shape) for shape in shapes], pa.binary())


def regular(vertices: int) -> shapely.Polygon:
    """Return a regular polygon whose ring has so many vertices, the first one counted twice."""
    angles = np.linspace(0.0, 2.0 * math.pi, vertices)[:-1]
    return shapely.Polygon(np.column_stack([np.cos(angles), np.sin(angles)]))


def rings_of(*shapes: shapely.Geometry) -> Rings:
    """Return polygons with equally many vertices as rings."""
    [rings] = plain_rings(column(*shapes))
    return rings


def ring(*vertices: tuple[float, float]) -> Rings:
    """Return one ring of these vertices, closed or not."""
    x, y = np.array(vertices).T
    return Rings(rows=np.array([0]), x=x[None, :], y=y[None, :])


def test_plain_rings_come_in_groups_of_equally_many_vertices() -> None:
    """Each group says which rows it has, and holds their coordinates vertex by vertex."""
    groups = list(plain_rings(column(SQUARE, TRIANGLE, SQUARE)))
    assert [(group.rows.tolist(), group.x.shape) for group in groups] == [([1], (1, 4)), ([0, 2], (2, 5))]
    assert groups[0].x.tolist() == [[1.0, 5.0, 5.0, 1.0]]
    assert groups[0].y.tolist() == [[1.0, 1.0, 9.0, 1.0]]
    assert (groups[1].x[0].tolist(), groups[1].x[1].tolist()) == ([4.0, 4.0, 0.0, 0.0, 4.0],) * 2


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(None, id="null"),
        pytest.param(b"", id="no bytes"),
        pytest.param(b"\x01\x03\x00", id="cut off in the header"),
        pytest.param((wkb_of(SQUARE) or b"")[:-1], id="a byte short"),
        pytest.param((wkb_of(SQUARE) or b"") + b"\x00", id="a byte more"),
        pytest.param(struct.pack("<BIII", 1, 3, 1, 4) + bytes(5 * 16), id="a vertex more than it says"),
        pytest.param(struct.pack("<BIII", 1, 3, 1, 2**31) + bytes(5 * 16), id="far fewer vertices than it says"),
        pytest.param(shapely.to_wkb(SQUARE, byte_order=0, flavor="iso"), id="big-endian"),
        pytest.param(shapely.force_3d(SQUARE, 1.0), id="with Z"),
        pytest.param(shapely.to_wkb(shapely.set_srid(SQUARE, 4326), include_srid=True), id="with an SRID"),
        pytest.param(shapely.MultiPolygon([SQUARE, shapely.box(20, 20, 21, 21)]), id="several parts"),
        pytest.param(shapely.Polygon(SQUARE.exterior, [[(1, 1), (2, 1), (2, 2)]]), id="with a hole"),
        pytest.param(shapely.Polygon(), id="empty"),
        pytest.param(shapely.LineString([(0, 0), (1, 0), (1, 1), (0, 0)]), id="closed line"),
        pytest.param(shapely.Point(1, 1), id="point"),
        pytest.param(struct.pack("<BIII6d", 1, 3, 1, 3, 0, 0, 1, 1, 0, 0), id="three vertices"),
        pytest.param(regular(MAX_VERTICES + 1), id="many vertices"),
    ],
)
def test_other_shapes_are_not_plain(shape: shapely.Geometry | bytes | None) -> None:
    """They are passed over by their bytes alone, and their neighbours are found all the same."""
    [group] = plain_rings(column(SQUARE, shape, SQUARE))
    assert group.rows.tolist() == [0, 2]
    assert group.x.shape == (2, 5)


def test_a_ring_has_at_most_64_vertices() -> None:
    """The first vertex, which is the last again, counts twice."""
    assert rings_of(regular(MAX_VERTICES)).x.shape == (1, 64)


def test_a_null_with_bytes_behind_it_is_no_ring() -> None:
    """Arrow allows any bytes where a value is null; they are nobody's land."""
    whole = column(SQUARE, SQUARE)
    offsets, data = whole.buffers()[1:]
    second_only = pa.py_buffer(bytes([0b10]))
    with_null = pa.Array.from_buffers(pa.binary(), 2, [second_only, offsets, data])
    assert with_null.to_pylist()[0] is None
    [group] = plain_rings(with_null)
    assert group.rows.tolist() == [1]


@pytest.mark.parametrize(("start", "length"), [(0, 3), (1, 2), (2, 1)])
def test_a_slice_of_a_column_has_its_own_rows(start: int, length: int) -> None:
    """Rows are counted from the first of the slice."""
    shapes = [TRIANGLE, SQUARE, TRIANGLE]
    found = list(plain_rings(column(*shapes).slice(start, length)))
    rows = sorted(row for group in found for row in group.rows.tolist())
    assert rows == list(range(length))


def test_no_shapes_are_no_rings() -> None:
    """Neither an empty column nor one of nulls has any."""
    assert list(plain_rings(column())) == []
    assert list(plain_rings(column(None, None))) == []


def test_rings_are_encoded_as_shapely_does() -> None:
    """Bytes in, bytes out, in the order of the rings."""
    shapes = column(SQUARE, shapely.affinity.translate(SQUARE, 0.1, -7.3))
    [group] = plain_rings(shapes)
    assert encoded(group).equals(shapes)
    assert len(encoded(group.only(np.array([False, False])))) == 0


@pytest.mark.parametrize(
    ("vertices", "is_simple"),
    [
        pytest.param([(0, 0), (1, 0), (1, 1), (0, 0)], True, id="triangle"),
        pytest.param([(0, 0), (1, 0), (1, 1), (0, 1)], False, id="open"),
        pytest.param([(0, 0), (1, 0), (1, 0), (1, 1), (0, 0)], False, id="vertex twice"),
        pytest.param([(0, 0), (0, 0), (1, 0), (1, 1), (0, 0)], False, id="first vertex twice"),
        pytest.param([(0, 0), (-0.0, 0.0), (1, 0), (1, 1), (0, 0)], False, id="zero twice, once negative"),
        pytest.param([(0, 0), (1, 0), (NAN, 1), (0, 0)], False, id="NaN"),
        pytest.param([(0, 0), (1, 0), (1, INF), (0, 0)], False, id="infinite"),
        pytest.param([(0, 0), (1, INF), (1, -INF), (0, 0)], False, id="infinite both ways"),
        pytest.param([(0, 0), (1, 0), (1, 1), (NAN, NAN)], False, id="ends in NaN"),
    ],
)
def test_simple_rings_are_closed_finite_and_repeat_no_vertex(
    vertices: list[tuple[float, float]], *, is_simple: bool
) -> None:
    """Whether edges cross is asked later, of the library."""
    assert ring(*vertices).is_simple.tolist() == [is_simple]


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(SQUARE, id="counter-clockwise"),
        pytest.param(shapely.reverse(SQUARE), id="clockwise"),
        pytest.param(TRIANGLE, id="triangle"),
        pytest.param(shapely.affinity.translate(regular(12), 1e7, -5e6), id="far from the origin"),
        pytest.param(shapely.Polygon(OPEN_TO_THE_WEST), id="several vertices at the least x"),
        pytest.param(shapely.Polygon(OPEN_TO_THE_WEST[::-1][3:] + OPEN_TO_THE_WEST[::-1][:3]), id="the same, reversed"),
    ],
)
def test_area_and_normal_form_are_those_of_geos(shape: shapely.Polygon) -> None:
    """To the last bit, and the sign of the area says which way the ring runs."""
    rings = rings_of(shape)
    [signed] = rings.signed_area
    assert abs(signed) == shapely.area(shape)
    assert (signed < 0.0) == shapely.is_ccw(shape.exterior)
    normal = shapely.normalize(shape)
    assert encoded(rings.normalised).to_pylist() == [wkb_of(normal)]
    assert abs(rings.normalised.signed_area[0]) == shapely.area(normal)


def test_rings_are_moved_and_picked_without_touching_the_others() -> None:
    """A mask that marks all gives the rings themselves, because a copy of a million would cost."""
    rings = rings_of(SQUARE, SQUARE)
    assert rings.only(np.array([True, True])) is rings
    [kept] = rings.only(np.array([False, True])).rows
    assert kept == 1
    moved = rings.moved(lambda x, y: (x + 1.0, y))
    assert moved.bounds[0].tolist() == [1.0, 1.0]
    assert [bound.tolist() for bound in rings.bounds] == [[0.0, 0.0], [0.0, 0.0], [4.0, 4.0], [3.0, 3.0]]


def test_area_on_a_sphere_is_that_of_the_textbook() -> None:
    """A quarter of a hemisphere cap: longitudes 0 to 90 from the equator to the pole are an eighth of the sphere."""
    octant = ring((0.0, 0.0), (90.0, 0.0), (90.0, 90.0), (0.0, 90.0), (0.0, 0.0))
    [area] = octant.area_on(radius=2.0, authalic=np.radians(octant.y))
    assert area == pytest.approx(4.0 * math.pi * 2.0**2 / 8.0, rel=1e-12)


def test_a_multipolygon_of_one_part_is_that_ring() -> None:
    """Programs that write nothing but multipolygons lose no time: one part is a polygon, and comes out as one."""
    alone, wrapped = (rings_of(shape) for shape in (SQUARE, shapely.MultiPolygon([SQUARE])))
    assert (wrapped.x.tolist(), wrapped.y.tolist()) == (alone.x.tolist(), alone.y.tolist())
    assert encoded(wrapped).to_pylist() == encoded(alone).to_pylist()
