"""A project may leave the regions of its rows to the factor release: its footprints say in which one they are."""

from __future__ import annotations

import pytest

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.builders import factors_csv, release_toml
from mrv_assets_tests.regions import regions_parquet
from mrv_assets_tests.unit.pipeline.small_store import NOW
from mrv_assets_tests.world import committed_references, csv_bytes, memory_store, outcomes, project_toml, run_partition

KEY = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-regions-1")
LONLAT = """geometry = "lonlat"
region = "spatial"
lon_column = "x"
lat_column = "y"
declared_crs = "EPSG:4326"
declared_because = "the operator's sheet says so"
"""
ROWS = ("north,2021,10,-93.25,45.3", "border,2021,10,-93.25,45.2", "south,2021,10,-93.25,45.1")
NORTH = "POLYGON ((-94 45.2, -93 45.2, -93 46, -94 46, -94 45.2))"
SOUTH = "POLYGON ((-94 44, -93 44, -93 45.2, -94 45.2, -94 44))"


def released(version: str, *, factor: str, regions: bytes | None, supersedes: str = "") -> dict[str, bytes]:
    """Return the files of a release with factors for two regions, 1 t and another, and where these are."""
    rows = [{"region": name, "ef_value": value, "numerator_unit": "t"} for name, value in (("n", "1"), ("s", factor))]
    factors = factors_csv(rows, gwp_set="ar5")
    head = release_toml(factors, version=version, gwp_set="ar5")
    head = head.replace(b'supersedes = ""', f'supersedes = "{supersedes}"'.encode())
    files = {"factors.csv": factors, "release.toml": head}
    if regions is not None:
        files["release.toml"] += f'regions_sha256 = "{sha256_hex(regions)}"\n'.encode()
        files["regions.parquet"] = regions
    return {f"factors/{version}/{name}": data for name, data in files.items()}


def world(store: ObjectStore, *rows: str, regions: bytes | None = regions_parquet({"n": NORTH, "s": SOUTH})) -> World:
    """Open a world with a project of points whose regions the releases know."""
    constants = {"activity_id": "electricity.delivered", "unit": "MWh"}
    toml = project_toml("anoka", constants=constants).replace(b'geometry = "boundary"\n', LONLAT.encode())
    releases = {
        **released("mrow-regions-1", factor="2", regions=regions),
        **released("mrow-regions-2", factor="3", regions=regions, supersedes="mrow-regions-1"),
    }
    return World.over(
        store=store,
        references=memory_store(committed_references() | releases | {"projects/anoka.toml": toml}),
        landing=memory_store({"source.csv": csv_bytes("row_id,epoch,activity_qty,x,y", rows or ROWS)}),
        clock=lambda: NOW,
    )


def current(world: World, asset: Asset, key: PartitionKey = KEY) -> GenerationRecord:
    """Return the current generation of an asset."""
    record = world.slots.current(Slot.of(asset, key))
    assert record is not None
    return record


def test_rows_are_reported_under_the_regions_of_the_release() -> None:
    """30 MWh by region: the row on the border is in the smaller id, once; the certificate says how they were placed."""
    ours = world(memory_store())
    run_partition(ours, KEY)
    strata = ours.slots.load_table(current(ours, Asset.AGGREGATED))
    assert strata.select(["region", "rows", "emissions_tco2e"]).to_pylist() == [
        {"region": "n", "rows": 2, "emissions_tco2e": 20},
        {"region": "s", "rows": 1, "emissions_tco2e": 20},
    ]
    record = current(ours, Asset.FACTORED)
    assert {"shapely", "pyproj", "geoarrow-c"} <= set(record.pins)
    certificate = Certificate.from_bytes(ours.slots.load_bytes(current(ours, Asset.CERTIFICATE)), where="under test")
    gates = {gate.gate: gate for subject in certificate.subjects for gate in subject.gates}
    assert gates["regions_located"].observed == (
        "regions of 3 rows 3 located by their footprints, 1 of them on borders; without one: none"
    )


def test_bump_places_rows_again_and_normalises_none() -> None:
    """Where a row is depends on the release, so it is decided when factors are applied."""
    store = memory_store()
    run_partition(world(store), KEY)
    bumped = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-regions-2")
    kept = run_partition(world(store), bumped)
    assert outcomes(kept)[:3] == [Outcome.SKIPPED, Outcome.SKIPPED, Outcome.COMMITTED]
    assert set(world(store).slots.load_table(current(world(store), Asset.NORMALIZED)).column("region").to_pylist()) == {
        "spatial"
    }


@pytest.mark.parametrize(
    ("regions", "says"),
    [
        pytest.param(regions_parquet({"n": NORTH}), "1 row.* outside of all: 'south'", id="nowhere"),
        pytest.param(None, "a release without regions.parquet", id="no regions"),
    ],
)
def test_row_outside_of_all_regions_is_refused_by_name(regions: bytes | None, says: str) -> None:
    """Nothing is kept, and the gate that is red is one of factored."""
    ours = world(memory_store(), regions=regions)
    with pytest.raises(GateError, match=says) as caught:
        run_partition(ours, KEY)
    assert caught.value.gate == "regions_located"
    assert ours.slots.current(Slot.of(Asset.FACTORED, KEY)) is None
