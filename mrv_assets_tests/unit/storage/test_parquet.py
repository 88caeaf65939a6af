"""Tables as Parquet bytes."""

from __future__ import annotations

import io
import json
from decimal import Decimal

import geopandas
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS

from mrv_assets.domain.contract import AGGREGATED, EMISSION_FACTOR, NORMALIZED, TONNES, about, saying
from mrv_assets.domain.digest import content_digest
from mrv_assets.domain.errors import ContractError, DigestMismatch
from mrv_assets.domain.geometry import repeated
from mrv_assets.storage.parquet import read_parquet, read_pieces, read_together, require_content, to_parquet
from mrv_assets_tests.contract_tables import good_table

SQUARE = shapely.to_wkb(shapely.box(-7_000_000, 5_000_000, -6_999_000, 5_001_000), flavor="iso")


def geometry_table(*shapes: bytes | None, crs: str = "EPSG:6933") -> pa.Table:
    """Return a table of one row per shape, which says its CRS."""
    columns = {"row_id": [str(n) for n in range(len(shapes))], "geometry": pa.array(shapes, pa.binary())}
    return saying(pa.table(columns), {"crs": crs})


def geo(data: bytes) -> dict[str, object]:
    """Return the GeoParquet metadata of a file."""
    document: dict[str, object] = json.loads(pq.read_metadata(io.BytesIO(data)).metadata[b"geo"])
    return document


