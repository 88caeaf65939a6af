from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
import shapely

from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.source import Footprint
from mrv_assets_tests.builders import good_case
from mrv_assets_tests.plots import Shape, activity, encoded, normalized_table
from mrv_assets_tests.unit.compliance.breaks import column, evidence

X, Y = 1_000_000.0, 5_000_000.0  # a place in EPSG:6933
HECTARE = 100.0


def field(east: float, north: float = 0.0, *, width: float = HECTARE, height: float = HECTARE) -> shapely.Polygon:
    """Return a field so many metres from the place, a hectare unless it is said to be larger."""
    return shapely.box(X + east, Y + north, X + east + width, Y + north + height)


def judged(
    *shapes: Shape,
    footprint: Footprint = Footprint.AREA,
    because: str = "",
    geometry: str = "wkt",
    **columns: Sequence[object],
) -> GateOutcome:
    """Return what the gate says of rows r0, r1, … with these footprints."""
    staged = normalized_table(activity(*shapes, columns=columns), footprint=footprint)
    case = replace(good_case(Asset.NORMALIZED), staged=staged)
    case = evidence("overlaps_because", because)(evidence("geometry", geometry)(case))
    [outcome] = [o for o in judge_all(Asset.NORMALIZED, case) if o.gate == "land_counted_once"]
    return outcome


def test_overlapping_fields_of_one_activity_are_refused() -> None:
    """The gate names both rows and the hectares that they share, whichever comes first."""
    outcome = judged(field(0), field(60), field(500))
    assert not outcome.passed
    assert "1 overlapping pairs: 'r0 and r1'; 0.4000 ha counted twice" in outcome.observed
    assert outcome.metrics == {"rows": 3, "overlaps": 1, "shared_ha": Decimal("0.4")}
    assert "[source.overlaps]" in outcome.remedy


@pytest.mark.parametrize(
    ("shapes", "pairs"),
    [
        pytest.param([field(0), field(0)], ["r0 and r1"], id="the same field twice"),
        pytest.param([field(0, width=300, height=300), field(100, 100)], ["r0 and r1"], id="one within the other"),
        pytest.param([field(0), field(50), field(100)], ["r0 and r1", "r1 and r2"], id="a chain of three"),
        pytest.param([field(0), field(10), field(20)], ["r0 and r1", "r0 and r2", "r1 and r2"], id="three on a heap"),
        pytest.param(
            [field(0), shapely.MultiPolygon([field(500), field(90)])], ["r0 and r1"], id="one part of several"
        ),
        pytest.param(
            [field(0, width=300, height=300) - field(100, 100), field(90, 90)], ["r0 and r1"], id="across a hole's edge"
        ),
        pytest.param([field(0), field(99.8)], ["r0 and r1"], id="two thousandths"),
    ],
)
def test_every_pair_that_overlaps_is_found(shapes: list[shapely.Geometry], pairs: list[str]) -> None:
    """Each pair is told once."""
    outcome = judged(*shapes)
    assert not outcome.passed
    assert outcome.metrics["overlaps"] == len(pairs)
    assert ", ".join(repr(pair) for pair in pairs) in outcome.observed


@pytest.mark.parametrize(
    "shapes",
    [
        pytest.param([field(0)], id="one field"),
        pytest.param([field(0), field(100)], id="neighbours with a common border"),
        pytest.param([field(0), field(100, 50)], id="neighbours with a part of a border"),
        pytest.param([field(0), field(100, 100)], id="neighbours with a common corner"),
        pytest.param([field(0), field(500)], id="apart"),
        pytest.param([field(0, width=300, height=300) - field(100, 100), field(100, 100)], id="a field in a hole"),
        pytest.param([field(0), field(99.91)], id="sliver of 0.09 percent"),
        pytest.param([field(0, width=1e4, height=1e4), field(9999.95, width=100)], id="sliver of the smaller one"),
    ],
)
def test_land_that_is_counted_once_passes(shapes: list[shapely.Geometry]) -> None:
    """Neighbours touch, and slivers along digitised borders are less than 0.1 % of the smaller field."""
    outcome = judged(*shapes)
    assert outcome.passed
    assert outcome.metrics["overlaps"] == 0
    assert "0 overlapping pairs: none" in outcome.observed


@pytest.mark.parametrize(
    ("epochs", "passed"),
    [
        pytest.param(["2021", "2021"], False, id="the same year"),
        pytest.param(["2021", "2021-03"], False, id="a month of the year"),
        pytest.param(["2021-Q1", "2021-03"], False, id="a month of the quarter"),
        pytest.param(["2021-Q1", "2021-04"], True, id="a month of another quarter"),
        pytest.param(["2021-01", "2021-02"], True, id="another month"),
        pytest.param(["2021-01-01_2021-02-15", "2021-02-15_2021-12-31"], False, id="spans that share a day"),
        pytest.param(["2021-01-01_2021-02-14", "2021-02-15_2021-12-31"], True, id="spans that follow each other"),
    ],
)
def test_land_may_be_used_again_at_another_time(epochs: list[str], *, passed: bool) -> None:
    """The same field in two months is two records; in the same month it is one too many."""
    assert judged(field(0), field(0), epoch=epochs).passed is passed


def test_months_are_not_at_the_same_time_because_a_year_has_both() -> None:
    """A row of the whole year overlaps with each month; the months do not overlap with each other."""
    outcome = judged(field(0), field(0), field(0), epoch=["2021-01", "2021", "2021-06"])
    assert "'r0 and r1', 'r1 and r2'" in outcome.observed
    assert outcome.metrics["overlaps"] == 2


