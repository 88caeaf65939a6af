"""`make bench`: a window of small partitions, made and left alone, by the real commands on a local disk.

Each way runs in a process of its own on a home of its own, so that start-up, imports and peak of memory are those of a
command. All are of one run on one machine, nothing is extrapolated. What is compared: 100 and 1,200 partitions, every
gate told to Dagster and a summary, our own work without Dagster, one Dagster run a partition, and a Prefect flow.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks.window_home import WINDOW, YEARS, Home, make_home
from benchmarks.window_prefect import flows
from benchmarks.window_process import mrv, took
from benchmarks.window_table import HEAD, Line, line_of, say

_LIMIT_S = 3 * 3600.0


def backfill(home: Home, name: str, *options: str, window: str = WINDOW, partitions: int | None = None) -> Line:
    """Run `mrv backfill` and say what it took."""
    used = took(mrv("backfill", window, "--json", *options), home.environment, within_s=_LIMIT_S)
    return line_of(name, used, home.partitions if partitions is None else partitions, home.rows)


def own(home: Home, mode: str, name: str) -> tuple[Line, dict[str, float]]:
    """Run a process of `window_own` and say what it took, and what its partitions took alone."""
    arguments = [mode, str(home.folder), str(home.projects), str(home.rows)]
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.window_own", *arguments]
    used = took(command, home.environment, within_s=_LIMIT_S)
    found: dict[str, float] = json.loads(used.said.splitlines()[-1])
    return line_of(name, used, int(found.get("partitions", home.partitions)), home.rows, within=found), found


def window(folder: Path, asked: argparse.Namespace) -> None:
    """Measure and print all of it."""
    few, many, rows = asked.few, asked.many, asked.rows
    say(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {rows} rows each\n\n{HEAD}")
    alone, found = own(make_home(folder / "alone", partitions=few, rows=rows), "alone", "ours alone, cold")
    alone.print()
    gates = make_home(folder / "gates", partitions=few, rows=rows)
    every = backfill(gates, "every_gate, cold").print()
    first = [*("-p", gates.keys[0].project_id)]
    start = backfill(gates, "one partition, no-op", *first, window=str(YEARS[0]), partitions=1).print()
    summaries = {size: make_home(folder / f"summary-{size}", partitions=size, rows=rows) for size in (few, many)}
    cold = {size: backfill(home, "summary, cold", "--summary").print() for size, home in summaries.items()}
    noop = {size: backfill(home, "no-op", "--summary").print() for size, home in summaries.items()}
    if asked.dagit:
        own(make_home(folder / "dagit", partitions=asked.dagit, rows=rows), "runs", "a Dagster run each")[0].print()
    say(flows(folder / "prefect", asked.flows, rows) if asked.flows else "Prefect: not asked for")
    ours, disk = 1e3 * found["seconds"] / alone.partitions, 1e3 * found["disk"] / alone.partitions
    beyond = {name: 1e3 * line.beyond(start) for name, line in (("every_gate", every), ("summary", cold[few]))}
    say(f"\nA small partition, ms: {ours:.0f} of our own (goal 100), {disk:.0f} of it waiting for the disk.")
    for name, each in beyond.items():
        say(f"Dagster beside it, {name}: {each - ours:.0f}; together {each:.0f}" + " (goal 300)" * (name == "summary"))
    say(
        f"No-op of {many:,}: {noop[many].took.seconds:.1f} s with start-up (goal 10), "
        f"{1e3 * noop[many].beyond(start):.1f} ms a partition beyond it (goal 5)."
    )
    for name, lines in (("cold", cold), ("no-op", noop)):
        say(f"A partition among {many:,}, by one among {few}, {name}: {lines[many].growth(lines[few], start)}")


def main() -> None:
    """Measure in a folder that goes again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", type=int, default=100, help="partitions of the small window")
    parser.add_argument("--many", type=int, default=1_200, help="partitions of the large window")
    parser.add_argument("--rows", type=int, default=12, help="activity rows of each partition")
    parser.add_argument("--dagit", type=int, default=10, help="partitions with a Dagster run each; 0 leaves it out")
    parser.add_argument("--flows", type=int, default=10, help="partitions as Prefect flows; 0 leaves it out")
    with tempfile.TemporaryDirectory(prefix="bench-window-") as folder:
        window(Path(folder), parser.parse_args())


if __name__ == "__main__":
    main()
