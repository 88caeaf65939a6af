"""The job `backfill_window` on a Dagster instance: what is recorded of each partition, and how a run ends."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from dagster import AssetKey, DagsterEventType, DagsterInstance, JobDefinition, execute_job, reconstructable

from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.orchestration.backfill import BACKFILL_WINDOW
from mrv_assets.orchestration.deployment import deployment
from mrv_assets.orchestration.instance import initialise_home, open_instance
from mrv_assets.orchestration.partitions import dagster_key
from mrv_assets.pipeline.audit import EVERY_GATE_PASSED
from mrv_assets.settings import Settings
from mrv_assets.storage.manifests import load_manifest, manifest_runs
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.unit.pipeline.landings import NEWEST, committed, key, projects, rows

GATE_COUNT = sum(len(gates) for gates in GATES.values())
ANOKA, CARVER, LATER = key("anoka", "2021"), key("carver", "2021"), key("anoka", "2022")
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def _home(folder: Path) -> Home:
    """A home with two projects: three partitions of 2021..2022 have rows, the fourth has none."""
    home = Home.create(
        folder,
        references=committed() | projects("anoka", "carver"),
        landing={"source.csv": rows("anoka 2021 7", "anoka 2022 8", "carver 2021 5")},
    )
    initialise_home(home.settings)
    return home


def _run(home: Home, instance: DagsterInstance, **config: object) -> tuple[bool, str]:
    """Run the job in this process and return whether it ended well, and its run id."""
    job = deployment(home.settings).resolve_job_def(BACKFILL_WINDOW)
    ops = {"ingest": {"config": {"window": "2021", **config}}}
    done = job.execute_in_process(run_config={"ops": ops} | QUIET, instance=instance, raise_on_error=False)
    return done.success, done.run_id


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, str]:
    """A home in which 2021..2022 was backfilled once, and that run; only for reading."""
    home = _home(tmp_path_factory.mktemp("backfilled"))
    with open_instance(home.settings) as instance:
        success, run_id = _run(home, instance, window="2021..2022")
    assert not success
    return home, run_id


@pytest.fixture
def home(reported: tuple[Home, str], tmp_path: Path) -> Home:
    """A copy of that home, Dagster's instance included, that a test may change."""
    folder = reported[0].settings.home.parent
    return Home.create(Path(shutil.copytree(folder, tmp_path / "copy")), references={}, landing={})


def _events(instance: DagsterInstance, run_id: str, kind: DagsterEventType) -> list[Any]:
    return [log.get_dagster_event() for log in instance.all_logs(run_id, of_type=kind)]


def _materialized(instance: DagsterInstance, run_id: str) -> dict[tuple[str, str | None], Mapping[str, str]]:
    """Return the tags of every materialisation of a run, by asset and partition."""
    found = [
        event.step_materialization_data.materialization
        for event in _events(instance, run_id, DagsterEventType.ASSET_MATERIALIZATION)
    ]
    return {(one.asset_key.to_user_string(), one.partition): one.tags or {} for one in found}


def _checked(instance: DagsterInstance, run_id: str) -> Counter[tuple[str | None, bool]]:
    found = [
        event.asset_check_evaluation_data
        for event in _events(instance, run_id, DagsterEventType.ASSET_CHECK_EVALUATION)
    ]
    return Counter((one.partition, one.passed) for one in found)


def _metadata(instance: DagsterInstance, run_id: str, step: str) -> dict[str, Any]:
    """Return the metadata of a step's output, by name."""
    for event in _events(instance, run_id, DagsterEventType.STEP_OUTPUT):
        if event.step_key == step:
            return {name: value.value for name, value in event.step_output_data.metadata.items()}
    raise AssertionError(f"{step} has no output")


