"""The GeoParquet 1.1 metadata of a geometry column: encoding, CRS, edges, types and extent.

What does not belong here: transforming geometry (stages) and writing the file (parquet).
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import shapely
from pyproj import CRS
from pyproj.exceptions import CRSError

from mrv_assets.domain.errors import ContractError

GEOMETRY = "geometry"
_TYPES = (
    "Point", "LineString", "LinearRing", "Polygon",
    "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection",
)  # fmt: skip


def geo_metadata(column: pa.ChunkedArray, *, crs: str) -> dict[str, str]:
    """Return the file metadata that tells other engines what `column` is: WKB in `crs`, with planar edges.

    Coordinates are in x, y order whatever the axis order of the CRS, as GeoParquet has it. Raises
    ContractError for an unknown CRS and for bytes that are not WKB.
    """
    shapes = _shapes(column)
    described: dict[str, Any] = {
        "encoding": "WKB",
        "geometry_types": _types(shapes),
        "crs": _projjson(crs),
        "edges": "planar",
    }
    bbox = _bbox(shapes)
    if bbox:
        described["bbox"] = bbox
    document = {"version": "1.1.0", "primary_column": GEOMETRY, "columns": {GEOMETRY: described}}
    return {"geo": json.dumps(document, separators=(",", ":"))}


def _shapes(column: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    wkb = column.drop_null().to_numpy()
    try:
        return np.atleast_1d(shapely.from_wkb(wkb))
    except (shapely.errors.GEOSException, TypeError) as error:
        raise _refused("geometry is not WKB", expected="ISO WKB in every row", found=str(error)) from error


def _types(shapes: np.ndarray[Any, Any]) -> list[str]:
    ids, flags = shapely.get_type_id(shapes), shapely.has_z(shapes)
    return sorted({_TYPES[id_] + (" Z" if has_z else "") for id_, has_z in zip(ids, flags, strict=True)})


def _projjson(crs: str) -> dict[str, Any]:
    try:
        return CRS.from_user_input(crs).to_json_dict()
    except CRSError as error:
        raise _refused("CRS is unknown", expected="a CRS known to PROJ, such as EPSG:6933", found=crs) from error


def _bbox(shapes: np.ndarray[Any, Any]) -> list[float]:
    """Return the minima, then the maxima, of x, y and z (if a shape has it); nothing without points."""
    has_z = bool(shapely.has_z(shapes).any())
    points = shapely.get_coordinates(shapes, include_z=has_z)
    if not len(points):
        return []
    # fmin and fmax pass over the NaN that stands for the z of a flat shape.
    return [float(x) for x in (*np.fmin.reduce(points), *np.fmax.reduce(points))]


def _refused(what: str, *, expected: str, found: str) -> ContractError:
    return ContractError(
        what,
        where=f"column {GEOMETRY}",
        expected=expected,
        found=found,
        remedy="correct the geometry source or the declared CRS of the project",
    )
