"""The GeoParquet 1.1 metadata of a geometry column: encoding, CRS, edges, types and extent.

What does not belong here: transforming geometry (stages) and writing the file (parquet).
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

import geoarrow.pyarrow as ga
import numpy as np
import pyarrow as pa
import shapely
from geoarrow.c.lib import GeoArrowCException
from pyproj import CRS
from pyproj.exceptions import CRSError

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.geometry import is_one_shape

GEOMETRY = "geometry"
_TYPES = (
    "Unknown", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection",
)  # fmt: skip
_HAS_Z = 2  # geoarrow's code of x, y, z
_REMEMBERED = 16  # shapes
_PIECE = 1 << 16  # shapes at a time for which there is a Python object each


def geo_metadata(column: pa.ChunkedArray, *, crs: str) -> dict[str, str]:
    """Return the file metadata that tells other engines what `column` is: WKB in `crs`, with planar edges.

    Coordinates are in x, y order whatever the axis order of the CRS, as GeoParquet has it. Raises
    ContractError for an unknown CRS and for bytes that are not WKB.
    """
    present = column.drop_null()
    if is_one_shape(present):
        present = present.slice(0, 1)
    if len(present) == 1:
        return {"geo": _geo_of(present[0].as_py(), crs)}
    return {"geo": _geo(present, crs)}


@lru_cache(maxsize=_REMEMBERED)
def _geo_of(shape: bytes, crs: str) -> str:
    return _geo(pa.chunked_array([pa.array([shape], pa.binary())]), crs)


def _geo(present: pa.ChunkedArray, crs: str) -> str:
    described: dict[str, Any] = {
        "encoding": "WKB",
        "geometry_types": [],
        "crs": _projjson(crs),
        "edges": "planar",
    }
    if len(present):
        try:
            wkb = ga.as_wkb(present)
            types = ga.unique_geometry_types(wkb)
            described["geometry_types"] = _types(types)
            bbox = _extent(wkb, present, has_z=_HAS_Z in types.field("dimensions").to_pylist())
        except (GeoArrowCException, TypeError) as error:
            raise _refused("geometry is not WKB", expected="ISO WKB in every row", found=str(error)) from error
        if all(math.isfinite(number) for number in bbox):
            described["bbox"] = bbox
    document = {"version": "1.1.0", "primary_column": GEOMETRY, "columns": {GEOMETRY: described}}
    return json.dumps(document, separators=(",", ":"))


def _extent(wkb: pa.ChunkedArray, present: pa.ChunkedArray, *, has_z: bool) -> list[float]:
    """Return the least, then the greatest value of each dimension: x, y, and z where any shape has it."""
    box = ga.box_agg(wkb).as_py()
    low, high = [box["xmin"], box["ymin"]], [box["xmax"], box["ymax"]]
    if has_z:
        lowest, highest = _heights(present)
        low, high = [*low, lowest], [*high, highest]
    return [*low, *high]


def _heights(present: pa.ChunkedArray) -> tuple[float, float]:
    """Return the least and the greatest Z value, infinite where there is none."""
    lowest, highest = math.inf, -math.inf
    for start in range(0, len(present), _PIECE):
        with np.errstate(invalid="ignore"):
            shapes = shapely.from_wkb(present.slice(start, _PIECE).to_numpy())
        z = shapely.get_coordinates(shapes, include_z=True)[:, 2]
        lowest, highest = np.fmin.reduce(z, initial=lowest), np.fmax.reduce(z, initial=highest)
    return float(lowest), float(highest)


def _types(found: pa.StructArray) -> list[str]:
    return sorted(
        _TYPES[code] + (" Z" if dimensions == _HAS_Z else "")
        for code, dimensions in zip(*(child.to_pylist() for child in found.flatten()), strict=True)
    )


def _projjson(crs: str) -> dict[str, Any]:
    try:
        return CRS.from_user_input(crs).to_json_dict()
    except CRSError as error:
        raise _refused("CRS is unknown", expected="a CRS known to PROJ, such as EPSG:6933", found=crs) from error


def _refused(what: str, *, expected: str, found: str) -> ContractError:
    return ContractError(
        what,
        where=f"column {GEOMETRY}",
        expected=expected,
        found=found,
        remedy="correct the geometry source or the declared CRS of the project",
    )
