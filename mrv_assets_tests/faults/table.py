"""The whole table: every scenario in full, side by side in two processes, and what was found.

What does not belong here: what a line means (line) and what a scenario does.
"""

from __future__ import annotations

import logging
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import structlog
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from mrv_assets_tests.faults.line import Line, failed
from mrv_assets_tests.faults.scenarios import SCENARIOS

_PROCESSES = 2
_COUNTS: Mapping[str, Callable[[Line], int]] = {
    "injected": lambda line: line.injected,
    "old": lambda line: line.old,
    "new": lambda line: line.new,
    "torn": lambda line: line.torn,
    "fsck\nbreaches": lambda line: line.breaches,
    "history\nchanged": lambda line: line.changed,
    "healed": lambda line: line.healed,
    "journal\ncompleted": lambda line: line.completed,
    "corrupt": lambda line: line.corrupt,
}


def run_and_show(names: Sequence[str]) -> int:
    """Run the scenarios, print the table and return the exit code."""
    began = time.monotonic()
    console = Console()
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("breaking things", total=len(names))
        lines = []
        for line in _lines(names):
            lines.append(line)
            progress.update(task, advance=1, description=line.scenario)
    console.print(_table(lines))
    wrong = [line.scenario for line in lines if not line.is_right]
    injected = sum(line.injected for line in lines if not line.is_control)
    console.print(f"{injected} faults, {len(wrong)} lines off, {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


def _lines(names: Sequence[str]) -> Iterator[Line]:
    # Spawned, so that each has one thread when it starts the server that its children are forked from.
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn"), initializer=_hush) as pool:
        yield from pool.map(_run, names)


def _hush() -> None:
    """Say nothing: thousands of runs have been told to fail."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def _run(name: str) -> Line:
    with tempfile.TemporaryDirectory(prefix="mrv-faults-", ignore_cleanup_errors=True) as scratch:
        try:
            return SCENARIOS[name].whole(Path(scratch))
        except Exception as error:  # noqa: BLE001 - a scenario that fails in an unforeseen way is a line that is off
            return failed(name, f"{type(error).__name__}: {error}"[:200])


def _table(lines: Sequence[Line]) -> Table:
    table = Table(title="What was broken, and what was found afterwards")
    table.add_column("scenario")
    for heading in _COUNTS:
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    table.add_column("counted")
    for line in lines:
        verdict = ("caught" if line.is_control else "right") if line.is_right else "OFF"
        style = "bold red" if not line.is_right else "dim" if line.is_control else None
        counts = [str(count(line)) for count in _COUNTS.values()]
        table.add_row(line.scenario, *counts, verdict, line.shown, style=style)
    return table
