from __future__ import annotations

import sqlite3
import struct
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.delivery import Delivery
from mrv_assets.stages.formats.vector import read_geopackage
from mrv_assets_tests.unit.stages.formats.by_gdal import COLUMNS, HIGH, IDS, PLOT, WKTS, written
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

CURVE = struct.pack("<BIIBII10d", 1, 10, 1, 1, 8, 5, 0, 0, 4, 0, 4, 4, 0, 4, 0, 0)


def read(data: bytes, *wanted: str, layer: str | None = None) -> Delivery:
    """Read a GeoPackage."""
    return read_geopackage(data, source_of("geopackage", *wanted, layer=layer), where=WHERE)


def refused(data: bytes, *wanted: str, match: str, layer: str | None = None) -> tuple[str, str]:
    """Return the gate and the place of the refusal that the file gets."""
    with pytest.raises(GateError, match=match) as raised:
        read(data, *wanted, layer=layer)
    return refusal(raised)


def changed(path: Path, *statements: str) -> bytes:
    """Return the file after SQL statements of somebody who is not GDAL."""
    database = sqlite3.connect(path)
    for name, arguments in (("ST_IsEmpty", 1), ("ST_MinX", 1), ("ST_MaxX", 1), ("ST_MinY", 1), ("ST_MaxY", 1)):
        database.create_function(name, arguments, lambda _: 0)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path.read_bytes()


def test_features_become_records_in_the_types_of_the_file(tmp_path: Path) -> None:
    """Text stays text, integers keep all digits, and the primary key is a column as well."""
    delivery = read(written(tmp_path / "a.gpkg", layer="plots").read_bytes(), *COLUMNS, "fid")
    expected = {name: pa.array(values).to_pylist() for name, values in COLUMNS.items()}
    assert texts(delivery) == expected | {"fid": [1, 2, 3]}
    types = {"rid": pa.string(), "n": pa.int64(), "q": pa.float64(), "ok": pa.bool_(), "d": pa.date32()}
    assert {field.name: field.type for field in delivery.columns.schema} == types | {"fid": pa.int64()}
    assert shapes(delivery) == WKTS
    assert (delivery.crs, delivery.record, delivery.first) == ("EPSG:4326", "feature", 1)
    assert delivery.facts == {"driver": "GPKG", "layer": "plots", "crs_stated_by": "layer"}


def test_height_does_not_change_the_crs(tmp_path: Path) -> None:
    """Z values are kept, and the tag is what the layer says."""
    path = written(tmp_path / "a.gpkg", {"rid": ["a"]}, [HIGH], geometry_type="Polygon Z")
    delivery = read(path.read_bytes(), "rid")
    assert (delivery.crs, shapes(delivery)) == ("EPSG:4326", [HIGH])


def test_measures_are_dropped_and_counted(tmp_path: Path) -> None:
    """M is no place on land."""
    path = written(tmp_path / "a.gpkg", {"rid": ["a"]}, ["POINT ZM (1 2 3 4)"], geometry_type="Unknown")
    delivery = read(path.read_bytes())
    assert (shapes(delivery), delivery.facts["measures_dropped"]) == (["POINT Z (1 2 3)"], "1")


@pytest.mark.parametrize("srs_id", [-1, 0], ids=["undefined-cartesian", "undefined-geographic"])
def test_an_undefined_crs_is_none(tmp_path: Path, srs_id: int) -> None:
    """The ids -1 and 0 say that nobody knows; GDAL makes a CRS of them."""
    path = written(tmp_path / "a.gpkg", layer="plots")
    data = changed(path, *(f"UPDATE {t} SET srs_id = {srs_id}" for t in ("gpkg_geometry_columns", "gpkg_contents")))
    assert read(data, "rid").crs is None


@pytest.mark.filterwarnings("ignore:'crs' was not provided")  # pyogrio advises against what is tested
def test_no_crs_is_none(tmp_path: Path) -> None:
    """A layer that was written without one is untagged."""
    assert read(written(tmp_path / "a.gpkg", crs=None).read_bytes(), "rid").crs is None


