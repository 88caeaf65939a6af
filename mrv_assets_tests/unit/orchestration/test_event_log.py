"""The event log whose connections are kept open is Dagster's own, and does not hold on to what it no longer needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance

from mrv_assets.orchestration.instance import initialise_home, open_instance
from mrv_assets.settings import Settings

RUNS = tuple(f"run-{number}" for number in range(5))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of an initialised home."""
    found = Settings.from_env({"MRV_HOME": str(tmp_path)})
    initialise_home(found)
    return found


@pytest.fixture
def kept(settings: Settings) -> Iterator[DagsterInstance]:
    """The instance as the platform opens it."""
    with open_instance(settings) as instance:
        yield instance


@pytest.fixture
def plain(settings: Settings) -> Iterator[DagsterInstance]:
    """The same instance as Dagster opens it."""
    with DagsterInstance.from_config(str(settings.dagster_home)) as instance:
        yield instance


def _told(instance: DagsterInstance, run_id: str) -> list[str]:
    return [entry.message for entry in instance.all_logs(run_id)]


def _open(settings: Settings) -> int:
    """Return how many databases are open: SQLite removes the write-ahead log when the last connection is closed."""
    return len(list((settings.dagster_home / "history" / "runs").glob("*.db-wal")))


def test_events_are_read_by_dagster_and_dagsters_are_read(kept: DagsterInstance, plain: DagsterInstance) -> None:
    """Each sees at once what the other has stored, in the database of a run and in the index, both of them open."""
    for number, writer in enumerate((kept, plain, kept, plain)):
        writer.report_engine_event(f"event {number}", job_name="job", run_id=RUNS[0])
        writer.add_dynamic_partitions("period", [f"200{number}"])
        for reader in (kept, plain):
            assert _told(reader, RUNS[0]) == [f"event {n}" for n in range(number + 1)]
            assert reader.get_dynamic_partitions("period") == [f"200{n}" for n in range(number + 1)]


def test_few_databases_stay_open_and_none_after_the_end(kept: DagsterInstance, settings: Settings) -> None:
    """However many runs a process has made; each of them keeps its events."""
    for run_id in RUNS:
        kept.report_engine_event(f"in {run_id}", job_name="job", run_id=run_id)
        assert 0 < _open(settings) <= 3
    assert [_told(kept, run_id) for run_id in RUNS] == [[f"in {run_id}"] for run_id in RUNS]
    kept.dispose()
    assert _open(settings) == 0


def test_a_wiped_log_is_empty_and_takes_events(kept: DagsterInstance, plain: DagsterInstance) -> None:
    """What is stored afterwards is in the new databases, where Dagster reads it."""
    kept.report_engine_event("before", job_name="job", run_id=RUNS[0])
    kept.event_log_storage.wipe()
    kept.report_engine_event("after", job_name="job", run_id=RUNS[0])
    assert _told(plain, RUNS[0]) == ["after"]
