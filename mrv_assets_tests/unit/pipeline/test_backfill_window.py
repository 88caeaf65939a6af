"""To which partitions a window comes."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.pipeline.backfill_window import Resolved, resolve
from mrv_assets_tests.unit.pipeline.backfills import asked
from mrv_assets_tests.unit.pipeline.bumps import OLD, WITHDRAWN
from mrv_assets_tests.unit.pipeline.landings import NEWEST, Place, key, projects, rows
from mrv_assets_tests.world import run_partition


def resolved(place: Place, window: str, *project_ids: str, **what: object) -> Resolved:
    """What a window comes to."""
    return resolve(place.world.at_a_glance(), asked(window, *project_ids, **what))


@pytest.mark.parametrize(
    ("reporting", "window", "expected"),
    [
        pytest.param("year", "2021", ["2021"], id="a year"),
        pytest.param("year", "2020..2022", ["2020", "2021", "2022"], id="a range of years"),
        pytest.param("year", "2022,2020", ["2020", "2022"], id="years in another order"),
        pytest.param("quarter", "2021", ["2021-Q1", "2021-Q2", "2021-Q3", "2021-Q4"], id="a year of quarters"),
        pytest.param("quarter", "2021-Q4..2022-Q1", ["2021-Q4", "2022-Q1"], id="quarters over a year's end"),
        pytest.param("month", "2024-Q1", ["2024-01", "2024-02", "2024-03"], id="a quarter of months"),
        pytest.param("month", "2024-02", ["2024-02"], id="a month"),
        pytest.param("year", "2021-04-01_2022-12-31", ["2021-04-01_2022-12-31"], id="a monitoring period"),
        pytest.param("month", "2024-01-01_2024-02-29", ["2024-01", "2024-02"], id="a span that is exactly two months"),
    ],
)
def test_a_project_is_taken_in_the_periods_that_it_reports(reporting: str, window: str, expected: list[str]) -> None:
    """A longer item of the window stands for the reporting periods that lie in it."""
    place = Place(references=projects("anoka", reporting=reporting))
    assert [one.period for one in resolved(place, window).keys] == expected


def test_each_project_has_its_own_periods() -> None:
    """One window over a project of years and one of quarters comes to the periods of each, project by project."""
    place = Place(references=projects("anoka") | projects("carver", reporting="quarter"))
    found = [(one.project_id, one.period) for one in resolved(place, "2021").keys]
    assert found == [("anoka", "2021"), *(("carver", f"2021-Q{n}") for n in (1, 2, 3, 4))]


def test_an_item_shorter_than_the_projects_periods_is_told_and_stops_no_other_project() -> None:
    """A quarter of a project that reports years comes to nothing but a refusal that says so."""
    place = Place(references=projects("anoka") | projects("carver", reporting="quarter"))
    found = resolved(place, "2021-Q1")
    assert [str(one) for one in found.keys] == [f"carver 2021-Q1 {NEWEST}"]
    assert [(one.project_id, one.trouble.what) for one in found.unresolved] == [
        ("anoka", "project does not report in periods that short")
    ]


def test_a_monitoring_period_that_has_activity_stands_for_its_days() -> None:
    """The years that share a day with it are not asked for beside it."""
    place = Place({"source.csv": rows("anoka 2021 7", "anoka 2022 8")}, references=projects("anoka"))
    run_partition(place.world, key("anoka", "2021-01-01_2022-12-31"))
    assert [one.period for one in resolved(place, "2020..2023").keys] == ["2020", "2021-01-01_2022-12-31", "2023"]


@pytest.mark.parametrize(
    ("window", "what", "expected"),
    [
        pytest.param("2021", {}, NEWEST, id="the newest of the line"),
        pytest.param("2021", {"factor_version": OLD}, OLD, id="the one that is named"),
        pytest.param("2020", {}, OLD, id="the pin of the period"),
    ],
)
def test_the_factor_version_is_the_named_one_or_what_the_project_follows(
    window: str, what: dict[str, str], expected: str
) -> None:
    """To follow is to take the pin of a period, else the newest release of the line."""
    place = Place(references=projects("anoka", pins={"2020": OLD}))
    assert [one.factor_version for one in resolved(place, window, **what).keys] == [expected]


def test_what_comes_to_no_version_is_told_by_period() -> None:
    """A pin on a withdrawn release leaves its period out, and the others in."""
    place = Place(references=projects("anoka", pins={"2020": OLD}))
    place.references.replace(f"factors/{OLD}/withdrawn.toml", WITHDRAWN)
    found = resolved(place, "2020..2021")
    assert [one.period for one in found.keys] == ["2021"]
    assert [(one.period, one.trouble.what) for one in found.unresolved] == [
        ("2020", "pinned factor release was withdrawn")
    ]


def test_a_release_that_does_not_exist_is_told_before_dagster_knows_of_its_partitions() -> None:
    """A slip of the pen in a version comes to no partition, so no series of that name is ever registered."""
    found = resolved(Place(references=projects("anoka")), "2020..2021", factor_version="mrow-1999")
    assert found.keys == ()
    assert [(one.period, "mrow-1999" in one.trouble.where) for one in found.unresolved] == [
        ("2020", True),
        ("2021", True),
    ]


def test_a_window_that_cuts_a_monitoring_period_is_told() -> None:
    """Half of a monitoring period is not asked for beside the whole, and its project alone is left out."""
    place = Place({"source.csv": rows("anoka 2021 7", "anoka 2022 8")}, references=projects("anoka", "carver"))
    run_partition(place.world, key("anoka", "2021-01-01_2022-12-31"))
    found = resolved(place, "2021")
    assert [one.project_id for one in found.keys] == ["carver"]
    assert [one.trouble.what for one in found.unresolved] == ["window holds a part of a monitoring period"]


def test_a_broken_project_file_and_an_unknown_project_stop_no_other_one() -> None:
    """Both are told by name, and the sound project has its partition."""
    place = Place(references=projects("anoka") | {"projects/broken.toml": b"id ="})
    found = resolved(place, "2021", "anoka", "broken", "nobody")
    assert [one.project_id for one in found.keys] == ["anoka"]
    assert [one.project_id for one in found.unresolved] == ["broken", "nobody"]


def test_the_digests_of_what_is_read_are_taken_when_it_begins() -> None:
    """Project file, source file and factor release of each project are recorded by kind."""
    place = Place(references=projects("anoka"))
    assert set(resolved(place, "2021").inputs["anoka"]) == {
        "project",
        "source",
        "source_version",
        f"factor_release {NEWEST}",
    }


def test_a_request_survives_the_way_from_step_to_step() -> None:
    """What is resolved reads back as it was written."""
    place = Place(references=projects("anoka") | {"projects/broken.toml": b"id ="})
    found = resolved(place, "2020..2021", force=True)
    assert Resolved.from_json(found.to_json()) == found


def test_a_request_that_comes_to_nothing_is_refused() -> None:
    """Without a project there is nothing to plan, which is an error of the set-up and no empty success."""
    with pytest.raises(ContractError, match=r"comes to no partition .*Remedy: put a project file"):
        resolved(Place(references={}), "2021")


@pytest.mark.parametrize(
    ("window", "projects_", "error"),
    [
        pytest.param("2021", ("anoka", "anoka"), ContractError, id="a project twice"),
        pytest.param("2021..2020", (), IdentityError, id="backwards"),
        pytest.param("2021,2021-Q1", (), IdentityError, id="items that share days"),
        pytest.param("202103", (), IdentityError, id="no canonical period"),
        pytest.param("2021", ("a|b",), IdentityError, id="no canonical project id"),
    ],
)
def test_a_request_is_refused_before_anything_is_read(
    window: str, projects_: tuple[str, ...], error: type[Exception]
) -> None:
    """Nothing is guessed from a spelling."""
    with pytest.raises(error, match=r"Remedy: "):
        asked(window, *projects_)
