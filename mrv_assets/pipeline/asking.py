"""When to ask for a run: at once for what is pending, and again after a wait when earlier runs came to nothing.

The store alone tells what is done; runs only tell when to ask again. What does not belong here: what is pending
(landing, bump), and Dagster (orchestration).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias

from mrv_assets.domain.partition import PartitionKey

REQUESTS = 50
"""Most runs that one look asks for."""

FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(days=1)
_DOUBLINGS = 12  # by then the longest wait is reached

Mark: TypeAlias = tuple[str, ...]
"""What a run is requested for, by digests: first one that many partitions share, then any of the partition's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """The runs that were requested for a partition under one mark and have ended.

    `last` is when the last one ended, `succeeded` when the last one began that ended well.
    """

    count: int = 0
    last: datetime | None = None
    succeeded: datetime | None = None


class RequestedRuns(Protocol):
    """What is known of runs."""

    def is_under_way(self, key: PartitionKey) -> bool:
        """Tell whether any run of the partition waits, starts or works, whoever asked for it."""
        ...

    def attempts(self, key: PartitionKey, mark: Mark) -> Attempts:
        """Return what became of the runs of the partition that were requested under this mark."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A partition that the store does not show done, and what a run would be requested for.

    `settled_after`: a run for it that began after this instant and ended well has found that there is nothing more to
    do. None when only the store can show it.
    """

    key: PartitionKey
    mark: Mark
    settled_after: datetime | None

    def is_settled(self, attempts: Attempts) -> bool:
        """Tell whether a run found that there is nothing more to do."""
        succeeded, after = attempts.succeeded, self.settled_after
        return succeeded is not None and after is not None and succeeded > after


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A run to ask for. `attempt` counts from 1 under its mark; `after` is when the attempt before it ended."""

    key: PartitionKey
    mark: Mark
    attempt: int
    after: datetime | None

    @property
    def name(self) -> str:
        """A name that no run of the partition has: Dagster never runs one twice, whatever became of the first.

        The count alone would come again when somebody deletes a run.
        """
        after = "first" if self.after is None else f"after {self.after.isoformat()}"
        return f"{self.key} for {' '.join(self.mark)} {after} attempt {self.attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """The runs to ask for now, how many partitions have to wait and why, and those that wait after a failed run."""

    requests: tuple[Request, ...]
    counts: tuple[str, ...]
    waits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What one look came to: runs to ask for, what a person should know, and what the next look is to be handed.

    `memory` saves the next look work and decides nothing.
    """

    requests: tuple[Request, ...]
    notes: tuple[str, ...]
    memory: str


def wait_after(attempts: int) -> timedelta:
    """Return how long to wait after so many attempts: 30 s after the first, twice as long each time, at most a day."""
    return min(FIRST_WAIT * (1 << min(attempts - 1, _DOUBLINGS)), LONGEST_WAIT)


def due(pending: Sequence[Pending], runs: RequestedRuns, now: datetime) -> Due:
    """Sort out for which partitions a run is to be asked for now, in their order."""
    requests: list[Request] = []
    waits: list[str] = []
    under_way = left = 0
    for one in pending:
        if runs.is_under_way(one.key):
            under_way += 1
            continue
        attempts = runs.attempts(one.key, one.mark)
        if one.is_settled(attempts):
            continue
        if attempts.last is not None and now < (again := attempts.last + wait_after(attempts.count)):
            waits.append(f"{one.key}: runs that came to nothing: {attempts.count}; the next after {again:%F %T} UTC")
        elif len(requests) == REQUESTS:
            left += 1
        else:
            requests.append(Request(key=one.key, mark=one.mark, attempt=attempts.count + 1, after=attempts.last))
    counts = {"partitions with a run under way": under_way, "partitions that wait for their turn": left}
    return Due(
        requests=tuple(requests),
        counts=tuple(f"{what}: {count}" for what, count in counts.items() if count),
        waits=tuple(waits),
    )
