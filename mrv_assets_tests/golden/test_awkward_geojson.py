"""Each of 74 awkward public GeoJSON files through the whole path: accepted with its area, or refused by name.

All of a row but its shape is constant, so no file is changed, and a bare geometry has what it needs. The exceptions are
two files of several features: each feature is given a property `plot` here, since rows need ids of their own. Files
are declared EPSG:4326, but for the one that says itself what it is in. What the reader alone makes of the files is in
`test_awkward_geojson_read`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import shapely
import shapely.geometry
from pyproj import Transformer

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.project import Project
from mrv_assets_tests.golden.test_awkward_geojson_read import EXAMPLES, needs_examples
from mrv_assets_tests.golden.test_awkward_geojson_read import REFUSED as UNREADABLE
from mrv_assets_tests.golden.whole_path import Accepted, assert_one_screen, declared, project_of, walk

pytestmark = needs_examples

SEVERAL_FEATURES = ("valid/valid_featurecollection_bboxes", "valid/valid_featurecollection_multiple_feature_types")
TAGGED = "problematic_structure/problematic_crs_defined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Land:
    """What a file comes to: planar hectares of each row, and how many were repaired, split and flattened."""

    ha: tuple[float, ...]
    repaired: int = 0
    split: int = 0
    flattened: int = 0


ONE_DEGREE_OF_BRANDENBURG = Land(ha=(249_796.2524009,))
ACCEPTED = {
    "invalid_geometries/invalid_exterior_not_ccw": Land(ha=(1.00820696926,)),
    "invalid_geometries/invalid_interior_not_cw": Land(ha=(1.43903989570,)),
    "problematic_geometries/problematic_3d_coordinates": Land(ha=(0.252610113633,), flattened=1),
    "problematic_geometries/problematic_crosses_antimeridian": Land(ha=(5_767_505.2838762,), split=1),
    "problematic_geometries/problematic_duplicate_nodes": Land(ha=(0.612838373137,)),
    "problematic_geometries/problematic_excessive_coordinate_precision": Land(ha=(0.411654303503,)),
    "problematic_geometries/problematic_excessive_vertices": Land(ha=(0.183058849596,)),
    "problematic_geometries/problematic_holes": Land(ha=(1.11151041202,)),
    "problematic_geometries/problematic_multitype_geometry_with_just_one_geometry": Land(ha=(0.122448093638,)),
    "problematic_geometries/problematic_self_intersection_small": Land(ha=(0.605400292174,), repaired=1),
    "problematic_structure/problematic_crs_defined": Land(ha=(1.06721155537,)),
    "problematic_structure/problematic_geometry_not_wrapped": Land(ha=(0.596952691086,)),
    "valid/valid_feature_null_properties": ONE_DEGREE_OF_BRANDENBURG,
    "valid/valid_featurecollection": ONE_DEGREE_OF_BRANDENBURG,
    "valid/valid_featurecollection_bboxes": Land(ha=(89.5149299573, 60.3689318720)),
    "valid/valid_geometry_bbox": ONE_DEGREE_OF_BRANDENBURG,
    "valid/valid_geometry_multipolygon": Land(ha=(676_317_533.9219,)),
    "valid/valid_geometry_polygon": ONE_DEGREE_OF_BRANDENBURG,
}
"""Hectares to a millionth of themselves, row by row."""

_NO_FOOTPRINT = "without a footprint: 'one'"
REFUSED = {
    "problematic_geometries/problematic_feature_null_geometry": ("geometry_present", _NO_FOOTPRINT),
    "problematic_geometries/problematic_inner_and_exterior_ring_intersect": (
        "geometry_repair_bounded",
        r"area by 1% at most; found a change of 37\.178% .*'one'",
    ),
    # A ring from -190.6 to 13.4 says both that longitudes go on beyond -180 and that an edge of 203 degrees takes the
    # shorter way; which land is meant, nobody can know.
    "problematic_geometries/problematic_outside_lat_lon_boundaries": ("geometry_finite", "longitude.*'one'"),
    "problematic_geometries/problematic_self_intersection_large": (
        "geometry_repair_bounded",
        r"area by 1% at most; found a change of 117\.460% .*'one'",
    ),
    "problematic_geometries/problematic_zero_length_linestring": ("geometry_present", "found .*a LineString .*'one'"),
    "problematic_structure/problematic_geometrycollection_single": (
        "geometry_present",
        "found .*a GeometryCollection .*'one'",
    ),
    "problematic_structure/problematic_nested_geometrycollection": (
        "geometry_present",
        "found .*a GeometryCollection .*'one'",
    ),
    "valid/valid_feature": ("geometry_present", "found .*a Point .*'one'.*set footprint"),
    "valid/valid_feature_null_geometry": ("geometry_present", _NO_FOOTPRINT),
    "valid/valid_feature_with_bbox": ("geometry_present", "found .*a LineString .*'one'"),
    "valid/valid_feature_with_id": ("geometry_present", "found .*a Point .*'one'"),
    "valid/valid_feature_with_string_id": ("geometry_present", "found .*a Point .*'one'"),
    "valid/valid_featurecollection_empty_features": ("rows_present", "found 0 rows of plots in 2021"),
    "valid/valid_featurecollection_multiple_feature_types": (
        "geometry_present",
        r"found .*a LineString in 2 row\(s\), the first is row 3: 'plot 3', 'plot 4'",
    ),
    "valid/valid_featurecollection_with_geometrycollection": (
        "geometry_present",
        "found .*a GeometryCollection .*'one'",
    ),
    "valid/valid_geometry": ("geometry_present", "found .*a Point .*'one'"),
    "valid/valid_geometry_3d_coordinates": ("geometry_present", "found .*a Point .*'one'"),
    "valid/valid_geometry_geometrycollection": ("geometry_present", "found .*a GeometryCollection .*'one'"),
    "valid/valid_geometry_geometrycollection_empty_geometries": ("geometry_present", _NO_FOOTPRINT),
    "valid/valid_geometry_linestring": ("geometry_present", "found .*a LineString .*'one'"),
    "valid/valid_geometry_multilinestring": ("geometry_present", "found .*a MultiLineString .*'one'"),
    "valid/valid_geometry_multipoint": ("geometry_present", "found .*a MultiPoint .*'one'"),
    "valid/valid_geometry_point": ("geometry_present", "found .*a Point .*'one'"),
}
"""The gate that refuses a file which can be read, and what it says; the others are refused by the reader."""

POINTS = (
    "valid/valid_feature",
    "valid/valid_feature_with_id",
    "valid/valid_feature_with_string_id",
    "valid/valid_geometry",
    "valid/valid_geometry_3d_coordinates",
    "valid/valid_geometry_point",
)
"""Files that are accepted when their rows are declared to be points; all lie in one place in Saxony-Anhalt."""

PLACE = (1_128_053.52, 5_760_362.28)
"""Longitude 11.691336 and latitude 51.804026 in EPSG:6933, m."""


def given(name: str) -> bytes:
    """Return the bytes of a file, with an id in each feature where there are several."""
    data = (EXAMPLES / f"{name}.geojson").read_bytes()
    if name not in SEVERAL_FEATURES:
        return data
    root = json.loads(data)
    for number, feature in enumerate(root["features"], start=1):
        feature["properties"] = {"plot": f"plot {number}"}
    return json.dumps(root).encode()


def project(name: str, *, footprint: str = "area") -> Project:
    """Return the project whose source is the file."""
    says = "" if name == TAGGED else declared("EPSG:4326")
    columns = {"row_id": "plot"} if name in SEVERAL_FEATURES else {}
    source = f'geometry = "record"\nfootprint = "{footprint}"\n{says}'
    return project_of(f"{name}.geojson", "geojson", columns=columns, source=source)


def walked(name: str, *, footprint: str = "area") -> Accepted:
    """Take a file through the whole path."""
    return walk(given(name), project(name, footprint=footprint))


def shapes(name: str) -> list[shapely.Geometry]:
    """Return the shapes of a file as another reader has them, longitudes continuous."""

    def of(member: dict[str, Any]) -> list[Any]:
        if member["type"] == "FeatureCollection":
            return [feature["geometry"] for feature in member["features"]]
        return [member["geometry"] if member["type"] == "Feature" else member]

    read = [shapely.force_2d(shapely.geometry.shape(geometry)) for geometry in of(json.loads(given(name)))]
    if name.endswith("crosses_antimeridian"):
        read = [shapely.transform(shape, lambda xy: np.column_stack([xy[:, 0] % 360.0, xy[:, 1]])) for shape in read]
    return read


def hectares_by_another_way(name: str) -> list[float]:
    """Return the area of each shape by shapely and pyproj alone: repaired, edges densified, measured on the plane.

    Repaired first, because GEOS repairs unseen what it densifies, and otherwise than `make_valid`.
    EPSG:6933 is a cylinder, so turning it by 180 degrees moves the antimeridian away and changes no area.
    """
    crs = "EPSG:32632" if name == TAGGED else "EPSG:4326"
    cylinder = "+proj=cea +lat_ts=30 +lon_0=180 +datum=WGS84" if name.endswith("antimeridian") else "EPSG:6933"
    move = Transformer.from_crs(crs, cylinder, always_xy=True)
    valid = shapely.make_valid(shapes(name), method="structure")
    dense = shapely.segmentize(valid, 10_000.0 if name == TAGGED else 0.1)
    planar = shapely.transform(dense, lambda xy: np.column_stack(move.transform(xy[:, 0], xy[:, 1])))
    return [float(area) / 1e4 for area in shapely.area(planar)]


def _cases(table: dict[str, Any]) -> list[Any]:
    return [pytest.param(name, case, id=name.partition("/")[2]) for name, case in table.items()]


def test_every_file_is_in_one_of_the_tables() -> None:
    """74 files: none is passed over and none is there twice."""
    there = {str(path.relative_to(EXAMPLES).with_suffix("")) for path in EXAMPLES.glob("*/*.geojson")}
    tables = [*ACCEPTED, *REFUSED, *UNREADABLE]
    assert (len(there), sorted(tables)) == (74, sorted(there))
    assert (len(ACCEPTED), len(REFUSED), len(UNREADABLE)) == (18, 23, 33)


@pytest.mark.parametrize(("name", "land"), _cases(ACCEPTED))
def test_an_accepted_file_has_its_area(name: str, land: Land) -> None:
    """Winding, doubled vertices, heights and a small crossing of itself change nothing about the land or are told."""
    accepted = walked(name)
    assert list(accepted.area_ha.values()) == pytest.approx(land.ha, rel=1e-6)
    assert list(accepted.area_ha.values()) == pytest.approx(hectares_by_another_way(name), rel=1e-6)
    done = ("footprints_repaired", "footprints_split", "footprints_z_dropped")
    assert [int(accepted.measured(what)) for what in done] == [land.repaired, land.split, land.flattened]
    assert accepted.measured("area_geodesic_ha") == pytest.approx(sum(land.ha), rel=2e-4)


@pytest.mark.parametrize(("name", "fault"), _cases(REFUSED))
def test_a_file_that_can_be_read_and_not_used_is_refused_by_its_gate(name: str, fault: tuple[str, str]) -> None:
    """No land, none that can be known, or none that is a polygon: the message says which row, and what it found."""
    gate, match = fault
    with pytest.raises(GateError, match=match) as caught:
        walked(name)
    assert caught.value.gate == gate
    assert_one_screen(caught.value, file=name, row="plot 3" if name in SEVERAL_FEATURES else "")


@pytest.mark.parametrize(("name", "fault"), _cases(UNREADABLE))
def test_a_file_that_cannot_be_read_is_refused_by_its_member(name: str, fault: tuple[str, str]) -> None:
    """Nothing is staged of a file that breaks RFC 7946, and the screen shows the path of the member at fault."""
    path, match = fault
    with pytest.raises(GateError, match=match) as caught:
        walked(name)
    assert caught.value.gate == "source_readable"
    assert_one_screen(caught.value, file=name, row=path)


@pytest.mark.parametrize("name", POINTS)
def test_a_point_is_a_footprint_without_area_when_it_is_declared(name: str) -> None:
    """It has a place to a centimetre and no area on either side; its height is dropped and counted."""
    accepted = walked(name, footprint="point")
    (point,) = shapely.from_wkb(list(accepted.shapes.values()))
    assert (point.x, point.y) == pytest.approx(PLACE, abs=0.01)
    assert (list(accepted.area_ha.values()), point.has_z) == ([0.0], False)
    assert (accepted.measured("area_planar_ha"), accepted.measured("area_geodesic_ha")) == (0.0, 0.0)
    assert accepted.measured("footprints_z_dropped") == ("3d" in name)


@pytest.mark.parametrize("name", sorted({*ACCEPTED, *REFUSED} - {*POINTS}))
def test_what_is_no_point_is_refused_where_points_are_declared(name: str) -> None:
    """No polygon is shrunk to its middle, and no collection is searched for a point."""
    with pytest.raises(GateError, match=r"points that are not empty|without a footprint: 'one'|found 0 rows") as caught:
        walked(name, footprint="point")
    assert_one_screen(caught.value, file=name)
