"""`make bench-bump`: a bump to the next factor release, as a share of computing everything, by the platform's own runs.

First every partition is carried from its source to the ledger with one release, in an empty store; then all are carried
through all six assets again with the release after it. Partitions of many polygons of their own show what is saved;
small ones on the boundary of their project show what a bump costs where there is little to save.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from benchmarks import impact, normalize
from benchmarks.polygons import write_polygons
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.settings import Settings

BEFORE, AFTER = "mrow-2024.02.26", "mrow-2024.06.24"
"""The GWP set is another one, so that every figure moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of partitions: how their project is described and their source written, each with a number of its own."""

    title: str
    rows: int
    project: Callable[[int], str]
    source: Callable[[Path, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """What carrying all partitions through all assets took, and what it did: wall time and processor time, seconds."""

    seconds: dict[Asset, float] = field(default_factory=lambda: dict.fromkeys(Asset, 0.0))
    processor: dict[Asset, float] = field(default_factory=lambda: dict.fromkeys(Asset, 0.0))
    outcomes: Counter[tuple[Asset, Outcome]] = field(default_factory=Counter)


def polygons(rows: int) -> Kind:
    """Return partitions of so many polygons of their own."""
    return Kind(
        title=f"{rows:,} polygons of nine vertices each",
        rows=rows,
        project=lambda number: normalize.PROJECT.replace(
            'id = "bench"\nname', f'id = "{impact.name(number)}"\nname'
        ).replace("parcels.parquet", f"{number}.parquet"),
        source=lambda folder, number: write_polygons(folder / f"{number}.parquet", rows, seed=number),
    )


def small(rows: int = 12) -> Kind:
    """Return partitions of a few rows on the boundary of their project."""
    return Kind(
        title=f"{rows:,} rows each, on the boundary of the project",
        rows=rows,
        project=lambda number: impact.project(impact.name(number)).decode().replace("source.csv", f"{number}.csv"),
        source=lambda folder, number: _write_rows(folder / f"{number}.csv", rows, number),
    )


def _write_rows(path: Path, rows: int, number: int) -> None:
    lines = [f"r{row:04d},2021,{row + number + 0.25}\n" for row in range(rows)]
    path.write_text("row_id,epoch,activity_qty\n" + "".join(lines))


def prepare(folder: Path, kind: Kind, partitions: int) -> Settings:
    """Write reference data and sources of a home, one project for each partition."""
    (folder / "landing").mkdir(parents=True)
    files: Mapping[str, bytes] = {
        str(path.relative_to(impact.REFERENCE)): path.read_bytes()
        for path in impact.REFERENCE.rglob("*")
        if path.is_file() and "projects" not in path.parts
    }
    projects = {f"projects/{impact.name(number)}.toml": kind.project(number).encode() for number in range(partitions)}
    boundary = {"boundaries/bench.geojson": json.dumps(normalize.BOUNDARY).encode()}
    for path, data in {**files, **projects, **boundary}.items():
        (folder / "reference" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "reference" / path).write_bytes(data)
    for number in range(partitions):
        kind.source(folder / "landing", number)
    return Settings.from_env(
        {"MRV_HOME": str(folder), "MRV_REFERENCE": str(folder / "reference"), "MRV_LANDING": str(folder / "landing")}
    )


def carry(world: World, version: str, partitions: int) -> Pass:
    """Carry all partitions through all assets, each in a run of its own."""
    done = Pass()
    for number in range(partitions):
        key = PartitionKey(project_id=impact.name(number), period="2021", factor_version=version)
        run = Run(world, run_id=f"bench {key}")
        for asset in Asset:
            begin, used = time.perf_counter(), time.process_time()
            kept = run.advance(asset, key)
            done.seconds[asset] += time.perf_counter() - begin
            done.processor[asset] += time.process_time() - used
            done.outcomes[asset, kept.outcome] += 1
        run.close()
    return done


def compare(kind: Kind, partitions: int) -> None:
    """Compute everything, bump, and print both."""
    with tempfile.TemporaryDirectory(prefix="bench-bump-") as name:
        # What a process does once, imports and digests of code, is counted for neither.
        carry(World.open(prepare(Path(name) / "first", kind, 1)), BEFORE, 1)
        world = World.open(prepare(Path(name) / "all", kind, partitions))
        full, bump = (carry(world, version, partitions) for version in (BEFORE, AFTER))
    report(kind, partitions, full, bump)


def report(kind: Kind, partitions: int, full: Pass, bump: Pass) -> None:
    """Print the seconds and outcomes of both passes, asset by asset, and their ratio."""
    say = sys.stdout.write
    say(f"\n{partitions:,} partitions, {kind.title}: seconds, of processor time, run, skipped\n")
    say(f"{'':12} {'everything':>28} {'bump':>28}\n")
    for asset in Asset:
        say(f"{asset.value:12} {_told(full, asset)} {_told(bump, asset)}\n")
    say(f"{'together':12} {_spent(full)} {'':10} {_spent(bump)}\n")
    wall, processor = (
        sum(of_bump.values()) / sum(of_full.values())
        for of_bump, of_full in ((bump.seconds, full.seconds), (bump.processor, full.processor))
    )
    say(f"bump / everything: {wall:.3f} of the time, {processor:.3f} of the processor time\n")


def _spent(done: Pass) -> str:
    return f"{sum(done.seconds.values()):8.2f} {sum(done.processor.values()):8.2f}"


def _told(done: Pass, asset: Asset) -> str:
    run, skipped = (done.outcomes[asset, outcome] for outcome in (Outcome.COMMITTED, Outcome.SKIPPED))
    return f"{done.seconds[asset]:8.2f} {done.processor[asset]:8.2f} {run:5} {skipped:4}"


def main() -> None:
    """Compare both kinds of partitions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=100)
    parser.add_argument("--rows", type=int, default=5_000, help="polygons of each partition")
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    for kind in (polygons(asked.rows), small()):
        compare(kind, asked.partitions)


if __name__ == "__main__":
    main()
