"""Running partitions through the Dagster job from a process of our own, and what became of each.

The runs are recorded on the persistent instance like those launched from Dagit. What does not belong here: choosing
what to run.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

from dagster import DagsterInstance, JobDefinition

from mrv_assets.domain.backfill import BackfillRequest
from mrv_assets.domain.errors import MrvError
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.garbage import collect_rarely
from mrv_assets.orchestration.assets import FORCE_TAG
from mrv_assets.orchestration.backfill import BACKFILL_WINDOW, ShowManifest, Watch
from mrv_assets.orchestration.backfill_config import Options, run_config
from mrv_assets.orchestration.deployment import deployment
from mrv_assets.orchestration.instance import initialise_home, open_instance
from mrv_assets.orchestration.jobs import REPORT_PARTITION
from mrv_assets.orchestration.partitions import dagster_key, register
from mrv_assets.orchestration.results import PartitionRun, error_of, partition_run
from mrv_assets.settings import Settings
from mrv_assets.telemetry import configure

Launch: TypeAlias = Callable[[Sequence[PartitionKey]], Iterator[PartitionRun]]

# What a run did goes to the platform's own log; Dagster's console log would repeat it a hundred lines a partition.
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@contextmanager
def launcher(settings: Settings, *, processes: int, log: Path, force: bool) -> Iterator[Launch]:
    """Give a function that runs partitions, each in its own Dagster run, and tells in order what became of each.

    A partition that is refused does not stop the others. With more than one process the runs go side by side; Dagster's
    bookkeeping costs more than a second of processor time a run. `log` is where structured events go; `force`
    recomputes what is unchanged. Raises ContractError when the home cannot be initialised.
    """
    initialise_home(settings)
    if processes == 1:
        yield partial(_in_order, settings, force=force)
        return
    # Spawned, not forked: Dagster, Arrow and Polars have threads, and a forked thread pool hangs.
    context = get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_begin, initargs=(log,)) as pool:
        yield partial(_side_by_side, pool, settings, force=force)


def _begin(log: Path) -> None:
    """Begin a process that runs partitions."""
    collect_rarely()
    configure(log)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillRun:
    """A run of `backfill_window` that has ended. `error` is why it kept no manifest, None when it did."""

    run_id: str
    error: MrvError | None


def launch_backfill(
    settings: Settings, request: BackfillRequest, options: Options, *, watch: Watch, show: ShowManifest
) -> BackfillRun:
    """Run `backfill_window` in this process, recorded and shown like a run from Dagit; `watch` looks on.

    A run that refused partitions has a manifest that names them, and no error. Raises ContractError when the home
    cannot be initialised, KeyboardInterrupt when the run was ended by one.
    """
    initialise_home(settings)
    job = deployment(settings, watch=watch, show_manifest=show).resolve_job_def(BACKFILL_WINDOW)
    with open_instance(settings) as instance:
        result = job.execute_in_process(
            run_config=run_config(request, options) | _QUIET, instance=instance, raise_on_error=False
        )
        return BackfillRun(run_id=result.run_id, error=error_of(result, unless="submit"))


def _in_order(settings: Settings, keys: Sequence[PartitionKey], *, force: bool) -> Iterator[PartitionRun]:
    register(_instance(settings), keys)
    for key in keys:
        yield _run(settings, key, force=force)


def _side_by_side(
    pool: ProcessPoolExecutor, settings: Settings, keys: Sequence[PartitionKey], *, force: bool
) -> Iterator[PartitionRun]:
    register(_instance(settings), keys)
    return pool.map(partial(_run, settings, force=force), keys)


def _run(settings: Settings, key: PartitionKey, *, force: bool) -> PartitionRun:
    result = _job(settings).execute_in_process(
        run_config=_QUIET,
        instance=_instance(settings),
        partition_key=dagster_key(key),
        tags={FORCE_TAG: "true"} if force else None,
        raise_on_error=False,
    )
    return partition_run(key, result)


@cache
def _job(settings: Settings) -> JobDefinition:
    return deployment(settings).resolve_job_def(REPORT_PARTITION)


@cache
def _instance(settings: Settings) -> DagsterInstance:
    """Return the instance, opened once in a process and left open until it ends."""
    return open_instance(settings)
