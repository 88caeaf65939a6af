from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.source import MAPPED_COLUMNS, Footprint, GeometrySource, Source, SourceFormat
from mrv_assets_tests.builders import PROJECT_TOML, project

BECAUSE = "it was agreed"


def table(**changes: object) -> dict[str, Any]:
    """Return the [source] table of a project file, good but for the changes; None takes a key away."""
    usual = {
        "path": "plots.csv",
        "format": "csv",
        "geometry": "boundary",
        "columns": {name: f"their {name}" for name in MAPPED_COLUMNS if name != "region"},
        "constants": {"region": "US/MROW"},
    }
    return {key: value for key, value in {**usual, **changes}.items() if value is not None}


def test_a_source_says_nothing_more_than_it_must() -> None:
    """What is left out is read as most files have it, and nothing is allowed that is not asked for."""
    source = Source.parse(table())
    assert (source.encoding, source.delimiter, source.decimal_mark, source.layer) == (None, ",", ".", None)
    assert (source.quarantine, source.overlaps_because, source.declared, source.geometry_columns) == (
        None,
        None,
        None,
        (),
    )
    assert source.where == {}


@pytest.mark.parametrize(
    ("geometry", "more", "footprint", "columns"),
    [
        pytest.param("boundary", {}, Footprint.AREA, (), id="boundary"),
        pytest.param("none", {}, Footprint.NONE, (), id="none"),
        pytest.param("wkt", {"geometry_column": "g"}, Footprint.AREA, ("g",), id="WKT"),
        pytest.param("wkt", {"geometry_column": "g", "footprint": "point"}, Footprint.POINT, ("g",), id="WKT points"),
        pytest.param("lonlat", {"lon_column": "x", "lat_column": "y"}, Footprint.POINT, ("x", "y"), id="coordinates"),
        pytest.param("record", {"format": "geojson"}, Footprint.AREA, (), id="record"),
        pytest.param("record", {"format": "kml", "footprint": "point"}, Footprint.POINT, (), id="placemarks"),
    ],
)
def test_footprints_come_from_where_the_project_says(
    geometry: str, more: Mapping[str, object], footprint: Footprint, columns: tuple[str, ...]
) -> None:
    """Each way to bring a footprint has its own columns, and a kind that is usual for it."""
    source = Source.parse(table(geometry=geometry, **more))
    assert (source.footprint, source.geometry_columns) == (footprint, columns)
    assert source.geometry.is_own is (geometry in ("wkt", "lonlat", "record"))
    assert set(columns) <= set(source.wanted)


