"""Projects whose rows are points, or have no footprint at all, go through every stage and gate as fields do."""

from __future__ import annotations

import math

import pytest
import shapely
from pyproj import Transformer

from mrv_assets.domain.contract import about
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.world import World
from mrv_assets_tests.world import (
    committed_references,
    csv_bytes,
    memory_store,
    memory_world,
    project_toml,
    run_partition,
)

KEY = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-2024.06.24")
LONLAT = """geometry = "lonlat"
lon_column = "x"
lat_column = "y"
declared_crs = "EPSG:4326"
declared_because = "the operator's sheet says so"
"""
WKT_POINTS = """geometry = "wkt"
footprint = "point"
geometry_column = "site"
declared_crs = "EPSG:4326"
declared_because = "the operator's sheet says so"
"""
PLANTS = ("north,2021,5,-93.21,45.19", "south,2021,7,-93.3,45.1")


def world(source: str, *rows: str, header: str = "row_id,epoch,activity_qty,x,y", quarantine: bool = False) -> World:
    """Open a world with one project of this geometry and these rows."""
    toml = project_toml("anoka").replace(b'geometry = "boundary"\n', source.encode())
    if quarantine:
        toml += b'\n[source.quarantine]\nmax_share = "0.5"\nbecause = "the operator mends them"\n'
    return memory_world(
        references=committed_references() | {"projects/anoka.toml": toml},
        landing=memory_store({"source.csv": csv_bytes(header, rows)}),
    )


def regions(*rows: str) -> World:
    """Open a world of rows that say nothing of where they were but their region."""
    return world('geometry = "none"\n', *rows, header="row_id,epoch,activity_qty")


def current(world: World, asset: Asset) -> GenerationRecord:
    """Return the current generation of an asset."""
    record = world.slots.current(Slot.of(asset, KEY))
    assert record is not None
    return record


def tonnes(world: World) -> str:
    """Return the reported emissions."""
    return str(world.slots.load_table(current(world, Asset.LEDGER)).column("emissions_tco2e")[0].as_py())


def test_points_get_a_place_in_the_equal_area_crs_and_no_area() -> None:
    """A plant is where pyproj says, its area is 0, and all gates are green to the ledger."""
    ours = world(LONLAT, *PLANTS)
    run_partition(ours, KEY)
    table = ours.slots.load_table(current(ours, Asset.NORMALIZED))
    assert about(table) == {"crs": "EPSG:6933", "crs_source": "EPSG:4326"}
    assert table.column("area_ha").to_pylist() == [0.0, 0.0]
    found = shapely.get_coordinates(shapely.from_wkb(table.column("geometry").to_pylist()))
    expected = Transformer.from_crs("EPSG:4326", "EPSG:6933", always_xy=True).transform([-93.21, -93.3], [45.19, 45.1])
    assert found.T.tolist() == [list(axis) for axis in expected]
    evidence = current(ours, Asset.NORMALIZED).evidence
    assert (evidence["footprint"], evidence["geometry"], evidence["area_planar_ha"]) == ("point", "lonlat", "0.0")
    assert all(gate.passed for asset in Asset for gate in current(ours, asset).gates)


