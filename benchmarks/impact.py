"""`make bench-impact`: the preview of a factor bump over ten thousand small partitions, and where its time goes.

The store is copied from one partition that the platform itself has run: every record and table is of that shape, and
names other projects, periods and quantities. It is written file by file, because ten thousand runs would take hours.
"""

from __future__ import annotations

import argparse
import logging
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import structlog
from obstore.store import MemoryStore

from benchmarks.normalize import Steps
from mrv_assets.domain.contract import NORMALIZED
from mrv_assets.domain.generation import GenerationRecord, UpstreamRef
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline import impact, impact_applied, impact_figures
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World, utc_now
from mrv_assets.report import impact as totals
from mrv_assets.stages.factor import apply_factors
from mrv_assets.storage import blobs, glimpse
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.obstore_store import ObstoreStore
from mrv_assets.storage.parquet import read_parquet, to_parquet
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.references import ReferenceData
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.storage.slots import SlotStore

BEFORE, AFTER = "mrow-2024.02.06", "mrow-2025.05.20"
REFERENCE = Path(__file__).resolve().parents[1] / "reference_data"
BOUNDARY = "boundaries/twin-cities-counties.geojson"
FIRST = PartitionKey(project_id="bench-0000", period="2021", factor_version=BEFORE)
BEHIND = (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED, Asset.CERTIFICATE)

Put = Callable[[str, bytes], None]


def project(project_id: str) -> bytes:
    """Return a project file."""
    return f"""
id = "{project_id}"
name = "{project_id}"
standard = "none"
factor_line = "mrow"
publication = "latest"
[boundary]
path = "{BOUNDARY}"
id_property = "geoid"
id = "27003"
declared_crs = "EPSG:4269"
declared_because = "written by benchmarks/impact.py"
[source]
path = "source.csv"
format = "csv"
geometry = "boundary"
[source.columns]
row_id = "row_id"
epoch = "epoch"
activity_qty = "activity_qty"
[source.constants]
activity_id = "electricity.delivered"
unit = "MWh"
region = "US/MROW"
""".encode()


def memory(files: Mapping[str, bytes]) -> ObjectStore:
    """Return a memory store that holds `files`."""
    store = ObstoreStore(MemoryStore(), uri="memory://bench")
    for key, data in files.items():
        store.replace(key, data)
    return store


def references(projects: int) -> ObjectStore:
    """Return the committed releases and the projects of the benchmark."""
    committed = {str(p.relative_to(REFERENCE)): p.read_bytes() for p in REFERENCE.rglob("*") if p.is_file()}
    return memory(committed | {f"projects/{name(number)}.toml": project(name(number)) for number in range(projects)})


def name(number: int) -> str:
    """Return the id of a project."""
    return f"bench-{number:04d}"


def template(rows: int) -> dict[Asset, tuple[GenerationRecord, bytes]]:
    """Run one partition in memory and return its records with their contents."""
    source = "row_id,epoch,activity_qty\n" + "".join(f"r{n:04d},2021,{n + 0.25}\n" for n in range(rows))
    world = World.over(
        store=memory({}), references=references(1), landing=memory({"source.csv": source.encode()}), clock=utc_now
    )
    run = Run(world, run_id="bench")
    kept = {asset: run.advance(asset, FIRST).record for asset in Asset}
    found = {asset: record for asset, record in kept.items() if record is not None}
    return {asset: (record, world.slots.load_bytes(record)) for asset, record in found.items()}


