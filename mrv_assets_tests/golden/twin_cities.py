"""The public Twin Cities inventory as a world: places as projects, one per kind of activity, and how to run it.

What does not belong here: expected figures (they stand beside each test).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal

import polars as pl
import shapely

from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.world import (
    BOUNDARIES,
    GOLDEN,
    PUBLIC_DATA,
    TickingClock,
    committed_references,
    memory_store,
    project_toml,
    run_partition,
)

COUNTIES = {
    "Anoka": "27003",
    "Carver": "27019",
    "Chisago": "27025",
    "Dakota": "27037",
    "Hennepin": "27053",
    "Ramsey": "27123",
    "Scott": "27139",
    "Sherburne": "27141",
    "Washington": "27163",
    "Pierce": "55093",
    "St. Croix": "55109",
}
REGION = "Twin Cities"
"""The eleven counties as one place, so that one partition reports a whole year."""

PLACES = {**COUNTIES, REGION: "metc"}
METC = PUBLIC_DATA / "metc-twin-cities"
CONSTANTS = {
    "electricity": {"activity_id": "electricity.delivered", "unit": "MWh", "region": "US/MROW"},
    "natural_gas": {"activity_id": "natural_gas.delivered", "unit": "mcf", "region": "US"},
    "land_cover": {"unit": "km2", "region": "US/METC"},
}
LINES = {"electricity": "mrow", "natural_gas": "metc-gas", "land_cover": "metc-landcover"}


def project_id(kind: str, place: str) -> str:
    """Return the id of the project that reports one kind of activity of one county or of the region."""
    return f"{kind}-{PLACES[place]}"


def region_wide(rows: pl.DataFrame) -> pl.DataFrame:
    """Return source rows of counties as rows of the region; their ids stay."""
    return rows.with_columns(pl.lit(REGION).alias("county"))


def with_region(boundaries: bytes) -> bytes:
    """Add the outline of all counties together to the boundaries of each."""
    collection = json.loads(boundaries)
    whole = shapely.union_all([shapely.geometry.shape(county["geometry"]) for county in collection["features"]])
    region = {"geoid": PLACES[REGION], "name": REGION}
    collection["features"].append(
        {"type": "Feature", "properties": region, "geometry": shapely.geometry.mapping(whole)}
    )
    return json.dumps(collection).encode()


def inventory(kind: str, rows: pl.DataFrame, *, store: ObjectStore | None = None) -> World:
    """Open a world with a project for each county and one for the region, over rows of one source.

    The rows are `row_id, county, year, activity_qty`, and `county` may say the region. Land cover rows carry their
    `activity_id` as well. Every column is text. With the store of another world, it is that world after another source
    file has arrived.
    """
    columns = {"row_id": "row_id", "epoch": "year", "activity_qty": "activity_qty"}
    if kind == "land_cover":
        columns["activity_id"] = "activity_id"
    references = committed_references(extra_factors=GOLDEN / "factors")
    references[BOUNDARIES] = with_region(references[BOUNDARIES])
    for place, boundary in PLACES.items():
        references[f"projects/{project_id(kind, place)}.toml"] = project_toml(
            project_id(kind, place),
            county_fips=boundary,
            line=LINES[kind],
            where={"county": place},
            columns=columns,
            constants=CONSTANTS[kind],
        )
    return World.over(
        store=store or memory_store(),
        references=memory_store(references),
        landing=memory_store({"source.csv": rows.write_csv().encode()}),
        clock=TickingClock(),
    )


def report(world: World, kind: str, partitions: Iterable[tuple[str, str]], factor_version: str) -> None:
    """Run one partition for each (place, year)."""
    for place, year in partitions:
        run_partition(
            world,
            PartitionKey(project_id=project_id(kind, place), period=year, factor_version=factor_version),
        )


def factored_rows(
    world: World, kind: str, partitions: Iterable[tuple[str, str]], factor_version: str
) -> dict[str, dict[str, Decimal]]:
    """Return emissions and removals, t CO2e, of every activity row by its id."""
    rows: dict[str, dict[str, Decimal]] = {}
    for place, year in partitions:
        key = PartitionKey(project_id=project_id(kind, place), period=year, factor_version=factor_version)
        record = world.slots.current(Slot.of(Asset.FACTORED, key))
        assert record is not None, key
        rows |= {row["row_id"]: row for row in world.slots.load_table(record).to_pylist()}
    return rows


def ledger_totals(world: World) -> dict[str, dict[str, Decimal]]:
    """Return the reported emissions and removals of every year, t CO2e, summed over the projects."""
    totals: dict[str, dict[str, Decimal]] = {}
    for slot, _ in world.slots.list_slots(asset=Asset.LEDGER):
        record = world.slots.current(slot)
        assert record is not None, slot
        figure = world.slots.load_table(record).to_pylist()[0]
        year = totals.setdefault(slot.period, {"emissions_tco2e": Decimal(0), "removals_tco2e": Decimal(0)})
        for column in year:
            year[column] += figure[column]
    return totals
