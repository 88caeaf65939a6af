"""What `make chaos` would not let pass: each way in which a store can differ from the undisturbed one is counted."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.run import Run
from mrv_assets_tests.chaos.line import Course, Line, failed, line
from mrv_assets_tests.chaos.place import SECOND, keys, lay_out, release_second
from mrv_assets_tests.chaos.truth import Truth, compare, run_in_peace
from mrv_assets_tests.world import run_partition

WANTED = keys(2)
COURSE = Course(partitions=2, runs=2, failed=0, seconds=1)


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    """Two partitions run in peace."""
    world = lay_out(tmp_path_factory.mktemp("undisturbed"), WANTED).world()
    run_in_peace(world, WANTED)
    return Truth.of(world)


def test_the_same_partitions_run_one_by_one_are_the_truth(truth: Truth, tmp_path: Path) -> None:
    """Other runs, other instants, other records: nothing is missing, extra or wrong."""
    world = lay_out(tmp_path, WANTED).world()
    for key in reversed(WANTED):
        run_partition(world, key)
    found = line("as it should be", COURSE, compare(world, truth), truth)
    assert found.is_right
    assert (found.generations, found.total_tco2e) == (2 * len(Asset), Decimal(2002))


def test_a_partition_that_was_left_out_is_missing(truth: Truth, tmp_path: Path) -> None:
    """Six generations and a figure."""
    world = lay_out(tmp_path, WANTED).world()
    run_partition(world, WANTED[0])
    found = line("left out", COURSE, compare(world, truth), truth)
    assert (found.missing, found.extra, found.wrong, found.is_right) == (6, 0, 5, False)


def test_what_was_computed_for_nothing_is_extra(truth: Truth, tmp_path: Path) -> None:
    """A second generation where the undisturbed run has one, and figures that it does not have."""
    home = lay_out(tmp_path, WANTED)
    run_in_peace(home.world(), WANTED)
    release_second(home)
    run_in_peace(home.world(), keys(1, SECOND))
    found = line("too much", COURSE, compare(home.world(), truth), truth)
    assert (found.missing, found.extra, found.is_right) == (0, 4, False)


def test_what_a_dead_run_did_not_tell_is_repaired_and_told(truth: Truth, tmp_path: Path) -> None:
    """Commits without a journal entry are completed, and the line names them; nothing is held against it."""
    world = lay_out(tmp_path, WANTED).world()
    dead = Run(world, run_id="dead")
    for asset in Asset:
        dead.advance(asset, WANTED[0])
    run_in_peace(world, WANTED)
    found = line("a dead run", COURSE, compare(world, truth), truth)
    assert found.is_right
    assert found.completed == f"record_not_in_journal {len(Asset)}"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"unsaid": 1}, id="missing and unsaid"),
        pytest.param({"breaches": 1}, id="a breach"),
        pytest.param({"planned": 3, "kills": 2}, id="a kill that did not happen"),
        pytest.param({"expected_tco2e": Decimal(1)}, id="another total"),
    ],
)
def test_a_line_with_any_of_these_is_off(change: dict[str, object]) -> None:
    """Whatever else it counts."""
    right = replace(failed("a line", ""), partitions=2, unsaid=0)
    assert right.is_right
    assert not replace(right, **change).is_right  # type: ignore[arg-type]


def test_a_scenario_that_comes_to_no_end_is_off() -> None:
    """It has no partitions, and says what it died of."""
    line: Line = failed("storm", "after 3 s: AssertionError")
    assert not line.is_right
    assert line.shown == "after 3 s: AssertionError"
