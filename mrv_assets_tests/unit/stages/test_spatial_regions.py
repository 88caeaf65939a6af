from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from mrv_assets.domain.contract import about
from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import GateError
from mrv_assets.stages.factor import apply_factors
from mrv_assets.stages.spatial_regions import in_regions
from mrv_assets_tests.builders import WHERE, release
from mrv_assets_tests.regions import EAST, WEST, normalized_at, regions_parquet

POLICY = CrsPolicy.parse({})
TWO = {"east": EAST, "west": WEST}


def placed(
    *footprints: str | None, regions: Mapping[str, str] | bytes = regions_parquet(TWO)
) -> tuple[list[str], Mapping[str, str]]:
    """Return the region of each row, and how rows were located."""
    data = regions if isinstance(regions, bytes) else regions_parquet(regions)
    table, evidence = in_regions(normalized_at(*footprints), regions=data, policy=POLICY, where=WHERE)
    return table.column("region").to_pylist(), evidence


def refused(*footprints: str | None, regions: bytes | None = regions_parquet(TWO), says: str) -> None:
    """Assert that these rows are refused, saying this."""
    with pytest.raises(GateError, match=says) as caught:
        in_regions(normalized_at(*footprints), regions=regions, policy=POLICY, where=WHERE)
    assert caught.value.gate == "regions_located"


def test_a_row_is_in_the_region_where_its_footprint_lies() -> None:
    """Points and land alike; what is on no shared border is counted as such."""
    found, evidence = placed("POINT (0.5 0.5)", "POLYGON ((1.2 0.2, 1.4 0.2, 1.4 0.4, 1.2 0.4, 1.2 0.2))")
    assert found == ["west", "east"]
    assert evidence == {
        "located_rows": "2",
        "rows_on_borders": "0",
        "regions_crs": "EPSG:4326",
        "regions_crs_operation": evidence["regions_crs_operation"],
    }


@pytest.mark.parametrize(
    ("west", "east", "owner"),
    [("a", "b", "a"), ("b", "a", "a"), ("10", "9", "10"), ("Z", "a", "Z")],
    ids=["left", "right", "text, not number", "capitals before small letters"],
)
def test_a_shared_border_belongs_to_the_smaller_id(west: str, east: str, owner: str) -> None:
    """In text order, whichever side it is on and whatever the order of the file."""
    for regions in ({west: WEST, east: EAST}, {east: EAST, west: WEST}):
        found, evidence = placed("POINT (1 0.5)", "POINT (1 0.123456789)", regions=regions)
        assert found == [owner, owner]
        assert evidence["rows_on_borders"] == "2"


def test_a_corner_of_four_belongs_to_the_smallest_id() -> None:
    """And the outer border to the only region there is."""
    above = {"c": "POLYGON ((0 1, 1 1, 1 2, 0 2, 0 1))", "b": "POLYGON ((1 1, 2 1, 2 2, 1 2, 1 1))"}
    assert placed("POINT (1 1)", "POINT (0 0)", regions={"east": EAST, "d": WEST, **above})[0] == ["b", "d"]


def test_a_point_a_centimetre_inside_is_inside() -> None:
    """A border is a millimetre wide, and no wider."""
    assert placed("POINT (0.9999999 0.5)", "POINT (1.0000001 0.5)")[0] == ["west", "east"]


def test_land_across_a_border_is_in_one_region() -> None:
    """The representative point decides, which lies on the land, also where its centre does not."""
    horseshoe = "POLYGON ((0.2 0.2, 1.8 0.2, 1.8 0.3, 0.3 0.3, 0.3 0.7, 1.8 0.7, 1.8 0.8, 0.2 0.8, 0.2 0.2))"
    found, evidence = placed(horseshoe)
    assert found == ["west"]
    assert evidence["located_rows"] == "1"


@pytest.mark.parametrize("to", ["EPSG:6933", "EPSG:3857", "OGC:CRS84"])
def test_regions_may_come_in_any_crs_that_they_state(to: str) -> None:
    """Points are taken there, so that borders stay the lines they are."""
    found, evidence = placed("POINT (0.5 0.5)", "POINT (1 0.5)", regions=regions_parquet(TWO, to=to))
    assert found == ["west", "east"]
    assert evidence["rows_on_borders"] == "1"


def test_rows_that_are_nowhere_are_named() -> None:
    """Outside of all regions, and without a footprint."""
    refused("POINT (0.5 0.5)", "POINT (5 5)", says=r"one of the 2 regions.*1 row\(s\) outside of all: 'r1'")
    refused("POINT (0.5 0.5)", None, says=r"1 row\(s\) without one: 'r1'")
    refused("POINT EMPTY", says=r"1 row\(s\) without one: 'r0'")


def test_land_that_two_regions_claim_is_refused() -> None:
    """They may share a border and no land; a row elsewhere is not touched by it."""
    claims = regions_parquet({"west": WEST, "wide": "POLYGON ((0.5 0, 1.5 0, 1.5 1, 0.5 1, 0.5 0))"})
    says = r"1 row\(s\) inside of several: 'r1', the first of \['west', 'wide'\]"
    refused("POINT (0.2 0.5)", "POINT (0.7 0.5)", regions=claims, says=says)
    assert placed("POINT (0.2 0.5)", "POINT (1.2 0.5)", regions=claims)[0] == ["west", "wide"]


@pytest.mark.parametrize(
    ("regions", "says"),
    [
        pytest.param(None, "a release without regions.parquet", id="no file"),
        pytest.param(b"PAR1", "a whole Parquet file", id="no Parquet"),
        pytest.param(regions_parquet(TWO, crs=None), "a CRS in the key crs of the file; found none", id="no CRS"),
        pytest.param(regions_parquet({None: WEST}), "each with an id; found 0 of 1", id="null"),
        pytest.param(regions_parquet({" ": WEST, "a": EAST}), "found 1 of 2 with one", id="blank"),
        pytest.param(regions_parquet({"a": "POINT (0 0)"}), "valid polygons; found 1 others: 'a'", id="point"),
        pytest.param(regions_parquet({"a": ""}), "valid polygons; found 1 others: 'a'", id="nowhere"),
        pytest.param(regions_parquet({"a": "POLYGON EMPTY"}), "valid polygons", id="empty"),
        pytest.param(
            regions_parquet({"a": "POLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))"}), "valid polygons; found 1", id="bow tie"
        ),
        pytest.param(regions_parquet(TWO, crs="EPSG:4267"), "PROJ's best operation, installed", id="NAD27"),
    ],
)
def test_regions_that_cannot_be_used_are_refused(regions: bytes | None, says: str) -> None:
    """The file is read as strictly as a source is."""
    refused("POINT (0.5 0.5)", regions=regions, says=says)


def test_located_rows_have_the_factor_of_their_region() -> None:
    """No footprint is handed on, and the record says how rows were located."""
    factors = [{"region": "west", "ef_value": "1", "numerator_unit": "t"}, {"region": "east", "ef_value": "2"}]
    made = replace(release(factors), regions=regions_parquet(TWO))
    staged = apply_factors(
        normalized_at("POINT (0.5 0.5)", "POINT (1.5 0.5)"), release=made, where=WHERE, spatial=POLICY
    )
    assert staged.table.column("region").to_pylist() == staged.table.column("factor_region").to_pylist()
    assert staged.table.column("region").to_pylist() == ["west", "east"]
    assert about(staged.table) == {"crs_source": "EPSG:4326"}
    assert staged.evidence["located_rows"] == "2"
