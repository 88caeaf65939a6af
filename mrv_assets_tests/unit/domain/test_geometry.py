from __future__ import annotations

import struct

import numpy as np
import pyarrow as pa
import pytest
import shapely

from mrv_assets.domain.geometry import (
    MULTIPOLYGON,
    POINT,
    POLYGON,
    areas_and_validity,
    bounds,
    first_alike,
    is_one_shape,
    overlaps,
    readable,
    repeated,
    type_codes,
    validity,
)

SQUARE = shapely.box(1.0, 2.0, 4.0, 6.0)
HOLED = SQUARE - shapely.box(2.0, 3.0, 3.0, 4.0)
TWO = shapely.MultiPolygon([shapely.box(0, 0, 1, 1), shapely.box(5, 5, 7, 7)])
BOW_TIE = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
NAN = float("nan")
UNREADABLE = [
    pytest.param(b"", id="no bytes"),
    pytest.param(b"\x01", id="one byte"),
    pytest.param(b"\x01\x03\x00\x00\x00", id="a type and nothing more"),
    pytest.param(shapely.to_wkb(SQUARE)[:-3], id="cut off"),
    pytest.param(struct.pack("<BI", 1, 99) + bytes(16), id="unknown type"),
    pytest.param(b"POINT (1 1)", id="text"),
]


def wkb(shape: shapely.Geometry | bytes | None, *, byte_order: int = 1) -> bytes | None:
    """Return a shape as ISO WKB; bytes and None are taken as they are."""
    if shape is None or isinstance(shape, bytes):
        return shape
    return bytes(shapely.to_wkb(shape, byte_order=byte_order, flavor="iso"))


def column(*shapes: shapely.Geometry | bytes | None) -> pa.ChunkedArray:
    """Return a column of these shapes in one chunk."""
    return pa.chunked_array([pa.array([wkb(shape) for shape in shapes], pa.binary())])


def in_chunks(*sizes: int) -> pa.ChunkedArray:
    """Return squares in chunks of these sizes, each a slice of a longer array."""
    longer = pa.array([wkb(SQUARE)] * 20, pa.binary())
    return pa.chunked_array([longer.slice(1, size) for size in sizes], pa.binary())


@pytest.mark.parametrize(
    ("shape", "code"),
    [
        pytest.param(None, 0, id="null"),
        pytest.param(b"", 0, id="no bytes"),
        pytest.param(b"\x01\x03", 0, id="too short for a type"),
        pytest.param(shapely.Point(1, 2), POINT, id="point"),
        pytest.param(SQUARE, POLYGON, id="polygon"),
        pytest.param(shapely.Polygon(), POLYGON, id="empty polygon"),
        pytest.param(TWO, MULTIPOLYGON, id="several parts"),
        pytest.param(shapely.LineString([(0, 0), (1, 1)]), 2, id="line"),
        pytest.param(shapely.GeometryCollection([SQUARE]), 7, id="collection"),
        pytest.param(shapely.force_3d(SQUARE, 5.0), 1003, id="polygon with Z"),
        pytest.param(shapely.force_3d(shapely.Point(1, 2), 5.0), 1001, id="point with Z"),
        pytest.param(shapely.to_wkb(SQUARE, byte_order=0, flavor="iso"), -1, id="big-endian"),
    ],
)
def test_the_type_stands_in_the_first_bytes(shape: shapely.Geometry | bytes | None, code: int) -> None:
    """It is read without decoding the shape; a neighbour changes nothing."""
    assert type_codes(column(SQUARE, shape, TWO)).tolist() == [POLYGON, code, MULTIPOLYGON]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        pytest.param(SQUARE, [1.0, 2.0, 4.0, 6.0], id="polygon"),
        pytest.param(shapely.to_wkb(SQUARE, byte_order=0, flavor="iso"), [1.0, 2.0, 4.0, 6.0], id="big-endian"),
        pytest.param(shapely.force_3d(SQUARE, 9.0), [1.0, 2.0, 4.0, 6.0], id="with Z"),
        pytest.param(shapely.Point(7, -8), [7.0, -8.0, 7.0, -8.0], id="point"),
        pytest.param(TWO, [0.0, 0.0, 7.0, 7.0], id="several parts"),
        pytest.param(None, [NAN] * 4, id="null"),
        pytest.param(shapely.Polygon(), [NAN] * 4, id="empty"),
        pytest.param(shapely.Point(), [NAN] * 4, id="empty point"),
        pytest.param(b"\x01\x02", [NAN] * 4, id="unreadable"),
        pytest.param(shapely.Point(float("inf"), 1), [NAN] * 4, id="infinite"),
    ],
)
def test_bounds_are_those_of_what_is_there(shape: shapely.Geometry | bytes | None, expected: list[float]) -> None:
    """Where nothing is, or nothing finite, there are none."""
    found = bounds(readable(column(SQUARE, shape)))
    assert found[0].tolist() == [1.0, 2.0, 4.0, 6.0]
    assert found[1] == pytest.approx(expected, nan_ok=True, abs=0.0)