def test_land_may_have_several_activities() -> None:
    """Trees and fertiliser on one field are two things that are counted, not one that is counted twice."""
    assert judged(field(0), field(0), activity_id=["land_cover.tree", "fertiliser"]).passed


def test_many_activities_and_times_are_kept_apart() -> None:
    """Of twelve rows on one field only the two of one activity and month are at odds."""
    activities = ["a", "b", "c"] * 4
    epochs = [f"2021-{month:02d}" for month in range(1, 13)]
    epochs[6], activities[6] = epochs[3], activities[3]
    outcome = judged(*[field(0)] * 12, activity_id=activities, epoch=epochs)
    assert not outcome.passed
    assert "1 overlapping pairs: 'r03 and r06'" in outcome.observed


def test_overlaps_that_the_project_explains_pass_and_say_so() -> None:
    """The certificate carries the reason, the pairs and the hectares."""
    outcome = judged(field(0), field(60), because="two harvests of the same land")
    assert outcome.passed
    assert outcome.observed.endswith("'r0 and r1'; 0.4000 ha counted twice; explained: two harvests of the same land")
    assert outcome.metrics["overlaps"] == 1


def test_points_with_the_same_quantity_again_are_refused() -> None:
    """A plant that is listed twice is one plant; two stacks on one site differ in what they emit."""
    site, other = "POINT (1000000 5000000)", "POINT (1000001 5000000)"
    again = judged(site, site, other, footprint=Footprint.POINT, geometry="lonlat")
    assert not again.passed
    assert "1 points with the same quantity again: 'r0 and r1'" in again.observed
    stacks = judged(site, site, other, footprint=Footprint.POINT, geometry="lonlat", activity_qty=[1.0, 2.0, 1.0])
    assert stacks.passed
    months = judged(site, site, footprint=Footprint.POINT, geometry="lonlat", epoch=["2021-01", "2021-02"])
    assert months.passed


def test_a_point_repeats_in_a_part_of_its_time() -> None:
    """Days are compared, not texts, as for fields."""
    site = "POINT (1000000 5000000)"
    outcome = judged(site, site, footprint=Footprint.POINT, geometry="lonlat", epoch=["2021-Q1", "2021-03"])
    assert "1 points with the same quantity again: 'r0 and r1'" in outcome.observed


def test_one_field_of_many_rows_is_told_once_for_each() -> None:
    """Rows on one field are compared with one of them, not each with each, and with each other field once."""
    outcome = judged(*[field(0)] * 300, *[field(60)] * 2)
    assert outcome.metrics["overlaps"] == 299 + 1 + 1
    assert "'r000 and r001', 'r000 and r002'" in outcome.observed
    assert outcome.metrics["shared_ha"] == Decimal("300.4")


def test_overlapping_fields_of_many_rows_are_compared_by_activity_and_time() -> None:
    """Of two fields that share land, only rows of one activity and a common day are at odds."""
    shapes = [field(0), field(60)] * 3
    epochs = ["2021-01", "2021-02", "2021-03", "2021-03", "2021-05", "2021-06"]
    outcome = judged(*shapes, epoch=epochs)
    assert "1 overlapping pairs: 'r2 and r3'; 0.4000 ha" in outcome.observed
    other = judged(*shapes, epoch=epochs, activity_id=["a", "a", "a", "b", "a", "a"])
    assert other.passed


@pytest.mark.parametrize("geometry", ["boundary", "none"])
def test_rows_without_a_footprint_of_their_own_are_not_compared(geometry: str) -> None:
    """All rows of a project have its boundary; the gate says why it does not ask."""
    outcome = judged(field(0), field(0), geometry=geometry)
    assert outcome.passed
    assert f"2 rows without a footprint of their own ({geometry})" in outcome.observed


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(None, id="null"),
        pytest.param(b"\x01\x02", id="unreadable"),
        pytest.param("POLYGON EMPTY", id="empty"),
        pytest.param("POINT (1000050 5000050)", id="point"),
        pytest.param("LINESTRING (1000050 5000050, 1000060 5000060)", id="line"),
        pytest.param(
            "POLYGON ((1000000 5000000, 1000200 5000100, 1000200 5000000, 1000000 5000100, 1000000 5000000))",
            id="bow-tie",
        ),
        pytest.param("POLYGON ((1000000 5000000, 1000200 5000000, inf 5000100, 1000000 5000000))", id="infinite"),
    ],
)
def test_what_is_no_field_is_for_another_gate(shape: Shape) -> None:
    """The gate answers also beside a footprint that should not be there, and still finds the pair that overlaps."""
    staged = normalized_table(activity(field(0), field(60), field(500)))
    wkb = [field(0).wkb, field(60).wkb, encoded(shape)]
    case = evidence("geometry", "wkt")(column("geometry", *wkb)(replace(good_case(Asset.NORMALIZED), staged=staged)))
    outcomes = {outcome.gate: outcome for outcome in judge_all(Asset.NORMALIZED, case)}
    assert not outcomes["geometry_present"].passed or not outcomes["geometry_repair_bounded"].passed
    assert "'r0 and r1'" in outcomes["land_counted_once"].observed


@pytest.mark.parametrize("name", ["activity_id", "epoch"])
def test_a_row_of_no_activity_or_time_is_red(name: str) -> None:
    """A missing value is answered for by the gates, all of them, and no gate breaks over it."""
    staged = normalized_table(activity(field(0), field(60)))
    case = column(name, None)(replace(good_case(Asset.NORMALIZED), staged=staged))
    red = [outcome.gate for outcome in judge_all(Asset.NORMALIZED, case) if not outcome.passed]
    assert "expectations_met" in red
