from __future__ import annotations

from dataclasses import replace

import pytest
from pyproj import CRS

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.project import Project
from mrv_assets.domain.source import DeclaredCrs, GeometrySource
from mrv_assets.stages.crs import declared_crs, degrees_from_greenwich, known_crs

WHERE = "plots 2021"
PROJECT = """
id = "plots"
name = "Plots"
standard = "GHG Protocol"
factor_line = "none"
publication = "latest"
boundary = { path = "land.geojson", id_property = "id", id = "1" }
[source]
path = "plots.geojson"
format = "geojson"
geometry = "record"
[source.columns]
row_id = "id"
activity_id = "activity"
region = "region"
epoch = "year"
activity_qty = "quantity"
unit = "unit"
"""
ENGINEERING = 'ENGCRS["site grid",EDATUM["peg 7"],CS[Cartesian,2],AXIS["x",east],AXIS["y",north],LENGTHUNIT["metre",1]]'
ROTATED = "+proj=ob_tran +o_proj=longlat +o_lon_p=0 +o_lat_p=39 +lon_0=18 +datum=WGS84"


def of(geometry: GeometrySource, declared: str | None = None) -> Project:
    """Return a project whose footprints come from there, with this CRS declared for them."""
    says = DeclaredCrs(crs=declared, because="the sender says so") if declared else None
    base = Project.parse(PROJECT.encode(), where=WHERE)
    return replace(
        base,
        source=replace(base.source, geometry=geometry, declared=says),
        boundary=replace(base.boundary, declared=says),
    )


def crs_of(project: Project, *, tagged: str | None = None, boundary: str | None = None) -> DeclaredCrs | None:
    """Return the declared CRS of a project whose source and boundary files are tagged so."""
    return declared_crs(project, tagged=tagged, boundary_crs=boundary, where=WHERE)


def refused(project: Project, says: str, *, tagged: str | None = None, boundary: str | None = None) -> None:
    """Expect a refusal by the gate of the CRS, saying this."""
    with pytest.raises(GateError, match=says) as caught:
        crs_of(project, tagged=tagged, boundary=boundary)
    assert caught.value.gate == "crs_declared"


@pytest.mark.parametrize(
    ("geometry", "file"),
    [
        pytest.param(GeometrySource.RECORD, "source", id="records"),
        pytest.param(GeometrySource.BOUNDARY, "boundary", id="boundary"),
    ],
)
def test_tag_of_the_file_that_gives_the_footprints_counts(geometry: GeometrySource, file: str) -> None:
    """The source file speaks for its records and the boundary file for the boundary, each only for its own."""
    tags = {"source": {"tagged": "EPSG:4326"}, "boundary": {"boundary": "EPSG:4326"}}
    said = crs_of(of(geometry), **tags.pop(file))
    assert said == DeclaredCrs(crs="EPSG:4326", because=f"the {file} file is tagged with it")
    (other,) = tags.values()
    refused(of(geometry), "a CRS in the file or declared_crs in the project; found neither", **other)


@pytest.mark.parametrize("geometry", [GeometrySource.WKT, GeometrySource.LONLAT])
def test_coordinates_in_columns_have_no_tag(geometry: GeometrySource) -> None:
    """Only the declaration says what the numbers in columns mean, whatever the file says of itself."""
    refused(of(geometry), "found neither", tagged="EPSG:4326", boundary="EPSG:4326")
    said = crs_of(of(geometry, "EPSG:26915"), tagged="EPSG:4326", boundary="EPSG:4326")
    assert said == DeclaredCrs(crs="EPSG:26915", because="the sender says so")


def test_rows_without_footprints_need_no_crs() -> None:
    """Where the region alone says where an activity was, there is nothing to place."""
    assert crs_of(of(GeometrySource.NONE), tagged="EPSG:4326") is None


