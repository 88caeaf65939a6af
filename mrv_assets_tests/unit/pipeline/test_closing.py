"""What the calendar asks for, and that it and the landing look do not ask twice."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mrv_assets.pipeline.asking import Decision
from mrv_assets.pipeline.closing import look_at_closed_periods
from mrv_assets_tests.unit.pipeline.landings import DELIVERY, NEWEST, Place, key, projects, rows
from mrv_assets_tests.world import run_partition

ALL = [f"anoka 2021 {NEWEST}", f"carver 2021 {NEWEST}", f"anoka 2022 {NEWEST}"]


def look(place: Place) -> Decision:
    """Look at the calendar once, and remember."""
    decision = look_at_closed_periods(place.world, place.runs, place.memory)
    place.memory = decision.memory
    return decision


def asked(place: Place) -> list[str]:
    """Return the partitions that the calendar asks for."""
    return [str(request.key) for request in look(place).requests]


def test_what_has_ended_and_is_delivered_is_asked_for_until_it_is_reported() -> None:
    """By the store: whoever ran it."""
    place = Place()
    assert asked(place) == ALL
    assert asked(place) == ALL
    for project, period in (("anoka", "2021"), ("carver", "2021"), ("anoka", "2022")):
        run_partition(place.world, key(project, period))
    assert asked(place) == []


def test_a_year_that_still_runs_is_not_asked_for() -> None:
    """Its rows may not be all there."""
    place = Place()
    place.clock.now = datetime(2022, 12, 31, 23, tzinfo=UTC)
    assert asked(place) == ALL[:2]


def test_another_delivery_of_a_reported_period_is_left_to_the_landing_look() -> None:
    """The calendar asks for what is missing, not for what is corrected."""
    place = Place()
    place.run()
    place.deliver(DELIVERY.replace(b"2022,8", b"2022,9"))
    assert asked(place) == []
    assert len(place.asked()) == 3


def test_a_run_of_the_landing_look_is_not_asked_for_again() -> None:
    """Neither while it works, nor at once after it failed: both ask under the same mark."""
    place = Place()
    place.runs.under_way = {key("anoka", "2021")}
    assert asked(place) == ALL[1:]
    place.runs.under_way.clear()
    place.fail()
    waiting = look(place)
    assert waiting.requests == ()
    assert "runs that came to nothing: 1" in waiting.notes[-1]


def test_what_never_came_is_named_with_its_day() -> None:
    """Project by project; what is there is asked for all the same."""
    due = b'\n[reporting_due]\ndays = 90\nsince = "2020"\n'
    [(path, toml), carver] = projects("anoka", "carver").items()
    place = Place({"source.csv": rows("anoka 2022 8")}, references={path: toml + due, carver[0]: carver[1]})
    decision = look(place)
    assert [str(request.key) for request in decision.requests] == [ALL[2]]
    assert decision.notes[:2] == (
        "anoka: no delivery yet of '2020', '2021', due 2021-03-31",
        "carver: no delivery yet of '2022'",
    )


@pytest.mark.parametrize("remembered", [None, "", "{}", "not ours"])
def test_a_memory_that_is_none_changes_no_decision(remembered: str | None) -> None:
    """It saves reading only."""
    place = Place()
    place.memory = remembered
    assert asked(place) == ALL
