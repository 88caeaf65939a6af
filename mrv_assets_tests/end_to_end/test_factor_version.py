"""The sensor on factor releases, as Dagster evaluates it and on a daemon that runs by itself."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dagster import DagsterInstance, DagsterRun, DagsterRunStatus, build_sensor_context
from dagster._core.definitions.run_request import SensorResult

from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.orchestration.factor_version import ACTIVITY_TAG, FACTORS_TAG, factor_version
from mrv_assets.orchestration.instance import open_instance
from mrv_assets.orchestration.jobs import REPORT_PARTITION
from mrv_assets.orchestration.landing import landing
from mrv_assets.orchestration.partitions import dagster_key
from mrv_assets_tests.end_to_end.daemon import asked, daemon
from mrv_assets_tests.end_to_end.dagster_dev import dagster_dev
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.faults.retries import given, recorder
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE, OLD, WITHDRAWN, Bench
from mrv_assets_tests.unit.pipeline.landings import key, projects, rows
from mrv_assets_tests.world import run_partition

# Dagster resolves a request of two dimensions into tags of its own and then finds their names wrong.
pytestmark = pytest.mark.filterwarnings(r"ignore:Non-compliant tag keys like \['dagster/partition/:DeprecationWarning")

BEFORE, AFTER = key("anoka", "2021", OLD), key("anoka", "2021", MIDDLE)
MOVED_WITHIN_S = 600


def _home(folder: Path) -> Home:
    """Return a home where Anoka has reported 2021 with a release that nothing supersedes yet."""
    bench = Bench(projects_toml=projects("anoka"))
    known = {path: bench.references.get(path) or b"" for path in bench.references.list("")}
    home = Home.create(folder, references=known, landing={"source.csv": rows("anoka 2021 7")})
    run_partition(home.world(), BEFORE)
    return home


def _release(home: Home, version: str) -> None:
    """Release committed factors, their description last: without it there is no release."""
    bench = Bench(newest=version)
    for name in ("factors.csv", "release.toml"):
        path = f"factors/{version}/{name}"
        home.refer(path, bench.references.get(path) or b"")


def _live(home: Home) -> list[str]:
    """Return the factor versions that the ledger has shown, the oldest first."""
    return [record.pins["factor_version"] for record in home.world().slots.history(Slot.of(Asset.LEDGER, BEFORE))]


def test_a_release_is_run_and_is_not_run_again(tmp_path: Path) -> None:
    """From the folder of releases to the ledger without anybody naming a partition, with and without the cursor."""
    home = _home(tmp_path)
    with daemon(home.settings, factor_version) as dagster:
        nothing = dagster.look()
        assert asked(nothing) == []
        assert str(nothing.skip_message).startswith("Every period that has activity is reported")
        _release(home, MIDDLE)
        tick = dagster.look()
        assert asked(tick) == [dagster_key(AFTER)]
        assert [dagster.run(request) for request in tick.run_requests or ()] == [True]
        assert _live(home) == [OLD, MIDDLE]
        for cursor in (dagster.cursor, None, "nonsense"):
            dagster.cursor = cursor
            assert asked(dagster.look()) == []


def test_a_withdrawn_release_moves_the_ledger_back_and_is_not_used_again(tmp_path: Path) -> None:
    """The landing sensor does not ask for it either; its figure and its certificate stay in the history."""
    home = _home(tmp_path)
    _release(home, MIDDLE)
    run_partition(home.world(), AFTER)
    home.refer(f"factors/{MIDDLE}/withdrawn.toml", WITHDRAWN)
    with daemon(home.settings, factor_version) as dagster:
        [request] = dagster.look().run_requests or ()
        assert request.partition_key == dagster_key(BEFORE)
        assert dagster.run(request) is True
        assert asked(dagster.look()) == []
    assert _live(home) == [OLD, MIDDLE, OLD]
    with daemon(home.settings, landing) as dagster:
        assert asked(dagster.look()) == []


def _look(bench: Bench, instance: DagsterInstance) -> SensorResult:
    """Evaluate the sensor on an instance that lives in memory, over a world that the test has made."""
    with given(bench.world), build_sensor_context(instance=instance, resources={"recorder": recorder()}) as context:
        found = factor_version(context)
    assert isinstance(found, SensorResult)
    return found


def _bumped() -> tuple[Bench, dict[str, str]]:
    """Return a bench with one partition to run, and the tags that its run is to have."""
    bench = Bench(projects_toml=projects("anoka"))
    bench.report(OLD, "anoka")
    bench.release(MIDDLE)
    [request] = bench.look().requests
    bench.clock.now = datetime.now(UTC) + timedelta(minutes=5)
    return bench, dict(zip((FACTORS_TAG, ACTIVITY_TAG), request.mark, strict=True))


@pytest.mark.parametrize(
    ("status", "changed", "attempt"),
    [
        pytest.param(DagsterRunStatus.STARTED, {}, None, id="works"),
        pytest.param(DagsterRunStatus.STARTED, {FACTORS_TAG: "", ACTIVITY_TAG: ""}, None, id="the landing's run works"),
        pytest.param(DagsterRunStatus.FAILURE, {}, 2, id="failed"),
        pytest.param(DagsterRunStatus.SUCCESS, {}, 2, id="ended well, and the ledger does not show it"),
        pytest.param(DagsterRunStatus.FAILURE, {FACTORS_TAG: "other"}, 1, id="failed with another release"),
        pytest.param(DagsterRunStatus.FAILURE, {ACTIVITY_TAG: "other"}, 1, id="failed with other activity"),
    ],
)
def test_a_recorded_run_decides_when_to_ask_again(
    status: DagsterRunStatus, changed: dict[str, str], attempt: int | None
) -> None:
    """A run under way is waited for, whoever started it; one under the same mark counts as an attempt."""
    bench, tags = _bumped()
    partition = {"dagster/partition/period": AFTER.period, "dagster/partition/series": AFTER.series}
    with DagsterInstance.ephemeral() as instance:
        instance.add_run(DagsterRun(job_name=REPORT_PARTITION, status=status, tags=partition | tags | changed))
        requests = _look(bench, instance).run_requests or []
    assert [str(request.run_key).rpartition(" ")[2] for request in requests] == ([str(attempt)] if attempt else [])


def test_a_deleted_run_does_not_keep_its_key() -> None:
    """Of two failed runs the first is deleted: the next request has a key that no run has."""
    bench, tags = _bumped()
    partition = {"dagster/partition/period": AFTER.period, "dagster/partition/series": AFTER.series}
    with DagsterInstance.ephemeral() as instance:
        keys, runs = [], []
        for _ in range(2):
            [request] = _look(bench, instance).run_requests or []
            keys.append(request.run_key)
            failed = DagsterRun(
                job_name=REPORT_PARTITION, status=DagsterRunStatus.FAILURE, tags=partition | dict(request.tags)
            )
            runs.append(instance.add_run(failed))
            time.sleep(1.1)  # Dagster keeps whole seconds; between two attempts there are thirty
        instance.delete_run(runs[0].run_id)
        [request] = _look(bench, instance).run_requests or []
    assert request.tags == tags
    assert request.run_key not in keys


def test_a_request_registers_its_partition() -> None:
    """The new series is added by the same answer that asks for the run."""
    bench, tags = _bumped()
    with DagsterInstance.ephemeral() as instance:
        found = _look(bench, instance)
    [request] = found.run_requests or []
    assert (request.partition_key, request.tags) == (dagster_key(AFTER), tags)
    registered = {ask.partitions_def_name: list(ask.partition_keys) for ask in found.dynamic_partitions_requests or ()}
    assert registered == {"period": ["2021"], "series": [AFTER.series]}


def _wait_until_live(home: Home, expected: PartitionKey, log: Path) -> None:
    deadline = time.monotonic() + MOVED_WITHIN_S
    while _live(home)[-1] != expected.factor_version:
        assert time.monotonic() < deadline, f"the ledger did not move: {log.read_text()[-3000:]}"
        time.sleep(0.5)


@pytest.mark.slow
@pytest.mark.server
def test_a_running_daemon_moves_the_ledger(tmp_path: Path) -> None:
    """The sensor is switched on, a release is added, and the figure is there; the daemon has run one run."""
    home, log = _home(tmp_path), tmp_path / "dagster-dev.log"
    with dagster_dev(home, log) as server:
        _release(home, MIDDLE)
        server.start_sensor(factor_version.name)
        _wait_until_live(home, AFTER, log)
    with open_instance(home.settings) as instance:
        [run] = instance.get_runs()
        assert instance.get_dynamic_partitions("series") == [AFTER.series]
    assert run.tags["dagster/sensor_name"] == factor_version.name
    assert FACTORS_TAG in run.tags
