"""The sensor on the landing place: it asks for the runs that a delivery calls for, and registers their partitions.

It is stopped until somebody starts it. What does not belong here: deciding what to run (pipeline).
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache, cached_property

from dagster import (
    DagsterInstance,
    DagsterRun,
    DagsterRunStatus,
    DefaultSensorStatus,
    RunRecord,
    RunRequest,
    RunsFilter,
    SensorEvaluationContext,
    SensorResult,
    sensor,
)

from mrv_assets.domain.partition import PartitionKey
from mrv_assets.orchestration.jobs import report_partition
from mrv_assets.orchestration.partitions import PERIOD, SERIES, dagster_key
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline.landing import Attempts, Request, look_at_landing

DELIVERY_TAG = "mrv/delivery"
"""Run tag that names the bytes of the source file and of the project file that the run was requested for."""

# A run that is only created was not handed on; Dagster may have ended before it did.
_UNDER_WAY = [
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
    DagsterRunStatus.MANAGED,
]
_PERIOD_TAG, _SERIES_TAG = "dagster/partition/period", "dagster/partition/series"
_SHOWN = 20


class RecordedRuns:
    """The runs of an instance, asked once a look: those under way, and those of each delivery."""

    def __init__(self, instance: DagsterInstance) -> None:
        self._instance = instance
        self._of_delivery = cache(self._attempts_by_partition)

    def is_under_way(self, key: PartitionKey) -> bool:
        """Tell whether any run of the partition waits, starts or works, whoever asked for it."""
        return (key.period, key.series) in self._under_way

    def attempts(self, key: PartitionKey, delivery: str) -> Attempts:
        """Return what became of the runs that were requested for this delivery to the partition."""
        return self._of_delivery(delivery).get((key.period, key.series), Attempts())

    @cached_property
    def _under_way(self) -> frozenset[tuple[str, str]]:
        runs = self._instance.get_runs(RunsFilter(statuses=_UNDER_WAY))
        return frozenset(_partition(run) for run in runs)

    def _attempts_by_partition(self, delivery: str) -> dict[tuple[str, str], Attempts]:
        found: defaultdict[tuple[str, str], list[RunRecord]] = defaultdict(list)
        for record in self._instance.get_run_records(RunsFilter(tags={DELIVERY_TAG: delivery})):
            if record.dagster_run.status not in _UNDER_WAY:
                found[_partition(record.dagster_run)].append(record)
        return {partition: _attempts(records) for partition, records in found.items()}


@sensor(
    name="landing",
    job=report_partition,
    minimum_interval_seconds=30,
    default_status=DefaultSensorStatus.STOPPED,
    description="Ask for the partitions whose source file was delivered and whose figure does not rest on it yet.",
)
def landing(context: SensorEvaluationContext, recorder: RunRecorder) -> SensorResult:
    """Look at the landing place once. What a person should know is the reason of a tick that asks for nothing."""
    decision = look_at_landing(recorder.run.world, RecordedRuns(context.instance), context.cursor)
    told = _told(decision.notes) or "Everything that was delivered is reported."
    if not decision.requests:
        return SensorResult(skip_reason=told, cursor=decision.memory)
    context.log.info(_told([f"runs that are asked for: {len(decision.requests)}", *decision.notes]))
    return SensorResult(
        run_requests=[_run_request(request) for request in decision.requests],
        dynamic_partitions_requests=[
            PERIOD.build_add_request(sorted({request.key.period for request in decision.requests})),
            SERIES.build_add_request(sorted({request.key.series for request in decision.requests})),
        ],
        cursor=decision.memory,
    )


def _run_request(request: Request) -> RunRequest:
    return RunRequest(
        run_key=request.name, partition_key=dagster_key(request.key), tags={DELIVERY_TAG: request.delivery}
    )


def _told(notes: Sequence[str]) -> str:
    more = [f"… and {len(notes) - _SHOWN} more"] if len(notes) > _SHOWN else []
    return "\n".join([*notes[:_SHOWN], *more])


def _partition(run: DagsterRun) -> tuple[str, str]:
    return run.tags.get(_PERIOD_TAG, ""), run.tags.get(_SERIES_TAG, "")


def _attempts(records: Sequence[RunRecord]) -> Attempts:
    well = [_began(record) for record in records if record.dagster_run.status is DagsterRunStatus.SUCCESS]
    return Attempts(count=len(records), last=max(map(_ended, records)), succeeded=max(well, default=None))


def _began(record: RunRecord) -> datetime:
    return record.create_timestamp if record.start_time is None else datetime.fromtimestamp(record.start_time, UTC)


def _ended(record: RunRecord) -> datetime:
    return record.update_timestamp if record.end_time is None else datetime.fromtimestamp(record.end_time, UTC)


SENSORS = [landing]
