"""What the `geo` metadata of a GeoParquet file says of its primary geometry column, checked.

What does not belong here: reading the column (geoparquet) and writing such metadata (storage).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import geoarrow.pyarrow as ga
import pyarrow.parquet as pq

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.json_text import parsed_json
from mrv_assets.stages.formats.positions import shown
from mrv_assets.stages.formats.tags import crs_tag

WKB = "WKB"
_NATIVE = ("point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon")
_VERSIONS = ("1.", "2.")
_ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class GeoColumn:
    """The primary geometry column: its name, its encoding, its CRS as the file states it, and facts.

    `dimensions` matters to native encodings only.
    """

    name: str
    encoding: str
    dimensions: ga.Dimensions
    crs: str | None
    facts: Mapping[str, str]


def geo_column(file: pq.ParquetFile, *, where: str) -> GeoColumn:
    """Return what the metadata says of the primary geometry column.

    Raises GateError: gate `source_readable` when there is no such metadata, it is malformed, of another version, or
    names a column or an encoding that is not there; gate `crs_declared` when edges are not planar, or when the metadata
    and the Parquet type of the column state different CRS.
    """
    geo = _geo(file, where)
    version, name = geo.get("version"), geo.get("primary_column")
    if not isinstance(version, str) or not version.startswith(_VERSIONS):
        raise _malformed(f"{where}, geo.version", expected="version 1 or 2 of GeoParquet", found=shown(version))
    columns = geo.get("columns")
    column = columns.get(name) if isinstance(columns, dict) and isinstance(name, str) else None
    at = f"{where}, geo.columns[{name!r}]"
    if not isinstance(name, str) or not isinstance(column, dict) or file.schema_arrow.names.count(name) != 1:
        found = f"{name!r}; the file has {', '.join(file.schema_arrow.names)}"
        raise _malformed(f"{where}, geo.primary_column", expected="a described column, there once", found=found)
    encoding = column.get("encoding")
    if encoding != WKB and encoding not in _NATIVE:
        raise _malformed(f"{at}.encoding", expected=f"{WKB} or one of {', '.join(_NATIVE)}", found=shown(encoding))
    type_ = _parquet_type(file, name)
    _refuse_curved_edges(column, type_, at)
    stated = column.get("crs", _ABSENT)
    key = "absent" if stated is _ABSENT else "null" if stated is None else "present"
    facts = {"geoparquet_version": version, "geoparquet_encoding": encoding, "crs_key": key}
    noted = {f"geoparquet_{member}": str(column[member]) for member in ("orientation", "epoch") if member in column}
    return GeoColumn(
        name=name,
        encoding=encoding,
        dimensions=_dimensions(column.get("geometry_types"), f"{at}.geometry_types"),
        crs=_crs(None if stated is _ABSENT else stated, type_.get("crs"), f"{at}.crs"),
        facts=facts | noted,
    )


def _geo(file: pq.ParquetFile, where: str) -> dict[str, Any]:
    stored = (file.metadata.metadata or {}).get(b"geo")
    if stored is None:
        raise unreadable(
            where,
            expected="a GeoParquet file, with metadata under the key geo",
            found="a Parquet file without",
            remedy="have it written as GeoParquet, which states which column is the geometry, and in which CRS",
        )
    geo = parsed_json(stored, where=f"{where}, geo")
    if not isinstance(geo, dict):
        raise _malformed(f"{where}, geo", expected="an object", found=shown(geo))
    return geo


def _parquet_type(file: pq.ParquetFile, name: str) -> dict[str, Any]:
    """Return what the type of the column says of it: GEOMETRY and GEOGRAPHY have a CRS of their own."""
    for index in range(len(file.schema)):
        column = file.schema.column(index)
        if column.path == name:
            return dict(json.loads(column.logical_type.to_json()))
    return {}


def _refuse_curved_edges(column: Mapping[str, Any], type_: Mapping[str, Any], at: str) -> None:
    edges = column.get("edges", "planar")
    if edges == "planar" and type_.get("Type") == "Geography":
        edges = "those of the Parquet type GEOGRAPHY"
    if edges != "planar":
        raise _undeclared(
            f"{at}.edges",
            "edges are not straight lines in the CRS",
            expected="planar, or no such member",
            found=shown(edges),
            remedy="have the edges densified and delivered as planar: between two vertices lies other land",
        )


def _dimensions(types: object, at: str) -> ga.Dimensions:
    if not isinstance(types, list) or not all(isinstance(each, str) for each in types):
        raise _malformed(at, expected="an array of names", found=shown(types))
    return ga.Dimensions.XYZ if any(each.endswith(" Z") for each in types) else ga.Dimensions.XY


def _crs(stated: object, of_type: str | None, at: str) -> str | None:
    """Return the CRS that the metadata states, or else the type of the column; the two must not differ."""
    if not isinstance(stated, dict | None):
        raise _malformed(at, expected="a PROJJSON object or null", found=shown(stated))
    crs = crs_tag(json.dumps(stated), where=at) if stated is not None else None
    if not of_type:
        return crs
    also = crs_tag(of_type, where=f"{at}, Parquet type")
    if crs not in (None, also):
        raise _undeclared(
            at,
            "footprints have two different CRS",
            expected=f"that of the Parquet type, {also}",
            found=str(crs),
            remedy="find out which is right, and have the file written anew",
        )
    return also


def _malformed(at: str, *, expected: str, found: str) -> GateError:
    return unreadable(
        at, expected=expected, found=found, remedy="have the file written anew by a current GeoParquet writer"
    )


def _undeclared(at: str, what: str, *, expected: str, found: str, remedy: str) -> GateError:
    return GateError(what, gate="crs_declared", where=at, expected=expected, found=found, remedy=remedy)
