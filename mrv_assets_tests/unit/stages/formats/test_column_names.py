from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import geopandas
import openpyxl
import pytest
import shapely
from openpyxl.worksheet.worksheet import Worksheet

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Source
from mrv_assets.stages.formats.column_names import column_names
from mrv_assets.stages.formats.reading import read_delivery
from mrv_assets_tests.unit.stages.formats.by_gdal import written
from mrv_assets_tests.unit.stages.formats.deliveries import WHERE, source_of

COLUMNS = {"rid": ["0042"], "qty": [1.5], "größe": ["a"]}
PLOT = "POLYGON ((0 0, 0 2, 2 2, 0 0))"
KML = """<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>plots</name><Placemark><name>a</name>
<ExtendedData><Data name="rid"><value>0042</value></Data><Data name="qty"><value>1.5</value></Data>
<SchemaData schemaUrl="#s"><SimpleData name="größe">a</SimpleData></SchemaData></ExtendedData>
<Point><coordinates>1,2</coordinates></Point></Placemark></Document></kml>""".encode()


def _csv_file(_: Path) -> bytes:
    return '"rid",qty,größe,\n0042,1.5,a,\n'.encode()


def _workbook(_: Path) -> bytes:
    book, target = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.append([*COLUMNS, None])
    sheet.append(["0042", 1.5, "a", "no name above"])
    book.save(target)
    return target.getvalue()


def _geojson(folder: Path) -> bytes:
    return written(folder / "plots.geojson", COLUMNS, [PLOT], driver="GeoJSON", encoding="UTF-8").read_bytes()


def _geoparquet(_: Path) -> bytes:
    target = io.BytesIO()
    geopandas.GeoDataFrame(COLUMNS, geometry=[shapely.from_wkt(PLOT)], crs="EPSG:4326").to_parquet(target)
    return target.getvalue()


def _geopackage(folder: Path) -> bytes:
    return written(folder / "plots.gpkg", COLUMNS, [PLOT], driver="GPKG", layer="plots").read_bytes()


def _zipped_shapefile(folder: Path) -> bytes:
    written(folder / "plots.shp", COLUMNS, [PLOT], driver="ESRI Shapefile", encoding="UTF-8")
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    return target.getvalue()


def _kml(_: Path) -> bytes:
    return KML


def _kmz(_: Path) -> bytes:
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        archive.writestr("doc.kml", KML)
    return target.getvalue()


def source(format_: str, *wanted: str) -> Source:
    """Return a source that wants these columns."""
    return source_of(format_, *wanted)


@pytest.mark.parametrize(
    ("format_", "made", "others"),
    [
        pytest.param("csv", _csv_file, (), id="csv"),
        pytest.param("xlsx", _workbook, (), id="xlsx"),
        pytest.param("geojson", _geojson, (), id="geojson"),
        pytest.param("geoparquet", _geoparquet, (), id="geoparquet"),
        pytest.param("geopackage", _geopackage, ("fid",), id="geopackage"),
        pytest.param("shapefile", _zipped_shapefile, (), id="shapefile"),
        pytest.param("kml", _kml, ("name",), id="kml"),
        pytest.param("kml", _kmz, ("name",), id="kmz"),
    ],
)
def test_the_columns_are_those_of_the_file(
    tmp_path: Path, format_: str, made: Callable[[Path], bytes], others: tuple[str, ...]
) -> None:
    """Every named column is told, in the order of the file, whether it is wanted or not; the geometry is none."""
    data = made(tmp_path)
    names = column_names(data, source(format_, "rid"), where=WHERE)
    assert names == (*others, *COLUMNS)
    delivery = read_delivery(data, source(format_, *names), where=WHERE)
    assert delivery.columns.column_names == sorted(names)


def test_a_table_without_a_header_has_no_columns() -> None:
    """An empty file is refused for its columns, and asking which there are gives none."""
    with pytest.raises(GateError, match="the header is empty"):
        read_delivery(b"", source("csv", "rid"), where=WHERE)
    assert column_names(b"", source("csv", "rid"), where=WHERE) == ()


def test_a_column_of_some_features_only_is_told_once() -> None:
    """GeoJSON has no header, so the columns are those of all features together."""
    features = ", ".join(
        f'{{"type": "Feature", "geometry": null, "properties": {properties}}}'
        for properties in ('{"rid": "a"}', "null", '{"note": 1, "rid": "b"}')
    )
    data = f'{{"type": "FeatureCollection", "features": [{features}]}}'.encode()
    assert column_names(data, source("geojson", "rid"), where=WHERE) == ("rid", "note")
