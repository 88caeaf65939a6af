"""A project of points that two factor releases place in regions of their own, and which gate refuses a run of it.

What does not belong here: projects whose rows say their region (two_releases).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.builders import factors_csv, release_toml
from mrv_assets_tests.regions import regions_parquet
from mrv_assets_tests.world import (
    TickingClock,
    committed_references,
    csv_bytes,
    memory_store,
    project_toml,
    run_partition,
)

OLD, NEW = "mrow-regions-1", "mrow-regions-2"
KEY = {version: PartitionKey(project_id="anoka", period="2021", factor_version=version) for version in (OLD, NEW)}
_CONSTANTS = {"activity_id": "electricity.delivered", "unit": "MWh"}
_LONLAT = b"""geometry = "lonlat"
region = "spatial"
lon_column = "x"
lat_column = "y"
declared_crs = "EPSG:4326"
declared_because = "the operator's sheet says so"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Factors in t per MWh by region, and where regions are in WKT; no regions are a release without the file."""

    factors: Mapping[str, str]
    regions: Mapping[str, str]

    def files(self, version: str, *, supersedes: str = "") -> dict[str, bytes]:
        """Return the files of the release by key."""
        rows = [{"region": name, "ef_value": value, "numerator_unit": "t"} for name, value in self.factors.items()]
        factors = factors_csv(rows, gwp_set="ar5")
        head = release_toml(factors, version=version, gwp_set="ar5")
        files = {
            "factors.csv": factors,
            "release.toml": head.replace(b'supersedes = ""', f'supersedes = "{supersedes}"'.encode()),
        }
        if self.regions:
            regions = regions_parquet(self.regions)
            files["release.toml"] += f'regions_sha256 = "{sha256_hex(regions)}"\n'.encode()
            files["regions.parquet"] = regions
        return {f"factors/{version}/{name}": data for name, data in files.items()}


def located_world(
    store: ObjectStore,
    *,
    before: Release,
    after: Release,
    rows: Sequence[str],
    others: Sequence[str] = (),
) -> World:
    """Open a world with both releases and the project `anoka`, whose rows are `row_id,epoch,activity_qty,x,y`.

    `others` are projects with the same rows that say their region, which is `n`.
    """
    files = committed_references() | before.files(OLD) | after.files(NEW, supersedes=OLD)
    toml = project_toml("anoka", constants=_CONSTANTS)
    files["projects/anoka.toml"] = toml.replace(b'geometry = "boundary"\n', _LONLAT)
    for project in others:
        files[f"projects/{project}.toml"] = project_toml(project, constants=_CONSTANTS | {"region": "n"})
    return World.over(
        store=store,
        references=memory_store(files),
        landing=memory_store({"source.csv": csv_bytes("row_id,epoch,activity_qty,x,y", rows)}),
        clock=TickingClock(),
    )


def refused_by(world: World, key: PartitionKey) -> str | None:
    """Run a partition, and return the gate that it is refused by, None when it is reported."""
    try:
        run_partition(world, key)
    except GateError as refusal:
        return refusal.gate
    return None
