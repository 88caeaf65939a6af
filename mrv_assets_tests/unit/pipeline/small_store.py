"""A small, real store in a folder: two projects, one of them restated by a newer factor release.

What does not belong here: damaging it (damages).
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord, UpstreamRef
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.world import committed_references, csv_bytes, memory_store, project_toml, run_partition

ANOKA = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-2024.02.01")
RESTATED = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-2024.02.06")
CARVER = PartitionKey(project_id="carver", period="2021", factor_version="mrow-2024.02.01")
LEDGER = Slot.of(Asset.LEDGER, ANOKA)
PASSED = GateOutcome(gate="one_figure", passed=True, observed="1 row", limit="1 row")
NOW = datetime(2026, 6, 1, tzinfo=UTC)
_ROWS = [
    f"{p}-{epoch},{p},{epoch},{mwh}" for p, mwh in (("anoka", 7), ("carver", 5)) for epoch in ("2021-Q1", "2021-Q2")
]
_LANDING = csv_bytes("row_id,project,epoch,activity_qty", _ROWS)


def world_over(store: ObjectStore) -> World:
    """Open a world over a store, with the two projects and their source; its clock stands still."""
    projects = {f"projects/{p}.toml": project_toml(p, where={"project": p}) for p in ("anoka", "carver")}
    return World.over(
        store=store,
        references=memory_store(committed_references() | projects),
        landing=memory_store({"source.csv": _LANDING}),
        clock=lambda: NOW,
    )


def world_at(root: Path) -> World:
    """Open a world over the store in a folder."""
    return world_over(PosixStore(root))


def build(world: World) -> None:
    """Report two projects, then restate one of them."""
    for number, key in enumerate((ANOKA, CARVER, RESTATED), start=1):
        run_partition(world, key, run_id=f"run-{number}")


def kinds(root: Path) -> list[BreachKind]:
    """Return the kinds of breaches that a check finds, one for each breach."""
    return sorted(breach.kind for breach in check_store(world_at(root)).breaches)


def files(root: Path) -> dict[str, bytes]:
    """Return every file of a store, temporary ones included."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def record(root: Path, asset: Asset, *, key: PartitionKey = ANOKA, generation: int = 1) -> GenerationRecord:
    """Return one record of the store."""
    return world_at(root).slots.record(Slot.of(asset, key), generation)


def path_of(root: Path, asset: Asset, *, key: PartitionKey = ANOKA, generation: int = 1) -> Path:
    """Return the file of one record."""
    return root / record_key(Slot.of(asset, key), generation)


def age(path: Path, *, days: int) -> None:
    """Let a file be last changed so many days before the world's clock."""
    instant = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (instant, instant))


def upstream_of(record: GenerationRecord) -> tuple[UpstreamRef, ...]:
    """Return what a content made from this generation names."""
    return (UpstreamRef(slot=record.slot, generation=record.generation, content_digest=record.content_digest),)


def run_until(world: World, key: PartitionKey, last: Asset) -> GenerationRecord:
    """Walk a partition up to an asset, close the run, and return what that asset keeps."""
    run = Run(world, run_id="run-partly")
    kept = [run.advance(asset, key) for asset in list(Asset)[: list(Asset).index(last) + 1]][-1]
    run.close()
    assert kept.record is not None
    return kept.record