def write(put: Put, of: Mapping[Asset, tuple[GenerationRecord, bytes]], *, partitions: int, periods: int) -> None:
    """Write as many partitions, each with quantities of its own."""
    release = World.over(
        store=memory({}), references=references(0), landing=memory({}), clock=utc_now
    ).references.factor_release(BEFORE)
    table = read_parquet(of[Asset.NORMALIZED][1])
    for asset in BEHIND[:1] + BEHIND[2:]:
        put(blobs.blob_key(of[asset][0].blob), of[asset][1])
    for number in range(partitions):
        key = replace(FIRST, project_id=name(number // periods), period=f"{2021 + number % periods}")
        own = quantities(table, number)
        content = to_parquet(own)
        ref = blobs.blob_ref(content, blobs.PARQUET)
        put(blobs.blob_key(ref), content)
        digest = NORMALIZED.digest(own)
        refs: dict[Asset, UpstreamRef] = {}
        for asset in BEHIND:
            slot = Slot.of(asset, key)
            own_digest = digest if asset is Asset.NORMALIZED else of[asset][0].content_digest
            refs[asset] = UpstreamRef(slot=slot, generation=1, content_digest=own_digest)
        tonnes = sum(apply_factors(own, release=release, where="").table.column("emissions_tco2e").to_pylist())
        for asset in Asset:
            base = of[asset][0]
            if asset is Asset.LEDGER:
                base = replace(
                    base, evidence={**base.evidence, "emissions_tco2e": str(tonnes), "net_tco2e": str(tonnes)}
                )
            put(*record(base, Slot.of(asset, key), refs, ref if asset is Asset.NORMALIZED else None))


def record(of: GenerationRecord, slot: Slot, refs: Mapping[Asset, UpstreamRef], blob: Any) -> tuple[str, bytes]:
    """Return the key and the bytes of a record that is copied into another slot."""
    copied = replace(
        of,
        slot=slot,
        upstream=tuple(refs[ref.slot.asset] for ref in of.upstream),
        content_digest=refs[slot.asset].content_digest if slot.asset in refs else of.content_digest,
        blob=blob or of.blob,
    )
    return record_key(slot, 1), copied.to_bytes()


def quantities(table: pa.Table, number: int) -> pa.Table:
    """Return the table with quantities that no other partition has."""
    place = table.column_names.index("activity_qty")
    values = [value + number for value in table.column("activity_qty").to_pylist()]
    return table.set_column(place, "activity_qty", pa.array(values, pa.float64()))


def into_folder(folder: Path) -> Put:
    """Return what writes an object as a plain file."""

    def put(key: str, data: bytes) -> None:
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return put


def timed(steps: Steps) -> None:
    """Time the parts of a preview. Threads share the cores, so that the parts may add up to more than the whole."""
    for place, attribute, step in (
        (impact, "for_one_look", "list the ledger"),
        (SlotStore, "_read", "read ledger records"),
        (impact, "prospect", "would the ledger move"),
        (glimpse, "sealed_document", "check and parse sealed records"),
        (impact_figures, "glimpse", "read certificate and normalized records"),
        (blobs, "load_blob", "read tables and check their digests"),
        (impact, "read_together", "decode Parquet"),
        (impact_applied, "apply_factors", "apply both releases: decimals"),
        (impact_applied, "aggregate", "sums by factor and partition"),
        (impact_applied, "parts_of", "gather sums"),
        (impact, "_compared", "compare"),
        (ReferenceData, "_read_project", "read projects"),
        (totals, "totals_of", "totals by project, factor and period"),
    ):
        steps.wrap(place, attribute, step)


def say(text: str) -> None:
    """Write a line."""
    sys.stdout.write(text + "\n")


def main() -> None:
    """Write the store, preview the bump, and print how long it took and what took it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=10_000)
    parser.add_argument("--periods", type=int, default=10, help="periods of each project")
    parser.add_argument("--rows", type=int, default=12, help="activity rows of each partition")
    parser.add_argument("--memory", action="store_true", help="a store in memory instead of a folder")
    parser.add_argument("--steps", action="store_true", help="also run once more with every step timed")
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory(prefix="bench-impact-") as folder:
        store: ObjectStore = memory({}) if asked.memory else PosixStore(Path(folder))
        put = store.replace if asked.memory else into_folder(Path(folder))
        begin = time.perf_counter()
        write(put, template(asked.rows), partitions=asked.partitions, periods=asked.periods)
        say(f"wrote {asked.partitions:,} partitions in {time.perf_counter() - begin:.1f} s: {store.uri}")
        projects = -(-asked.partitions // asked.periods)
        kept = references(projects)
        preview(store, kept)
        if asked.steps:
            steps = Steps()
            timed(steps)
            preview(store, kept)
            for step, seconds in sorted(steps.seconds.items(), key=lambda item: -item[1]):
                say(f"  {seconds:6.2f} s  {step}")


def preview(store: ObjectStore, kept: ObjectStore) -> None:
    """Preview the bump once."""
    world = World.over(store=store, references=kept, landing=memory({}), clock=utc_now)
    begin, processor = time.perf_counter(), time.process_time()
    found = impact.factor_impact(world, AFTER, before=BEFORE)
    summed = totals.totals_of(found)
    took, used = time.perf_counter() - begin, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say(
        f"{len(found.partitions):,} partitions, {summed.material} beyond the threshold, in {took:.1f} s "
        f"({used:.1f} s of processor time, {os.cpu_count()} cores, {peak:.0f} MiB at most)"
    )


if __name__ == "__main__":
    main()