def test_each_partition_has_its_own_materialisations_with_the_true_data_version(reported: tuple[Home, str]) -> None:
    """Dagster's data version of each asset and partition is the content digest in the store, and nothing more is."""
    home, run_id = reported
    slots = home.world().slots
    with open_instance(home.settings) as instance:
        found = _materialized(instance, run_id)
        known = {str(one) for one in instance.get_materialized_partitions(AssetKey("ledger"))}
    expected = {
        (asset.value, str(dagster_key(one))): slots.current(Slot.of(asset, one))
        for one in (ANOKA, CARVER, LATER)
        for asset in Asset
    }
    assert set(found) == set(expected)
    for name, record in expected.items():
        assert record is not None
        assert found[name]["dagster/data_version"] == record.content_digest
    assert known == {str(dagster_key(one)) for one in (ANOKA, CARVER, LATER)}


def test_every_gate_is_a_check_of_its_partition_and_the_refused_one_is_red(reported: tuple[Home, str]) -> None:
    """Each gate of the three that came through is green; those of the refused one are told, red ones among them."""
    home, run_id = reported
    with open_instance(home.settings) as instance:
        checked = _checked(instance, run_id)
    for one in (ANOKA, CARVER, LATER):
        assert checked[str(dagster_key(one)), True] == GATE_COUNT
        assert checked[str(dagster_key(one)), False] == 0
    assert checked[str(dagster_key(key("carver", "2022"))), False] > 0


def test_a_run_with_a_refused_partition_is_red_and_lists_it_and_the_others_are_done(reported: tuple[Home, str]) -> None:
    """Three figures are reported, the manifest counts one refusal, and the last step says which."""
    home, run_id = reported
    manifest = load_manifest(home.world().store, run_id)
    assert dict(manifest.counts) == {Outcome.COMMITTED: 3, Outcome.SKIPPED: 0, Outcome.REFUSED: 1}
    assert manifest.findings == ()
    with open_instance(home.settings) as instance:
        [failed] = _events(instance, run_id, DagsterEventType.STEP_FAILURE)
    assert failed.step_key == "submit"
    assert "1 of 4 partitions were refused; the others are done." in str(failed.step_failure_data.user_failure_data)
    assert f"carver 2022 {NEWEST}" in str(failed.step_failure_data.user_failure_data)


def test_the_plan_and_the_manifest_are_metadata_of_their_steps(reported: tuple[Home, str]) -> None:
    """The plan says run for all four, and the manifest names where it is kept and its digest."""
    home, run_id = reported
    with open_instance(home.settings) as instance:
        plan = _metadata(instance, run_id, "plan")
        manifest = _metadata(instance, run_id, "export")
    assert (plan["run"], plan["skip"], plan["blocked"]) == (4, 0, 0)
    assert plan["causes"] == {"never run": 4}
    assert manifest["kept as"] == f"manifests/{run_id}.json"
    assert manifest["sha256"] == load_manifest(home.world().store, run_id).sha256


def test_a_second_run_skips_everything_and_tells_dagster_nothing_again(home: Home) -> None:
    """No figure moves, no object is added beside journal and manifest, and no partition is told twice."""
    before = {path for path in home.stored() if not path.startswith("manifests/")}
    with open_instance(home.settings) as instance:
        success, run_id = _run(home, instance)
        assert success
        assert _materialized(instance, run_id) == {}
    assert {path for path in home.stored() if not path.startswith("manifests/")} == before
    assert load_manifest(home.world().store, run_id).counts[Outcome.SKIPPED] == 2


def test_what_dagster_has_lost_is_told_again(home: Home) -> None:
    """After its event log is gone, a run that skips everything tells each partition once, with the true version."""
    shutil.rmtree(home.settings.dagster_home)
    initialise_home(home.settings)
    with open_instance(home.settings) as instance:
        success, run_id = _run(home, instance)
        assert success
        found = _materialized(instance, run_id)
    assert set(found) == {(asset.value, str(dagster_key(one))) for one in (ANOKA, CARVER) for asset in Asset}


