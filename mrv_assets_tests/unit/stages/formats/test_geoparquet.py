from __future__ import annotations

import csv
import io
import json
import struct
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import geoarrow.pyarrow as ga
import geopandas as gpd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from hypothesis import given
from pyproj import CRS

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.delivery import Delivery
from mrv_assets.stages.formats.geoparquet import read_geoparquet
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

SAMPLES = Path(__file__).resolve().parents[5] / "shared/data/geometry-awkward/geoparquet"
PLOT = "POLYGON ((0 0, 2 0, 2 2, 0 0))"
UNSAID: Any = object()


def wkb(text: str, **options: Any) -> bytes:
    """Return WKT as ISO WKB, or in the dialect that the options say."""
    return bytes(shapely.to_wkb(shapely.from_wkt(text), **{"byte_order": 1, "flavor": "iso", **options}))


PLOT_WKB = wkb(PLOT)


def described(crs: Any = "EPSG:4326", **members: Any) -> dict[str, Any]:
    """Return what the metadata says of a geometry column; of a CRS, all that its name stands for."""
    crs = CRS(crs).to_json_dict() if isinstance(crs, str) else crs
    said = {} if crs is UNSAID else {"crs": crs}
    return {"encoding": "WKB", "geometry_types": [], **said, **members}


def geoparquet(
    geometry: Any = (PLOT_WKB,), *, column: Any = None, root: dict[str, Any] | None = None, **columns: Any
) -> bytes:
    """Return a GeoParquet file; `column` is the metadata of its geometry, `root` changes the metadata around it."""
    geometry = geometry if isinstance(geometry, pa.Array | pa.ChunkedArray) else pa.array(geometry, pa.binary())
    geo = {
        "version": "1.1.0",
        "primary_column": "geometry",
        "columns": {"geometry": described() if column is None else column},
    } | (root or {})
    return parquet(pa.table({**columns, "geometry": geometry}), {"geo": json.dumps(geo)})


def parquet(table: pa.Table, metadata: dict[str, str] | None = None, **options: Any) -> bytes:
    """Return a Parquet file of the table."""
    target = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), target, **options)
    return target.getvalue()


def read(data: bytes, *wanted: str) -> Delivery:
    """Read a GeoParquet file."""
    return read_geoparquet(data, source_of("geoparquet", *wanted), where=WHERE)


def refused(data: bytes, *wanted: str, match: str) -> tuple[str, str]:
    """Return the gate and the place of the refusal that the file gets."""
    with pytest.raises(GateError, match=match) as raised:
        read(data, *wanted)
    return refusal(raised)


def test_rows_become_records() -> None:
    """Wanted columns and the primary geometry are read, and the CRS by its code."""
    data = geoparquet([wkb(PLOT), None, wkb("POLYGON EMPTY")], id=["0042", "891e3", None], note=[1, 2, 3])
    delivery = read(data, "id")
    assert texts(delivery) == {"id": ["0042", "891e3", None]}
    assert shapes(delivery) == [PLOT, None, "POLYGON EMPTY"]
    assert (delivery.crs, delivery.record, delivery.first) == ("EPSG:4326", "row", 1)
    assert delivery.facts == {"geoparquet_version": "1.1.0", "geoparquet_encoding": "WKB", "crs_key": "present"}


@pytest.mark.parametrize(
    ("crs", "key"), [pytest.param(UNSAID, "absent", id="absent"), pytest.param(None, "null", id="null")]
)
def test_a_crs_that_is_not_stated_is_none(crs: Any, key: str) -> None:
    """The standard makes OGC:CRS84 of an absent key, and geopandas tags it; here it is untagged, as null is (B35)."""
    delivery = read(geoparquet(column=described(crs)))
    assert delivery.crs is None
    assert delivery.facts["crs_key"] == key


@pytest.mark.parametrize("crs", ["EPSG:6933", "OGC:CRS84", "ESRI:102008", "EPSG:4979"])
def test_a_crs_is_tagged_by_its_code(crs: str) -> None:
    """PROJJSON with an id that it is equal to is that id."""
    assert read(geoparquet(column=described(crs))).crs == crs


