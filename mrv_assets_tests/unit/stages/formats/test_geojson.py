from __future__ import annotations

import json
import math
from typing import Any

import pyarrow as pa
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.delivery import Delivery
from mrv_assets.stages.formats.geojson import read_geojson
from mrv_assets_tests.unit.stages.formats.deliveries import (
    PNG,
    TEXT_IDS,
    WHERE,
    cuts,
    refusal,
    shapes,
    source_of,
    texts,
)

SQUARE = [[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]
PLOT = {"type": "Polygon", "coordinates": [SQUARE]}


def feature(geometry: Any = PLOT, **properties: Any) -> dict[str, Any]:
    """Return a feature."""
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(*features: Any, **members: Any) -> bytes:
    """Return a feature collection as bytes."""
    return json.dumps({"type": "FeatureCollection", "features": features, **members}).encode()


def read(data: bytes | str, *wanted: str) -> Delivery:
    """Read a GeoJSON text."""
    data = data.encode() if isinstance(data, str) else data
    return read_geojson(data, source_of("geojson", *wanted), where=WHERE)


def refused(data: bytes | str, *wanted: str, match: str) -> tuple[str, str]:
    """Return the gate and the path of the refusal that the text gets."""
    with pytest.raises(GateError, match=match) as raised:
        read(data, *wanted)
    return refusal(raised)


def test_features_become_records_in_their_order() -> None:
    """Ids stay text, numbers stay numbers, a null geometry stays null, and other properties are left out."""
    data = collection(
        feature(id="0042", qty=2.5, n=7, ok=True, note="x"),
        feature(None, id="891e3", qty=3, n=None, ok=None, note=["y"]),
    )
    delivery = read(data, "id", "qty", "n", "ok")
    assert texts(delivery) == {"id": ["0042", "891e3"], "n": [7, None], "ok": [True, None], "qty": [2.5, 3.0]}
    assert delivery.columns.schema.types == [pa.string(), pa.int64(), pa.bool_(), pa.float64()]
    assert shapes(delivery) == ["POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))", None]
    assert (delivery.crs, delivery.record, delivery.first) == (None, "feature", 1)
    assert delivery.facts == {"geojson_root": "FeatureCollection", "crs_stated_by": "none"}


@pytest.mark.parametrize(
    "geometry",
    [
        pytest.param({"type": "Point", "coordinates": [1, 2.5]}, id="point"),
        pytest.param({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}, id="line"),
        pytest.param({"type": "Polygon", "coordinates": [SQUARE, SQUARE]}, id="polygon-with-hole"),
        pytest.param({"type": "Polygon", "coordinates": []}, id="empty-polygon"),
        pytest.param({"type": "LineString", "coordinates": []}, id="empty-line"),
        pytest.param({"type": "MultiPoint", "coordinates": [[0, 0], [1, 1]]}, id="multipoint"),
        pytest.param({"type": "MultiLineString", "coordinates": [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]}, id="lines"),
        pytest.param({"type": "MultiPolygon", "coordinates": [[SQUARE], [SQUARE, SQUARE]]}, id="multipolygon"),
        pytest.param({"type": "MultiPolygon", "coordinates": [[[[0, 0, 1], [1, 0, 2], [1, 1, 3], [0, 0, 1]]]]}, id="z"),
        pytest.param(
            {
                "type": "GeometryCollection",
                "geometries": [
                    {"type": "Point", "coordinates": [1, 2, 3]},
                    {"type": "MultiPoint", "coordinates": [[4, 5, 6]]},
                ],
            },
            id="collection-with-z",
        ),
        pytest.param({"type": "GeometryCollection", "geometries": []}, id="empty-collection"),
    ],
)
def test_every_kind_of_geometry_is_read_as_geos_reads_it(geometry: dict[str, Any]) -> None:
    """The WKB that is written here is the one that GEOS makes of the same GeoJSON."""
    (ours,) = shapes(read(collection(feature(geometry))))
    assert ours == shapely.to_wkt(shapely.from_geojson(json.dumps(geometry)), rounding_precision=-1)


@pytest.mark.parametrize("root", [feature(id="a"), PLOT | {"id": "a"}], ids=["feature", "bare-geometry"])
def test_a_lone_feature_or_geometry_is_one_record(root: dict[str, Any]) -> None:
    """RFC 7946 allows any GeoJSON object at the root; only what has properties has columns."""
    assert len(shapes(read(json.dumps(root)))) == 1


def test_a_bare_geometry_has_no_columns() -> None:
    """What nobody wrote down cannot be mapped."""
    assert refused(json.dumps(PLOT), "id", match="no 'id' in 1 of 1 feature") == ("columns_present", "root.properties")


def test_no_features_are_an_empty_delivery() -> None:
    """Whether there must be rows is for a gate to judge."""
    assert texts(read(collection(), "id")) == {"id": []}


def test_a_byte_order_mark_is_no_content() -> None:
    """A file from Windows is read as it is meant (B57)."""
    assert texts(read(b"\xef\xbb\xbf" + collection(feature(id="é")), "id")) == {"id": ["é"]}


@pytest.mark.parametrize(
    ("name", "crs"),
    [
        ("urn:ogc:def:crs:EPSG::32632", "EPSG:32632"),
        ("EPSG:6933", "EPSG:6933"),
        ("urn:ogc:def:crs:OGC:1.3:CRS84", "OGC:CRS84"),
        ("urn:ogc:def:crs:EPSG::4326", "EPSG:4326"),
    ],
)
def test_a_crs_member_is_the_tag_of_the_file(name: str, crs: str) -> None:
    """GeoJSON of 2008 could say its CRS; that statement is not lost."""
    data = collection(feature(), crs={"type": "name", "properties": {"name": name}})
    assert read(data).crs == crs
    assert read(data).facts["crs_stated_by"] == "crs member"


def test_height_does_not_change_the_crs() -> None:
    """GDAL tags a file with heights EPSG:4979; the file says nothing of it."""
    high = {"type": "Polygon", "coordinates": [[[*position, 7] for position in SQUARE]]}
    delivery = read(collection(feature(high)))
    assert delivery.crs is None
    assert shapes(delivery) == ["POLYGON Z ((0 0 7, 2 0 7, 2 2 7, 0 2 7, 0 0 7))"]


@pytest.mark.parametrize(
    ("values", "type_", "read_as"),
    [
        pytest.param(["0042", None, ""], pa.string(), ["0042", None, ""], id="text"),
        pytest.param([42, None], pa.int64(), [42, None], id="int64"),
        pytest.param([2**63 - 1, -(2**63)], pa.int64(), [2**63 - 1, -(2**63)], id="int64-ends"),
        pytest.param([2**63, 1], pa.string(), [str(2**63), "1"], id="beyond-int64"),
        pytest.param([0.1, 3], pa.float64(), [0.1, 3.0], id="float64"),
        pytest.param([True, None], pa.bool_(), [True, None], id="bool"),
        pytest.param([None, None], pa.string(), [None, None], id="nothing"),
    ],
)
def test_a_property_has_one_type(values: list[Any], type_: pa.DataType, read_as: list[Any]) -> None:
    """The type is that of all values together, and each value is held exactly."""
    column = read(collection(*(feature(x=value) for value in values)), "x").columns.column("x")
    assert (column.type, column.to_pylist()) == (type_, read_as)


@pytest.mark.parametrize(
    ("values", "path", "match"),
    [
        pytest.param(
            [None, "0042", 42], "features[1].properties.x", "text, '0042'.*; a number, 42, in .*2", id="mixed"
        ),
        pytest.param([True, 1], "features[0].properties.x", "true or false, true.*; a number, 1", id="bool-and-number"),
        pytest.param(["a", {"b": 1}], "features[1].properties.x", "found an object with 'b'", id="object"),
        pytest.param([["a"]], "features[0].properties.x", "found an array of 1", id="array"),
        pytest.param([0.5, 2**53 + 1], "features[1].properties.x", "numbers that a binary64 holds", id="inexact"),
    ],
)
def test_values_that_no_one_type_holds_are_refused(values: list[Any], path: str, match: str) -> None:
    """An id that is sometimes a number has lost its zeros somewhere already."""
    assert refused(collection(*(feature(x=v) for v in values)), "x", match=match) == ("source_readable", path)


def test_a_number_beyond_binary64_is_refused() -> None:
    """Python reads 1e999 as infinity without a word."""
    data = collection(feature(x="?")).replace(b'"?"', b"1e999")
    assert refused(data, "x", match="found inf")[1] == "features[0].properties.x"


def test_half_a_character_is_refused() -> None:
    """JSON can spell text that is no Unicode, and no later file could hold it."""
    data = collection(feature(x="a"), feature(x="\ud800"))
    assert refused(data, "x", match="half a character")[1] == "features[1].properties.x"


def test_a_control_character_in_text_is_refused() -> None:
    """Text that no person could have meant is named by its record."""
    assert refused(collection(feature(x="a\0")), "x", match="U\\+0000")[1] == "feature 1, column 'x'"


def test_a_feature_without_a_wanted_property_is_named() -> None:
    """A property that is left out is no null: the files of one source say what they do not know."""
    data = collection(feature(id="a", n=1), feature(id="b"), feature(id="c"))
    assert refused(data, "id", "n", match="no 'n' in 2 of 3") == ("columns_present", "features[1].properties")


@pytest.mark.parametrize(
    ("data", "match"),
    [
        pytest.param('{"type": "Feature", "type": "Feature"}', "names 'type' twice", id="member-twice"),
        pytest.param('{"type": "Point", "coordinates": [NaN, 0]}', "the number NaN", id="nan"),
        pytest.param('{"type": "Point", "coordinates": [-Infinity, 0]}', "the number -Infinity", id="infinity"),
        pytest.param("[" * 100_000, "nesting without end", id="endless-nesting"),
        pytest.param('{"type": "Point", "coordinates": [' + "1" * 5000 + ", 0]}", "4300", id="endless-number"),
        pytest.param('{"id": "é"}'.encode("latin-1"), "UTF-8.*0xe9", id="latin-1"),
        pytest.param('{"type": "Point"}'.encode("utf-16"), "UTF-8", id="utf-16"),
        pytest.param(b"", "whole; found Expecting value", id="nothing"),
        pytest.param(PNG, "UTF-8", id="png"),
        pytest.param("[]", "found an array of 0", id="array"),
        pytest.param('{"type": "Topology", "objects": {}}', "found 'Topology'", id="topojson"),
        pytest.param(collection(feature()) + b"\n" + collection(), "Extra data", id="two-texts"),
    ],
)
def test_what_is_no_geojson_text_is_refused(data: bytes | str, match: str) -> None:
    """Text with two meanings, or none, is not read."""
    assert refused(data, match=match)[0] == "source_readable"


def test_a_file_that_was_cut_off_is_refused_at_every_length() -> None:
    """The last brace closes the first: no beginning of a file is a file."""
    data = collection(feature(id="a"), feature(id="b"))
    for part in cuts(data):
        assert refused(part, "id", match="whole")[0] == "source_readable"


def _ring(*positions: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [list(positions)]}


@pytest.mark.parametrize(
    ("geometry", "path", "match"),
    [
        pytest.param("POINT (0 0)", "", "a geometry object; found 'POINT", id="wkt"),
        pytest.param({"type": "polygon", "coordinates": []}, ".type", "found 'polygon'", id="lower-case"),
        pytest.param({"type": "Point", "coordinates": None}, ".coordinates", "found null", id="null-coordinates"),
        pytest.param({"type": "Point", "coordinates": []}, ".coordinates", "found 0 numbers", id="empty-point"),
        pytest.param({"type": "Point", "coordinates": [True, 0]}, ".coordinates[0]", "found true", id="true"),
        pytest.param({"type": "Point", "coordinates": [10**400, 0]}, ".coordinates[0]", "finite", id="huge-integer"),
        pytest.param(
            {"type": "LineString", "coordinates": [[0, 0], [0, 10**400]]},
            ".coordinates[1][1]",
            "finite",
            id="huge-in-line",
        ),
        pytest.param({"type": "LineString", "coordinates": [[0, 0]]}, ".coordinates", "at least 2", id="one-position"),
        pytest.param(_ring(), ".coordinates[0]", "at least 4 positions; found 0", id="empty-ring"),
        pytest.param(_ring([0, 0], [1, 0], [0, 0]), ".coordinates[0]", "found 3", id="three-positions"),
        pytest.param(
            _ring([0, 0], [1, 0], [1, 1], [0, 1]), ".coordinates[0]", r"closed.*\[0, 1\] last", id="not-closed"
        ),
        pytest.param(_ring([0, 0], [1, 0, 5], [1, 1], [0, 0]), ".coordinates[0]", "found both", id="some-with-height"),
        pytest.param(_ring([0, 0], [1, "0"], [1, 1], [0, 0]), ".coordinates[0][1][1]", "found '0'", id="text-number"),
        pytest.param(_ring([0, 0], [1], [1, 1], [0, 0]), ".coordinates[0][1]", "found 1 numbers", id="one-number"),
        pytest.param(
            {"type": "GeometryCollection", "geometries": [PLOT, None]}, ".geometries[1]", "found null", id="null-part"
        ),
    ],
)
def test_a_malformed_geometry_is_named_by_its_path(geometry: Any, path: str, match: str) -> None:
    """GDAL reads most of these as no geometry, and says nothing."""
    data = collection(feature(), feature(geometry))
    assert refused(data, match=match) == ("source_readable", f"features[1].geometry{path}")


def test_collections_nested_without_end_are_refused() -> None:
    """Depth is bounded before it exhausts anything."""
    nested: dict[str, Any] = PLOT
    for _ in range(200):
        nested = {"type": "GeometryCollection", "geometries": [nested]}
    assert refused(collection(feature(nested)), match="nested at most 16 deep")[0] == "source_readable"


@pytest.mark.parametrize(
    ("member", "value", "match"),
    [
        pytest.param("bbox", [0, 0, 2], "array of 4 or 6 finite numbers", id="three-numbers"),
        pytest.param("bbox", None, "found null", id="null-bbox"),
        pytest.param("bbox", [0, 0, 1, 1], "encloses its geometry", id="too-small"),
        pytest.param("bbox", [0, 2, 2, 0], "encloses its geometry", id="south-above-north"),
        pytest.param("bbox", [5, 5, 0, 6, 6, 9], "encloses its geometry", id="elsewhere-with-heights"),
        pytest.param("id", None, "text or a number", id="null-id"),
        pytest.param("id", True, "text or a number", id="boolean-id"),
        pytest.param("crs", {"type": "name"}, "whole file", id="crs-of-a-feature"),
    ],
)
def test_a_wrong_member_of_a_feature_is_named(member: str, value: Any, match: str) -> None:
    """A bounding box that contradicts its geometry tells of swapped axes or of files that were patched together."""
    assert refused(collection(feature() | {member: value}), match=match) == ("source_readable", f"features[0].{member}")


@pytest.mark.parametrize(
    "bbox",
    [
        pytest.param([0, 0, 2, 2], id="exact"),
        pytest.param([-10, -10, 10, 10], id="wider"),
        pytest.param([0.00009, 0, 2, 1.99991], id="rounded"),
        pytest.param([0, 0, -5, 2, 2, 5], id="with-heights"),
        pytest.param([170, 0, -170, 2], id="across-the-antimeridian"),
    ],
)
def test_a_bounding_box_that_encloses_its_geometry_is_believed(bbox: list[float]) -> None:
    """Rounding and boxes across 180 degrees are no contradiction."""
    assert len(shapes(read(collection(feature() | {"bbox": bbox}, bbox=bbox)))) == 1


def test_the_bounding_box_of_the_file_encloses_every_feature() -> None:
    """The box of a collection is held against each of its shapes."""
    far = {"type": "Point", "coordinates": [50, 50]}
    data = collection(feature(), feature(None), feature(far), bbox=[0, 0, 2, 2])
    assert refused(data, match=r"from \(50.0, 50.0, 50.0, 50.0\)") == ("source_readable", "bbox")


@pytest.mark.parametrize(
    ("crs", "match"),
    [
        ({"type": "link", "properties": {"href": "http://example.com/crs"}}, "a CRS by its name"),
        ({"type": "name", "properties": {"name": "EPSG:999999"}}, "PROJ can read"),
        ("EPSG:4326", "a CRS by its name"),
    ],
    ids=["link", "unknown", "text"],
)
def test_a_crs_that_nobody_can_read_is_refused(crs: Any, match: str) -> None:
    """A statement that is not understood is not the same as none."""
    assert refused(collection(feature(), crs=crs), match=match) == ("source_readable", "crs")


def test_a_null_crs_is_none() -> None:
    """GeoJSON of 2008 says with null that it does not know."""
    assert read(collection(feature(), crs=None)).crs is None


@given(ids=TEXT_IDS)
def test_text_ids_come_back_as_they_were_written(ids: list[str]) -> None:
    """No id is typed, trimmed or changed."""
    assert texts(read(collection(*(feature(None, id=each) for each in ids)), "id")) == {"id": ids}


_numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)


@given(st.lists(st.tuples(_numbers, _numbers) | st.tuples(_numbers, _numbers, _numbers), min_size=2, max_size=6))
def test_coordinates_come_back_bit_by_bit(positions: list[tuple[float, ...]]) -> None:
    """Each number is the binary64 nearest to what was written; lines of mixed dimensions are refused."""
    line = {"type": "LineString", "coordinates": positions}
    data = collection(feature(line))
    if len({len(position) for position in positions}) > 1:
        assert refused(data, match="found both")[1] == "features[0].geometry.coordinates"
        return
    geometry = read(data).geometry
    assert geometry is not None
    shape = shapely.from_wkb(geometry[0].as_py())
    found = shapely.get_coordinates(shape, include_z=len(positions[0]) == 3).tolist()
    assert found == [[float(number) for number in position] for position in positions]
    assert all(math.isfinite(number) for position in found for number in position)