def test_a_summary_writes_one_check_for_all_gates_that_passed(tmp_path: Path) -> None:
    """Seven events a partition: six materialisations and the check that every gate has passed."""
    home = _home(tmp_path)
    with open_instance(home.settings) as instance:
        success, run_id = _run(home, instance, events="summary")
        assert success
        checks = _events(instance, run_id, DagsterEventType.ASSET_CHECK_EVALUATION)
        assert len(_materialized(instance, run_id)) == 2 * len(Asset)
    assert {one.asset_check_evaluation_data.check_name for one in checks} == {EVERY_GATE_PASSED}
    assert len(checks) == 2


def test_a_dry_run_plans_and_writes_nothing(tmp_path: Path) -> None:
    """The plan is there to read; the store holds not even a journal, and Dagster no partition."""
    home = _home(tmp_path)
    home.world()  # the probe of the store is written here
    before = home.stored()
    with open_instance(home.settings) as instance:
        success, run_id = _run(home, instance, dry_run=True)
        assert success
        assert _metadata(instance, run_id, "plan")["run"] == 2
        assert instance.get_dynamic_partitions("series") == []
    assert home.stored() == before
    assert home.world().journal.size() == 0


def test_chunks_are_runs_of_the_pipeline_with_an_entry_each(tmp_path: Path) -> None:
    """Two partitions in chunks of one are two entries of the same run, and the manifest's is the third."""
    home = _home(tmp_path)
    with open_instance(home.settings) as instance:
        success, run_id = _run(home, instance, chunk_size=1)
    assert success
    entries = list(home.world().journal.entries())
    assert {entry.run_id for entry in entries} == {run_id}
    assert [(len(entry.events), len(entry.documents)) for entry in entries] == [(6, 0), (6, 0), (0, 1)]


def test_what_stands_in_the_way_ends_the_run_before_a_partition_is_touched(home: Home) -> None:
    """A second published file of a figure is found by the preflight, and the step says what to do."""
    published = Path(home.settings.home) / "store" / "published/ledger/project_id=anoka/period=2021"
    shutil.copy(published / "ledger.parquet", published / "ledger-2.parquet")
    with open_instance(home.settings) as instance:
        success, run_id = _run(home, instance)
        [failed] = _events(instance, run_id, DagsterEventType.STEP_FAILURE)
    assert not success
    assert failed.step_key == "diagnose"
    assert "duplicate_partitions" in failed.step_failure_data.user_failure_data.metadata["found"].value
    assert run_id not in manifest_runs(home.world().store)


def _reconstructed() -> JobDefinition:
    """The job of the home that the environment names, for a process of its own."""
    import os  # noqa: PLC0415

    return deployment(Settings.from_env(os.environ)).resolve_job_def(BACKFILL_WINDOW)


@pytest.mark.slow
def test_chunks_may_be_carried_by_processes_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the multiprocess executor each step is a process; the figures and the manifest are the same."""
    home = _home(tmp_path)
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    config: dict[str, Any] = {
        "ops": {"ingest": {"config": {"window": "2021", "chunk_size": 1}}},
        "execution": {"config": {"multiprocess": {"max_concurrent": 2}}},
    }
    with open_instance(home.settings) as instance:
        done = execute_job(reconstructable(_reconstructed), instance, run_config=config | QUIET)
        assert done.success
        run_id = done.run_id
    manifest = load_manifest(home.world().store, run_id)
    assert (manifest.counts[Outcome.COMMITTED], manifest.findings) == (2, ())
    assert json.loads(manifest.to_bytes())["total"]["moved"] == 2


def test_a_lineage_catalogue_is_told_before_the_run_ends(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where OpenLineage is configured, the last step delivers the journal up to the manifest's own entry."""
    folder = home.settings.home.parent
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    transport = {"type": "file", "log_file_path": str(folder / "events.jsonl"), "append": True}
    Path("openlineage.yml").write_text(json.dumps({"transport": transport}))
    with open_instance(home.settings) as instance:
        success, run_id = _run(home, instance)
        told = _metadata(instance, run_id, "submit")["lineage"]
    assert success
    size = home.world().journal.size()
    assert [f"up to {size} of {size}" in line for line in told] == [True]
