"""The one project that is broken here: 12,400 t at first, 13,651 t with the next source and factor release.

Plain figures, so that one that was added twice (24,800 t) or mixed from two states is recognised at sight. What
does not belong here: breaking anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.figures import read_figure
from mrv_assets.pipeline.recipes import stage_code
from mrv_assets.pipeline.world import World
from mrv_assets.storage.journal import Journal
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.posix_files import Files
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.references import ReferenceData
from mrv_assets.storage.slots import SlotStore
from mrv_assets.storage.sources import Landing
from mrv_assets_tests.builders import factors_csv, release_toml
from mrv_assets_tests.world import BOUNDARIES, REFERENCE_DATA, csv_bytes, memory_store, project_toml

PERIODS = ("2018", "2019", "2020", "2021")
PERIOD = "2021"
OLD = PartitionKey(project_id="anoka", period=PERIOD, factor_version="unit-1")
NEW = PartitionKey(project_id="anoka", period=PERIOD, factor_version="unit-2")
LEDGER = Slot.of(Asset.LEDGER, NEW)
MWH = Decimal(12_400)
NEW_MWH = Decimal(12_410)
OLD_T = Decimal(12_400)
NEW_T = Decimal(13_651)
_FACTORS = {OLD.factor_version: "1", NEW.factor_version: "1.1"}

# Worked out before a process is forked from the one that imported this, because it takes longer than a whole run.
CODE = {asset: stage_code(asset) for asset in Asset}


def stopped_clock() -> datetime:
    """Return one instant, always the same."""
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def no_pause(_: float) -> None:
    """Do not wait between attempts."""


def world_over(store: ObjectStore, *, mwh: Decimal = MWH, periods: Sequence[str] = PERIODS) -> World:
    """Open the world of the project over a store; `mwh` is what was delivered in each of the periods."""
    return World(
        store=store,
        slots=SlotStore(store, stopped_clock, pause=no_pause),
        journal=Journal(store, stopped_clock, pause=no_pause),
        references=ReferenceData(memory_store(_references())),
        landing=Landing(memory_store({"source.csv": _source(mwh, periods)}), stopped_clock),
        clock=stopped_clock,
    )


def world_at(root: Path, *, files: Files | None = None, mwh: Decimal = MWH) -> World:
    """Open the world of the project over a folder, as a process of its own would."""
    return world_over(PosixStore(root, files=files), mwh=mwh)


def reported(world: World, slot: Slot = LEDGER) -> Decimal | None:
    """Return the figure of a ledger slot, t CO2e, checked against its certificate; None while there is none."""
    record = world.slots.current(slot)
    return read_figure(world.slots, record).totals.net_tco2e if record else None


def _source(mwh: Decimal, periods: Sequence[str]) -> bytes:
    rows = (f"{period}-{part},{period},{qty}" for period in periods for part, qty in (("a", mwh - 400), ("b", 400)))
    return csv_bytes("row_id,epoch,activity_qty", rows)


def _references() -> Mapping[str, bytes]:
    files = {name: (REFERENCE_DATA / name).read_bytes() for name in (BOUNDARIES, "gwp/ar6.csv")}
    files["projects/anoka.toml"] = project_toml(OLD.project_id)
    for version, factor in _FACTORS.items():
        row = {"ef_value": factor, "numerator_unit": "t", "valid_from": "2010-01-01", "valid_to": "2029-12-31"}
        factors = factors_csv([row])
        toml = release_toml(factors, version=version)
        if version == NEW.factor_version:
            toml = toml.replace(b'supersedes = ""', f'supersedes = "{OLD.factor_version}"'.encode())
        files |= {f"factors/{version}/release.toml": toml, f"factors/{version}/factors.csv": factors}
    return files


def sealed(store: ObjectStore) -> dict[str, str]:
    """Return the sha256 of everything that may never change again: records, contents and journal entries."""
    kept = (key for folder in ("blobs/", "commits/", "journal/entries/") for key in store.list(folder))
    return {key: sha256_hex(store.get(key) or b"") for key in kept}
