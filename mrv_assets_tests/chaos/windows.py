"""`mrv backfill` over a whole window: killed in the middle of a chunk and run again, and two at the same time.

What does not belong here: backfills of one run for each partition (storm).
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from mrv_assets.domain.partition import Asset
from mrv_assets.storage.slots import SlotStore
from mrv_assets_tests.chaos.line import Course, Line, line
from mrv_assets_tests.chaos.place import keys, lay_out
from mrv_assets_tests.chaos.storm import runs_of
from mrv_assets_tests.chaos.truth import Truth, compare, run_in_peace
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.end_to_end.process_group import ProcessGroup

_WITHIN_S = 900
_CHUNK = "20"


def window_killed(name: str, scratch: Path, *, partitions: int, kills: int, seed: int) -> Line:
    """Kill the process when the ledger has as many figures as `seed` says, `kills` times, and run it once more."""
    home, truth = _prepared(scratch, partitions)
    began, figures = time.monotonic(), []
    for wanted in _instants(partitions, kills, random.Random(seed)):
        group = _backfill(home, scratch, partitions)
        try:
            _wait_for_figures(home, group, wanted)
            group.kill()
        finally:
            group.end()
        figures.append(_figures(home.world().slots))
    last = _backfill(home, scratch, partitions)
    try:
        code = last.wait(_WITHIN_S)
    finally:
        last.end()
    runs, lost = runs_of(home)
    course = Course(
        partitions=partitions,
        planned=kills,
        kills=len(figures),
        runs=runs,
        failed=lost,
        relaunched=partitions - figures[-1],
        unsaid=abs(code),
        seconds=time.monotonic() - began,
        shown=f"figures at the kills: {', '.join(map(str, figures))}; the last run ended with {code}",
    )
    return line(name, course, compare(home.world(), truth), truth)


def window_twice(name: str, scratch: Path, *, partitions: int) -> Line:
    """Run the same window in two processes at the same time."""
    home, truth = _prepared(scratch, partitions)
    began = time.monotonic()
    both = [_backfill(home, scratch, partitions) for _ in range(2)]
    try:
        codes = [group.wait(_WITHIN_S) for group in both]
    finally:
        for group in both:
            group.end()
    runs, lost = runs_of(home)
    course = Course(
        partitions=partitions,
        runs=runs,
        failed=lost,
        unsaid=sum(map(abs, codes)),
        seconds=time.monotonic() - began,
        shown=f"exit codes {codes[0]} and {codes[1]}",
    )
    return line(name, course, compare(home.world(), truth), truth)


def _prepared(scratch: Path, partitions: int) -> tuple[Home, Truth]:
    wanted = keys(partitions)
    undisturbed = lay_out(scratch / "undisturbed", wanted).world()
    run_in_peace(undisturbed, wanted)
    return lay_out(scratch / "window", wanted), Truth.of(undisturbed)


def _instants(partitions: int, kills: int, rng: random.Random) -> list[int]:
    """Return after how many figures to kill, one instant drawn from each equal part of the way."""
    return [round(partitions * (part + rng.uniform(0.1, 0.9)) / kills) for part in range(kills)]


def _backfill(home: Home, scratch: Path, partitions: int) -> ProcessGroup:
    periods = sorted({key.period for key in keys(partitions)})
    main = "from mrv_assets.cli import main; main()"
    command = [sys.executable, "-W", "ignore", "-c", main, "backfill", f"{periods[0]}..{periods[-1]}"]
    return ProcessGroup([*command, "--chunk-size", _CHUNK], home.environment, scratch / "backfill.log")


def _wait_for_figures(home: Home, group: ProcessGroup, wanted: int) -> None:
    slots, deadline = home.world().slots, time.monotonic() + _WITHIN_S
    while _figures(slots) < wanted:
        group.require_alive()
        assert time.monotonic() < deadline, group.last_words()
        time.sleep(0.1)


def _figures(slots: SlotStore) -> int:
    return sum(1 for _ in slots.list_slots(asset=Asset.LEDGER))
