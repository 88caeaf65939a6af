"""The job that checks the whole store, as Dagster runs it."""

from __future__ import annotations

from pathlib import Path

from dagster import DagsterEventType, DagsterInstance, ExecuteInProcessResult

from mrv_assets.orchestration.deployment import deployment
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.refusals import KEY, SOUND_SOURCE, references
from mrv_assets_tests.world import run_partition


def _home(folder: Path) -> Home:
    home = Home.create(folder, references=references(), landing={"source.csv": SOUND_SOURCE})
    run_partition(home.world(), KEY)
    return home


def _check(home: Home) -> ExecuteInProcessResult:
    with DagsterInstance.ephemeral() as instance:
        job = deployment(home.settings).resolve_job_def("fsck")
        return job.execute_in_process(instance=instance, raise_on_error=False)


def test_a_whole_store_passes_and_is_not_written_to(tmp_path: Path) -> None:
    """The run succeeds, its step says what was read, and store and journal are as they were."""
    home = _home(tmp_path)
    before, entries = home.stored(), home.world().journal.size()
    result = _check(home)
    assert result.success
    [output] = [e for e in result.all_events if e.event_type is DagsterEventType.STEP_OUTPUT]
    metadata = output.step_output_data.metadata
    assert (metadata["breaches"].value, metadata["generations"].value) == (0, 6)
    assert metadata["table"].value == "No breach."
    assert (home.stored(), home.world().journal.size()) == (before, entries)


def test_a_breach_fails_the_run_with_a_table(tmp_path: Path) -> None:
    """The step fails for good, and its metadata holds the breach, the key and the remedy as Markdown."""
    home = _home(tmp_path)
    view = next((home.settings.home / "store" / "published").rglob("*.parquet"))
    view.unlink()
    result = _check(home)
    assert not result.success
    [failed] = [e for e in result.all_events if e.event_type is DagsterEventType.STEP_FAILURE]
    told = failed.step_failure_data.user_failure_data
    assert told is not None
    assert told.description == "1 breach(es), 1 repairable: see `mrv fsck`"
    assert "| view_missing | `published/ledger/project_id=anoka/" in str(told.metadata["table"].value)
    assert not [e for e in result.all_events if e.event_type is DagsterEventType.STEP_UP_FOR_RETRY]
