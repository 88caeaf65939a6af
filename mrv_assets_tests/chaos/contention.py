"""Many processes on one SQLite instance at once, each partition in two of them at the same time.

What is right: every run and every event is recorded, or, where SQLite has lost one, the commit is there all the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from dagster import DagsterEventType

from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.orchestration.instance import initialise_home, open_instance
from mrv_assets.orchestration.launch import launcher
from mrv_assets.settings import Settings
from mrv_assets.telemetry import configure
from mrv_assets_tests.chaos.line import Course, Line, line
from mrv_assets_tests.chaos.place import keys, lay_out
from mrv_assets_tests.chaos.storm import runs_of
from mrv_assets_tests.chaos.truth import Truth, compare, run_in_peace
from mrv_assets_tests.end_to_end.home import Home


def contention(name: str, scratch: Path, *, processes: int, runs: int) -> Line:
    """Let each of `processes` do `runs` runs, every partition by two neighbours at once, and count what is recorded."""
    wanted = keys(processes * runs // 2)
    undisturbed = lay_out(scratch / "undisturbed", wanted).world()
    run_in_peace(undisturbed, wanted)
    truth, home, began = Truth.of(undisturbed), lay_out(scratch / "contention", wanted), time.monotonic()
    initialise_home(home.settings)
    shares = [wanted[pair * runs : (pair + 1) * runs] for pair in range(processes // 2) for _ in range(2)]
    log = home.settings.logs / "chaos.jsonl"
    with ProcessPoolExecutor(
        processes, mp_context=get_context("spawn"), initializer=configure, initargs=(log,)
    ) as pool:
        told = [one for share in pool.map(_contend, [home.settings] * processes, shares) for one in share]
    recorded, lost = runs_of(home)
    shown = f"runs not recorded: {processes * runs - recorded}, events lost: {_events_lost(home)}"
    course = Course(
        partitions=len(wanted),
        runs=recorded,
        failed=lost,
        seconds=time.monotonic() - began,
        shown=", ".join([shown, *sorted(set(told))[:3]]),
    )
    return line(name, course, compare(home.world(), truth), truth)


def _contend(settings: Settings, share: Sequence[PartitionKey]) -> list[str]:
    """Run a share, one run after the other, and return what went wrong outside the platform's own words."""
    wrong = []
    with launcher(settings, processes=1, log=settings.logs / "chaos.jsonl", force=False) as launch:
        for key in share:
            try:
                wrong += [run.error.what for run in launch([key]) if run.error]
            except Exception as error:  # noqa: BLE001 - whatever the database says when it is locked is what is counted
                wrong.append(f"{type(error).__name__}: {error}"[:80])
    return wrong


def _events_lost(home: Home) -> int:
    """Return how many materialisations of runs that ended well are not in the event log."""
    kind = DagsterEventType.ASSET_MATERIALIZATION
    with open_instance(home.settings) as instance:
        ended = [run for run in instance.get_runs() if run.is_success]
        return sum(len(Asset) - len(instance.all_logs(run.run_id, of_type=kind)) for run in ended)