@pytest.mark.parametrize(
    ("shape", "area", "is_valid"),
    [
        pytest.param(SQUARE, 12.0, True, id="square"),
        pytest.param(shapely.reverse(SQUARE), 12.0, True, id="the other way round"),
        pytest.param(shapely.to_wkb(SQUARE, byte_order=0, flavor="iso"), 12.0, True, id="big-endian"),
        pytest.param(shapely.force_3d(SQUARE, 3.0), 12.0, True, id="with Z"),
        pytest.param(HOLED, 11.0, True, id="with a hole"),
        pytest.param(TWO, 5.0, True, id="several parts"),
        pytest.param(BOW_TIE, 0.0, False, id="bow-tie"),
        pytest.param(shapely.Point(1, 1), 0.0, True, id="point"),
        pytest.param(shapely.Polygon(), 0.0, True, id="empty"),
        pytest.param(None, NAN, False, id="null"),
        pytest.param(b"\x01\x02", NAN, False, id="unreadable"),
    ],
)
def test_areas_and_validity_are_of_each_shape(
    shape: shapely.Geometry | bytes | None, area: float, *, is_valid: bool
) -> None:
    """A shape that is not there has no area and is not valid, and its neighbours keep theirs."""
    shapes = readable(column(SQUARE, shape, HOLED))
    areas, are_valid = areas_and_validity(shapes)
    assert areas == pytest.approx([12.0, area, 11.0], nan_ok=True, abs=0.0)
    assert are_valid.tolist() == validity(shapes).tolist() == [True, is_valid, True]


@pytest.mark.parametrize("bad", UNREADABLE)
def test_what_is_no_wkb_becomes_null_and_nothing_else_does(bad: bytes) -> None:
    """Its neighbours keep their bytes, in whatever flavour they are."""
    shapes = [wkb(SQUARE), bad, None, wkb(TWO, byte_order=0), wkb(shapely.force_3d(SQUARE, 1.0))]
    assert readable(column(*shapes)).to_pylist() == [shapes[0], None, *shapes[2:]]


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(struct.pack("<BII6d", 1, 8, 3, 0, 0, 1, 1, 2, 0), id="arc"),
        pytest.param(struct.pack("<BIIBII6d", 1, 10, 1, 1, 8, 3, 0, 0, 1, 1, 0, 0), id="polygon with an arc"),
    ],
)
def test_curves_have_no_measure(odd: bytes) -> None:
    """GeoParquet does not have them, so they are as good as unreadable; no measure breaks over them."""
    shapes = readable(column(SQUARE, odd, HOLED))
    assert bounds(shapes)[1] == pytest.approx([NAN] * 4, nan_ok=True)
    assert areas_and_validity(shapes)[0] == pytest.approx([12.0, NAN, 11.0], nan_ok=True)
    assert validity(shapes).tolist() == [True, False, True]


def test_a_column_that_can_be_read_is_not_copied() -> None:
    """A million good shapes cost nothing to look through."""
    shapes = column(SQUARE, None, TWO)
    assert readable(shapes) is shapes


@pytest.mark.parametrize("sizes", [(), (0,), (0, 0), (3,), (1, 0, 2), (2, 1)])
def test_chunks_do_not_matter(sizes: tuple[int, ...]) -> None:
    """Columns may be empty, cut anywhere, and slices of longer ones."""
    shapes, rows = readable(in_chunks(*sizes)), sum(sizes)
    assert type_codes(shapes).tolist() == [POLYGON] * rows
    assert bounds(shapes).tolist() == [[1.0, 2.0, 4.0, 6.0]] * rows
    assert areas_and_validity(shapes)[0].tolist() == [12.0] * rows
    assert validity(shapes).tolist() == [True] * rows
    assert len(readable(shapes)) == rows
    assert first_alike(shapes, bounds(shapes)).tolist() == [0] * rows


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        pytest.param([SQUARE, SQUARE], True, id="twice the same"),
        pytest.param([SQUARE], False, id="only one"),
        pytest.param([], False, id="none"),
        pytest.param([SQUARE, SQUARE, TWO], False, id="another one"),
        pytest.param([SQUARE, None], False, id="a null among them"),
        pytest.param([None, None], False, id="nulls"),
        pytest.param([SQUARE, shapely.reverse(SQUARE)], False, id="the same place in other bytes"),
    ],
)
def test_one_shape_is_the_same_bytes_in_every_row(shapes: list[shapely.Geometry], *, expected: bool) -> None:
    """So that a boundary that a million rows share is looked at once."""
    assert is_one_shape(column(*shapes)) is expected


