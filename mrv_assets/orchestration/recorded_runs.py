"""What Dagster has recorded of runs: which partitions have one under way, and what became of those that were asked for.

What does not belong here: what that means for the next request (pipeline/asking).
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache, cached_property

from dagster import DagsterInstance, DagsterRun, DagsterRunStatus, RunRecord, RunsFilter

from mrv_assets.domain.partition import PartitionKey
from mrv_assets.pipeline.asking import Attempts, Mark

# A run that is only created was not handed on; Dagster may have ended before it did.
_UNDER_WAY = [
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
    DagsterRunStatus.MANAGED,
]
_PARTITION_TAGS = ("dagster/partition/period", "dagster/partition/series")


class RecordedRuns:
    """The runs of an instance, asked once a look: those under way, and those that have the first part of a mark.

    `tags` are the names of the run tags that hold the parts of a mark, in their order.
    """

    def __init__(self, instance: DagsterInstance, tags: Sequence[str]) -> None:
        self._instance = instance
        self._shared, *own = tags
        self._names = (*_PARTITION_TAGS, *own)
        self._of_shared = cache(self._attempts_by_names)

    def is_under_way(self, key: PartitionKey) -> bool:
        """Tell whether any run of the partition waits, starts or works, whoever asked for it."""
        return (key.period, key.series) in self._under_way

    def attempts(self, key: PartitionKey, mark: Mark) -> Attempts:
        """Return what became of the runs of the partition that were requested under this mark."""
        shared, *own = mark
        return self._of_shared(shared).get((key.period, key.series, *own), Attempts())

    @cached_property
    def _under_way(self) -> frozenset[tuple[str, ...]]:
        runs = self._instance.get_runs(RunsFilter(statuses=_UNDER_WAY))
        return frozenset(_tagged(run, _PARTITION_TAGS) for run in runs)

    def _attempts_by_names(self, shared: str) -> dict[tuple[str, ...], Attempts]:
        found: defaultdict[tuple[str, ...], list[RunRecord]] = defaultdict(list)
        for record in self._instance.get_run_records(RunsFilter(tags={self._shared: shared})):
            if record.dagster_run.status not in _UNDER_WAY:
                found[_tagged(record.dagster_run, self._names)].append(record)
        return {names: _attempts(records) for names, records in found.items()}


def _tagged(run: DagsterRun, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(run.tags.get(name, "") for name in names)


def _attempts(records: Sequence[RunRecord]) -> Attempts:
    well = [_began(record) for record in records if record.dagster_run.status is DagsterRunStatus.SUCCESS]
    return Attempts(count=len(records), last=max(map(_ended, records)), succeeded=max(well, default=None))


def _began(record: RunRecord) -> datetime:
    return record.create_timestamp if record.start_time is None else datetime.fromtimestamp(record.start_time, UTC)


def _ended(record: RunRecord) -> datetime:
    return record.update_timestamp if record.end_time is None else datetime.fromtimestamp(record.end_time, UTC)
