"""Which columns a source file has, wanted or not, so that a person can see what there is to map.

A run never asks this. What does not belong here: reading the wanted columns (one module per format).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from itertools import takewhile
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio
from defusedxml.ElementTree import fromstring
from python_calamine import SheetTypeEnum, load_workbook

from mrv_assets.domain.source import Source, SourceFormat
from mrv_assets.stages.formats.archives import members, read_member
from mrv_assets.stages.formats.dbf_codec import dbf_codec
from mrv_assets.stages.formats.encodings import as_utf8
from mrv_assets.stages.formats.gdal import asked
from mrv_assets.stages.formats.geoparquet_metadata import geo_column
from mrv_assets.stages.formats.json_text import parsed_json
from mrv_assets.stages.formats.shapefile import shapefile

_DBF_FIELD = 32  # bytes
_DBF_NAME = 11
_DBF_END = 0x0D


def column_names(data: bytes, source: Source, *, where: str) -> tuple[str, ...]:
    """Return the names of the columns of a file, in the order of the file, each once and blank ones left out.

    The bytes must be a file that `read_delivery` reads, or that it refuses for its columns (gate `columns_present`): it
    is what makes sure that an archive or a document may be opened. Raises GateError as `read_delivery` does.
    """
    return tuple(dict.fromkeys(name for name in _NAMES[source.format](data, source, where) if name.strip()))


def _of_delimited(data: bytes, source: Source, where: str) -> Iterable[str]:
    text = io.TextIOWrapper(io.BytesIO(as_utf8(data, source.text_encoding, where=where)), "utf-8", newline="")
    return next((cells for cells in csv.reader(text, delimiter=source.delimiter) if cells), [])


def _of_workbook(data: bytes, source: Source, where: str) -> Iterable[str]:  # noqa: ARG001 - all are called alike
    with load_workbook(io.BytesIO(data)) as book:
        sheets = [sheet.name for sheet in book.sheets_metadata if sheet.typ is SheetTypeEnum.WorkSheet]
        header = next(book.get_sheet_by_name(source.layer or sheets[0]).iter_rows(), [])
    return [str(cell) for cell in header]


def _of_geojson(data: bytes, source: Source, where: str) -> Iterable[str]:  # noqa: ARG001
    root = parsed_json(data, where=where)
    features = root.get("features", [root])
    return [name for feature in features for name in feature.get("properties") or ()]


def _of_geoparquet(data: bytes, source: Source, where: str) -> Iterable[str]:  # noqa: ARG001
    file = pq.ParquetFile(pa.BufferReader(data))
    geometry = geo_column(file, where=where).name
    return [name for name in file.schema_arrow.names if name != geometry]


def _of_geopackage(data: bytes, source: Source, where: str) -> Iterable[str]:
    layers: Mapping[str, str | None] = dict(asked(lambda: pyogrio.list_layers(data), where=where).tolist())
    layer = source.layer or next(name for name, kind in layers.items() if kind)
    info = asked(lambda: pyogrio.read_info(data, layer=layer), where=where)
    return [*[info["fid_column"]] * bool(info["fid_column"]), *info["fields"]]


def _of_shapefile(data: bytes, source: Source, where: str) -> Iterable[str]:
    parts = shapefile(data, source.layer, where=where)
    codec = dbf_codec(parts.cpg, source.encoding, where=where)
    header = parts.dbf[_DBF_FIELD : int.from_bytes(parts.dbf[8:10], "little")]
    fields = (header[at : at + _DBF_FIELD] for at in range(0, len(header), _DBF_FIELD))
    named = takewhile(lambda field: field[0] != _DBF_END, fields)
    return [field[:_DBF_NAME].partition(b"\0")[0].decode(codec).rstrip() for field in named]


def _of_kml(data: bytes, source: Source, where: str) -> Iterable[str]:  # noqa: ARG001
    if data.startswith(b"PK"):
        [name] = [name for name in members(data, where=where) if name.lower().endswith(".kml")]
        data = read_member(data, name, where=where)
    root: Any = fromstring(data, forbid_dtd=True)
    named = [(element.tag.rpartition("}")[2], element) for mark in _placemarks(root) for element in mark.iter()]
    tags = {tag for tag, _ in named}
    own = [tag for tag in ("name", "description") if tag in tags]
    return [*own, *(element.get("name", "") for tag, element in named if tag in ("SimpleData", "Data"))]


def _placemarks(root: Any) -> Iterable[Any]:
    return (element for element in root.iter() if element.tag.endswith("}Placemark"))


_NAMES: Mapping[SourceFormat, Callable[[bytes, Source, str], Iterable[str]]] = {
    SourceFormat.CSV: _of_delimited,
    SourceFormat.XLSX: _of_workbook,
    SourceFormat.GEOJSON: _of_geojson,
    SourceFormat.GEOPARQUET: _of_geoparquet,
    SourceFormat.GEOPACKAGE: _of_geopackage,
    SourceFormat.SHAPEFILE: _of_shapefile,
    SourceFormat.KML: _of_kml,
}
