from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.domain.project import Inventory, Project, Publication
from mrv_assets.domain.source import GeometrySource
from mrv_assets_tests.builders import PROJECT_TOML, project

INVENTORY_TOML = 'id = "twin-cities"\ntitle = "Twin Cities"\nprojects = ["a", "b"]\nperiods = ["2021"]\n'


def test_project_file_says_who_reports_what_from_where() -> None:
    """Every part of the file is read, and the digest is of the whole file."""
    read = project()
    assert (read.id, read.publication, read.pins) == ("metc-anoka", Publication.LATEST, {})
    assert read.source.where == {"county_fips": "27003"}
    assert read.source.columns["activity_qty"] == "quantity"
    assert read.source.constants == {"region": "US/MROW"}
    assert read.source.geometry is GeometrySource.BOUNDARY
    assert read.boundary.declared is not None
    assert read.boundary.declared.crs == "EPSG:4269"
    assert read.digest != project(PROJECT_TOML + "\n").digest


def test_pins_name_a_factor_version_by_period() -> None:
    """A pinned period is canonical, and so is its version."""
    assert project(PROJECT_TOML + '\n[pins]\n"2021" = "mrow-2024.02.01"\n').pins == {"2021": "mrow-2024.02.01"}
    with pytest.raises(IdentityError, match="2021-3"):
        project(PROJECT_TOML + '\n[pins]\n"2021-3" = "mrow-2024.02.01"\n')


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('id = "metc-anoka"', 'id = "metc anoka"', "project_id is not a canonical id"),
        ('publication = "latest"', 'publication = "newest"', "newest"),
        ('standard = "GHG Protocol corporate/community inventory"', "", "'standard'"),
        ('activity_qty = "quantity"', "", "map each of"),
        ('region = "US/MROW"', 'region = "US/MROW"\nunit = "MWh"', "map each of"),
        ('geometry = "boundary"', 'geometry = "wkt"', "goes with geometry_column, not"),
        ('geometry = "boundary"', 'geometry = "boundary"\ngeometry_column = "g"', "goes with no column, not"),
        ('declared_because = "the publisher\'s other files are NAD83"', "", "'declared_because'"),
        ('region = "US/MROW"', "", "map each of"),
        ('format = "csv"', 'format = "csv"\nregion = "spatial"', "map each of"),
        ('format = "csv"', 'format = "csv"\nregion = "US/MROW"', "map each of|one region for all rows is a constant"),
        ("[source.where]", "[source.where", "TOML|Expected|line"),
    ],
    ids=[
        "id",
        "publication",
        "no standard",
        "column not mapped",
        "column mapped twice",
        "wkt without column",
        "column without wkt",
        "CRS without a reason",
        "no region",
        "region twice",
        "region that is no constant",
        "no TOML",
    ],
)
def test_malformed_project_file_is_refused(before: str, after: str, says: str) -> None:
    """A project file that leaves something open is refused by name of the file."""
    assert before in PROJECT_TOML
    with pytest.raises((ContractError, IdentityError), match=says):
        project(PROJECT_TOML.replace(before, after))


def test_file_that_is_not_utf8_is_refused() -> None:
    """Bytes in another encoding are refused, not replaced."""
    with pytest.raises(ContractError, match=r"x.toml.*malformed|malformed.*x.toml"):
        Project.parse(b'name = "\xe9"', where="x.toml")


def test_inventory_says_which_figures_make_it_complete() -> None:
    """Projects and periods are read in their order."""
    read = Inventory.parse(INVENTORY_TOML.encode(), where="inventory")
    assert (tuple(read.projects), tuple(read.periods)) == (("a", "b"), ("2021",))


@pytest.mark.parametrize(
    ("before", "after"),
    [('"b"', '"b c"'), ('"2021"', '"2021-3"'), ('title = "Twin Cities"', ""), ('["a", "b"]', "7")],
    ids=["project", "period", "no title", "no list"],
)
def test_malformed_inventory_is_refused(before: str, after: str) -> None:
    """An inventory with an id or period that is none is refused."""
    with pytest.raises((ContractError, IdentityError), match=r"canonical|malformed"):
        Inventory.parse(INVENTORY_TOML.replace(before, after).encode(), where="inventory")


SPATIAL_TOML = PROJECT_TOML.replace('region = "US/MROW"', "").replace("[source]", '[source]\nregion = "spatial"')


def test_regions_may_be_left_to_the_factor_release() -> None:
    """Until the release decides, every row says so instead of a region."""
    source = project(SPATIAL_TOML).source
    assert source.is_spatial
    assert source.constants == {"region": "spatial"}
    assert not project().source.is_spatial


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        pytest.param('"spatial"', '"US/MROW"', "one region for all rows is a constant", id="a region"),
        pytest.param('geometry = "boundary"', 'geometry = "none"', "needs footprints", id="no footprints"),
    ],
)
def test_regions_are_left_to_the_release_only_where_rows_have_a_place(before: str, after: str, says: str) -> None:
    """And the key has one value."""
    with pytest.raises(ContractError, match=says):
        project(SPATIAL_TOML.replace(before, after))


@pytest.mark.parametrize("text", ["0.05", "1", "0.000001", "1e-3"])
def test_a_project_says_what_it_calls_a_restatement(text: str) -> None:
    """A share above 0 and at most 1, as decimal text; 0.05 where it says nothing."""
    assert project(f'materiality = "{text}"\n{PROJECT_TOML}').materiality == Decimal(text)
    assert project().materiality == Decimal("0.05")


@pytest.mark.parametrize("given", ['"0"', '"1.01"', '"-0.05"', '"5 %"', '"NaN"', '"inf"', '""', "0.05", "1", "true"])
def test_a_materiality_that_is_no_share_is_refused(given: str) -> None:
    """Also a number of TOML, which would be a binary fraction."""
    with pytest.raises(ContractError, match="materiality is a share as text, above 0 and at most 1"):
        project(f"materiality = {given}\n{PROJECT_TOML}")
