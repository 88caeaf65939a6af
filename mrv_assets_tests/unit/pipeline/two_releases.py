"""Worlds with two releases of one line and figures that rest on the older, for previews of the bump between them.

What does not belong here: previewing it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mrv_assets.domain.factor_spans import FactorKey
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.builders import factors_csv, release_toml
from mrv_assets_tests.world import (
    TickingClock,
    committed_references,
    csv_bytes,
    memory_store,
    project_toml,
    run_partition,
)

OLD, NEW = "bump-1", "bump-2"
ELECTRICITY = {"gas": "CO2", "ef_value": "995.8"}
METHANE = {"gas": "CH4", "ef_value": "0.107"}
TREES = {
    "activity_id": "land_cover.tree",
    "gas": "CO2e",
    "flux": "removal",
    "ef_value": "329.074827018",
    "numerator_unit": "t",
    "denominator_unit": "km2",
}
HEAT = {"activity_id": "heat.delivered", "gas": "CO2e", "ef_value": "0.2", "numerator_unit": "t"}
FIRST = (ELECTRICITY, METHANE, TREES, HEAT)
SECOND = (ELECTRICITY | {"ef_value": "936.5"}, METHANE | {"ef_value": "0.102"}, TREES | {"ef_value": "300.1"}, HEAT)
SOURCE: Mapping[str, Sequence[str]] = {
    "anoka": ("a1,anoka,2021,electricity.delivered,MWh,1234.5678901", "a2,anoka,2021,land_cover.tree,km2,0.3"),
    "carver": ("c1,carver,2021,electricity.delivered,MWh,77.1", "c2,carver,2021-Q1,electricity.delivered,MWh,0.1"),
    "scott": ("s1,scott,2021,heat.delivered,MWh,5",),
}
_COLUMNS = {name: name for name in ("row_id", "epoch", "activity_id", "activity_qty", "unit")}


def key(project: str, version: str = OLD, period: str = "2021") -> PartitionKey:
    """Return a partition of one of the projects."""
    return PartitionKey(project_id=project, period=period, factor_version=version)


def release_files(version: str, rows: Sequence[Mapping[str, str]], *, supersedes: str = "") -> dict[str, bytes]:
    """Return the two files of a release of the line `mrow`."""
    factors = factors_csv(rows)
    toml = release_toml(factors, version=version).replace(b'supersedes = ""', f'supersedes = "{supersedes}"'.encode())
    return {f"factors/{version}/release.toml": toml, f"factors/{version}/factors.csv": factors}


def bump_world(
    *,
    store: ObjectStore | None = None,
    before: Sequence[Mapping[str, str]] = FIRST,
    after: Sequence[Mapping[str, str]] = SECOND,
    source: Mapping[str, Sequence[str]] = SOURCE,
    projects: Mapping[str, str] | None = None,
    pins: Mapping[str, str] | None = None,
    supersedes: str = OLD,
    has_old: bool = True,
) -> World:
    """Open a world with the releases, and a project for each part of the source.

    `projects` are lines to put at the head of the file of a project, `pins` are for all of them.
    """
    files = {name: data for name, data in committed_references().items() if not name.startswith("factors/")}
    files |= (release_files(OLD, before) if has_old else {}) | release_files(NEW, after, supersedes=supersedes)
    for project in source:
        toml = project_toml(
            project,
            where={"project": project},
            columns=_COLUMNS,
            constants={"region": "US/MROW"},
            pins=dict(pins or {}),
        )
        files[f"projects/{project}.toml"] = (projects or {}).get(project, "").encode() + toml
    rows = [row for rows in source.values() for row in rows]
    landing = {"source.csv": csv_bytes("row_id,project,epoch,activity_id,unit,activity_qty", rows)}
    return World.over(
        store=store or memory_store(),
        references=memory_store(files),
        landing=memory_store(landing),
        clock=TickingClock(),
    )


def reported(world: World, projects: Sequence[str] = tuple(SOURCE), version: str = OLD, period: str = "2021") -> World:
    """Run the projects, and return the world."""
    for project in projects:
        run_partition(world, key(project, version, period), run_id=f"{project}-{version}")
    return world


def ledger(world: World, of: PartitionKey) -> Tonnes:
    """Return what the ledger reports of a partition."""
    record = world.slots.current(Slot.of(Asset.LEDGER, of))
    assert record is not None
    [row] = world.slots.load_table(record).to_pylist()
    return Tonnes(emissions=row["emissions_tco2e"], removals=row["removals_tco2e"])


def certified(world: World, of: PartitionKey) -> Tonnes:
    """Return what the strata of a partition come to."""
    record = world.slots.current(Slot.of(Asset.AGGREGATED, of))
    assert record is not None
    rows = world.slots.load_table(record).to_pylist()
    return Tonnes.sum(Tonnes(emissions=row["emissions_tco2e"], removals=row["removals_tco2e"]) for row in rows)


def stored(store: ObjectStore) -> dict[str, bytes | None]:
    """Return every object of a store."""
    return {name: store.get(name) for name in store.list("")}


def by_factor(world: World, of: PartitionKey) -> dict[FactorKey, Tonnes]:
    """Return the stored tonnes of a partition by factor."""
    record = world.slots.current(Slot.of(Asset.FACTORED, of))
    assert record is not None
    found: dict[FactorKey, Tonnes] = {}
    for row in world.slots.load_table(record).to_pylist():
        name = FactorKey(activity_id=row["activity_id"], region=row["region"], unit=row["unit"])
        one = Tonnes(emissions=row["emissions_tco2e"], removals=row["removals_tco2e"])
        found[name] = found.get(name, Tonnes()) + one
    return found
