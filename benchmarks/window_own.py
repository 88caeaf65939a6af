"""A process of `make bench`: partitions by the pipeline alone, without Dagster, or each in a Dagster run of its own.

Prints JSON: seconds and processor time of the partitions themselves, without imports, and of waiting for the disk.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog

from benchmarks.window_home import Home, make_home
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.garbage import collect_rarely
from mrv_assets.pipeline.backfill import done, walk
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World, utc_now
from mrv_assets.settings import Settings
from mrv_assets.storage.posix_files import Files
from mrv_assets.storage.posix_store import PosixStore

if TYPE_CHECKING:
    from mrv_assets.orchestration.results import PartitionRun

_CHUNK = 200


class TimedFiles(Files):
    """The operating system, with the time that is waited for the disk."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def sync(self, descriptor: int) -> None:
        """Sync, and count how long it takes."""
        begin = time.perf_counter()
        super().sync(descriptor)
        self.seconds += time.perf_counter() - begin


def _world(settings: Settings, files: Files) -> World:
    store, references, landing = (
        PosixStore(Path(urlsplit(uri).path), files=files)
        for uri in (settings.store, settings.reference, settings.landing)
    )
    return World.over(store=store, references=references, landing=landing, clock=utc_now)


def carry(world: World, keys: Sequence[PartitionKey]) -> None:
    """Carry partitions through all assets as a backfill does: chunk by chunk, each with a journal entry."""
    for start in range(0, len(keys), _CHUNK):
        run = Run(world.at_a_glance(), run_id=f"bench-{start}")
        for key in keys[start : start + _CHUNK]:
            walked = walk(run, key, assets=tuple(Asset), force=False)
            done(run.world, walked, runs=[run.run_id])
            if walked.error is not None:
                raise walked.error
        run.close()


def _alone(home: Home) -> dict[str, float]:
    files = TimedFiles()
    with tempfile.TemporaryDirectory(prefix="bench-warm-") as folder:
        # What a process does once, imports and digests of code, is not counted.
        warm = make_home(Path(folder), partitions=1, rows=home.rows)
        carry(_world(warm.settings, Files()), warm.keys[:1])
    return _timed(lambda: carry(_world(home.settings, files), home.keys)) | {"disk": files.seconds}


def _by_runs(home: Home) -> dict[str, float]:
    from mrv_assets.orchestration.launch import launcher  # noqa: PLC0415 - costs seconds, and is asked for by one mode

    keys = home.keys
    log = home.folder / "log.jsonl"
    runs: list[PartitionRun] = []
    with launcher(home.settings, processes=1, log=log, force=False) as launch:
        list(launch(keys[:1]))
        took = _timed(lambda: runs.extend(launch(keys[1:])))
    for run in runs:
        if run.error is not None:
            raise run.error
    return took | {"partitions": len(runs)}


def _timed(work: Callable[[], object]) -> dict[str, float]:
    begin, processor = time.perf_counter(), time.process_time()
    work()
    return {"seconds": time.perf_counter() - begin, "processor": time.process_time() - processor}


def main() -> None:
    """Do one of the two: `alone` or `runs`, on a home that is there."""
    collect_rarely()  # as every process of the platform does
    mode, folder, projects, rows = sys.argv[1:]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    home = Home(folder=Path(folder), projects=int(projects), rows=int(rows))
    found = {"alone": _alone, "runs": _by_runs}[mode](home)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
