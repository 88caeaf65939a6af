"""What operators do with backfills in Dagit, on one server: ranges, overlaps, failures, re-execution, cancelling.

The daemon looks at backfills every half minute, so what can go on at the same time does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.orchestration.instance import open_instance
from mrv_assets.orchestration.partitions import dagster_key, register
from mrv_assets.pipeline.figures import live_figures
from mrv_assets.storage.slot_paths import slot_folder
from mrv_assets_tests.end_to_end.backfills import (
    ENDED,
    Backfill,
    cancel,
    counts,
    is_over,
    launch,
    launch_again,
    launch_ranges,
    look,
    partition_of,
    run_again,
    wait,
    wait_for_run,
)
from mrv_assets_tests.end_to_end.dagster_dev import DagsterDev, dagster_dev
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.faults.checked import checked
from mrv_assets_tests.unit.pipeline.landings import committed, key, projects, rows

pytestmark = [pytest.mark.slow, pytest.mark.server]

PLACES = ("anoka", "carver")
YEARS = ("2020", "2021")
KEYS = [key(place, year) for place, year in product(PLACES, YEARS)]
DIAGONAL = [key("anoka", "2020"), key("carver", "2021")]
ROW = [key("anoka", "2020"), key("anoka", "2021"), key("carver", "2021")]
BLOCKED = key("carver", "2021")
LIMIT = 2
"""The pool `footprints` in dagster.yaml."""

_FSCK = """
mutation Fsck { launchRun(executionParams: { mode: "default", selector: {
  jobName: "fsck", repositoryName: "__repository__", repositoryLocationName: "mrv_assets"
} }) { __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }"""
_TIMES = "query Times($id: ID!) { runOrError(runId: $id) { ... on Run { status startTime endTime } } }"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Two projects with two years each."""
    source = rows(*(f"{place} {year} {7 + n}" for n, (place, year) in enumerate(product(PLACES, YEARS))))
    return Home.create(tmp_path, references=committed() | projects(*PLACES), landing={"source.csv": source})


@pytest.fixture
def server(home: Home, tmp_path: Path) -> Iterator[DagsterDev]:
    """`dagster dev` on that home."""
    with dagster_dev(home, tmp_path / "dagster-dev.log") as server:
        with open_instance(home.settings) as instance:
            register(instance, KEYS)
        yield server


def _names(keys: Sequence[PartitionKey]) -> list[str]:
    return [str(dagster_key(one)) for one in keys]


def _range(start: PartitionKey, end: PartitionKey) -> tuple[str, str]:
    return str(dagster_key(start)), str(dagster_key(end))


def _figures(home: Home) -> dict[tuple[str, str], Decimal]:
    figures = live_figures(home.world().slots, project_id=None, period=None)
    return {(figure.project_id, figure.period): figure.totals.net_tco2e for figure in figures}


def _generations(home: Home) -> dict[Slot, int]:
    return dict(home.world().slots.list_slots())


def _block(home: Home) -> Path:
    """Put a foreign file where the ledger of one partition keeps its records: all but the last step goes well."""
    folder = home.settings.home / "store" / slot_folder(Slot.of(Asset.LEDGER, BLOCKED))
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    return folder


def _assert_only_the_chosen_ran(backfill: Backfill, chosen: Sequence[PartitionKey]) -> None:
    assert sorted(partition_of(run) for run in backfill["runs"]) == sorted(_names(chosen))


def _assert_the_pool_held(runs: Sequence[dict[str, Any]]) -> None:
    """No more runs than the pool allows were between begin and end at any instant at which one began."""
    spans = [(run["startTime"], run["endTime"]) for run in runs]
    for began, _ in spans:
        assert sum(start <= began < end for start, end in spans) <= LIMIT


def _launch_fsck(server: DagsterDev) -> str:
    answer = server.ask(_FSCK)["launchRun"]
    assert answer["__typename"] == "LaunchRunSuccess", answer
    return str(answer["run"]["runId"])


def _overlap(server: DagsterDev, home: Home) -> tuple[str, str]:
    """Launch a diagonal and a row that share partitions at the same time, and a check of the store behind them."""
    diagonal = launch_ranges(server, [_range(DIAGONAL[0], DIAGONAL[0]), _range(DIAGONAL[1], DIAGONAL[1])])
    row = launch_ranges(server, [_range(ROW[0], ROW[1]), _range(ROW[2], ROW[2])])
    wait(server, row, lambda found: len(found["runs"]) == len(ROW))
    wait(server, diagonal, lambda found: len(found["runs"]) == len(DIAGONAL))
    fsck = _launch_fsck(server)
    both = [*wait(server, diagonal, is_over)["runs"], *wait(server, row, is_over)["runs"]]
    wait_for_run(server, fsck)
    passed = server.ask(_TIMES, id=fsck)["runOrError"]
    assert passed["startTime"] < max(run["startTime"] for run in both), "the check waited behind the backfills"
    _assert_the_pool_held(both)
    _assert_only_the_chosen_ran(look(server, diagonal), DIAGONAL)
    _assert_only_the_chosen_ran(look(server, row), ROW)
    for backfill, chosen in ((diagonal, DIAGONAL), (row, ROW)):
        assert look(server, backfill)["status"] == "COMPLETED_FAILED"
        targeted = {asset: found[0] for asset, found in counts(server, backfill).items()}
        assert targeted == dict.fromkeys(map(str, Asset), len(chosen))
    assert set(_figures(home)) == {(one.project_id, one.period) for one in ROW if one != BLOCKED}
    assert set(_generations(home).values()) == {1}
    return diagonal, row


def _cancelled(server: DagsterDev) -> str:
    """Launch everything and cancel it when runs are there."""
    everything = launch(server, _names(KEYS))
    wait(server, everything, lambda found: len(found["runs"]) > 0)
    cancel(server, everything)
    return everything


def _assert_good_assets_were_left_alone(home: Home, before: dict[Slot, int], runs: Sequence[str]) -> None:
    """In these runs the blocked partition has a new ledger record at most; all else of it was skipped."""
    after = _generations(home)
    assert {slot: after[slot] for slot in before} == before
    told = [event for entry in home.world().journal.entries() for event in entry.events if event.run_id in runs]
    assert {event.asset for event in told if event.outcome == "committed"} <= {Asset.LEDGER}
    assert {event.outcome for event in told} <= {"committed", "skipped"}


def test_whatever_operators_do_there_is_one_generation_of_each_content(server: DagsterDev, home: Home) -> None:
    """A diagonal stays one; overlaps, re-execution and a cancelled backfill end in the same four figures."""
    in_the_way = _block(home)
    diagonal, row = _overlap(server, home)

    in_the_way.unlink()
    before = _generations(home)
    again = launch_again(server, diagonal, "FROM_FAILURE")
    failed = next(run["runId"] for run in look(server, row)["runs"] if run["status"] == "FAILURE")
    rerun = run_again(server, failed, "ALL_STEPS")
    cancelled = _cancelled(server)
    assert wait_for_run(server, rerun) == "SUCCESS"
    wait(server, again, lambda found: bool(found["runs"]) and all(run["status"] in ENDED for run in found["runs"]))
    _assert_good_assets_were_left_alone(home, before, [rerun, *(run["runId"] for run in look(server, again)["runs"])])
    assert (BLOCKED.project_id, BLOCKED.period) in _figures(home)

    last = launch(server, _names(KEYS))
    assert wait(server, cancelled, is_over)["status"] == "CANCELED"
    assert wait(server, again, is_over)["status"] == "COMPLETED_SUCCESS"
    _assert_only_the_chosen_ran(look(server, again), [BLOCKED])
    runs = wait(server, last, lambda found: len([r for r in found["runs"] if r["status"] in ENDED]) == len(KEYS))[
        "runs"
    ]
    assert [run["status"] for run in runs] == ["SUCCESS"] * len(KEYS)
    assert set(_figures(home)) == {(one.project_id, one.period) for one in KEYS}
    assert set(_generations(home).values()) == {1}
    assert len(_generations(home)) == len(Asset) * len(KEYS)
    health = checked(home.world())
    assert health.breaches == 0