def test_a_crs_without_a_code_is_a_definition(tmp_path: Path) -> None:
    """WKT2 says what no authority has a code for."""
    laea = "+proj=laea +lat_0=45.5 +lon_0=-93.2 +ellps=GRS80"
    crs = read(written(tmp_path / "a.gpkg", crs=laea).read_bytes(), "rid").crs
    assert crs is not None
    assert crs.startswith("PROJCRS[")
    assert "45.5" in crs


def test_one_of_several_layers_must_be_named(tmp_path: Path) -> None:
    """What was meant is not guessed; the refusal lists what there is."""
    path = written(tmp_path / "a.gpkg", layer="plots")
    data = written(path, {"rid": ["x"]}, [PLOT], layer="old plots", append=True).read_bytes()
    assert refused(data, "rid", match="layers 'plots', 'old plots'")[0] == "source_readable"
    assert refused(data, "rid", match="the layer 'new'", layer="new")[0] == "source_readable"
    assert texts(read(data, "rid", layer="old plots")) == {"rid": ["x"]}


def test_a_table_without_geometry_is_read_when_it_is_named(tmp_path: Path) -> None:
    """Tables of styles do not make a second layer."""
    data = changed(
        written(tmp_path / "a.gpkg", layer="plots"),
        "CREATE TABLE styles (fid INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO styles VALUES (1, '007')",
        "INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('styles', 'attributes', 'styles')",
    )
    assert len(shapes(read(data, "rid"))) == 3
    delivery = read(data, "name", layer="styles")
    assert (delivery.geometry, texts(delivery)) == (None, {"name": ["007"]})


@pytest.mark.parametrize(
    ("cell", "match"),
    [
        pytest.param("n = 'abc'", "column 'n'.*declares .Integer64.; found 1 cell", id="text-in-a-whole-number"),
        pytest.param("n = 1.5", "column 'n'", id="half-in-a-whole-number"),
        pytest.param("q = 'x'", "column 'q'", id="text-in-a-number"),
        pytest.param("ok = 7", "column 'ok'", id="seven-in-a-boolean"),
        pytest.param("rid = x'3031'", "column 'rid'", id="bytes-in-text"),
        pytest.param("rid = CAST(x'ff41' AS TEXT)", "UTF-8", id="text-that-is-no-utf8"),
        pytest.param("d = '2021-02-29'", "column 'd'", id="no-such-day"),
        pytest.param("d = '2021-13-01'", "Invalid content|column 'd'", id="no-such-month"),
        pytest.param("d = '20210228'", "Invalid content|column 'd'", id="date-without-dashes"),
        pytest.param("geom = x'0102'", "3 rows with 2 geometries.*found 3 with 1", id="broken-geometry"),
    ],
)
def test_a_cell_of_another_type_than_its_column_is_refused(tmp_path: Path, cell: str, match: str) -> None:
    """SQLite stores anything anywhere, and GDAL makes 0, 1, null or 1970-01-01 of it."""
    data = changed(written(tmp_path / "a.gpkg", layer="plots"), f"UPDATE plots SET {cell} WHERE fid = 1")
    assert refused(data, *COLUMNS, match=match)[0] == "source_readable"


def test_a_cell_far_down_is_refused_as_well(tmp_path: Path) -> None:
    """GDAL reads long tables in threads, whose warnings reach nobody."""
    rows = 70_000
    path = written(
        tmp_path / "a.gpkg",
        {"d": pa.array([date(2021, 2, 28)] * rows)},
        ["POINT (1 2)"] * rows,
        geometry_type="Point",
        layer="plots",
    )
    data = changed(path, f"UPDATE plots SET d = '2021-02-29' WHERE fid = {rows}")
    assert refused(data, "d", match="found 1 cell") == ("source_readable", "layer 'plots', column 'd'")


