"""Every scenario of `make chaos`. All draw from one seed; what a kill hits is up to the machine all the same.

What does not belong here: how a scenario is carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

from mrv_assets_tests.chaos.contention import contention
from mrv_assets_tests.chaos.cursors import cursors
from mrv_assets_tests.chaos.line import Line
from mrv_assets_tests.chaos.storm import storm
from mrv_assets_tests.chaos.windows import window_killed, window_twice

SEED = 20260102
Do: TypeAlias = Callable[[Path], Line]


def _storm(name: str, *, partitions: int, victims: Mapping[str, int], daemons: int = 1) -> Do:
    return partial(storm, name, partitions=partitions, victims=victims, seed=SEED, daemons=daemons)


SCENARIOS: Mapping[str, Do] = {
    "storm": _storm(
        "60 partitions, everything killed", partitions=60, victims={"daemon": 5, "code server": 5, "worker": 12}
    ),
    "daemon": _storm("daemon killed", partitions=8, victims={"daemon": 3}),
    "code-server": _storm("code server killed", partitions=8, victims={"code server": 3}),
    "worker": _storm("run workers killed", partitions=8, victims={"worker": 3}),
    "two-daemons": _storm("two daemons on one home", partitions=8, victims={}, daemons=2),
    "window-killed": partial(window_killed, "mrv backfill killed in a chunk", partitions=60, kills=3, seed=SEED),
    "window-twice": partial(window_twice, "mrv backfill twice at once", partitions=60),
    "cursors": partial(cursors, "cursors reset, run keys burned", partitions=6, kills=2, seed=SEED),
    "contention": partial(contention, "8 processes on one SQLite home", processes=8, runs=6),
}
