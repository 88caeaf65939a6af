"""The whole table: the scenarios one after the other, for each has many processes of its own, and what was found.

What does not belong here: what a line means (line) and what a scenario does.
"""

from __future__ import annotations

import logging
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import structlog
from rich.console import Console
from rich.table import Table

from mrv_assets_tests.chaos.line import Line, failed
from mrv_assets_tests.chaos.scenarios import SCENARIOS

_COUNTS: Mapping[str, Callable[[Line], object]] = {
    "partitions": lambda line: line.partitions,
    "killed": lambda line: line.kills,
    "runs": lambda line: line.runs,
    "not well\nended": lambda line: line.failed,
    "relaunched": lambda line: line.relaunched,
    "generations": lambda line: line.generations,
    "missing": lambda line: line.missing,
    "extra": lambda line: line.extra,
    "wrong": lambda line: line.wrong,
    "unsaid": lambda line: line.unsaid,
    "fsck\nbreaches": lambda line: line.breaches,
    "ledger, t": lambda line: f"{line.total_tco2e.normalize():f}",
    "undisturbed, t": lambda line: f"{line.expected_tco2e.normalize():f}",
    "s": lambda line: f"{line.seconds:.0f}",
}


def run_and_show(names: Sequence[str]) -> int:
    """Run the scenarios, print the table and return the exit code."""
    console = Console()
    _hush()
    lines = []
    for name in names or SCENARIOS:
        with console.status(f"{name}: breaking things"):
            lines.append(_run(name))
    console.print(_table(lines))
    wrong = [line.scenario for line in lines if not line.is_right]
    console.print(f"{sum(line.kills for line in lines)} processes killed, {len(wrong)} lines off")
    return 1 if wrong else 0


def _hush() -> None:
    """Say nothing: what is killed has a lot to say."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def _run(name: str) -> Line:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mrv-chaos-", ignore_cleanup_errors=True) as scratch:
        try:
            return SCENARIOS[name](Path(scratch))
        except Exception as error:  # noqa: BLE001 - a scenario that fails in an unforeseen way is a line that is off
            took = f"after {time.monotonic() - began:.0f} s"
            return failed(name, f"{took}: {type(error).__name__}: {error}"[:2000])


def _table(lines: Sequence[Line]) -> Table:
    table = Table(title="What was killed, and what was found afterwards")
    table.add_column("scenario")
    for heading in _COUNTS:
        table.add_column(heading, justify="right")
    for heading in ("repaired", "verdict", "counted"):
        table.add_column(heading)
    for line in lines:
        counts = [str(count(line)) for count in _COUNTS.values()]
        verdict = "right" if line.is_right else "OFF"
        style = None if line.is_right else "bold red"
        table.add_row(line.scenario, *counts, line.completed, verdict, line.shown, style=style)
    return table
