"""What is missing by the calendar, since when and why, asked of store, landing place and journal."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.pipeline.audit import reported_in_time
from mrv_assets.pipeline.freshness import Freshness, Why, freshness
from mrv_assets.pipeline.kept_memory import KeptMemory, every_round
from mrv_assets.pipeline.refused import last_refusals
from mrv_assets_tests.unit.pipeline.landings import DELIVERY, NEWEST, Place, key, projects, rows
from mrv_assets_tests.world import run_partition

DUE = b"\n[reporting_due]\ndays = 90\n"
FROM_2021 = b'\n[reporting_due]\ndays = 90\nsince = "2021"\n'


def place(files: dict[str, bytes] | None = None, *, said: bytes = DUE, publication: str = "latest") -> Place:
    """Return a place with one project that says when its figures are due."""
    [(path, toml)] = projects("anoka", publication=publication).items()
    return Place(files, references={path: toml + said})


def fresh(at: Place, home: Path) -> Freshness:
    """Return the freshness of the one project."""
    glance = at.world.at_a_glance()
    [found] = freshness(glance, every_round(glance, KeptMemory(home)))
    return found


def told(one: Freshness) -> list[tuple[str, Why]]:
    """Return the missing periods, each with why."""
    return [(missing.period, missing.why) for missing in one.missing]


def test_what_is_delivered_and_not_run_is_missing_until_it_is_run(tmp_path: Path) -> None:
    """From the first period that is known of; the next one is then the year that runs."""
    at = place()
    before = fresh(at, tmp_path)
    assert (before.last_reported, before.next_period, before.next_due) == (None, "2021", date(2022, 3, 31))
    assert told(before) == [("2021", Why.NOT_RUN), ("2022", Why.NOT_RUN)]
    assert [missing.days_late(date(2023, 4, 1)) for missing in before.missing] == [366, 1]
    at.run()
    after = fresh(at, tmp_path)
    assert (after.last_reported, after.next_period, after.next_due) == ("2022", "2023", date(2024, 3, 30))
    assert after.missing == ()


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({}, "source.csv is not there", id="no file"),
        pytest.param({"source.csv": rows("anoka 2022-Q1 1", "anoka 2021 1")}, "covers only a part", id="a part"),
        pytest.param({"source.csv": rows("anoka 2021 1")}, "", id="another year only"),
    ],
)
def test_a_period_that_never_came_has_no_delivery(files: dict[str, bytes], says: str, tmp_path: Path) -> None:
    """It says so where a file, or a part of it, is there."""
    missing = fresh(place(files, said=FROM_2021), tmp_path).missing[-1]
    assert (missing.period, missing.why) == ("2022", Why.NO_DELIVERY)
    assert says in missing.detail


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """Which is no missing delivery."""
    [missing] = fresh(place({"source.csv": b"\xff\xfe"}), tmp_path).missing
    assert missing.why is Why.REFUSED
    assert "cannot be read" in missing.detail


def test_a_run_that_was_refused_is_told_by_the_journal(tmp_path: Path) -> None:
    """Until a later one is not."""
    at = place({"source.csv": rows("anoka 2022 -8")})
    with suppress(Refusal):
        run_partition(at.world, key("anoka", "2022"))
    [missing] = fresh(at, tmp_path).missing
    assert (missing.why, missing.detail) == (Why.REFUSED, "red gates: quantity_valid, expectations_met")
    at.deliver(rows("anoka 2022 8"))
    run_partition(at.world, key("anoka", "2022"))
    assert fresh(at, tmp_path).missing == ()


def test_a_figure_that_is_held_says_why(tmp_path: Path) -> None:
    """The project publishes what it pins, and pins nothing."""
    at = place({"source.csv": rows("anoka 2022 8")}, publication="pinned")
    run_partition(at.world, key("anoka", "2022"))
    [missing] = fresh(at, tmp_path).missing
    assert missing.why is Why.HELD
    assert "pins none for 2022" in missing.detail


def test_months_that_were_reported_by_hand_cover_a_quarter(tmp_path: Path) -> None:
    """A period is reported when every day of it is."""
    months = ["2022-10", "2022-11", "2022-12"]
    [(path, toml)] = projects("anoka", reporting="quarter").items()
    at = Place({"source.csv": rows(*(f"anoka {month} 1" for month in months))}, references={path: toml + DUE})
    at.clock.now = datetime(2023, 3, 1, tzinfo=UTC)
    assert told(fresh(at, tmp_path)) == [("2022-Q4", Why.NOT_RUN)]
    for month in months:
        run_partition(at.world, key("anoka", month))
    found = fresh(at, tmp_path)
    assert (told(found), found.last_reported, found.next_period) == ([], "2022-12", "2023-Q1")


def test_a_project_without_a_date_is_never_late(tmp_path: Path) -> None:
    """What is missing is told all the same."""
    found = fresh(place(said=b""), tmp_path)
    assert told(found) == [("2021", Why.NOT_RUN), ("2022", Why.NOT_RUN)]
    assert found.late(date(2099, 1, 1)) == ()


def test_what_was_read_is_remembered_in_the_home(tmp_path: Path) -> None:
    """A second look reads no source file; a memory that is damaged is none."""
    at = place()
    fresh(at, tmp_path)
    at.landing.calls.clear()
    fresh(at, tmp_path)
    assert [path for operation, path in at.landing.calls if operation == "fetch"] == []
    [memory] = tmp_path.iterdir()
    memory.write_bytes(b"\xff{}")
    assert told(fresh(at, tmp_path)) == [("2021", Why.NOT_RUN), ("2022", Why.NOT_RUN)]


def test_a_project_that_cannot_be_read_stops_no_other(tmp_path: Path) -> None:
    """It is told among the notes."""
    at = Place(references=projects("anoka") | {"projects/broken.toml": b"broken ="})
    glance = at.world.at_a_glance()
    landing = every_round(glance, KeptMemory(tmp_path))
    assert [one.project_id for one in freshness(glance, landing)] == ["anoka"]
    assert "malformed" in landing.notes[0]


def test_a_refusal_that_lies_far_back_is_not_looked_for() -> None:
    """The look ends after a thousand entries; here the journal is asked for nothing."""
    at = Place()
    run_partition(at.world, key("anoka", "2022"))
    assert last_refusals(at.world.journal, set()) == {}
    assert last_refusals(at.world.journal, {("anoka", "2022"), ("nobody", "2022")}) == {}


@pytest.mark.parametrize(
    ("today", "is_run", "passed", "says"),
    [
        pytest.param("2023-03-31", False, True, "not reported; due 2023-03-31", id="last day in time"),
        pytest.param("2023-04-01", False, False, "not reported; due 2023-03-31", id="a day late"),
        pytest.param("2023-06-01", True, True, "first reported 2023-06-01; due 2023-03-31", id="there, though late"),
    ],
)
def test_the_check_of_a_partition_compares_calendar_and_ledger(
    today: str, says: str, *, is_run: bool, passed: bool
) -> None:
    """It is red while the figure is late and not there."""
    at = place({"source.csv": DELIVERY})
    at.clock.now = datetime.fromisoformat(today).replace(tzinfo=UTC)
    partition = PartitionKey(project_id="anoka", period="2022", factor_version=NEWEST)
    if is_run:
        run_partition(at.world, partition)
    outcome = reported_in_time(at.world, partition)
    assert (outcome.passed, outcome.observed) == (passed, says)
    assert bool(outcome.remedy) is not passed