def test_a_definition_that_differs_from_its_code_stays_a_definition() -> None:
    """A code that a CRS claims counts only when the CRS is that one."""
    moved = json.loads(CRS("EPSG:32632").to_json().replace("500000", "500001"))
    crs = read(geoparquet(column=described(moved))).crs
    assert crs is not None
    assert crs.startswith("PROJCRS[")
    assert "500001" in crs


def typed(type_: ga.WkbType) -> pa.Array:
    """Return a point in a column of the Parquet type GEOMETRY or GEOGRAPHY."""
    return type_.wrap_array(pa.array([wkb("POINT (1 2)")], pa.binary()))


@pytest.mark.parametrize("crs", [UNSAID, None, "EPSG:6933"], ids=["absent", "null", "the-same"])
def test_the_type_of_the_column_may_state_the_crs(crs: Any) -> None:
    """Version 2 keeps geometry in a Parquet type that has a CRS of its own."""
    data = geoparquet(typed(ga.wkb().with_crs("EPSG:6933")), column=described(crs))
    assert (read(data).crs, shapes(read(data))) == ("EPSG:6933", ["POINT (1 2)"])


def test_two_different_crs_are_refused() -> None:
    """Metadata and type belong to one file; when they differ, one of them is wrong."""
    data = geoparquet(typed(ga.wkb().with_crs("EPSG:6933")), column=described("EPSG:4326"))
    assert refused(data, match="two different CRS.*EPSG:6933; found EPSG:4326")[0] == "crs_declared"


def test_a_column_of_the_type_geography_is_refused() -> None:
    """Its edges are not planar, whatever the metadata says."""
    data = geoparquet(typed(ga.wkb().with_edge_type(ga.EdgeType.SPHERICAL)))
    assert refused(data, match="type GEOGRAPHY") == ("crs_declared", "geo.columns['geometry'].edges")


def test_no_rows_are_an_empty_delivery() -> None:
    """Whether there must be rows is for a gate to judge."""
    delivery = read(geoparquet([], id=pa.array([], pa.string())), "id")
    assert (texts(delivery), shapes(delivery)) == ({"id": []}, [])


def test_orientation_and_coordinate_epoch_are_facts() -> None:
    """What the file says besides is kept for the evidence."""
    facts = read(geoparquet(column=described(orientation="counterclockwise", epoch=2021.5))).facts
    assert (facts["geoparquet_orientation"], facts["geoparquet_epoch"]) == ("counterclockwise", "2021.5")


@pytest.mark.parametrize(
    ("values", "type_", "read_as"),
    [
        pytest.param(pa.array(["a", "a"]).dictionary_encode(), pa.string(), ["a", "a"], id="dictionary"),
        pytest.param(pa.array(["é", None], pa.large_string()), pa.string(), ["é", None], id="large-string"),
        pytest.param(pa.array(["é", None], pa.string_view()), pa.string(), ["é", None], id="string-view"),
        pytest.param(pa.array([1, 2], pa.int8()), pa.int64(), [1, 2], id="int8"),
        pytest.param(pa.array([2**64 - 1, 1], pa.uint64()), pa.string(), [str(2**64 - 1), "1"], id="uint64"),
        pytest.param(pa.array([0.1, None], pa.float32()), pa.float64(), [0.10000000149011612, None], id="float32"),
        pytest.param(
            pa.array([Decimal("1.10"), None], pa.decimal128(9, 2)),
            pa.decimal128(9, 2),
            [Decimal("1.10"), None],
            id="decimal",
        ),
        pytest.param(pa.array([date(2021, 2, 28)] * 2), pa.date32(), [date(2021, 2, 28)] * 2, id="date"),
        pytest.param(
            pa.array([datetime(2021, 2, 28)] * 2, pa.timestamp("us")),  # noqa: DTZ001 - a timestamp without a zone
            pa.timestamp("us"),
            [datetime(2021, 2, 28)] * 2,  # noqa: DTZ001
            id="timestamp",
        ),
        pytest.param(pa.array([True, None]), pa.bool_(), [True, None], id="bool"),
        pytest.param(pa.nulls(2), pa.string(), [None, None], id="null"),
    ],
)
def test_types_of_the_file_are_kept_or_widened_exactly(
    values: pa.Array, type_: pa.DataType, read_as: list[Any]
) -> None:
    """No value goes through pandas, and none is guessed."""
    column = read(geoparquet([None, None], x=values), "x").columns.column("x")
    assert (column.type, column.to_pylist()) == (type_, read_as)


