"""What the GeoJSON reader makes of each of 74 awkward public files: how many records and null shapes, or which refusal.

GDAL reads three of the refused ones as an empty file and several as null geometry, without an error. Whether a shape is
usable on the ground (bow-ties, spikes, longitudes beyond 180) is not the reader's to judge.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.formats.geojson import read_geojson
from mrv_assets_tests.unit.stages.formats.deliveries import WHERE, refusal, shapes, source_of

EXAMPLES = Path(__file__).resolve().parents[3] / "shared/data/geometry-awkward/geojson-invalid/examples"
needs_examples = pytest.mark.skipif(
    not EXAMPLES.is_dir(), reason="the public data set is not here: no ../shared/data/geometry-awkward"
)

ACCEPTED = {
    "invalid_geometries/invalid_exterior_not_ccw": (1, 0),
    "invalid_geometries/invalid_interior_not_cw": (1, 0),
    "problematic_geometries/problematic_3d_coordinates": (1, 0),
    "problematic_geometries/problematic_crosses_antimeridian": (1, 0),
    "problematic_geometries/problematic_duplicate_nodes": (1, 0),
    "problematic_geometries/problematic_excessive_coordinate_precision": (1, 0),
    "problematic_geometries/problematic_excessive_vertices": (1, 0),
    "problematic_geometries/problematic_feature_null_geometry": (1, 1),
    "problematic_geometries/problematic_holes": (1, 0),
    "problematic_geometries/problematic_inner_and_exterior_ring_intersect": (1, 0),
    "problematic_geometries/problematic_multitype_geometry_with_just_one_geometry": (1, 0),
    "problematic_geometries/problematic_outside_lat_lon_boundaries": (1, 0),
    "problematic_geometries/problematic_self_intersection_large": (1, 0),
    "problematic_geometries/problematic_self_intersection_small": (1, 0),
    "problematic_geometries/problematic_zero_length_linestring": (1, 0),
    "problematic_structure/problematic_crs_defined": (1, 0),
    "problematic_structure/problematic_geometry_not_wrapped": (1, 0),
    "problematic_structure/problematic_geometrycollection_single": (1, 0),
    "problematic_structure/problematic_nested_geometrycollection": (1, 0),
    "valid/valid_feature": (1, 0),
    "valid/valid_feature_null_geometry": (1, 1),
    "valid/valid_feature_null_properties": (1, 0),
    "valid/valid_feature_with_bbox": (1, 0),
    "valid/valid_feature_with_id": (1, 0),
    "valid/valid_feature_with_string_id": (1, 0),
    "valid/valid_featurecollection": (1, 0),
    "valid/valid_featurecollection_bboxes": (2, 0),
    "valid/valid_featurecollection_empty_features": (0, 0),
    "valid/valid_featurecollection_multiple_feature_types": (4, 0),
    "valid/valid_featurecollection_with_geometrycollection": (1, 0),
    "valid/valid_geometry": (1, 0),
    "valid/valid_geometry_3d_coordinates": (1, 0),
    "valid/valid_geometry_bbox": (1, 0),
    "valid/valid_geometry_geometrycollection": (1, 0),
    "valid/valid_geometry_geometrycollection_empty_geometries": (1, 0),
    "valid/valid_geometry_linestring": (1, 0),
    "valid/valid_geometry_multilinestring": (1, 0),
    "valid/valid_geometry_multipoint": (1, 0),
    "valid/valid_geometry_multipolygon": (1, 0),
    "valid/valid_geometry_point": (1, 0),
    "valid/valid_geometry_polygon": (1, 0),
}
"""Records, and null geometries among them."""

_RING = "coordinates[0]"
REFUSED = {
    "invalid_geometries/invalid_incorrect_geometry_data_type": (
        f"features[0].geometry.{_RING}[0]",
        "a finite number; found an array",
    ),
    "invalid_geometries/invalid_less_three_unique_nodes": (
        f"features[0].geometry.{_RING}",
        "at least 4 positions; found 3",
    ),
    "invalid_geometries/invalid_unclosed": (f"features[0].geometry.{_RING}", "a closed ring"),
    "invalid_structure/invalid_feature_geometry_is_string": (
        "feature.geometry",
        "a geometry object; found 'is_a_string'",
    ),
    "invalid_structure/invalid_feature_id_type": ("feature.id", "text or a number; found an object"),
    "invalid_structure/invalid_feature_no_properties": ("feature.properties", "an object or null, not left out"),
    "invalid_structure/invalid_feature_properties_is_array": ("feature.properties", "found an array"),
    "invalid_structure/invalid_feature_properties_is_int": ("feature.properties", "found 2"),
    "invalid_structure/invalid_feature_wrong_geometry_key": (
        "feature.geometry",
        "not left out; found .*'not-geometry'",
    ),
    "invalid_structure/invalid_featurecollection_feature_nullfeature": ("features[0]", "a Feature object; found null"),
    "invalid_structure/invalid_featurecollection_features_is_object": (
        "features",
        "an array of features; found an object",
    ),
    "invalid_structure/invalid_featurecollection_no_features_member": ("features", "found no such member"),
    "invalid_structure/invalid_featurecollection_nulltype": ("type", "spelled so, or a geometry; found null"),
    "invalid_structure/invalid_featurecollection_type_lowercase": ("type", "spelled so.*found 'featurecollection'"),
    "invalid_structure/invalid_featurecollection_unknown_type": ("type", "found 'notafc'"),
    "invalid_structure/invalid_geometry_bbox_not4or6": ("root.bbox", r"4 or 6 finite numbers; found \[1, 2, 3\]"),
    "invalid_structure/invalid_geometry_bbox_not_list": ("root.bbox", "found 'something_but_not_a_list'"),
    "invalid_structure/invalid_geometry_bbox_not_numbers": ("root.bbox", r"found \[1, 2, 3, '4'\]"),
    "invalid_structure/invalid_geometry_coordinates_1d": (f"root.{_RING}", "an array; found 5"),
    "invalid_structure/invalid_geometry_coordinates_empty_position": (f"root.{_RING}[2]", "found 0 numbers"),
    "invalid_structure/invalid_geometry_coordinates_missing": ("root.coordinates", "found no such member"),
    "invalid_structure/invalid_geometry_coordinates_string": (f"root.{_RING}", "a finite number; found '11.691336'"),
    "invalid_structure/invalid_geometry_depth_deep_point": (f"root.{_RING}", "a finite number; found an array"),
    "invalid_structure/invalid_geometry_depth_deep_polygon": (f"root.{_RING}[0][0]", "a finite number; found an array"),
    "invalid_structure/invalid_geometry_depth_shallow_linestring": (f"root.{_RING}", "an array; found 102.0"),
    "invalid_structure/invalid_geometry_depth_shallow_multipolygon": (f"root.{_RING}[0][0]", "an array; found 30"),
    "invalid_structure/invalid_geometry_depth_shallow_polygon": (f"root.{_RING}[0]", "an array; found 12.624027"),
    "invalid_structure/invalid_geometry_geometrycollection_null_geometry": ("root.geometries[0]", "found null"),
    "invalid_structure/invalid_geometry_mislabeled_point": (f"root.{_RING}", "an array; found -0.08"),
    "invalid_structure/invalid_geometry_missing_type": ("root.type", "spelled so; found no such member"),
    "invalid_structure/invalid_geometry_wrong_geometry_type": ("root.type", "spelled so; found 'SomeThingElse'"),
    "problematic_geometries/problematic_4d_coordinates": (f"features[0].geometry.{_RING}[0]", "found 4 numbers"),
    "problematic_geometries/problematic_wrong_bbox_coordinate_order": ("features[0].bbox", "encloses its geometry"),
}
"""The path that the refusal names, and what it says."""


@needs_examples
def test_every_file_is_in_one_of_the_two_tables() -> None:
    """Nothing that was published is passed over."""
    there = {str(path.relative_to(EXAMPLES).with_suffix("")) for path in EXAMPLES.glob("*/*.geojson")}
    assert (len(there), set(ACCEPTED) | set(REFUSED), set(ACCEPTED) & set(REFUSED)) == (74, there, set())


@needs_examples
@pytest.mark.parametrize(("name", "records"), [pytest.param(n, r, id=n.partition("/")[2]) for n, r in ACCEPTED.items()])
def test_an_accepted_file_has_its_records(name: str, records: tuple[int, int]) -> None:
    """Each feature is one record, and only a null geometry is null."""
    delivery = read_geojson((EXAMPLES / f"{name}.geojson").read_bytes(), source_of("geojson"), where=WHERE)
    read = shapes(delivery)
    assert (len(read), read.count(None)) == records
    assert delivery.crs == ("EPSG:32632" if name.endswith("crs_defined") else None)


@needs_examples
@pytest.mark.parametrize(("name", "fault"), [pytest.param(n, f, id=n.partition("/")[2]) for n, f in REFUSED.items()])
def test_a_refused_file_is_named_by_the_member_at_fault(name: str, fault: tuple[str, str]) -> None:
    """The gate is `source_readable` and the path leads to what must be corrected."""
    path, match = fault
    with pytest.raises(GateError, match=match) as raised:
        read_geojson((EXAMPLES / f"{name}.geojson").read_bytes(), source_of("geojson"), where=WHERE)
    assert refusal(raised) == ("source_readable", path)
