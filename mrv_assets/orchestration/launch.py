"""Running partitions through the Dagster job from a process of our own, and what became of each.

The runs are recorded on the persistent instance like those launched from Dagit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dagster import DagsterEvent, DagsterEventType, DagsterInstance, ExecuteInProcessResult, JobDefinition

from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.orchestration.assets import FORCE_TAG
from mrv_assets.orchestration.deployment import deployment
from mrv_assets.orchestration.instance import initialise_home, open_instance
from mrv_assets.orchestration.jobs import REPORT_PARTITION
from mrv_assets.orchestration.partitions import dagster_key, register
from mrv_assets.settings import Settings

__all__ = ["AssetResult", "PartitionRun", "initialise_home", "run_partitions"]

# What a run did goes to the platform's own log; Dagster's console log would repeat it a hundred lines a partition.
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetResult:
    """What became of one asset in a run; `outcome` is None when the run did not reach it. `red` names its red gates."""

    asset: Asset
    outcome: Outcome | None
    generation: int | None
    reason: str
    red: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionRun:
    """One Dagster run of one partition. `error` is one readable text, empty on success."""

    key: PartitionKey
    run_id: str
    is_success: bool
    assets: tuple[AssetResult, ...]
    error: str


def run_partitions(settings: Settings, keys: Sequence[PartitionKey], *, force: bool) -> Iterator[PartitionRun]:
    """Run each partition in its own Dagster run, in the given order, and tell what became of it as soon as it is done.

    A partition that is refused does not stop the others. `force` recomputes what is unchanged. Raises ContractError
    when the home cannot be initialised.
    """
    initialise_home(settings)
    job = deployment(settings).resolve_job_def(REPORT_PARTITION)
    with open_instance(settings) as instance:
        register(instance, keys)
        for key in keys:
            yield _run(job, instance, key, force=force)


def _run(job: JobDefinition, instance: DagsterInstance, key: PartitionKey, *, force: bool) -> PartitionRun:
    result = job.execute_in_process(
        run_config=_QUIET,
        instance=instance,
        partition_key=dagster_key(key),
        tags={FORCE_TAG: "true"} if force else None,
        raise_on_error=False,
    )
    _stop_if_interrupted(result)
    return PartitionRun(
        key=key,
        run_id=result.run_id,
        is_success=result.success,
        assets=tuple(_asset_result(result, asset) for asset in Asset),
        error=_error(result),
    )


def _stop_if_interrupted(result: ExecuteInProcessResult) -> None:
    """Raise KeyboardInterrupt again: Dagster records Ctrl-C as a failed step and would let the next partition start."""
    for event in result.all_events:
        if event.event_type is DagsterEventType.STEP_FAILURE:
            error = event.step_failure_data.error
            while error:
                if error.cls_name in ("DagsterExecutionInterruptedError", "KeyboardInterrupt"):
                    raise KeyboardInterrupt
                error = error.cause


def _asset_result(result: ExecuteInProcessResult, asset: Asset) -> AssetResult:
    events = [event for event in result.all_events if event.step_key == asset.value]
    red = tuple(
        event.asset_check_evaluation_data.check_name
        for event in events
        if event.event_type is DagsterEventType.ASSET_CHECK_EVALUATION and not event.asset_check_evaluation_data.passed
    )
    for event in events:
        if event.event_type is DagsterEventType.ASSET_MATERIALIZATION:
            return _materialized(asset, event)
    is_refused = any(event.event_type is DagsterEventType.STEP_FAILURE for event in events)
    return AssetResult(
        asset=asset,
        outcome=Outcome.REFUSED if is_refused else None,
        generation=None,
        reason=_failure_text(events),
        red=red,
    )


def _materialized(asset: Asset, event: DagsterEvent) -> AssetResult:
    metadata = event.step_materialization_data.materialization.metadata
    generation = metadata["generation"].value if "generation" in metadata else None
    return AssetResult(
        asset=asset,
        outcome=Outcome(str(metadata["outcome"].value)),
        generation=generation if isinstance(generation, int) else None,
        reason=str(metadata["reason"].value),
        red=(),
    )


def _error(result: ExecuteInProcessResult) -> str:
    return _failure_text(result.all_events) or ("" if result.success else "the run failed outside its steps")


def _failure_text(events: Sequence[DagsterEvent]) -> str:
    """Return what the first failed step says: the description of a refusal, or the innermost error of anything else."""
    for event in events:
        if event.event_type is DagsterEventType.STEP_FAILURE:
            data = event.step_failure_data
            if data.user_failure_data and data.user_failure_data.description:
                return data.user_failure_data.description
            error = data.error
            while error and error.cause:
                error = error.cause
            return error.message.strip() if error else "the step failed without saying why"
    return ""