@pytest.mark.parametrize(
    ("cell", "match"),
    [
        pytest.param("i = 99999999999", "column 'i\"'", id="beyond-32-bits"),
        pytest.param("s = 70000", "column 's'", id="beyond-16-bits"),
        pytest.param("t = '2021-02-30T00:00:00Z'", "column 't'", id="no-such-day"),
        pytest.param("t = '2021-02-28 00:00:00'", "Non-conformant|column 't'", id="blank-for-t"),
        pytest.param("t = '2021-02-28T00:00:00+05:00'", "Non-conformant|column 't'", id="other-zone"),
    ],
)
def test_numbers_and_instants_out_of_range_are_refused(tmp_path: Path, cell: str, match: str) -> None:
    """Column names and layer names may hold quotes."""
    columns = {
        'i"': pa.array([7], pa.int32()),
        "s": pa.array([1], pa.int16()),
        "t": pa.array([datetime(2021, 1, 1, 12, tzinfo=UTC)], pa.timestamp("ms", tz="UTC")),
    }
    path = written(tmp_path / "a.gpkg", columns, [PLOT], layer='plo"ts')
    delivery = read(path.read_bytes(), *columns)
    assert texts(delivery) == {'i"': [7], "s": [1], "t": [datetime(2021, 1, 1, 12, tzinfo=UTC)]}
    assert delivery.columns.schema.field("t").type == pa.timestamp("ms", tz="UTC")
    data = changed(path, f'UPDATE "plo""ts" SET {cell}'.replace("SET i ", 'SET "i""" '))
    assert refused(data, *columns, match=match)[0] == "source_readable"


@pytest.mark.parametrize("declared", ["GEOMETRY", "CURVEPOLYGON", "POLYGON"])
def test_a_curve_is_refused_however_the_layer_is_declared(tmp_path: Path, declared: str) -> None:
    """A curve would be approximated by a rule that nobody stated."""
    blob = (b"GP\0\x01" + struct.pack("<i", 4326) + CURVE).hex()
    data = changed(
        written(tmp_path / "a.gpkg", layer="plots", geometry_type="Unknown"),
        f"UPDATE plots SET geom = x'{blob}' WHERE fid = 3",
        f"UPDATE gpkg_geometry_columns SET geometry_type_name = '{declared}'",
    )
    assert refused(data, "rid", match="found CurvePolygon") == ("source_readable", "layer 'plots', feature 3")


def test_a_database_in_wal_mode_is_read_as_it_stands(tmp_path: Path) -> None:
    """Nothing is written; that rows may lie in a file beside it is a fact for the evidence."""
    data = changed(written(tmp_path / "a.gpkg", layer="plots"), "PRAGMA journal_mode = wal")
    delivery = read(data, "rid")
    assert (texts(delivery), delivery.facts["journal_mode"]) == ({"rid": IDS}, "wal")


def test_a_missing_column_is_refused(tmp_path: Path) -> None:
    """Names are matched exactly."""
    data = written(tmp_path / "a.gpkg").read_bytes()
    assert refused(data, "RID", match="there is 'rid'")[0] == "columns_present"


@pytest.mark.parametrize("data", [PNG, b"", b"SQLite format 3\0" + bytes(500)], ids=["png", "nothing", "other-sqlite"])
def test_other_bytes_are_refused(data: bytes) -> None:
    """GDAL would look for another driver; here the format is what the project says."""
    assert refused(data, match="a GeoPackage")[0] == "source_readable"


def test_a_file_that_was_cut_off_is_refused_at_every_length(tmp_path: Path) -> None:
    """The header says how long a database is."""
    for part in cuts(written(tmp_path / "a.gpkg").read_bytes()):
        assert refused(part, "rid", match="as its header says|a GeoPackage")[0] == "source_readable"


def test_a_damaged_page_is_refused(tmp_path: Path) -> None:
    """What SQLite cannot read is no empty answer."""
    data = bytearray(written(tmp_path / "a.gpkg").read_bytes())
    data[4096:8192] = bytes(4096)
    assert refused(bytes(data), "rid", match="malformed|GDAL")[0] == "source_readable"


def test_no_features_are_an_empty_delivery(tmp_path: Path) -> None:
    """Whether there must be rows is for a gate to judge."""
    data = changed(written(tmp_path / "a.gpkg", layer="plots"), "DELETE FROM plots")
    assert texts(read(data, "rid")) == {"rid": []}


@given(ids=TEXT_IDS)
def test_text_ids_come_back_as_they_were_written(tmp_path_factory: pytest.TempPathFactory, ids: list[str]) -> None:
    """A round trip through GDAL changes no id."""
    path = written(tmp_path_factory.mktemp("gpkg") / "a.gpkg", {"rid": ids}, [PLOT] * len(ids))
    assert texts(read(path.read_bytes(), "rid")) == {"rid": ids}
