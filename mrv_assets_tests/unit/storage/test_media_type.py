from __future__ import annotations

import io
import sqlite3
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mrv_assets.storage.media_type import OCTETS, media_type


def parquet() -> bytes:
    """Return a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": [1]}), sink)
    return sink.getvalue()


def database(application_id: bytes) -> bytes:
    """Return an SQLite database with this application id."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"pragma application_id = {int.from_bytes(application_id, 'big')}")
    connection.execute("create table t (a)")
    data = connection.serialize()
    connection.close()
    return data


def zipped() -> bytes:
    """Return a zip archive."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("a.txt", "a")
    return sink.getvalue()


SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        pytest.param("a.parquet", parquet(), "application/vnd.apache.parquet", id="parquet"),
        pytest.param("a.csv", parquet(), "application/vnd.apache.parquet", id="parquet named csv"),
        pytest.param("a.gpkg", database(b"GPKG"), "application/geopackage+sqlite3", id="geopackage"),
        pytest.param("a.gpkg", database(b"GP10"), "application/geopackage+sqlite3", id="old geopackage"),
        pytest.param("a.gpkg", database(b"\0\0\0\0"), "application/vnd.sqlite3", id="sqlite named gpkg"),
        pytest.param("a.zip", zipped(), "application/zip", id="zip"),
        pytest.param("a.shp.ZIP", zipped(), "application/zip", id="zip in capitals"),
        pytest.param("a.xlsx", zipped(), SHEET, id="xlsx"),
        pytest.param("a.kmz", zipped(), "application/vnd.google-earth.kmz", id="kmz"),
        pytest.param(
            "a.kml",
            b'\xef\xbb\xbf<?xml version="1.0"?>\n<kml xmlns="x">',
            "application/vnd.google-earth.kml+xml",
            id="kml",
        ),
        pytest.param("a.kml", b"<?xml version='1.0'?><gpx/>", "application/xml", id="xml named kml"),
        pytest.param("a.csv", b"<!DOCTYPE html><title>log in</title>", "text/html", id="a page named csv"),
        pytest.param("a.geojson", b' {"type": "FeatureCollection"}', "application/geo+json", id="geojson"),
        pytest.param("a.json", b'{"a": 1, "type" : "MultiPolygon"}', "application/geo+json", id="geojson named json"),
        pytest.param("a.geojson", b'{"type": "Table"}', "application/json", id="json named geojson"),
        pytest.param("a.geojson", b"\x00\x01", OCTETS, id="anything named geojson"),
        pytest.param("a.csv", b"a,b\n1,2\n", "text/csv", id="csv"),
        pytest.param("a.csv", "a;b".encode("utf-16"), "text/csv", id="csv in UTF-16"),
        pytest.param("a.csv", b'{"a",b\n', "text/csv", id="csv that starts with a brace"),
        pytest.param("a.csv", b"<id>,b\n", "text/csv", id="csv that starts with an angle bracket"),
        pytest.param("a.tsv", b"a\tb\n", "text/tab-separated-values", id="tsv"),
        pytest.param("a", b"a,b\n", OCTETS, id="no extension"),
        pytest.param("a.csv", b"", "text/csv", id="empty"),
    ],
)
def test_first_bytes_count_for_more_than_the_name(path: str, data: bytes, expected: str) -> None:
    """A file is told as what it is, and as what its name says only where its bytes do not tell."""
    assert media_type(path, data) == expected
