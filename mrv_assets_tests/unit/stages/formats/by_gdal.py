"""Geometry files as GDAL writes them, of rows whose ids a spreadsheet would mangle.

What does not belong here: what a test changes in such a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import shapely
from pyogrio.raw import write_arrow

PLOT = "POLYGON ((0 0, 0 2, 2 2, 0 0))"
HIGH = "POLYGON Z ((0 0 1, 0 2 1, 2 2 1, 0 0 1))"
IDS = ["0042", "891e3", "1914310000010100016"]
COLUMNS: Mapping[str, Any] = {
    "rid": IDS,
    "n": pa.array([2**53 + 1, None, -3], pa.int64()),
    "q": [1.5, 0.1, None],
    "ok": [True, False, None],
    "d": pa.array([date(2021, 2, 28), None, date(1969, 12, 31)]),
}
WKTS = [PLOT, None, PLOT]


def written(
    path: Path,
    columns: Mapping[str, Any] = COLUMNS,
    wkts: list[str | None] | None = None,
    *,
    crs: str | None = "EPSG:4326",
    **options: Any,
) -> Path:
    """Write a table and its outlines by GDAL."""
    outlines = [None if w is None else shapely.to_wkb(shapely.from_wkt(w), flavor="iso") for w in wkts or WKTS]
    table = pa.table({**columns, "geom": pa.array(outlines, pa.binary())})
    options = {"geometry_type": "Polygon", **options}
    write_arrow(table, path, geometry_name="geom", crs=crs, **options)
    return path