@pytest.mark.parametrize(
    "values",
    [pa.array([b"a"]), pa.array([["a"]]), pa.array([{"a": 1}]), pa.array([1], pa.time32("s"))],
    ids=["binary", "list", "struct", "time"],
)
def test_a_type_without_a_meaning_for_a_cell_is_refused(values: pa.Array) -> None:
    """Bytes are no text, whatever they look like."""
    assert refused(geoparquet(x=values), "x", match="found the type") == ("source_readable", "column 'x'")


def test_text_that_is_no_utf8_is_refused() -> None:
    """Parquet promises UTF-8 and Arrow does not look: the bytes of Latin-1 pass unseen."""
    bad = pa.array([b"\xe9"]).view(pa.string())
    assert refused(geoparquet(x=bad), "x", match="text in UTF-8; found .*Invalid UTF8")[1] == "column 'x'"


@pytest.mark.parametrize(
    ("table", "match"),
    [
        pytest.param({"id": ["a"]}, "missing year", id="missing"),
        pytest.param({"id": ["a"], "Year": ["b"]}, "but there is 'Year'", id="other-case"),
    ],
)
def test_a_missing_column_is_refused(table: dict[str, Any], match: str) -> None:
    """Names are matched exactly."""
    assert refused(geoparquet(**table), "id", "year", match=match)[0] == "columns_present"


def test_a_column_that_is_there_twice_is_refused() -> None:
    """Parquet allows it, and readers take the one or the other."""
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"]), pa.array([wkb(PLOT)])], ["id", "id", "geometry"])
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": described()}}
    assert refused(parquet(table, {"geo": json.dumps(geo)}), "id", match="twice: id")[0] == "columns_present"


@pytest.mark.parametrize(
    ("root", "where", "match"),
    [
        pytest.param({"version": "0.4.0"}, "geo.version", "version 1 or 2.*found '0.4.0'", id="old"),
        pytest.param({"version": None}, "geo.version", "found null", id="no-version"),
        pytest.param({"primary_column": "shape"}, "geo.primary_column", "found 'shape'; the file has", id="no-column"),
        pytest.param({"columns": []}, "geo.primary_column", "a described column", id="nothing-described"),
        pytest.param({"primary_column": ["geometry"]}, "geo.primary_column", "a described column", id="no-name"),
    ],
)
def test_metadata_that_does_not_hold_is_refused(root: dict[str, Any], where: str, match: str) -> None:
    """What the file says of itself must be true of it."""
    assert refused(geoparquet(root=root), match=match) == ("source_readable", where)


@pytest.mark.parametrize(
    ("column", "gate", "member", "match"),
    [
        pytest.param(described(edges="spherical"), "crs_declared", "edges", "found 'spherical'", id="spherical"),
        pytest.param(described(encoding="WKT"), "source_readable", "encoding", "found 'WKT'", id="wkt"),
        pytest.param(described(geometry_types="Polygon"), "source_readable", "geometry_types", "an array", id="types"),
        pytest.param(described(["EPSG", 4326]), "source_readable", "crs", "PROJJSON", id="crs-as-array"),
        pytest.param(described({"type": "GeographicCRS"}), "source_readable", "crs", "PROJ can read", id="crs-in-part"),
    ],
)
def test_a_described_column_that_is_not_as_it_must_be_is_refused(
    column: Any, gate: str, member: str, match: str
) -> None:
    """Spherical edges enclose other land, so the CRS gate refuses them by name."""
    assert refused(geoparquet(column=column), match=match) == (gate, f"geo.columns['geometry'].{member}")


def test_plain_parquet_is_refused() -> None:
    """Nothing says which column is the geometry, or where on Earth it is."""
    assert refused(parquet(pa.table({"geometry": [wkb(PLOT)]})), match="have it written as GeoParquet") == (
        "source_readable",
        "",
    )
    assert refused(parquet(pa.table({"a": [1]}), {"geo": "{"}), match="whole")[1] == "geo"
    assert refused(parquet(pa.table({"a": [1]}), {"geo": "[]"}), match="an object")[1] == "geo"