def test_points_may_also_be_written_as_wkt() -> None:
    """Both spellings of the same places come to the same content."""
    rows = ("north,2021,5,POINT (-93.21 45.19)", "south,2021,7,POINT (-93.3 45.1)")
    by_wkt = world(WKT_POINTS, *rows, header="row_id,epoch,activity_qty,site")
    by_columns = world(LONLAT, *PLANTS)
    for ours in (by_wkt, by_columns):
        run_partition(ours, KEY)
    digests = [current(ours, Asset.NORMALIZED).content_digest for ours in (by_wkt, by_columns)]
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    ("row", "gate"),
    [
        pytest.param("east,2021,9,45.1,-93.2", "geometry_finite", id="swapped"),
        pytest.param("east,2021,9,-83.2,45.1", "geometry_finite", id="elsewhere"),
        pytest.param("east,2021,9,,45.1", "geometry_present", id="no longitude"),
        pytest.param("east,2021,9,-93.2W,45.1", "geometry_present", id="text"),
        pytest.param("east,2021,9,480000,5000000", "geometry_finite", id="metres"),
        pytest.param("east,2021,5,-93.21,45.19", "land_counted_once", id="the same plant again"),
    ],
)
def test_a_point_that_cannot_be_is_refused(row: str, gate: str) -> None:
    """By name of the gate, like a field."""
    with pytest.raises(GateError, match=r"north|east|footprint") as caught:
        run_partition(world(LONLAT, *PLANTS, row), KEY)
    assert caught.value.gate == gate


def test_a_point_may_be_set_aside() -> None:
    """Where the project allows it, and the others are reported."""
    ours = world(LONLAT, *PLANTS, "east,2021,9,45.1,-93.2", quarantine=True)
    run_partition(ours, KEY)
    aside = ours.slots.load_quarantine(current(ours, Asset.NORMALIZED))
    assert aside is not None
    assert aside.select(["row", "row_id", "gate"]).to_pylist() == [
        {"row": 1, "row_id": "east", "gate": "geometry_finite"}
    ]
    assert tonnes(ours) == tonnes(_reported(world(LONLAT, *PLANTS)))


def _reported(world: World) -> World:
    run_partition(world, KEY)
    return world


def test_rows_without_a_footprint_are_where_their_region_is() -> None:
    """No CRS, no geometry and no area, and every gate says that this is as declared."""
    ours = _reported(regions("a,2021,5", "b,2021-Q1,7"))
    for asset in (Asset.ACTIVITY, Asset.NORMALIZED):
        table = ours.slots.load_table(current(ours, asset))
        assert about(table) == {}
        assert table.column("geometry").null_count == table.num_rows == 2
    assert ours.slots.load_table(current(ours, Asset.NORMALIZED)).column("area_ha").null_count == 2
    gates = {gate.gate: gate for gate in current(ours, Asset.NORMALIZED).gates}
    assert gates["crs_operation_accurate"].observed == "no CRS, since rows have no footprint"
    assert gates["land_counted_once"].observed.startswith("2 rows without a footprint of their own (none)")
    assert all(gate.passed for asset in Asset for gate in current(ours, asset).gates)
    assert "crs" not in current(ours, Asset.ACTIVITY).evidence


def test_where_rows_were_changes_no_tonne() -> None:
    """The same quantities with points, with the boundary and with no footprint are the same figure."""
    of_points = _reported(world(LONLAT, *PLANTS))
    of_the_boundary = _reported(
        world('geometry = "boundary"\n', "north,2021,5", "south,2021,7", header="row_id,epoch,activity_qty")
    )
    of_regions = _reported(regions("north,2021,5", "south,2021,7"))
    figures = {tonnes(ours) for ours in (of_points, of_the_boundary, of_regions)}
    assert len(figures) == 1
    assert math.isfinite(float(figures.pop()))


def test_a_region_is_needed_where_nothing_else_says_where() -> None:
    """A row that says nothing of where it was is refused as the contract has it."""
    toml = project_toml(
        "anoka",
        columns={name: name for name in ("row_id", "epoch", "activity_qty", "region")},
        constants={"activity_id": "electricity.delivered", "unit": "MWh"},
    )
    ours = memory_world(
        references=committed_references()
        | {"projects/anoka.toml": toml.replace(b'geometry = "boundary"', b'geometry = "none"')},
        landing=memory_store(
            {"source.csv": csv_bytes("row_id,epoch,activity_qty,region", ["a,2021,5,US/MROW", "b,2021,7,"])}
        ),
    )
    with pytest.raises(GateError, match=r"region: 1 of 2 .*'b'"):
        run_partition(ours, KEY)
