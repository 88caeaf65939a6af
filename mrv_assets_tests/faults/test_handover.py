"""What an asset hands to the IO manager must be the partition that Dagster is told about."""

from typing import Any

from dagster import AssetExecutionContext, DagsterEventType, asset

from mrv_assets.domain.partition import Asset
from mrv_assets.orchestration.partitions import PARTITIONS
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets_tests.faults.figures import OLD, world_over
from mrv_assets_tests.faults.partial_runs import KEYS
from mrv_assets_tests.faults.retries import given, run_users_asset
from mrv_assets_tests.world import memory_store


@asset(partitions_def=PARTITIONS, io_manager_key="generations")
def always_2021(context: AssetExecutionContext, recorder: RunRecorder) -> Any:  # noqa: ARG001 - Dagster's signature
    """Hand over 2021, whatever partition was asked for."""
    run = recorder.run
    return run.make(run.plan(Asset.ACTIVITY, OLD))


def test_content_of_another_partition_is_refused_before_it_is_kept() -> None:
    """A step for 2018 that hands over 2021 fails in our words; nothing is stored, nothing counts as materialised."""
    world = world_over(memory_store())
    with given(world):
        result = run_users_asset(always_2021, keys=KEYS[:1])
    failure = next(e for e in result.all_events if e.event_type is DagsterEventType.STEP_FAILURE)
    told = failure.step_failure_data.user_failure_data
    assert told is not None
    assert "hands over the content of another partition" in (told.description or "")
    assert list(world.store.list("commits/")) == []
    assert not any(e.event_type is DagsterEventType.ASSET_MATERIALIZATION for e in result.all_events)


def test_content_of_the_asked_partition_is_kept() -> None:
    """The same asset, asked for 2021, commits its one generation."""
    world = world_over(memory_store())
    with given(world):
        assert run_users_asset(always_2021, keys=[OLD]).success
    assert len(list(world.store.list("commits/"))) == 1