@pytest.mark.parametrize(
    ("declared", "tagged"),
    [
        pytest.param("EPSG:4326", "OGC:CRS84", id="other order of axes"),
        pytest.param("EPSG:4326", "urn:ogc:def:crs:OGC:1.3:CRS84", id="URN"),
        pytest.param("EPSG:4326", "EPSG:4979", id="3-D"),
        pytest.param("EPSG:4326", CRS("EPSG:4326").to_wkt("WKT1_ESRI"), id="Esri's WKT"),
        pytest.param("EPSG:26915", CRS("EPSG:26915").to_json(), id="PROJJSON"),
        pytest.param("EPSG:4326", "EPSG:4326+5773", id="with heights"),
    ],
)
def test_one_crs_has_many_names(declared: str, tagged: str) -> None:
    """A tag that names the declared CRS otherwise does not contradict it, and the declaration is what is kept."""
    assert crs_of(of(GeometrySource.RECORD, declared), tagged=tagged) == DeclaredCrs(
        crs=declared, because="the sender says so"
    )


@pytest.mark.parametrize("tagged", ["EPSG:4269", "EPSG:26915", "EPSG:4258"])
def test_tag_that_contradicts_the_declaration_is_refused(tagged: str) -> None:
    """Which of the two is wrong, nobody here can know; datums two metres apart are two."""
    refused(
        of(GeometrySource.RECORD, "EPSG:4326"), rf"EPSG:4326 \(WGS 84\); found a file tagged {tagged}", tagged=tagged
    )


def test_horizontal_part_of_a_compound_crs_is_used_and_said() -> None:
    """Heights place nothing on the map; the reason says which part does."""
    said = crs_of(of(GeometrySource.RECORD), tagged="EPSG:7405")
    assert said is not None
    assert said.because == (
        "the source file is tagged with it; its horizontal part EPSG:27700 (OSGB36 / British National Grid) is used"
    )
    assert known_crs("EPSG:7405", gate="crs_declared", where=WHERE).equals(CRS("EPSG:27700"))


@pytest.mark.parametrize(
    ("tagged", "says"),
    [
        pytest.param("EPSG:1", "a CRS that PROJ knows", id="no such code"),
        pytest.param("", "a CRS that PROJ knows", id="empty"),
        pytest.param("EPSG:5773", "EGM96 height.*, a Vertical CRS", id="vertical"),
        pytest.param("EPSG:4978", "WGS 84.*, a Geocentric CRS", id="geocentric"),
        pytest.param(ENGINEERING, "site grid, a Engineering CRS", id="engineering"),
        pytest.param('LOCAL_CS["plan",UNIT["metre",1]]', "plan, a Engineering CRS", id="local"),
        pytest.param(ROTATED, "a Derived Geographic 2D CRS", id="rotated pole"),
        pytest.param("+proj=longlat +ellps=GRS80 +towgs84=1,2,3", "a Bound CRS", id="own datum shift"),
        pytest.param("+init=epsg:4326", "does not say the order of its axes", id="init"),
    ],
)
def test_crs_that_cannot_place_a_footprint_is_refused(tagged: str, says: str) -> None:
    """Only geographic and projected systems of known datum lead to a place on the globe."""
    refused(of(GeometrySource.RECORD), says, tagged=tagged)
    refused(of(GeometrySource.RECORD, tagged or "EPSG:1"), says)


def test_refusal_does_not_print_a_page_of_wkt() -> None:
    """A tag may be a kilobyte long; its name is enough for a message of one screen."""
    with pytest.raises(GateError, match="NAD83") as caught:
        crs_of(of(GeometrySource.RECORD, "EPSG:4326"), tagged=CRS("EPSG:26915").to_wkt())
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("crs", "unit", "meridian"),
    [
        pytest.param("EPSG:4326", 1.0, 0.0, id="degrees"),
        pytest.param("EPSG:26915", 1.0, 0.0, id="projected"),
        pytest.param("EPSG:4813", 1.0, 106.80771944, id="Jakarta"),
        pytest.param("EPSG:4807", 0.9, 2.33722917, id="grads from Paris"),
        pytest.param("EPSG:27572", 0.9, 2.33722917, id="projected from Paris"),
    ],
)
def test_longitudes_are_not_always_degrees_from_greenwich(crs: str, unit: float, meridian: float) -> None:
    """A CRS says in which unit and from which meridian it counts."""
    assert degrees_from_greenwich(CRS(crs)) == pytest.approx((unit, meridian))
