"""Files that say where the regions of a factor release are, and normalised rows that lie in them.

What does not belong here: releases (builders, chains).
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import geopandas
import pyarrow as pa
import shapely
from pyproj import Transformer

from mrv_assets.domain.contract import CANONICAL_CRS, saying
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import table_of

TO_CANONICAL = Transformer.from_crs("EPSG:4326", CANONICAL_CRS, always_xy=True)
WEST, EAST = "POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))", "POLYGON ((1 0, 2 0, 2 1, 1 1, 1 0))"


def regions_parquet(regions: Mapping[Any, str], *, crs: str | None = "EPSG:4326", to: str | None = None) -> bytes:
    """Return a GeoParquet file of regions in WKT by id, longitude and latitude unless said otherwise."""
    shapes = [None if wkt == "" else shapely.from_wkt(wkt) for wkt in regions.values()]
    frame = geopandas.GeoDataFrame({"region": list(regions)}, geometry=shapes, crs=crs)
    target = io.BytesIO()
    (frame.to_crs(to) if to else frame).to_parquet(target)
    return target.getvalue()


def normalized_at(*footprints: str | None, quantity: float = 10.0) -> pa.Table:
    """Return normalised rows of so many MWh whose footprints are these in longitude and latitude, r0 the first."""
    rows = []
    for number, wkt in enumerate(footprints):
        shape = (
            None if wkt is None else shapely.transform(shapely.from_wkt(wkt), TO_CANONICAL.transform, interleaved=False)
        )
        rows.append(
            {
                "row_id": f"r{number}",
                "activity_id": "electricity.delivered",
                "region": "spatial",
                "epoch": "2021",
                "activity_qty": quantity,
                "unit": "megawatt_hour",
                "geometry": None if shape is None else shapely.to_wkb(shape),
                "area_ha": 0.0,
            }
        )
    return saying(table_of(Asset.NORMALIZED, rows), {"crs": CANONICAL_CRS, "crs_source": "EPSG:4326"})
