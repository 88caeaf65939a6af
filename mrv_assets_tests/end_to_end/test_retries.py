"""What Dagster retries and what it does not, over a store that fails as stores do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

import pytest
from dagster import DagsterEventType, DagsterInstance, InitResourceContext
from dagster_aws.s3 import S3Resource

from mrv_assets.domain.errors import Defect, MrvError, Refusal, Tampering, Transient
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.orchestration import remedies
from mrv_assets.orchestration.deployment import wired
from mrv_assets.orchestration.jobs import REPORT_PARTITION
from mrv_assets.orchestration.partitions import dagster_key, register
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.orchestration.results import PartitionRun, partition_run
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.slots import SlotStore
from mrv_assets_tests.refusals import KEY, SOUND_SOURCE, references
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.world import TickingClock, memory_store

LEDGER_RECORDS = "commits/ledger/"
worlds: list[World] = []


class GivenWorld(RunRecorder):
    """A recorder over the world that the test has made, instead of one that settings name."""

    def setup_for_execution(self, context: InitResourceContext) -> None:
        self._run = Run(worlds[-1], run_id=context.run.run_id if context.run else "none")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyStore]:
    """A store to plan faults on, with a world over it; retries wait hundredths of seconds instead of seconds."""
    monkeypatch.setattr(remedies, "FIRST_DELAY_S", 0.01)
    faulty = FaultyStore(memory_store())
    worlds.append(
        World.over(
            store=faulty,
            references=memory_store(references()),
            landing=memory_store({"source.csv": SOUND_SOURCE}),
            clock=TickingClock(),
        )
    )
    yield faulty
    worlds.pop()


def _run() -> tuple[PartitionRun, int]:
    """Run the partition and return what became of it and how many retries there were."""
    return _run_with(GivenWorld, store="")


def _run_with(recorder: type[RunRecorder], *, store: str) -> tuple[PartitionRun, int]:
    located = recorder.configure_at_launch(
        s3=S3Resource(),
        home="",
        store=store,
        reference="",
        landing="",
        key_folder="",
        alerts="",
        allow_network_fs=False,
    )
    with DagsterInstance.ephemeral() as instance:
        register(instance, [KEY])
        result = (
            wired(cast(Any, located))
            .resolve_job_def(REPORT_PARTITION)
            .execute_in_process(instance=instance, partition_key=dagster_key(KEY), raise_on_error=False)
        )
        retries = [e for e in result.all_events if e.event_type is DagsterEventType.STEP_UP_FOR_RETRY]
        return partition_run(KEY, result), len(retries)


def _generations() -> int:
    return len(worlds[-1].slots.history(Slot.of(Asset.LEDGER, KEY)))


def test_an_error_raised_behind_the_write_is_retried_and_commits_once(store: FaultyStore) -> None:
    """The ledger's record lands, every answer is lost, the step runs again: one generation, nothing added twice."""
    store.lose_answer("put_if_absent", prefix=LEDGER_RECORDS, times=4)
    run, retries = _run()
    assert (run.error, retries) == (None, 1)
    assert run.assets[-1].outcome is Outcome.SKIPPED
    assert _generations() == 1


def test_a_store_that_is_away_for_a_while_is_waited_for(store: FaultyStore) -> None:
    """Reads that fail three times in a row cost retries, not the run."""
    store.refuse("list", prefix="commits/factored/", times=3)
    run, retries = _run()
    assert (run.error, retries) == (None, 3)
    assert [result.outcome for result in run.assets] == [Outcome.COMMITTED] * len(Asset)


def test_a_store_that_stays_away_ends_the_run_after_a_bounded_number_of_retries(store: FaultyStore) -> None:
    """The run fails as transient where it first asks what is reported, says so, and the ledger has nothing."""
    store.refuse("list", prefix=LEDGER_RECORDS, times=1000)
    run, retries = _run()
    assert retries == remedies.MAX_RETRIES
    assert isinstance(run.error, Transient)
    assert [result.outcome for result in run.assets[-2:]] == [Outcome.REFUSED, None]


def test_a_record_that_contradicts_itself_is_not_retried(store: FaultyStore) -> None:
    """A damaged record ends the run at once as tampering, and stays as it is."""
    store.inner.replace(f"{LEDGER_RECORDS}project_id=anoka/period=2021/000000000001.json", b"not a record")
    run, retries = _run()
    assert retries == 0
    assert isinstance(run.error, Tampering)


def test_an_exception_that_nobody_expects_is_not_retried(store: FaultyStore) -> None:
    """It ends the run at once as a defect, in its own words, and nothing is kept from that stage on."""
    worlds.append(replace(worlds[-1], slots=SlotStore(store, _broken_clock)))
    run, retries = _run()
    worlds.pop()
    assert retries == 0
    assert isinstance(run.error, Defect)
    assert "the clock has stopped" in run.error.what
    assert list(store.inner.list("commits/")) == []


def _broken_clock() -> datetime:
    raise ZeroDivisionError("the clock has stopped")


class NoWorld(RunRecorder):
    """A recorder whose store is away, or is none, when the run starts."""

    def setup_for_execution(self, context: InitResourceContext) -> None:  # noqa: ARG002 - Dagster's signature
        open_store(self.store).put_if_absent("probe/x", b"1")


@pytest.mark.parametrize(
    ("uri", "family", "words"),
    [
        pytest.param("file:///proc/nowhere", Transient, "store did not do what it was asked", id="away"),
        pytest.param("ftp://somewhere", Refusal, "store location is refused", id="refused"),
    ],
)
def test_a_store_that_cannot_be_opened_is_told_in_its_own_words(uri: str, family: type[MrvError], words: str) -> None:
    """No step has run, yet the error is of the store's family and says what the store said."""
    run, retries = _run_with(NoWorld, store=uri)
    assert retries == 0
    assert isinstance(run.error, family)
    assert words in run.error.what
    assert {result.outcome for result in run.assets} == {None}
