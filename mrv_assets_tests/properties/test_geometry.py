from __future__ import annotations

import itertools
from random import Random
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.geometry import (
    areas_and_validity,
    bounds,
    is_one_shape,
    overlaps,
    readable,
    type_codes,
    validity,
)

Shape: TypeAlias = shapely.Geometry | None

_numbers = st.integers(-8, 8).map(lambda n: n / 2.0) | st.floats(-1e6, 1e6)
_rings = st.lists(st.tuples(_numbers, _numbers), min_size=3, max_size=8)
polygons = _rings.map(shapely.Polygon)
boxes = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 6), st.integers(1, 6)).map(
    lambda b: shapely.box(b[0], b[1], b[0] + b[2], b[1] + b[3])
)
shapes = (
    polygons
    | boxes
    | st.lists(boxes, min_size=1, max_size=3).map(shapely.MultiPolygon)
    | st.tuples(_numbers, _numbers).map(shapely.Point)
    | st.sampled_from([shapely.Polygon(), shapely.Point(), shapely.MultiPolygon()])
    | boxes.map(lambda box: shapely.force_3d(box, 4.5))
    | st.none()
)


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[Shape], pa.ChunkedArray]:
    """Return shapes, and the same as a column of WKB in either byte order, cut anywhere."""
    drawn: list[Shape] = draw(st.lists(shapes, max_size=8))
    encoded = [
        None if shape is None else bytes(shapely.to_wkb(shape, byte_order=draw(st.integers(0, 1)), flavor="iso"))
        for shape in drawn
    ]
    edges = [0, *sorted(draw(st.lists(st.integers(0, len(drawn)), max_size=3))), len(drawn)]
    whole = pa.array(encoded, pa.binary())
    return drawn, pa.chunked_array([whole.slice(a, b - a) for a, b in itertools.pairwise(edges)], pa.binary())


def expected_code(shape: Shape, wkb: bytes | None) -> int:
    """Return the ISO type of a shape by what shapely says of it."""
    if shape is None or wkb is None:
        return 0
    return int(shape.has_z) * 1000 + {"Point": 1, "Polygon": 3, "MultiPolygon": 6}[shape.geom_type] if wkb[0] else -1


@given(drawn=columns())
def test_measures_in_bulk_are_those_of_shapely(drawn: tuple[list[Shape], pa.ChunkedArray]) -> None:
    """Types, bounds, validity and areas, of any shape in any column; areas to rounding, the rest exactly."""
    each, column = drawn
    known, column = np.array(each, dtype=object), readable(column)
    assert type_codes(column).tolist() == [
        expected_code(shape, wkb) for shape, wkb in zip(each, column.to_pylist(), strict=True)
    ]
    assert np.array_equal(bounds(column), shapely.bounds(known).reshape(-1, 4), equal_nan=True)
    assert validity(column).tolist() == shapely.is_valid(known).tolist()
    assert areas_and_validity(column)[0] == pytest.approx(shapely.area(known), rel=1e-9, abs=1e-9, nan_ok=True)
    assert is_one_shape(column) is (len(each) > 1 and each[0] is not None and len(set(column.to_pylist())) == 1)


@given(drawn=columns(), junk=st.lists(st.binary(max_size=30), max_size=4), draw=st.randoms(use_true_random=False))
def test_bytes_that_are_none_are_null_and_the_others_stay(
    drawn: tuple[list[Shape], pa.ChunkedArray], junk: list[bytes], draw: Random
) -> None:
    """Whatever stands in a column, it can be looked through, and shapely agrees about what can be read."""
    values = [*drawn[1].to_pylist(), *junk]
    draw.shuffle(values)
    column = pa.chunked_array([pa.array(values, pa.binary())])
    with np.errstate(invalid="ignore"):
        is_shape = ~shapely.is_missing(shapely.from_wkb(np.array(values, dtype=object), on_invalid="ignore"))
    kept = readable(column).to_pylist()
    assert [value if is_there else None for value, is_there in zip(values, is_shape, strict=True)] == kept
    assert np.isnan(areas_and_validity(readable(column))[0]).tolist() == (~is_shape).tolist()
    assert np.isnan(bounds(readable(column))[~is_shape]).all()


@given(drawn=st.lists(boxes, max_size=8), strip=st.integers(1, 9))
def test_pairs_that_overlap_are_those_that_shapely_finds(drawn: list[shapely.Geometry], strip: int) -> None:
    """Every pair with common land, once, and the land; neighbours have none; whatever the strips."""
    column = readable(pa.chunked_array([pa.array([shape.wkb for shape in drawn], pa.binary())]))
    found = overlaps(column, bounds(column), among=np.ones(len(column), dtype=np.bool_), strip=strip)
    expected = {
        (a, b): drawn[a].intersection(drawn[b]).area
        for a, b in itertools.combinations(range(len(drawn)), 2)
        if drawn[a].intersection(drawn[b]).area > 0.0
    }
    assert {(row["a"], row["b"]): row["shared"] for row in found.to_pylist()} == pytest.approx(expected)
