"""The landing sensor as Dagster evaluates it: what it asks for, and that it asks once."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dagster import (
    DagsterInstance,
    DagsterRun,
    DagsterRunStatus,
    DefaultSensorStatus,
    SkipReason,
    build_sensor_context,
)
from dagster._core.definitions.run_request import SensorResult

from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.orchestration.deployment import deployment
from mrv_assets.orchestration.jobs import REPORT_PARTITION
from mrv_assets.orchestration.landing import DELIVERY_TAG, landing
from mrv_assets.orchestration.partitions import dagster_key
from mrv_assets.storage.opening import open_store
from mrv_assets_tests.end_to_end.daemon import asked, daemon
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.faults.retries import given, recorder
from mrv_assets_tests.s3_server import S3Server
from mrv_assets_tests.unit.pipeline.landings import NEWEST, Place, committed, key, projects, rows

# Dagster resolves a request of two dimensions into tags of its own and then finds their names wrong.
pytestmark = pytest.mark.filterwarnings(r"ignore:Non-compliant tag keys like \['dagster/partition/:DeprecationWarning")

ONE_YEAR = rows("anoka 2021 7")
ANOKA = key("anoka", "2021")


def _home(folder: Path) -> Home:
    return Home.create(folder, references=committed() | projects("anoka", "carver"), landing={})


def _deliver(home: Home, data: bytes, *, hours_ago: float = 1) -> None:
    """Let the source arrive some time ago; a file that was just written is left to rest."""
    home.land("source.csv", data)
    changed = (datetime.now(UTC) - timedelta(hours=hours_ago)).timestamp()
    os.utime(Path(home.environment["MRV_LANDING"]) / "source.csv", (changed, changed))


def test_a_delivered_file_is_run_and_the_same_file_is_not_run_again(tmp_path: Path) -> None:
    """From the landing folder to the ledger without anybody naming a partition; a touched file changes nothing."""
    home = _home(tmp_path)
    with daemon(home.settings, landing) as dagster:
        nothing = dagster.look()
        assert asked(nothing) == []
        assert "source file is missing" in str(nothing.skip_message)
        _deliver(home, rows("anoka 2021 7", "anoka 2022 8", "carver 2021 5"))
        tick = dagster.look()
        assert asked(tick) == [f"2021|anoka@{NEWEST}", f"2021|carver@{NEWEST}", f"2022|anoka@{NEWEST}"]
        assert [dagster.run(request) for request in tick.run_requests or ()] == [True] * 3
        assert home.world().slots.current(Slot.of(Asset.LEDGER, ANOKA)) is not None
        for hours_ago in (1, 0.5):
            _deliver(home, rows("anoka 2021 7", "anoka 2022 8", "carver 2021 5"), hours_ago=hours_ago)
            again = dagster.look()
            assert asked(again) == []
            assert again.skip_message == "Everything that was delivered is reported."
        assert home.world().journal.size() == 3


def test_a_changed_file_is_run_once_more_and_leaves_what_it_does_not_change(tmp_path: Path) -> None:
    """The partition that it changes gets a generation, the other a skip; then both are settled."""
    home = _home(tmp_path)
    with daemon(home.settings, landing) as dagster:
        for data in (rows("anoka 2021 7", "carver 2021 5"), rows("anoka 2021 9", "carver 2021 5")):
            _deliver(home, data)
            tick = dagster.look()
            assert len(asked(tick)) == 2
            assert all(dagster.run(request) for request in tick.run_requests or ())
            assert asked(dagster.look()) == []
    slots = home.world().slots
    assert [len(slots.history(Slot.of(Asset.LEDGER, key(name, "2021")))) for name in ("anoka", "carver")] == [2, 1]


def test_a_refused_delivery_is_not_run_again_at_once(tmp_path: Path) -> None:
    """The run fails, the sensor says when it asks again, and a corrected file is run without waiting."""
    home = _home(tmp_path)
    with daemon(home.settings, landing) as dagster:
        _deliver(home, rows("anoka 2021 -7"))
        [request] = dagster.look().run_requests or ()
        assert dagster.run(request) is False
        waiting = dagster.look()
        assert asked(waiting) == []
        assert f"{ANOKA}: runs that came to nothing: 1; the next after" in str(waiting.skip_message)
        _deliver(home, ONE_YEAR)
        [corrected] = dagster.look().run_requests or ()
        assert dagster.run(corrected) is True
        assert asked(dagster.look()) == []


def _look(place: Place, instance: DagsterInstance) -> SensorResult:
    """Evaluate the sensor on an instance that lives in memory, over a world that the test has made."""
    with given(place.world), build_sensor_context(instance=instance, resources={"recorder": recorder()}) as context:
        found = landing(context)
    assert isinstance(found, SensorResult)
    return found


def _delivery(place: Place) -> str:
    [request] = place.look().requests
    [delivery] = request.mark
    return delivery


def _recorded(status: DagsterRunStatus, tags: Mapping[str, str]) -> DagsterRun:
    partition = {"dagster/partition/period": ANOKA.period, "dagster/partition/series": ANOKA.series}
    # One that waits in the queue would need the code location that it waits for.
    return DagsterRun(job_name=REPORT_PARTITION, status=status, tags={**partition, **tags})


@pytest.mark.parametrize(
    ("status", "is_ours", "attempt"),
    [
        pytest.param(DagsterRunStatus.STARTING, True, None, id="starts"),
        pytest.param(DagsterRunStatus.STARTED, True, None, id="works"),
        pytest.param(DagsterRunStatus.STARTED, False, None, id="somebody's run works"),
        pytest.param(DagsterRunStatus.CANCELING, True, None, id="is being ended"),
        pytest.param(DagsterRunStatus.FAILURE, True, 2, id="failed"),
        pytest.param(DagsterRunStatus.CANCELED, True, 2, id="was ended"),
        pytest.param(DagsterRunStatus.NOT_STARTED, True, 2, id="was never handed on"),
        pytest.param(DagsterRunStatus.SUCCESS, True, 2, id="ended well, and the store does not have it"),
        pytest.param(DagsterRunStatus.FAILURE, False, 1, id="somebody's run failed"),
    ],
)
def test_a_recorded_run_decides_when_to_ask_again(
    status: DagsterRunStatus, attempt: int | None, *, is_ours: bool
) -> None:
    """A run under way is waited for, whoever started it; one of ours that came to nothing is tried again later."""
    place = Place({"source.csv": ONE_YEAR})
    tags = {DELIVERY_TAG: _delivery(place)} if is_ours else {}
    with DagsterInstance.ephemeral() as instance:
        instance.add_run(_recorded(status, tags))
        place.clock.now = datetime.now(UTC) + timedelta(minutes=5)
        requests = _look(place, instance).run_requests or []
    assert [str(request.run_key).rpartition(" ")[2] for request in requests] == ([str(attempt)] if attempt else [])


def test_a_run_that_just_failed_is_waited_for() -> None:
    """Half a minute after the first."""
    place = Place({"source.csv": ONE_YEAR})
    with DagsterInstance.ephemeral() as instance:
        instance.add_run(_recorded(DagsterRunStatus.FAILURE, {DELIVERY_TAG: _delivery(place)}))
        place.clock.now = datetime.now(UTC)
        found = _look(place, instance)
    assert found.run_requests == []
    assert "runs that came to nothing: 1" in str(found.skip_reason)


def test_a_request_registers_its_partition_and_carries_its_delivery() -> None:
    """Period and series are added by the same answer that asks for the run."""
    place = Place({"source.csv": ONE_YEAR})
    delivery = _delivery(place)
    with DagsterInstance.ephemeral() as instance:
        found = _look(place, instance)
    [request] = found.run_requests or []
    assert request.partition_key == dagster_key(ANOKA)
    assert request.tags == {DELIVERY_TAG: delivery}
    registered = {ask.partitions_def_name: list(ask.partition_keys) for ask in found.dynamic_partitions_requests or ()}
    assert registered == {"period": ["2021"], "series": [ANOKA.series]}


def test_many_notes_are_cut_short() -> None:
    """The page of a tick shows twenty, and how many more there are."""
    names = [f"p{number:02d}" for number in range(23)]
    references: dict[str, bytes] = {}
    for name in names:
        references |= projects(name, path=f"{name}.csv")
    place = Place({}, references=references)
    with DagsterInstance.ephemeral() as instance:
        reason = _look(place, instance).skip_reason
    assert isinstance(reason, SkipReason)
    told = str(reason.skip_message).splitlines()
    assert (len(told), told[-1]) == (21, "… and 3 more")


def test_nobody_is_surprised_by_the_sensors(tmp_path: Path) -> None:
    """They are there, stopped, and look every half minute once they are started."""
    found = deployment(_home(tmp_path).settings).get_repository_def().sensor_defs
    assert {sensor.name for sensor in found} == {"factor_version", "landing", "lineage_export", "alerts"}
    assert {sensor.default_status for sensor in found} == {DefaultSensorStatus.STOPPED}
    assert {sensor.minimum_interval_seconds for sensor in found} == {30}


@pytest.mark.server
@pytest.mark.parametrize("is_versioned", [True, False], ids=["versioned", "plain"])
def test_a_delivery_on_s3_is_recorded_by_its_version_or_entity_tag(s3: S3Server, *, is_versioned: bool) -> None:
    """Record and journal name the version of the object; the same bytes put again are another one and no new run."""
    bucket, prefix = s3.versioned_bucket() if is_versioned else s3.bucket, uuid.uuid4().hex
    place = Place(landing=open_store(f"s3://{bucket}/{prefix}", s3=s3.access()))
    place.clock.now = datetime.now(UTC) + timedelta(hours=1)

    def put() -> str:
        answer = s3.client().put_object(Bucket=bucket, Key=f"{prefix}/source.csv", Body=ONE_YEAR)
        return str(answer["VersionId"] if is_versioned else answer["ETag"].strip('"'))

    version = put()
    assert place.run() == [str(ANOKA)]
    put()
    assert place.asked() == []
    record = place.world.slots.current(Slot.of(Asset.ACTIVITY, ANOKA))
    assert record is not None
    assert record.evidence["source_version"] == version
    assert record.evidence["source_uri"] == f"s3://{bucket}/{prefix}/source.csv"
    [entry] = place.world.journal.entries()
    assert entry.events[0].source["source_version"] == version