def test_a_shape_that_all_rows_share_is_measured_for_all_rows() -> None:
    """Each row gets the measure of the one shape."""
    shapes = column(*[HOLED] * 5)
    assert areas_and_validity(shapes)[0].tolist() == [11.0] * 5
    assert bounds(shapes).shape == (5, 4)
    assert validity(column(*[BOW_TIE] * 3)).tolist() == [False] * 3


def pairs(shapes: pa.ChunkedArray) -> list[tuple[int, int, float]]:
    """Return the overlapping pairs among all shapes."""
    found = overlaps(shapes, bounds(shapes), among=np.ones(len(shapes), dtype=np.bool_))
    return [tuple(row.values()) for row in found.to_pylist()]


def test_overlaps_are_told_by_pair() -> None:
    """Once for each pair, the lower row first, with the area that both have."""
    shapes = column(shapely.box(0, 0, 2, 2), shapely.box(1, 1, 3, 3), shapely.box(2, 0, 4, 2), shapely.box(0, 0, 2, 2))
    assert pairs(shapes) == [(0, 1, 1.0), (0, 3, 4.0), (1, 2, 1.0), (1, 3, 1.0)]


def test_only_those_among_which_overlaps_are_asked_for_are_looked_at() -> None:
    """An invalid one has no intersection, and is left out by who asks."""
    shapes = column(SQUARE, SQUARE, BOW_TIE, SQUARE)
    found = overlaps(shapes, bounds(shapes), among=np.array([True, False, False, True]))
    assert found.to_pylist() == [{"a": 0, "b": 3, "shared": 12.0}]


def test_what_is_not_there_overlaps_with_nothing() -> None:
    """Nulls, empty shapes and bytes that are none are passed over."""
    assert pairs(readable(column(SQUARE, None, shapely.Polygon(), b"\x01", SQUARE))) == [(0, 4, 12.0)]


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param([SQUARE, HOLED, TWO], [0, 1, 2], id="all different"),
        pytest.param([SQUARE, SQUARE, SQUARE], [0, 0, 0], id="all the same"),
        pytest.param([SQUARE, HOLED, SQUARE, TWO, HOLED], [0, 1, 0, 3, 1], id="some"),
        pytest.param([SQUARE, shapely.reverse(SQUARE)], [0, 1], id="one box and other bytes"),
        pytest.param(
            [None, SQUARE, None, SQUARE, shapely.Polygon(), shapely.Polygon()], [0, 1, 2, 1, 4, 5], id="absent"
        ),
    ],
)
def test_a_shape_knows_the_first_one_like_it(shapes: list[shapely.Geometry | None], expected: list[int]) -> None:
    """By its bytes alone, wherever the column is cut."""
    for sizes in ([len(shapes)], [1] * len(shapes)):
        cut = iter(shapes)
        whole = pa.chunked_array(
            [chunk for size in sizes for chunk in column(*(next(cut) for _ in range(size))).chunks], pa.binary()
        )
        whole = readable(whole)
        assert first_alike(whole, bounds(whole)).tolist() == expected


@pytest.mark.parametrize(("size", "rows"), [(100, 0), (100, 7), (5_000_000, 1000), (40_000_000, 3)])
def test_a_shape_that_all_rows_have_is_held_a_few_times(size: int, rows: int) -> None:
    """Chunks share their memory, and none is larger than an Arrow array of bytes may be."""
    held = pa.total_allocated_bytes()
    shapes = repeated(bytes(size), rows)
    assert len(shapes) == rows
    assert pa.total_allocated_bytes() - held < 100_000_000
    assert sum(len(chunk) * size < 1 << 31 for chunk in shapes.chunks) == shapes.num_chunks


def test_a_missing_shape_may_be_repeated() -> None:
    """Nulls are values like others."""
    assert repeated(None, 3).null_count == 3
