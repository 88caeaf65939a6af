"""One partition through the Dagster job: what is recorded on the instance, what is stored, what is refused."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from dagster import AssetKey, DagsterEventType, DagsterInstance, EventLogRecord

from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.orchestration.instance import open_instance
from mrv_assets.orchestration.launch import launcher
from mrv_assets.orchestration.partitions import dagster_key
from mrv_assets.orchestration.results import PartitionRun
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.refusals import KEY, REFUSALS, SOUND_SOURCE, Defect, references


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, PartitionRun]:
    """A home in which the sound partition was run once, and that run; only for reading."""
    folder = tmp_path_factory.mktemp("reported")
    home = Home.create(folder, references=references(), landing={"source.csv": SOUND_SOURCE})
    return home, _run(home)


@pytest.fixture
def home(reported: tuple[Home, PartitionRun], tmp_path: Path) -> Home:
    """A copy of that home, Dagster's instance included, that a test may change."""
    folder = reported[0].settings.home.parent
    return Home.create(Path(shutil.copytree(folder, tmp_path / "copy")), references={}, landing={})


def _run(home: Home, *, force: bool = False) -> PartitionRun:
    with launcher(home.settings, processes=1, log=home.settings.logs / "test.jsonl", force=force) as launch:
        (run,) = launch([KEY])
    return run


def _outcomes(run: PartitionRun) -> list[Outcome | None]:
    return [result.outcome for result in run.assets]


def _checks(instance: DagsterInstance, run_id: str) -> dict[tuple[str, str], tuple[bool, str | None]]:
    """Return (passed, partition) of every check evaluation of a run, by asset and gate."""
    evaluations = [
        log.get_dagster_event().asset_check_evaluation_data
        for log in instance.all_logs(run_id, of_type=DagsterEventType.ASSET_CHECK_EVALUATION)
    ]
    return {(e.asset_key.to_user_string(), e.check_name): (e.passed, e.partition) for e in evaluations}


def _records(instance: DagsterInstance, asset: Asset) -> Sequence[EventLogRecord]:
    return instance.fetch_materializations(AssetKey(asset.value), limit=100, ascending=True).records


def _materializations(instance: DagsterInstance, asset: Asset) -> list[tuple[str | None, dict[str, object]]]:
    """Return partition and metadata of every materialisation of an asset, the first first."""
    found = [record.asset_materialization for record in _records(instance, asset)]
    return [(m.partition, {name: v.value for name, v in m.metadata.items()}) for m in found if m]


def test_a_sound_partition_is_committed_with_every_gate_green_for_its_partition(
    reported: tuple[Home, PartitionRun],
) -> None:
    """Each gate of each asset is recorded as passed, for this partition, and six generations exist."""
    home, run = reported
    assert run.error is None
    assert _outcomes(run) == [Outcome.COMMITTED] * len(Asset)
    with open_instance(home.settings) as instance:
        checks = _checks(instance, run.run_id)
    assert set(checks) == {(asset.value, gate.name) for asset in Asset for gate in GATES[asset]}
    assert set(checks.values()) == {(True, str(dagster_key(KEY)))}
    slots = home.world().slots
    assert [slots.current(Slot.of(asset, KEY)) is not None for asset in Asset] == [True] * len(Asset)


def test_the_data_version_is_the_content_digest(home: Home) -> None:
    """Dagster's data version of each materialisation is the digest in the generation record, also when skipped."""
    _run(home)
    slots = home.world().slots
    with open_instance(home.settings) as instance:
        for asset in Asset:
            record = slots.current(Slot.of(asset, KEY))
            assert record is not None
            found = [r.asset_materialization for r in _records(instance, asset)]
            assert len(found) == 2
            tags = [m.tags for m in found if m]
            assert {(t or {})["dagster/data_version"] for t in tags} == {record.content_digest}


def test_running_the_same_partition_again_is_skipped_and_stores_nothing(home: Home) -> None:
    """The second run reports `skipped` for all assets, adds no object but its journal entry, and stays green."""
    before = home.stored()
    again = _run(home)
    assert _outcomes(again) == [Outcome.SKIPPED] * len(Asset)
    assert home.stored() == before
    assert home.world().journal.size() == 2
    with open_instance(home.settings) as instance:
        assert {passed for passed, _ in _checks(instance, again.run_id).values()} == {True}
        metadata = _materializations(instance, Asset.LEDGER)[-1][1]
    assert (metadata["outcome"], metadata["generation"]) == ("skipped", 1)


def test_a_forced_run_recomputes_and_finds_the_same_content(home: Home) -> None:
    """Force makes the stages run; equal content adds no generation."""
    before = home.stored()
    forced = _run(home, force=True)
    assert _outcomes(forced) == [Outcome.SKIPPED] * len(Asset)
    assert {result.reason for result in forced.assets} == {"content unchanged"}
    assert home.stored() == before


def test_one_run_appends_one_journal_entry_with_all_its_events(reported: tuple[Home, PartitionRun]) -> None:
    """The entry names the Dagster run and holds one event for each asset, in order."""
    home, run = reported
    entries = list(home.world().journal.entries())
    assert [entry.run_id for entry in entries] == [run.run_id]
    assert [event.asset for event in entries[0].events] == list(Asset)


@pytest.mark.parametrize("defect", [pytest.param(d, id=d.name) for d in REFUSALS])
def test_a_defect_turns_its_check_red_and_leaves_the_ledger_as_it_was(home: Home, defect: Defect) -> None:
    """The named check of the named asset is red for the partition, the step is not retried, the ledger is untouched."""
    before = home.stored()
    home.land("source.csv", defect.source)
    home.refer("projects/anoka.toml", references(declared_crs=defect.declared_crs)["projects/anoka.toml"])
    refused = _run(home)
    assert isinstance(refused.error, Refusal)
    assert defect.gate in refused.error.what
    with open_instance(home.settings) as instance:
        checks = _checks(instance, refused.run_id)
        assert checks[defect.asset.value, defect.gate] == (False, str(dagster_key(KEY)))
        retries = instance.all_logs(refused.run_id, of_type=DagsterEventType.STEP_UP_FOR_RETRY)
        assert list(retries) == []
    after = home.stored()
    assert {key: after.get(key) for key in before} == before
    order = list(Asset)
    stopped = order.index(defect.asset)
    assert [r.outcome for r in refused.assets[stopped:]] == [Outcome.REFUSED, *[None] * (len(order) - stopped - 1)]
    assert home.world().slots.current(Slot.of(Asset.LEDGER, KEY)).generation == 1  # type: ignore[union-attr]
