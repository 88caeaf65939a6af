"""What became of a partition in a Dagster run, read from the events of the run.

What does not belong here: launching (launch) and showing it to people (cli).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dagster import DagsterEvent, DagsterEventType, ExecuteInProcessResult
from dagster_shared.error import SerializableErrorInfo

from mrv_assets.domain.errors import Defect, MrvError, Refusal, Tampering, Transient
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey

_FAMILIES: Mapping[str, type[MrvError]] = {kind.family: kind for kind in (Refusal, Transient, Tampering)}
# An error that Dagster has turned into text keeps the name of its class. Nothing of it is left but that and its words.
_NAMED: Mapping[str, tuple[type[MrvError], str]] = {
    kind.__name__: (family, remedy)
    for family, remedy in (
        (Refusal, "do what it says, and run it again"),
        (Transient, "run it again later"),
        (Tampering, "stop and keep the store as it is"),
    )
    for kind in family.__subclasses__()
}
_PARTS = ("family", "what", "where", "expected", "found", "remedy")
_INTERRUPTIONS = ("DagsterExecutionInterruptedError", "KeyboardInterrupt")


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
    """One Dagster run of one partition. `error` is None on success."""

    key: PartitionKey
    run_id: str
    assets: tuple[AssetResult, ...]
    error: MrvError | None


def partition_run(key: PartitionKey, result: ExecuteInProcessResult) -> PartitionRun:
    """Read what became of the partition. Raises as `error_of`."""
    error = error_of(result)
    return PartitionRun(
        key=key,
        run_id=result.run_id,
        assets=tuple(_asset_result(result, asset, error) for asset in Asset),
        error=error,
    )


def error_of(result: ExecuteInProcessResult, *, unless: str | None = None) -> MrvError | None:
    """Return why a run failed, None when it ended well, or when only the step `unless` of it failed.

    Raises KeyboardInterrupt when the run was ended by one: Dagster records Ctrl-C as a failed step and would let the
    next run start.
    """
    failed = [event for event in result.all_events if event.event_type is DagsterEventType.STEP_FAILURE]
    if any(_causes(event)[-1].cls_name in _INTERRUPTIONS for event in failed if _causes(event)):
        raise KeyboardInterrupt
    if result.success or (failed and all(event.step_key == unless for event in failed)):
        return None
    outside = [event for event in result.all_events if event.event_type is DagsterEventType.PIPELINE_FAILURE]
    return run_error(failed or outside, result.run_id)


def _asset_result(result: ExecuteInProcessResult, asset: Asset, error: MrvError | None) -> AssetResult:
    events = [event for event in result.all_events if event.step_key == asset.value]
    for event in events:
        if event.event_type is DagsterEventType.ASSET_MATERIALIZATION:
            return _materialized(asset, event)
    red = tuple(
        event.asset_check_evaluation_data.check_name
        for event in events
        if event.event_type is DagsterEventType.ASSET_CHECK_EVALUATION and not event.asset_check_evaluation_data.passed
    )
    is_refused = any(event.event_type is DagsterEventType.STEP_FAILURE for event in events)
    return AssetResult(
        asset=asset,
        outcome=Outcome.REFUSED if is_refused else None,
        generation=None,
        reason=error.what if is_refused and error else "",
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


def run_error(failed: Sequence[DagsterEvent], run_id: str) -> MrvError:
    """Return our own error as it was raised, or a Defect for anything else, from the first failed step.

    When no step failed the run itself did: a resource could not be set up, because the store was away or is refused.
    """
    is_step = bool(failed) and failed[0].event_type is DagsterEventType.STEP_FAILURE
    told = failed[0].step_failure_data.user_failure_data if is_step else None
    if told and told.metadata and "family" in told.metadata:
        parts = {part: str(told.metadata[part].value) for part in _PARTS}
        return _FAMILIES[parts.pop("family")](**parts)
    causes = _causes(failed[0]) if failed else []
    # Ours, where there is one: what lies below it is what it has put into words.
    cause = next((cause for cause in causes if cause.cls_name in _NAMED), causes[-1] if causes else None)
    what = cause.message.strip() if cause else "the run failed outside its steps"
    kind, remedy = _NAMED.get((cause and cause.cls_name) or "", (Defect, "report it with the run's log"))
    return kind(
        what, where=f"run {run_id}", expected="a run that ends well", found="an error that outlived it", remedy=remedy
    )


def _causes(event: DagsterEvent) -> list[SerializableErrorInfo]:
    """Return the errors of a failed step or run, the innermost last."""
    chain = []
    is_step = event.event_type is DagsterEventType.STEP_FAILURE
    error = event.step_failure_data.error if is_step else event.job_failure_data.error
    while error:
        chain.append(error)
        error = error.cause
    return chain
