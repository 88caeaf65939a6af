"""Each of 33 public polygons across the antimeridian through the whole path: its hectares, or its refusal by name.

The expected area is that of the flat output which comes with the input, on the plane of EPSG:6933. How a polygon is
cut, vertex by vertex, is in `test_antimeridian_oracle`.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import shapely
import shapely.geometry
from pyproj import Transformer

from mrv_assets.domain.errors import GateError
from mrv_assets_tests.golden.test_antimeridian_oracle import CASES, NAMES, expected, given
from mrv_assets_tests.golden.whole_path import Accepted, assert_one_screen, declared, project_of, walk

pytestmark = pytest.mark.skipif(
    not CASES.is_dir(), reason="the public data set is not here: no ../shared/data/geometry-awkward"
)

OUTPUTS = {"one-ccw-hole": "one-hole"}
"""Inputs whose expected output has another name."""

WITHOUT_OUTPUT = ("issues-182", "simple-with-ccw-hole")
"""Inputs that stay as they are, since they do not cross; the first is invalid and repaired without losing area."""

SPLIT = {
    "almost-180": 21_543_319.283,
    "complex-split": 8_716_405_805.492,
    "crossing-latitude": 159_074_152.899,
    "cw-split": 175_019_538.213,
    "great-circle": 658_181.073306,
    "issues-174": 27_438.7736916,
    "multi-split": 350_039_076.425,
    "one-ccw-hole": 237_669_983.635,
    "one-hole": 237_669_983.635,
    "over-180": 175_019_538.213,
    "split": 175_019_538.213,
    "two-holes": 356_504_975.452,
}
LEFT_WHOLE = {
    "cw-only": 87_509_769.0662,
    "issues-182": 600.276777887,
    "issues-201": 372_277.506257,
    "issues-81": 13_196_600.7231,
    "latitude-band": 3_150_351_686.382,
    "multi-no-antimeridian": 206_364_957.581,
    "point-on-antimeridian": 21_543_319.290,
    "simple": 87_509_769.0662,
    "simple-with-ccw-hole": 55_979_963.3386,
}
"""Planar hectares in EPSG:6933."""

_POLE = ("geometry_finite", "expected rings that do not run around a pole; found coordinates such as .*'one'")
_BEYOND = ("geometry_finite", r"expected latitudes from -86\.0 to 86\.0; found coordinates such as .*'one'")
_LINE = "expected polygons that are not empty; found .*a"
REFUSED = {
    # Two holes over the poles, written as a part of the exterior ring: the band in between or the two caps.
    "both-poles": ("area_plausible", r"within 1% of .* on the ellipsoid; found a difference of 69\.010% .*'one'"),
    "extra-crossing": _POLE,
    "force-north-pole": _BEYOND,
    "issues-124": _POLE,
    "issues-164": _POLE,
    "issues-171": _POLE,
    "issues-187": (
        "source_readable",
        r"expected a closed ring: .*\[177\.\d+, 67\.\d+\] first and \[198\.\d+, 68\.\d+\]",
    ),
    "line": ("geometry_present", f"{_LINE} LineString .*'one'"),
    "multi-line": ("geometry_present", f"{_LINE} MultiLineString .*'one'"),
    "north-pole": _POLE,
    "overlap": _BEYOND,
    "south-pole": _POLE,
}

LONLAT = 'geometry = "record"\n' + declared("EPSG:4326")
ONE_BY_ONE = [
    name for name in NAMES if name != "issues-187"
]  # its ring is not closed, so no file that holds it is read


def walked(name: str) -> Accepted:
    """Take one input through the whole path, as the file that it is."""
    return walk((CASES / "input" / f"{name}.json").read_bytes(), project_of(f"{name}.json", "geojson", source=LONLAT))


def hectares_of_the_output(name: str) -> float:
    """Return the planar area of the expected output, its edges densified before they are moved."""
    flat = given(name) if name in WITHOUT_OUTPUT else expected(OUTPUTS.get(name, name))
    move = Transformer.from_crs("EPSG:4326", "EPSG:6933", always_xy=True)
    dense = shapely.segmentize(shapely.make_valid(flat, method="structure"), 0.1)
    planar = shapely.transform(dense, lambda xy: np.column_stack(move.transform(xy[:, 0], xy[:, 1])))
    return float(planar.area) / 1e4


def test_every_input_is_in_one_of_the_tables() -> None:
    """33 inputs: 12 are split, 9 are left whole, 12 are refused."""
    assert sorted([*SPLIT, *LEFT_WHOLE, *REFUSED]) == NAMES
    assert (len(SPLIT), len(LEFT_WHOLE), len(REFUSED)) == (12, 9, 12)


@pytest.mark.parametrize(("name", "hectares"), list({**SPLIT, **LEFT_WHOLE}.items()))
def test_land_across_the_antimeridian_has_its_area(name: str, hectares: float) -> None:
    """Cut or not, it is as large as the expected output, and as on the ellipsoid; where it is cut, the record says."""
    accepted = walked(name)
    assert accepted.area_ha == {"one": pytest.approx(hectares, rel=1e-9)}
    assert accepted.area_ha == {"one": pytest.approx(hectares_of_the_output(name), rel=1e-6)}
    assert accepted.measured("footprints_split") == (name in SPLIT)
    assert accepted.measured("footprints_repaired") == (name == "issues-182")
    assert accepted.measured("area_max_relative_difference") < 1e-5


@pytest.mark.parametrize(("name", "fault"), list(REFUSED.items()))
def test_ring_around_a_pole_or_beyond_and_line_are_refused(name: str, fault: tuple[str, str]) -> None:
    """The direction of a ring would say which land is meant, and formats disagree about that."""
    gate, match = fault
    with pytest.raises(GateError, match=match) as caught:
        walked(name)
    assert caught.value.gate == gate
    assert_one_screen(caught.value, file=name)


def test_neighbours_in_one_file_change_nothing_for_each_other() -> None:
    """32 rows in one partition: the same areas to the last bit, and the 11 others set aside, each by its own gate."""
    features: list[dict[str, Any]] = [
        {"type": "Feature", "properties": {"plot": name}, "geometry": shapely.geometry.mapping(given(name))}
        for name in ONE_BY_ONE
    ]
    allowed = (
        '[source.quarantine]\nmax_share = "0.35"\nbecause = "the files are a test of the reader"\n'
        '[source.overlaps]\nbecause = "several inputs are one square"\n'
    )
    project = project_of("all.geojson", "geojson", columns={"row_id": "plot"}, source=LONLAT, tables=allowed)
    together = walk(json.dumps({"type": "FeatureCollection", "features": features}).encode(), project)
    assert together.area_ha == {name: walked(name).area_ha["one"] for name in [*SPLIT, *LEFT_WHOLE]}
    aside = together.normalized.quarantined
    assert aside is not None
    by_gate = dict(zip(aside.column("row_id").to_pylist(), aside.column("gate").to_pylist(), strict=True))
    assert by_gate == {name: gate for name, (gate, _) in REFUSED.items() if name in ONE_BY_ONE}