@pytest.mark.parametrize("data", [PNG, b"", b"PAR1", b"PAR1PAR1"], ids=["png", "nothing", "magic", "two-magics"])
def test_other_bytes_are_refused(data: bytes) -> None:
    """The footer is looked for, and the refusal says what the bytes begin with."""
    assert refused(data, match="a whole Parquet file")[0] == "source_readable"


def test_a_file_that_was_cut_off_is_refused_at_every_length() -> None:
    """The footer is at the end."""
    for part in cuts(geoparquet([wkb(PLOT)] * 50, id=["0042"] * 50)):
        assert refused(part, "id", match="a whole Parquet file")[0] == "source_readable"


def test_a_damaged_page_is_refused_by_its_checksum() -> None:
    """Where a writer keeps checksums, one flipped byte of a value is found."""
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": described()}}
    table = pa.table({"id": ["marker"], "geometry": [wkb(PLOT)]})
    data = parquet(
        table,
        {"geo": json.dumps(geo)},
        write_page_checksum=True,
        compression="none",
        use_dictionary=False,
        write_statistics=False,
    )
    damaged = data.replace(b"marker", b"marked", 1)
    assert texts(read(data, "id")) == {"id": ["marker"]}
    assert refused(damaged, "id", match="(?i)checksum|crc")[0] == "source_readable"


CURVE = struct.pack("<BIIBII10d", 1, 10, 1, 1, 8, 5, 0, 0, 4, 0, 4, 4, 0, 4, 0, 0)


@pytest.mark.parametrize(
    ("value", "match"),
    [
        pytest.param(b"", "end of buffer", id="no-bytes"),
        pytest.param(b"\x01\x03", "end of buffer", id="no-header"),
        pytest.param(wkb(PLOT)[:-1], "9 coords|4 coords", id="cut-off"),
        pytest.param(PNG, "found Expected", id="png"),
        pytest.param(CURVE, "found CurvePolygon", id="curve"),
        pytest.param(struct.pack("<BII", 1, 1015, 0), "found PolyhedralSurface", id="surface"),
        pytest.param(
            shapely.to_wkb(shapely.set_srid(shapely.Point(1, 2), 4326), include_srid=True),
            "EWKB with an SRID",
            id="srid",
        ),
    ],
)
def test_what_is_no_whole_wkb_is_named_by_its_row(value: bytes, match: str) -> None:
    """The row is found among many, across row groups and nulls."""
    rows = [wkb(PLOT)] * 700 + [None] * 5 + [value] + [wkb(PLOT)] * 300
    assert refused(geoparquet(rows), match=match) == ("source_readable", "row 706")


@pytest.mark.parametrize(
    ("value", "wkt", "fact"),
    [
        pytest.param(wkb(PLOT, byte_order=0), PLOT, "rewritten_wkb", id="big-endian"),
        pytest.param(wkb("POINT Z (1 2 3)", flavor="extended"), "POINT Z (1 2 3)", "rewritten_wkb", id="extended-wkb"),
        pytest.param(wkb("POINT M (1 2 3)"), "POINT (1 2)", "measures_dropped", id="measure"),
        pytest.param(wkb("POINT ZM (1 2 3 4)"), "POINT Z (1 2 3)", "measures_dropped", id="height-and-measure"),
    ],
)
def test_other_dialects_of_wkb_are_written_anew(value: bytes, wkt: str, fact: str) -> None:
    """Heights are kept; measures are no place on land, and are counted when they go."""
    delivery = read(geoparquet([None, value, wkb(PLOT), value]))
    assert shapes(delivery) == [None, wkt, PLOT, wkt]
    assert delivery.facts[fact] == "2"


@pytest.mark.parametrize("type_", [pa.binary(), pa.large_binary(), pa.binary_view()], ids=str)
def test_geometry_in_any_arrow_type_of_bytes_is_read(type_: pa.DataType) -> None:
    """How the writer laid out its bytes does not matter."""
    assert shapes(read(geoparquet(pa.array([wkb(PLOT), None], type_)))) == [PLOT, None]


