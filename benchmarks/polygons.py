"""The landing file of the benchmark: many small polygons of nine vertices, EPSG:4326, as GeoParquet.

Parcels stand on a grid over Brazil's south, each a star of nine vertices about its centre, none touching another.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyproj import CRS

VERTICES = 9
WEST, SOUTH, SIZE_DEG = -70.0, -25.0, 30.0
_BATCH = 1 << 17
_SEED = 20261129


def write_polygons(path: Path, count: int, *, seed: int = _SEED) -> None:
    """Write `count` parcels with the columns plot_id, year, mwh and geometry; other seeds make other shapes and MWh."""
    geo = {
        "version": "1.1.0",
        "primary_column": "geometry",
        "columns": {
            "geometry": {
                "encoding": "WKB",
                "geometry_types": ["Polygon"],
                "crs": CRS("EPSG:4326").to_json_dict(),
                "edges": "planar",
            }
        },
    }
    schema = pa.schema(
        [("plot_id", pa.string()), ("year", pa.string()), ("mwh", pa.float64()), ("geometry", pa.binary())],
        metadata={"geo": json.dumps(geo)},
    )
    random = np.random.default_rng(seed)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for start in range(0, count, _BATCH):
            numbers = np.arange(start, min(start + _BATCH, count))
            writer.write_table(_parcels(numbers, count, random).cast(schema))


def _parcels(numbers: np.ndarray, count: int, random: np.random.Generator) -> pa.Table:
    side = int(np.ceil(np.sqrt(count)))
    cell = SIZE_DEG / side
    centre = np.column_stack([WEST + cell * (numbers % side + 0.5), SOUTH + cell * (numbers // side + 0.5)])
    angle = np.arange(VERTICES) / VERTICES * 2.0 * np.pi
    reach = cell * 0.45 * (0.6 + 0.4 * random.random((len(numbers), VERTICES)))
    ring = np.empty((len(numbers), VERTICES + 1, 2))
    ring[:, :VERTICES, 0] = centre[:, :1] + reach * np.cos(angle)
    ring[:, :VERTICES, 1] = centre[:, 1:] + reach * np.sin(angle)
    ring[:, VERTICES] = ring[:, 0]
    ids = pc.binary_join_element_wise("plot-", pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 9, "0"), "")
    return pa.table(
        {
            "plot_id": ids,
            "year": pa.repeat(pa.scalar("2021"), len(numbers)),
            "mwh": pa.array(random.random(len(numbers)) * 100.0),
            "geometry": _wkb(ring),
        }
    )


def _wkb(rings: np.ndarray) -> pa.Array:
    record = np.dtype(
        [("order", "u1"), ("type", "<u4"), ("rings", "<u4"), ("vertices", "<u4"), ("xy", "<f8", rings.shape[1:])]
    )
    encoded = np.zeros(len(rings), dtype=record)
    encoded["order"], encoded["type"], encoded["rings"], encoded["vertices"] = 1, 3, 1, rings.shape[1]
    encoded["xy"] = rings
    offsets = np.arange(len(rings) + 1, dtype=np.int32) * record.itemsize
    return pa.Array.from_buffers(
        pa.binary(), len(rings), [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(encoded.tobytes())]
    )