def text_of_precision(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    """Draw decimals of up to so many digits, so many of them behind the point."""
    limit = 10**precision - 1
    return st.integers(-limit, limit).map(lambda digits: Decimal(digits).scaleb(-scale))


rows = st.fixed_dictionaries(
    {
        "text": st.one_of(st.none(), st.text(max_size=8)),
        "wkb": st.one_of(st.none(), st.binary(max_size=8)),
        "quantity": st.one_of(st.none(), st.floats()),
        "count": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
        "day": st.one_of(st.none(), st.dates()),
        "tonnes": st.one_of(st.none(), text_of_precision(28, 9)),
        "factor": st.one_of(st.none(), text_of_precision(28, 28)),
    }
)
SCHEMA = pa.schema(
    {
        "row_id": pa.string(),
        "text": pa.string(),
        "wkb": pa.binary(),
        "quantity": pa.float64(),
        "count": pa.int64(),
        "day": pa.date32(),
        "tonnes": TONNES,
        "factor": EMISSION_FACTOR,
    }
)


@settings(deadline=None)
@given(st.lists(rows, min_size=1, max_size=20))
def test_what_a_table_says_survives(values: list[dict[str, object]]) -> None:
    """Bytes and back the content digest is the same, for every type of the contracts, nulls and NaN included."""
    table = pa.Table.from_pylist([{"row_id": str(n), **v} for n, v in enumerate(values)], schema=SCHEMA)
    read = read_parquet(to_parquet(table))
    assert read.schema.equals(table.schema)
    assert content_digest(read, key=["row_id"]) == content_digest(table, key=["row_id"])


def test_decimals_are_exact_to_the_last_digit() -> None:
    """38 digits with 9 or 28 of them behind the point come back as they went."""
    tonnes = [Decimal("99999999999999999999999999999.999999999"), Decimal("0.000000001"), Decimal("-0.1")]
    factors = [Decimal("9999999999.9999999999999999999999999999"), Decimal("1e-28"), Decimal("0.4536029237")]
    table = pa.table({"t": pa.array(tonnes, TONNES), "f": pa.array(factors, EMISSION_FACTOR)})
    read = read_parquet(to_parquet(table))
    assert read.schema.types == [TONNES, EMISSION_FACTOR]
    assert read.column("t").to_pylist() == tonnes
    assert read.column("f").to_pylist() == factors


def test_equal_tables_give_equal_bytes() -> None:
    """Chunks and the metadata of builders leave no trace in the bytes."""
    table = pa.table({"row_id": [str(n) for n in range(1000)], "q": [float(n % 7) for n in range(1000)]})
    chunked = pa.concat_tables([table.slice(0, 1), table.slice(1, 500), table.slice(501)])
    tagged = chunked.replace_schema_metadata({"pandas": "{}"})
    field = tagged.schema.field("q").with_metadata({"made": "by hand"})
    tagged = tagged.cast(tagged.schema.set(1, field))
    assert to_parquet(tagged) == to_parquet(table)
    assert pq.read_metadata(io.BytesIO(to_parquet(tagged))).metadata is None


def test_nullability_is_kept() -> None:
    """A column that may not be null says so to every other engine."""
    schema = pa.schema([pa.field("a", pa.string(), nullable=False), pa.field("b", pa.string())])
    assert read_parquet(to_parquet(pa.table({"a": ["x"], "b": [None]}, schema=schema))).schema == schema


def test_an_empty_table_keeps_its_columns() -> None:
    """No rows are still a table of its contract."""
    empty = NORMALIZED.schema.empty_table()
    read = read_parquet(to_parquet(saying(empty, {"crs": "EPSG:6933"})))
    assert read.schema.remove_metadata() == NORMALIZED.schema
    assert about(read) == {"crs": "EPSG:6933"}
    assert read.num_rows == 0


def test_identity_columns_are_read_as_they_were_written() -> None:
    """No path takes part in reading, so `0042` and `2024.10` stay text."""
    table = pa.table({"project_id": ["0042", "1e5"], "factor_version": ["2024.10", "2024.1"]})
    assert read_parquet(to_parquet(table)) == table


def test_other_bytes_are_refused() -> None:
    """A document is not a table."""
    with pytest.raises(ContractError, match="bytes are not a Parquet file"):
        read_parquet(b'{"a":1}')


def test_another_engine_finds_the_crs() -> None:
    """Geopandas reads EPSG:6933 and the shapes from the bytes alone."""
    frame = geopandas.read_parquet(io.BytesIO(to_parquet(geometry_table(SQUARE))))
    assert frame.crs == CRS("EPSG:6933")
    assert frame.geometry[0].equals(shapely.from_wkb(SQUARE))
    assert frame.area[0] == pytest.approx(1_000_000)


def test_geometry_is_described_as_geoparquet_has_it() -> None:
    """Encoding, types, edges, extent and the whole CRS are stated, in x, y order."""
    point = shapely.to_wkb(shapely.Point(-93.5, 45.25), flavor="iso")
    document = geo(to_parquet(geometry_table(point, None, crs="EPSG:4269")))
    assert document["version"] == "1.1.0"
    assert document["primary_column"] == "geometry"
    columns = document["columns"]
    assert isinstance(columns, dict)
    column = columns["geometry"]
    assert column["encoding"] == "WKB"
    assert column["edges"] == "planar"
    assert column["geometry_types"] == ["Point"]
    assert column["bbox"] == [-93.5, 45.25, -93.5, 45.25]
    assert column["crs"]["id"] == {"authority": "EPSG", "code": 4269}


def test_heights_are_part_of_type_and_extent() -> None:
    """A shape with z is named so, and a flat one beside it does not blank the extent."""
    shapes = [shapely.Point(0, 1, 5), shapely.Point(2, 3), shapely.LineString([(4, 5, 6), (7, 8, 9)])]
    table = geometry_table(*[shapely.to_wkb(shape, flavor="iso") for shape in shapes], crs="EPSG:4979")
    columns = geo(to_parquet(table))["columns"]
    assert isinstance(columns, dict)
    assert columns["geometry"]["geometry_types"] == ["LineString Z", "Point", "Point Z"]
    assert columns["geometry"]["bbox"] == [0, 1, 5, 7, 8, 9]


def test_geometry_without_coordinates_has_no_extent() -> None:
    """An empty shape states no bounding box instead of NaN, which is no JSON."""
    empty = shapely.to_wkb(shapely.Polygon(), flavor="iso")
    data = to_parquet(geometry_table(empty))
    columns = geo(data)["columns"]
    assert isinstance(columns, dict)
    assert "bbox" not in columns["geometry"]


def test_a_table_without_geometry_gets_no_geo_metadata() -> None:
    """A CRS alone does not make a map."""
    data = to_parquet(saying(pa.table({"a": ["x"]}), {"crs": "EPSG:6933"}))
    assert b"geo" not in pq.read_metadata(io.BytesIO(data)).metadata


@pytest.mark.parametrize(
    ("shape", "crs", "found"),
    [
        pytest.param(SQUARE, "EPSG:999999", "CRS is unknown.*EPSG:999999", id="unknown CRS"),
        pytest.param(b"not wkb", "EPSG:6933", "geometry is not WKB", id="no WKB"),
    ],
)
def test_geometry_that_others_could_not_read_is_refused(shape: bytes, crs: str, found: str) -> None:
    """No file goes out whose geometry another engine would choke on."""
    with pytest.raises(ContractError, match=found):
        to_parquet(geometry_table(shape, crs=crs))


def test_many_rows_are_written_in_bounded_groups() -> None:
    """A reader can take a large table piece by piece."""
    table = pa.table({"row_id": np.arange(300_000).astype(str)})
    metadata = pq.read_metadata(io.BytesIO(to_parquet(table)))
    assert metadata.num_rows == 300_000
    assert metadata.num_row_groups == 3


def test_large_rows_are_written_in_smaller_groups() -> None:
    """So that no group is larger than what an Arrow array of bytes may hold, and a reader needs no more than that."""
    table = pa.table({"row_id": np.arange(800).astype(str), "geometry": repeated(bytes(1 << 20), 800)})
    data = to_parquet(table)
    assert pq.read_metadata(io.BytesIO(data)).num_row_groups == 4
    assert [piece.num_rows for piece in read_pieces(data)] == [255, 255, 255, 35]


def test_what_a_table_says_of_itself_survives() -> None:
    """Its CRS and what else is part of its content come back with it, also with only some of its columns."""
    said = {"crs": "EPSG:4269", "quarantine": "0" * 64, "rows_quarantined": "3"}
    data = to_parquet(saying(geometry_table(SQUARE), said))
    assert about(read_parquet(data)) == said
    assert about(read_parquet(data, columns=["row_id"])) == said
    assert [about(piece) for piece in read_pieces(data)] == [said]


def test_a_table_that_says_nothing_has_no_crs() -> None:
    """Geometry without a CRS gets no GeoParquet metadata, so no engine takes it for the default of the format."""
    data = to_parquet(saying(geometry_table(SQUARE), {}))
    assert pq.read_metadata(io.BytesIO(data)).metadata is None
    assert about(read_parquet(data)) == {}


@pytest.mark.parametrize("rows", [0, 1, 300_000])
def test_a_table_comes_back_in_pieces(rows: int) -> None:
    """The pieces, at least one, make the table again, in their order."""
    table = saying(pa.table({"row_id": np.arange(rows).astype(str)}), {"crs": "EPSG:6933"})
    pieces = list(read_pieces(to_parquet(table)))
    assert len(pieces) == max(1, -(-rows // (1 << 17)))
    assert pa.concat_tables(pieces).equals(table, check_metadata=True)


def test_other_bytes_have_no_pieces() -> None:
    """A document is not a table, whichever way it is read."""
    with pytest.raises(ContractError, match="bytes are not a Parquet file"):
        list(read_pieces(b'{"a":1}'))


def test_bytes_of_another_content_are_caught() -> None:
    """What was serialised is read back and compared with what was judged, before a record rests on it."""
    judged, other = (good_table(AGGREGATED, rows) for rows in (2, 3))
    digest = AGGREGATED.digest(judged)
    require_content(to_parquet(judged), AGGREGATED, digest, where="here")
    with pytest.raises(DigestMismatch, match=f"(?s)does not read back.*here.*{digest}"):
        require_content(to_parquet(other), AGGREGATED, digest, where="here")


ROWS = tuple(geometry_table(*([SQUARE] * count)) for count in (2, 0, 1))


@pytest.mark.parametrize(
    "tables",
    [
        pytest.param(ROWS, id="alike"),
        pytest.param((*ROWS, ROWS[0].append_column("more", pa.array([1, 2]))), id="one with another column"),
        pytest.param((*ROWS, ROWS[0].select(["geometry", "row_id"])), id="one in another order"),
        pytest.param((ROWS[0],), id="one"),
    ],
)
def test_many_tables_are_read_as_one(tables: tuple[pa.Table, ...]) -> None:
    """Rows come one table after another, with the columns that were asked for and nothing else."""
    found = read_together([to_parquet(table) for table in tables], ["row_id"])
    assert found.column_names == ["row_id"]
    assert found.column("row_id").to_pylist() == [text for t in tables for text in t.column("row_id").to_pylist()]


def test_bytes_that_are_no_table_are_not_read_with_others() -> None:
    """They are refused as they are alone."""
    with pytest.raises(ContractError, match="bytes are not a Parquet file"):
        read_together([to_parquet(ROWS[0]), b"{}"], ["row_id"])