def test_wanted_are_all_columns_of_the_file_that_are_needed() -> None:
    """Mapped, selecting and geometry columns, by their names in the file, each once."""
    source = Source.parse(table(geometry="wkt", geometry_column="shape", where={"state": "MN", "their unit": "MWh"}))
    assert source.wanted == (
        "shape",
        "state",
        "their activity_id",
        "their activity_qty",
        "their epoch",
        "their row_id",
        "their unit",
    )


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param({"format": "dbase"}, "'dbase' is not a valid SourceFormat", id="format"),
        pytest.param({"geometry": "map"}, "'map' is not a valid GeometrySource", id="geometry"),
        pytest.param({"geometry": "record"}, "needs a format with geometry, not csv", id="record of a CSV file"),
        pytest.param({"geometry": "wkt"}, "goes with geometry_column", id="WKT without its column"),
        pytest.param({"geometry": "lonlat", "lon_column": "x"}, "goes with lon_column and", id="no latitude"),
        pytest.param({"geometry_column": "g"}, "goes with no column", id="column without WKT"),
        pytest.param({"geometry": "none", "footprint": "area"}, "gives none, not area", id="area of nothing"),
        pytest.param({"footprint": "point"}, "gives area, not point", id="boundary as a point"),
        pytest.param(
            {"geometry": "lonlat", "lon_column": "x", "lat_column": "y", "footprint": "area"},
            "gives point, not area",
            id="coordinates as an area",
        ),
        pytest.param(
            {"geometry": "wkt", "geometry_column": "g", "footprint": "none"},
            "gives area, not none",
            id="WKT of nothing",
        ),
        pytest.param({"decimal_mark": ";"}, "neither . nor ,", id="decimal mark"),
        pytest.param({"decimal_mark": ","}, "the same character", id="comma twice"),
        pytest.param({"delimiter": "||"}, "delimiter '||' is not one character", id="delimiter"),
        pytest.param({"path": " "}, "is not text that says something", id="blank path"),
        pytest.param({"path": None}, "'path'", id="no path"),
        pytest.param({"spatial": True}, "does not know spatial", id="unknown key"),
        pytest.param({"quarentine": {}}, "does not know quarentine", id="misspelt policy"),
        pytest.param({"constants": {}}, "map each of", id="column not mapped"),
        pytest.param({"constants": {"region": "x", "unit": "MWh"}}, "map each of", id="column mapped twice"),
        pytest.param({"where": {"year": 2021}}, "holds something else than text", id="number to select by"),
        pytest.param({"declared_crs": "EPSG:4326"}, "'declared_because'", id="CRS without a reason"),
        pytest.param(
            {"declared_crs": "EPSG:4326", "declared_because": " "}, "says something", id="CRS with a blank reason"
        ),
        pytest.param({"overlaps": {"because": ""}}, "says something", id="overlaps without a reason"),
        pytest.param({"quarantine": {"max_share": "0.1"}}, "'because'", id="quarantine without a reason"),
        pytest.param({"quarantine": {"max_share": "0", "because": BECAUSE}}, "between 0 and 1", id="share of nothing"),
        pytest.param({"quarantine": {"max_share": "1", "because": BECAUSE}}, "between 0 and 1", id="share of all"),
        pytest.param({"quarantine": {"max_share": "-0.1", "because": BECAUSE}}, "between 0 and 1", id="negative share"),
        pytest.param({"quarantine": {"max_share": "NaN", "because": BECAUSE}}, "between 0 and 1", id="NaN"),
        pytest.param({"quarantine": {"max_share": "1%", "because": BECAUSE}}, "no decimal text", id="percent"),
        pytest.param({"quarantine": {"max_share": 0.1, "because": BECAUSE}}, "not text", id="binary share"),
    ],
)
def test_a_source_that_leaves_something_open_is_malformed(changes: dict[str, object], says: str) -> None:
    """Nothing is guessed, and nothing is allowed without a reason."""
    with pytest.raises((KeyError, ValueError, TypeError), match=says):
        Source.parse(table(**changes))


def test_a_comma_may_be_the_decimal_mark_where_it_delimits_nothing() -> None:
    """In a semicolon file, and in a workbook, which has no delimiter."""
    assert Source.parse(table(delimiter=";", decimal_mark=",")).decimal_mark == ","
    assert Source.parse(table(format="xlsx", decimal_mark=",")).decimal_mark == ","


@pytest.mark.parametrize("format_", list(SourceFormat))
def test_formats_with_geometry_are_those_of_records(format_: SourceFormat) -> None:
    """A table of cells has no geometry of its own; every other format has."""
    assert format_.has_geometry is (format_ not in (SourceFormat.CSV, SourceFormat.XLSX))


def test_what_a_project_allows_is_read_from_its_file() -> None:
    """The share is an exact decimal, and both reasons are kept."""
    read = project(
        PROJECT_TOML
        + '\n[source.quarantine]\nmax_share = "0.01"\nbecause = "meters fail"\n[source.overlaps]\nbecause = "crops"\n'
    )
    assert read.source.quarantine is not None
    assert read.source.quarantine.max_share == Decimal("0.01")
    assert (read.source.quarantine.because, read.source.overlaps_because) == ("meters fail", "crops")
    assert read.source.geometry is GeometrySource.BOUNDARY


