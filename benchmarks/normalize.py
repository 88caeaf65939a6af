"""`make bench-normalize`: activity and normalised of a million parcels, against the plain geopandas flow.

Each way runs in a process of its own, so that each has its own peak of memory. What a process does once is not counted
for any of them: imports, and the digest of our own code, which Dagster asks for when it loads the definitions.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import geopandas
import pyarrow as pa
import pyarrow.parquet as pq
import sedonadb

from benchmarks.polygons import write_polygons
from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.contract import Contract
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.pipeline import recipes, run
from mrv_assets.pipeline.world import World
from mrv_assets.settings import Settings
from mrv_assets.storage.slots import SlotStore
from mrv_assets.storage.sources import Landing

PROJECT = """
id = "bench"
name = "Parcels of the benchmark"
standard = "none"
factor_line = "mrow"
publication = "latest"

[boundary]
path = "boundaries/bench.geojson"
id_property = "id"
id = "bench"
declared_crs = "EPSG:4326"
declared_because = "written by benchmarks/normalize.py"

[source]
path = "parcels.parquet"
format = "geoparquet"
geometry = "record"

[source.columns]
row_id = "plot_id"
epoch = "year"
activity_qty = "mwh"

[source.constants]
activity_id = "electricity.delivered"
unit = "MWh"
region = "US/MROW"
"""
BOUNDARY = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"id": "bench"},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[-70.0, -25.0], [-40.0, -25.0], [-40.0, 5.0], [-70.0, 5.0], [-70.0, -25.0]]],
            },
        }
    ],
}


class Steps:
    """The wall time of named steps, seconds, nested ones of the same thread taken out of those around them."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._of_thread = threading.local()

    @property
    def _inner(self) -> list[float]:
        if not hasattr(self._of_thread, "inner"):
            self._of_thread.inner = [0.0]
        inner: list[float] = self._of_thread.inner
        return inner

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Add the time that the block takes to the step."""
        self._inner.append(0.0)
        begin = time.perf_counter()
        try:
            yield
        finally:
            took = time.perf_counter() - begin
            self.seconds[name] = self.seconds.get(name, 0.0) + took - self._inner.pop()
            self._inner[-1] += took

    def wrap(self, place: Any, name: str, step: str) -> None:
        """Time every call of an attribute of a module or class under `step`."""
        inner: Callable[..., Any] = getattr(place, name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.step(step):
                return inner(*args, **kwargs)

        setattr(place, name, timed)


def plain(folder: Path) -> dict[str, float]:
    """Run the plain flow: read, to_crs, is_valid, a content hash of the sorted table, to_parquet."""
    steps = Steps()
    with steps.step("read"):
        frame = geopandas.read_parquet(folder / "landing/parcels.parquet")
    with steps.step("to_crs"):
        frame = frame.to_crs("EPSG:6933")
    with steps.step("is_valid"):
        if not frame.geometry.is_valid.all():
            raise ValueError("a parcel is invalid")
    with steps.step("content hash"):
        table = pa.Table.from_pandas(frame.to_wkb(), preserve_index=False)
        sink = pa.BufferOutputStream()
        pq.write_table(table.sort_by([(name, "ascending") for name in table.column_names]), sink, compression="zstd")
        hashlib.sha256(sink.getvalue().to_pybytes()).hexdigest()
    with steps.step("to_parquet"):
        pq.write_table(table, folder / "plain.parquet", compression="zstd")
    return steps.seconds


def sedona(folder: Path) -> dict[str, float]:
    """Run what bounds us from below: SedonaDB alone reads, transforms and writes."""
    steps = Steps()
    session = sedonadb.connect()
    with steps.step("read, transform, write"):
        session.read_parquet(str(folder / "landing/parcels.parquet")).to_view("parcels")
        moved = "select plot_id, year, mwh, st_transform(geometry, 'EPSG:6933') as geometry from parcels"
        session.sql(moved).to_parquet(str(folder / "sedona.parquet"))
    return steps.seconds


def ours(folder: Path) -> dict[str, float]:
    """Run activity and normalised as the platform does, gates, digests, read-back and commits included."""
    steps = Steps()
    _advance(steps, folder, "activity and normalized, gates included")
    return steps.seconds


def ours_by_step(folder: Path) -> dict[str, float]:
    """Run the same once more and time each step; what times a call holds its arguments, which costs memory."""
    steps = Steps()
    _time_the_steps(steps)
    _advance(steps, folder, "everything else")
    return steps.seconds


def _advance(steps: Steps, folder: Path, rest: str) -> None:
    shutil.rmtree(folder / "store", ignore_errors=True)
    settings = Settings.from_env(
        {"MRV_HOME": str(folder), "MRV_REFERENCE": str(folder / "reference"), "MRV_LANDING": str(folder / "landing")}
    )
    work = run.Run(World.open(settings), run_id="bench")
    key = PartitionKey(project_id="bench", period="2021", factor_version="none")
    for asset in (Asset.ACTIVITY, Asset.NORMALIZED):
        with steps.step(rest):
            kept = work.advance(asset, key)
        if kept.record is None:
            raise ValueError(f"{asset} was not kept: {kept.reason}")


def _time_the_steps(steps: Steps) -> None:
    steps.wrap(Landing, "fetch", "read the landing file, sha256")
    steps.wrap(recipes, "ingest", "activity: read GeoParquet, select, type")
    steps.wrap(recipes, "normalize", "normalized: transform, validate, canonicalise")
    steps.wrap(SlotStore, "load_table", "load activity, sha256 (for the stage and for its gates)")
    steps.wrap(Contract, "digest", "content digests (beside the gates)")
    steps.wrap(run, "to_parquet", "write Parquet")
    steps.wrap(SlotStore, "commit", "commit, fsync (beside it: read back)")
    for asset in (Asset.ACTIVITY, Asset.NORMALIZED):
        for gate in GATES[asset]:
            object.__setattr__(gate, "judge", _timed(steps, f"gate {asset} {gate.name}", gate.judge))


def _timed(steps: Steps, name: str, judge: Callable[..., Any]) -> Callable[..., Any]:
    def timed(case: Any) -> Any:
        with steps.step(name):
            return judge(case)

    return timed


WAYS = {"plain": plain, "sedona": sedona, "ours": ours, "ours, step by step": ours_by_step}


def child(way: str, folder: Path) -> None:
    """Run one way and print its steps and its peak of memory, GiB, as JSON."""
    importlib.import_module("great_expectations")
    for asset in (Asset.ACTIVITY, Asset.NORMALIZED):
        recipes.stage_code(asset)
    seconds = WAYS[way](folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    sys.stdout.write(json.dumps({"seconds": seconds, "peak_gib": peak}))


def measured(way: str, folder: Path) -> dict[str, Any]:
    """Run one way in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.normalize", "--child", way, "--folder", str(folder)],
        stdout=subprocess.PIPE,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Measure each way and print where the time goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--polygons", type=int, default=1_000_000)
    parser.add_argument("--only-ours", action="store_true", help="leave the other ways out")
    parser.add_argument("--child", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        child(asked.child, asked.folder)
        return
    with tempfile.TemporaryDirectory(prefix="mrv-bench-") as name:
        folder = Path(name)
        _prepare(folder, asked.polygons)
        ways = [way for way in WAYS if way.startswith("ours") or not asked.only_ours]
        results = {way: measured(way, folder) for way in ways}
    _report(asked.polygons, results)


def _prepare(folder: Path, polygons: int) -> None:
    for path, text in (
        ("reference/projects/bench.toml", PROJECT),
        ("reference/boundaries/bench.geojson", json.dumps(BOUNDARY)),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "landing").mkdir()
    write_polygons(folder / "landing/parcels.parquet", polygons)


def _report(polygons: int, results: dict[str, dict[str, Any]]) -> None:
    say = sys.stdout.write
    say(f"{polygons:,} polygons of nine vertices, EPSG:4326 to EPSG:6933\n")
    total = {way: sum(result["seconds"].values()) for way, result in results.items()}
    for way, result in results.items():
        say(f"\n{way}: {total[way]:.2f} s, peak {result['peak_gib']:.2f} GiB\n")
        for step, seconds in sorted(result["seconds"].items(), key=lambda item: -item[1]):
            say(f"  {seconds:7.2f} s  {step}\n")
    if "plain" in total:
        say(f"\nours / plain: {total['ours'] / total['plain']:.2f} (wanted: under 0.50)")
        gates = sum(s for step, s in results["ours, step by step"]["seconds"].items() if step.startswith("gate "))
        say(f"; the gates, which plain has none of, are {gates / total['plain']:.2f} of it\n")


if __name__ == "__main__":
    main()
