"""Polygons across the antimeridian, against the expected outputs that come with the library we split them with.

Its 33 inputs are hand-made but for one real footprint of Sentinel-3. The flat outputs have straight edges in longitude
and latitude, as ours have. Where we differ on purpose, the table says so.
"""

from __future__ import annotations

import json
from enum import StrEnum

import antimeridian
import numpy as np
import pytest
import shapely
import shapely.geometry

from mrv_assets.stages.antimeridian import crossing, encloses_pole, split
from mrv_assets.stages.footprints import POLYGONAL
from mrv_assets_tests.world import PUBLIC_DATA

CASES = PUBLIC_DATA / "geometry-awkward" / "antimeridian" / "tests" / "data"
NAMES = sorted(path.stem for path in (CASES / "input").glob("*.json"))
WORLD_DEG2 = 360.0 * 180.0

pytestmark = pytest.mark.skipif(
    not CASES.is_dir(), reason="the public data set is not here: no ../shared/data/geometry-awkward"
)


class Answer(StrEnum):
    """How our answer relates to the expected one."""

    SAME = "the same vertices"
    SAME_LAND = "the same land, its vertices within a billionth of a degree"
    OTHER_WINDING = "the expected output takes the direction of a ring for its meaning, and we do not"
    POLE = "a ring around a pole, which placement refuses"
    NO_AREA = "a line, which is refused before anything is split"
    NO_OUTPUT = "an input without an expected output of its own"


ANSWERS = {
    "almost-180": Answer.SAME,
    "both-poles": Answer.OTHER_WINDING,
    "complex-split": Answer.SAME,
    "crossing-latitude": Answer.SAME,
    "cw-only": Answer.SAME,
    "cw-split": Answer.SAME,
    "extra-crossing": Answer.POLE,
    "force-north-pole": Answer.POLE,
    "great-circle": Answer.SAME,
    "issues-124": Answer.POLE,
    "issues-164": Answer.POLE,
    "issues-171": Answer.POLE,
    "issues-174": Answer.SAME,
    "issues-182": Answer.NO_OUTPUT,
    "issues-187": Answer.SAME_LAND,
    "issues-201": Answer.SAME_LAND,
    "issues-81": Answer.SAME,
    "latitude-band": Answer.SAME,
    "line": Answer.NO_AREA,
    "multi-line": Answer.NO_AREA,
    "multi-no-antimeridian": Answer.SAME,
    "multi-split": Answer.SAME,
    "north-pole": Answer.POLE,
    "one-ccw-hole": Answer.NO_OUTPUT,
    "one-hole": Answer.SAME,
    "over-180": Answer.SAME,
    "overlap": Answer.POLE,
    "point-on-antimeridian": Answer.SAME,
    "simple": Answer.SAME,
    "simple-with-ccw-hole": Answer.NO_OUTPUT,
    "south-pole": Answer.POLE,
    "split": Answer.SAME,
    "two-holes": Answer.SAME,
}


def given(name: str) -> shapely.Geometry:
    """Return the input of a case."""
    return shapely.geometry.shape(json.loads((CASES / "input" / f"{name}.json").read_text()))


def expected(name: str) -> shapely.Geometry:
    """Return the expected output of a case, with straight edges in longitude and latitude."""
    return shapely.geometry.shape(json.loads((CASES / "output" / "flat" / f"{name}.json").read_text())).normalize()


def answer(name: str) -> shapely.Geometry:
    """Return what we make of the input of a case."""
    (done,) = split(np.array([given(name)]))
    return done.normalize()


def named(answer: Answer) -> list[str]:
    """Return the cases that are answered so."""
    return [name for name in NAMES if ANSWERS[name] is answer]


def test_every_input_has_an_answer_in_the_table() -> None:
    """33 inputs, none left out."""
    assert len(NAMES) == 33
    assert set(NAMES) == set(ANSWERS)


@pytest.mark.parametrize("name", named(Answer.SAME))
def test_polygon_is_split_as_expected(name: str) -> None:
    """Vertex by vertex, whatever the direction of its rings."""
    assert answer(name) == expected(name)


@pytest.mark.parametrize("name", named(Answer.SAME_LAND))
def test_polygon_is_the_expected_land(name: str) -> None:
    """The library writes a longitude anew that we keep, and drops a vertex that is a billionth of a degree away."""
    assert answer(name).symmetric_difference(expected(name)).area < 1e-9


@pytest.mark.parametrize("name", ["cw-only", "cw-split", "both-poles"])
def test_direction_of_a_ring_says_nothing(name: str) -> None:
    """Either direction gives the same land, and the expected output for rings taken at their word is the rest of it."""
    at_their_word = expected(name if name == "both-poles" else f"{name}-no-fix")
    (turned,) = split(np.array([given(name).reverse()]))
    assert turned.normalize() == answer(name)
    assert answer(name).area + at_their_word.area == pytest.approx(WORLD_DEG2)


@pytest.mark.parametrize("name", named(Answer.POLE))
def test_ring_around_a_pole_is_known(name: str) -> None:
    """Footprints around a pole are refused; five of the eight are split as expected all the same."""
    assert list(encloses_pole(np.array([given(name)]))) == [True]
    is_told_how = name in ("force-north-pole", "issues-124", "issues-164")
    assert (answer(name) == expected(name)) is not is_told_how


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(named(Answer.POLE))))
def test_no_other_ring_is_taken_for_one_around_a_pole(name: str) -> None:
    """The refusal of polar rings costs nobody else their land."""
    assert list(encloses_pole(np.array([given(name)]))) == [False]


@pytest.mark.parametrize("name", named(Answer.NO_AREA))
def test_line_is_no_footprint(name: str) -> None:
    """It is neither split nor taken for something that crosses."""
    assert shapely.get_type_id(given(name)) not in POLYGONAL
    assert list(crossing(np.array([given(name)]))) == [False]
    assert answer(name) == given(name).normalize()


def test_hole_that_runs_the_wrong_way_is_still_a_hole() -> None:
    """Its expected output is that of the hole that runs the right way."""
    assert answer("one-ccw-hole") == expected("one-hole")
    assert answer("simple-with-ccw-hole") == given("simple-with-ccw-hole").normalize()


def test_invalid_polygon_that_does_not_cross_is_left_to_the_repair() -> None:
    """The library gives up on it; we do not touch it, and the repair says by how much it changes the area."""
    with pytest.raises(ValueError, match="polygon is invalid"):
        antimeridian.fix_polygon(given("issues-182"), fix_winding=True)
    assert answer("issues-182") == given("issues-182").normalize()


def test_library_drops_a_hole_that_we_keep() -> None:
    """Of two holes in one half it keeps the last, so holes are never handed to it."""
    holed = shapely.Polygon(
        [(170, 0), (-170, 0), (-170, 9), (170, 9)],
        [[(171, 1), (171, 2), (172, 2), (172, 1)], [(175, 1), (175, 2), (176, 2), (176, 1)]],
    )
    (ours,) = split(np.array([holed]))
    theirs = antimeridian.fix_polygon(holed, fix_winding=True, great_circle=False)
    assert (ours.area, theirs.area) == (20 * 9 - 2, 20 * 9 - 1)
