"""What the landing place asks for: runs of partitions whose delivery is there and whose figure does not rest on it yet.

The store alone tells what is done. What was requested before only tells when to ask again. What does not belong here:
reading the deliveries (delivered), and Dagster (orchestration).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Protocol

from mrv_assets.domain.errors import Refusal, Transient
from mrv_assets.domain.partition import PartitionKey, Period
from mrv_assets.pipeline.carried import is_carried_through, is_made_from, made_at
from mrv_assets.pipeline.delivered import Delivered, LandingRound
from mrv_assets.pipeline.landing_memory import Memory
from mrv_assets.pipeline.versions import newest_release
from mrv_assets.pipeline.world import World

REQUESTS = 50
"""Most runs that one look asks for."""

FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(days=1)
_DOUBLINGS = 12  # by then the longest wait is reached


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """The runs that were requested for a delivery to a partition and have ended.

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

    def attempts(self, key: PartitionKey, delivery: str) -> Attempts:
        """Return what became of the runs that were requested for this delivery to the partition."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A run to ask for. `delivery` names the bytes of file and project; `attempt` counts from 1 for these bytes."""

    key: PartitionKey
    delivery: str
    attempt: int

    @property
    def name(self) -> str:
        """Another name for every attempt: Dagster never runs one name twice, whatever became of the first."""
        return f"{self.key} delivery {self.delivery} attempt {self.attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What one look came to: runs to ask for, what a person should know, and what the next look is to be handed."""

    requests: tuple[Request, ...]
    notes: tuple[str, ...]
    memory: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    """A partition whose activity was not made from the delivery, or has not gone through to the ledger.

    `made` is when the current activity was written, None when there is none.
    """

    key: PartitionKey
    delivery: str
    modified_utc: str
    made: datetime | None

    def is_settled(self, attempts: Attempts) -> bool:
        """Tell whether a run for these bytes began since, went all the way, and found nothing more to do."""
        succeeded = attempts.succeeded
        return succeeded is not None and self.made is not None and succeeded > self.made


@dataclass(frozen=True, slots=True, kw_only=True)
class _Due:
    """The runs to ask for now, how many partitions have to wait and why, and those that wait after a failed run."""

    requests: tuple[Request, ...]
    counts: tuple[str, ...]
    waits: tuple[str, ...]


def look_at_landing(world: World, runs: RequestedRuns, remembered: str | None) -> Decision:
    """Decide which partitions to run. Raises StoreUnavailable when the store does not answer, and what is Tampering.

    A source, project or factor line that is refused or cannot be had now is told, and stops no other one.
    """
    glance = world.at_a_glance()
    landing = LandingRound(glance, Memory.parse(remembered))
    pending, refused = _pending(glance, landing.deliveries())
    due = _due(pending, runs, world.clock())
    notes = (*due.counts, *landing.notes, *refused, *due.waits)
    return Decision(requests=due.requests, notes=notes, memory=landing.memory.to_text())


def wait_after(attempts: int) -> timedelta:
    """Return how long to wait after so many attempts: 30 s after the first, twice as long each time, at most a day."""
    return min(FIRST_WAIT * (1 << min(attempts - 1, _DOUBLINGS)), LONGEST_WAIT)


def _pending(world: World, deliveries: Iterator[Delivered]) -> tuple[list[_Pending], list[str]]:
    """Return what has not gone through, the oldest first, and what was refused on the way."""
    newest = cache(lambda line: newest_release(world.references, line).version)
    found: list[_Pending] = []
    notes: list[str] = []
    for delivered in deliveries:
        try:
            found += _pending_of(world, delivered, newest)
        except (Refusal, Transient) as error:
            notes.append(f"{delivered.project.id}: {error}")
    return sorted(found, key=lambda one: (one.modified_utc, one.key.period, one.key)), notes


def _pending_of(world: World, delivered: Delivered, newest: Callable[[str], str]) -> list[_Pending]:
    project, today = delivered.project, world.clock().date()
    found = []
    for period in delivered.periods:
        if Period.parse(period).last >= today:
            continue
        version = project.pins.get(period) or newest(project.factor_line)
        key = PartitionKey(project_id=project.id, period=period, factor_version=version)
        if not (is_carried_through(world, key) and is_made_from(world, key, delivered.digests)):
            modified = delivered.source.modified_utc
            made = made_at(world, key)
            found.append(_Pending(key=key, delivery=delivered.name, modified_utc=modified, made=made))
    return found


def _due(pending: Sequence[_Pending], runs: RequestedRuns, now: datetime) -> _Due:
    """Sort out for which partitions a run is to be asked for now."""
    requests: list[Request] = []
    waits: list[str] = []
    under_way = left = 0
    for one in pending:
        if runs.is_under_way(one.key):
            under_way += 1
            continue
        attempts = runs.attempts(one.key, one.delivery)
        if one.is_settled(attempts):
            continue
        if attempts.last is not None and now < (again := attempts.last + wait_after(attempts.count)):
            waits.append(f"{one.key}: runs that came to nothing: {attempts.count}; the next after {again:%F %T} UTC")
        elif len(requests) == REQUESTS:
            left += 1
        else:
            requests.append(Request(key=one.key, delivery=one.delivery, attempt=attempts.count + 1))
    counts = {"partitions with a run under way": under_way, "partitions that wait for their turn": left}
    return _Due(
        requests=tuple(requests),
        counts=tuple(f"{what}: {count}" for what, count in counts.items() if count),
        waits=tuple(waits),
    )
