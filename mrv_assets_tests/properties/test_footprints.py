from __future__ import annotations

import math

import numpy as np
import shapely
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.contract import NORMALIZED
from mrv_assets.domain.limits import AREA_LIMIT
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.footprints import densified
from mrv_assets.stages.normalize import normalize
from mrv_assets_tests.builders import WHERE, table_of


def normalized(shape: shapely.Geometry) -> Staged:
    """Normalise one row with this footprint in longitudes and latitudes."""
    row = {
        "row_id": "r",
        "activity_id": "a",
        "region": "r",
        "epoch": "2021",
        "activity_qty": 1.0,
        "unit": "MWh",
        "geometry": shapely.to_wkb(shape, byte_order=1),
    }
    return normalize(table_of(Asset.ACTIVITY, [row]), crs="EPSG:4326", where=WHERE)


@st.composite
def stars(draw: st.DrawFn) -> shapely.Polygon:
    """Return a star-shaped polygon of a hundredth of a degree to four degrees, anywhere that the CRS allows."""
    west, south = draw(st.floats(-175, 175)), draw(st.floats(-80, 80))
    size = draw(st.floats(0.01, 4.0))
    reaches = draw(st.lists(st.floats(0.3, 1.0), min_size=3, max_size=9))
    angles = [2 * math.pi * n / len(reaches) for n in range(len(reaches))]
    return shapely.Polygon(
        [(west + size * r * math.cos(a), south + size * r * math.sin(a)) for r, a in zip(reaches, angles, strict=True)]
    )


@given(star=stars(), turn=st.integers(0, 8), is_reversed=st.booleans())
def test_one_footprint_has_one_content(star: shapely.Polygon, turn: int, is_reversed: bool) -> None:  # noqa: FBT001
    """Where a ring starts and which way it runs says nothing about the place."""
    ring = list(star.exterior.coords)[:-1]
    turned = [*ring[turn % len(ring) :], *ring[: turn % len(ring)]]
    same = shapely.Polygon(turned[::-1] if is_reversed else turned)
    assert NORMALIZED.digest(normalized(same).table) == NORMALIZED.digest(normalized(star).table)


@given(star=stars())
def test_planar_area_is_close_to_the_area_on_the_ellipsoid(star: shapely.Polygon) -> None:
    """The equal-area CRS keeps its promise for any footprint, because long edges are densified."""
    staged = normalized(star)
    assert float(staged.evidence["area_max_relative_difference"]) < float(AREA_LIMIT) / 10
    assert staged.table.column("area_ha")[0].as_py() > 0


@given(star=stars(), max_edge=st.floats(0.01, 1.0))
def test_densifying_keeps_the_place_and_bounds_every_edge(star: shapely.Polygon, max_edge: float) -> None:
    """Vertices are only added, and no edge stays longer than allowed."""
    (dense,) = densified(np.array([star]), max_edge)
    steps = np.diff(shapely.get_coordinates(dense), axis=0)
    assert np.hypot(steps[:, 0], steps[:, 1]).max() <= max_edge * (1 + 1e-9)
    assert math.isclose(dense.area, star.area, rel_tol=1e-9)
    assert set(star.exterior.coords) <= set(dense.exterior.coords)