@pytest.mark.parametrize(
    "wkts",
    [
        pytest.param(["POINT (1 2)", None], id="point"),
        pytest.param(["LINESTRING (0 0, 1 1)"], id="linestring"),
        pytest.param([PLOT, None, "POLYGON EMPTY"], id="polygon"),
        pytest.param(["POLYGON Z ((0 0 1, 2 0 1, 2 2 1, 0 0 1))", None], id="polygon-z"),
        pytest.param(["MULTIPOINT ((0 0), (1 1))"], id="multipoint"),
        pytest.param(["MULTILINESTRING ((0 0, 1 1))"], id="multilinestring"),
        pytest.param(["MULTIPOLYGON (((0 0, 2 0, 2 2, 0 0)))", "MULTIPOLYGON EMPTY"], id="multipolygon"),
    ],
)
@pytest.mark.parametrize("says_so_twice", [True, False], ids=["arrow-metadata", "geo-metadata-only"])
def test_native_encodings_are_read(wkts: list[str | None], *, says_so_twice: bool) -> None:
    """Version 1.1 allows coordinates as nested lists; not every writer adds the Arrow extension types."""
    target = io.BytesIO()
    frame = gpd.GeoDataFrame(geometry=gpd.GeoSeries.from_wkt(wkts), crs="EPSG:4326")
    frame.to_parquet(target, geometry_encoding="geoarrow", schema_version="1.1.0")
    if not says_so_twice:
        table = pq.read_table(pa.BufferReader(target.getvalue()))
        plain = pa.array(table.column("geometry").combine_chunks().storage)
        table = table.set_column(0, "geometry", plain).replace_schema_metadata(table.schema.metadata)
        target = io.BytesIO()
        with pq.ParquetWriter(target, table.schema, store_schema=False) as writer:
            writer.add_key_value_metadata({"geo": table.schema.metadata[b"geo"].decode()})
            writer.write_table(table)
    assert shapes(read(target.getvalue())) == wkts


def test_a_native_encoding_that_is_not_there_is_refused() -> None:
    """The metadata says how the column is laid out, and the column must be."""
    data = geoparquet(column=described(encoding="polygon"))
    assert refused(data, match="encoding that its metadata states, polygon; found binary")[1] == "column 'geometry'"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the public data set is not here: no ../shared/data/geometry-awkward")
@pytest.mark.parametrize("kind", ["point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon"])
def test_the_samples_of_the_standard_are_read_as_their_twins_in_wkt(kind: str) -> None:
    """Nulls and empty shapes included; their CRS key is absent, so they are untagged."""
    delivery = read((SAMPLES / f"test_data/data-{kind}-encoding_wkb.parquet").read_bytes(), "col")
    with (SAMPLES / f"test_data/data-{kind}-wkt.csv").open(newline="") as file:
        twins = [(int(row["col"]), row["geometry"] or None) for row in csv.DictReader(file)]
    read_wkts = [None if wkt is None else shapely.from_wkt(wkt).wkt for wkt in shapes(delivery)]
    twin_wkts = [None if wkt is None else shapely.from_wkt(wkt).wkt for _, wkt in twins]
    assert (texts(delivery)["col"], read_wkts) == ([number for number, _ in twins], twin_wkts)
    assert (delivery.crs, delivery.facts["crs_key"]) == (None, "absent")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the public data set is not here: no ../shared/data/geometry-awkward")
def test_the_example_of_the_standard_is_tagged() -> None:
    """Its CRS is OGC:CRS84, by PROJJSON."""
    delivery = read((SAMPLES / "examples/example.parquet").read_bytes(), "iso_a3", "pop_est")
    assert delivery.crs == "OGC:CRS84"
    assert texts(delivery)["iso_a3"] == ["FJI", "TZA", "ESH", "CAN", "USA"]
    assert len(shapes(delivery)) == 5


@given(ids=TEXT_IDS)
def test_text_ids_come_back_as_they_were_written(ids: list[str]) -> None:
    """No id is typed, trimmed or changed."""
    assert texts(read(geoparquet([None] * len(ids), id=pa.array(ids, pa.string())), "id")) == {"id": ids}