@pytest.mark.parametrize(
    ("d", "says"),
    [
        pytest.param({"equal_area": "EPSG:5070"}, "'because'", id="CRS without a reason"),
        pytest.param({"equal-area": "EPSG:5070"}, "does not know equal-area", id="unknown key"),
        pytest.param({"waiver": {"max_accuracy_m": "20"}}, "'because'", id="waiver without a reason"),
        pytest.param({"waiver": {"max_accuracy_m": "0", "because": BECAUSE}}, "is not above 0", id="accuracy of 0"),
        pytest.param({"waiver": {"max_accuracy_m": "inf", "because": BECAUSE}}, "is not above 0", id="any accuracy"),
        pytest.param({"waiver": {"max_accuracy_m": "NaN", "because": BECAUSE}}, "is not above 0", id="NaN"),
        pytest.param({"waiver": {"max_accuracy_m": "20 m", "because": BECAUSE}}, "no decimal text", id="with a unit"),
        pytest.param({"waiver": {"grids": True, "because": BECAUSE}}, "does not know grids", id="unknown waiver"),
    ],
)
def test_a_crs_policy_that_leaves_something_open_is_malformed(d: dict[str, Any], says: str) -> None:
    """Another CRS, and anything waived, needs a reason."""
    with pytest.raises((KeyError, ValueError, TypeError), match=says):
        CrsPolicy.parse(d)


def test_a_project_without_a_crs_table_waives_nothing() -> None:
    """Areas are measured in EPSG:6933, by an operation of 5 m or better, with the best grid."""
    policy = CrsPolicy.parse({})
    assert (policy.equal_area, policy.equal_area_because, policy.max_accuracy_m) == ("EPSG:6933", None, Decimal(5))
    assert (policy.without_best_grid, policy.waived_because) == (False, None)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param('\n[source.overlaps]\nbecause = "crops"\n', id="overlaps"),
        pytest.param('\n[source.quarantine]\nmax_share = "0.1"\nbecause = "x"\n', id="quarantine"),
        pytest.param('\n[source.quarantine]\nmax_share = "0.2"\nbecause = "x"\n', id="another share"),
        pytest.param('\n[crs]\nequal_area = "EPSG:5070"\nbecause = "x"\n', id="equal-area CRS"),
        pytest.param('\n[crs.waiver]\nmax_accuracy_m = "20"\nbecause = "x"\n', id="accuracy"),
        pytest.param('\n[crs.waiver]\nwithout_best_grid = true\nbecause = "x"\n', id="grid"),
    ],
)
def test_what_a_project_decides_about_normalising_is_an_input_of_it(more: str) -> None:
    """Another decision is another digest; a comment in the file is not."""
    decided = project(PROJECT_TOML + more).normalization_digest
    assert decided != project().normalization_digest
    assert decided == project(PROJECT_TOML + "# a remark\n" + more).normalization_digest


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param('id = "27003"', 'id = "27019"', id="land"),
        pytest.param('id_property = "geoid"', 'id_property = "name"', id="property of the land"),
        pytest.param('declared_crs = "EPSG:4269"', 'declared_crs = "EPSG:4326"', id="CRS of the land"),
        pytest.param('geometry = "boundary"', 'geometry = "none"', id="footprints"),
    ],
)
def test_where_a_project_has_its_land_is_an_input_of_normalising(before: str, after: str) -> None:
    """Footprints are compared with the project's land."""
    assert before in PROJECT_TOML
    assert project(PROJECT_TOML.replace(before, after)).normalization_digest != project().normalization_digest


def test_a_malformed_source_is_told_by_the_name_of_the_project_file() -> None:
    """The sender finds the file, and what is wrong in it."""
    with pytest.raises(ContractError, match=r"project under test.*\[source\] does not know layers"):
        project(PROJECT_TOML.replace('format = "csv"', 'format = "csv"\nlayers = "x"'))
