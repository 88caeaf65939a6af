"""A backfill from Dagit during which daemons, code servers and run workers are killed at seeded instants.

What Dagster names as failed is launched once more, as an operator does. What does not belong here: the processes
(services) and what has to be true in the end (truth).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from dagster import DagsterRunStatus, RunsFilter

from mrv_assets.domain.partition import PartitionKey
from mrv_assets.orchestration.instance import open_instance
from mrv_assets.orchestration.partitions import dagster_key
from mrv_assets.pipeline.audit import reported_figures
from mrv_assets_tests.chaos.line import Course, Line, line
from mrv_assets_tests.chaos.place import keys, lay_out
from mrv_assets_tests.chaos.services import Services, services
from mrv_assets_tests.chaos.truth import Truth, compare, run_in_peace
from mrv_assets_tests.end_to_end.backfills import Backfill, is_over, launch, look, partition_of
from mrv_assets_tests.end_to_end.home import Home

_BETWEEN_KILLS_S = (1.0, 7.0)
_WORKER_WITHIN_S = 180
_OVER_WITHIN_S = 1500
_LAUNCHES = 4

Kill: TypeAlias = Callable[[Services, random.Random], bool]
KILLS: Mapping[str, Kill] = {
    "daemon": Services.kill_daemon,
    "code server": Services.kill_code_server,
    "worker": Services.kill_worker,
}


def storm(
    name: str, scratch: Path, *, partitions: int, victims: Mapping[str, int], seed: int, daemons: int = 1
) -> Line:
    """Backfill the partitions while `victims` are killed, in an order and at instants drawn from `seed`."""
    wanted = keys(partitions)
    undisturbed = lay_out(scratch / "undisturbed", wanted).world()
    run_in_peace(undisturbed, wanted)
    truth = Truth.of(undisturbed)
    home = lay_out(scratch / "storm", wanted)
    began = time.monotonic()
    with services(home, scratch, wanted, daemons=daemons) as running:
        rng = random.Random(seed)
        first = launch(running.server, _names(wanted))
        kills = _kill(running, first, _order(victims, rng), rng)
        backfill = _over(running, first)
        unsaid, relaunched = _unsaid(home, wanted, backfill), _relaunch(running, home, wanted)
    runs, lost = runs_of(home)
    course = Course(
        partitions=partitions,
        planned=sum(victims.values()),
        kills=sum(kills.values()),
        runs=runs,
        failed=lost,
        relaunched=relaunched,
        unsaid=unsaid,
        seconds=time.monotonic() - began,
        shown=", ".join(f"{kind} {count}" for kind, count in kills.items()),
    )
    return line(name, course, compare(home.world(), truth), truth)


def runs_of(home: Home) -> tuple[int, int]:
    """Return how many runs Dagster has recorded, and how many of them did not end well."""
    with open_instance(home.settings) as instance:
        every = instance.get_runs_count()
        return every, every - instance.get_runs_count(RunsFilter(statuses=[DagsterRunStatus.SUCCESS]))


def kill_one(running: Services, kind: str, rng: random.Random) -> bool:
    """Kill one of a kind, waiting for there to be one; tell whether there was."""
    deadline = time.monotonic() + _WORKER_WITHIN_S
    while not KILLS[kind](running, rng):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _names(wanted: Sequence[PartitionKey]) -> list[str]:
    return [str(dagster_key(key)) for key in wanted]


def _order(victims: Mapping[str, int], rng: random.Random) -> list[str]:
    order = [kind for kind, count in victims.items() for _ in range(count)]
    rng.shuffle(order)
    return order


def _kill(running: Services, backfill: str, order: Sequence[str], rng: random.Random) -> dict[str, int]:
    """Kill in order while the backfill goes on, from its first run on, and return how many of each kind."""
    done = dict.fromkeys(order, 0)
    deadline = time.monotonic() + _OVER_WITHIN_S
    while order and not look(running.server, backfill)["runs"] and time.monotonic() < deadline:
        time.sleep(0.5)
    for kind in order:
        time.sleep(rng.uniform(*_BETWEEN_KILLS_S))
        if is_over(look(running.server, backfill)):
            break
        done[kind] += kill_one(running, kind, rng)
    return done


def _over(running: Services, backfill: str) -> Backfill:
    deadline = time.monotonic() + _OVER_WITHIN_S
    while not is_over(found := look(running.server, backfill)):
        if time.monotonic() > deadline:
            raise AssertionError(f"backfill is {found['status']} after {_OVER_WITHIN_S} s")
        time.sleep(1)
    return found


def _missing(home: Home, wanted: Sequence[PartitionKey]) -> list[PartitionKey]:
    reported = reported_figures(home.world())
    return [key for key in wanted if (key.project_id, key.period) not in reported]


def _unsaid(home: Home, wanted: Sequence[PartitionKey], backfill: Backfill) -> int:
    """Count what is not reported though no run of it is recorded as failed."""
    failed = {partition_of(run) for run in backfill["runs"] if run["status"] != "SUCCESS"}
    silent = [name for name in _names(_missing(home, wanted)) if name not in failed]
    return len(silent) if backfill["status"] != "FAILED" else 0


def _relaunch(running: Services, home: Home, wanted: Sequence[PartitionKey]) -> int:
    """Launch what is missing until nothing is, as an operator does, and return how many partitions that took."""
    relaunched = 0
    for _ in range(_LAUNCHES):
        missing = _missing(home, wanted)
        if not missing:
            break
        relaunched += len(missing)
        _over(running, launch(running.server, _names(missing)))
    return relaunched
