"""Activity rows that bring footprints of their own, and what normalising makes of them.

What does not belong here: the partition that is carried through all stages (builders).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import shapely

from mrv_assets.domain.contract import saying
from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.source import Footprint, Quarantine, Source
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.footprints import Bounds
from mrv_assets.stages.normalize import normalize
from mrv_assets_tests.builders import WHERE, table_of, wkt_project

EQUAL_AREA = "EPSG:6933"
Shape: TypeAlias = str | bytes | shapely.Geometry | None


def encoded(shape: Shape) -> bytes | None:
    """Return a footprint given as WKT, as a shapely geometry or as bytes, in ISO WKB."""
    if shape is None or isinstance(shape, bytes):
        return shape
    with np.errstate(invalid="ignore"):
        geometry = shapely.from_wkt(shape) if isinstance(shape, str) else shape
        return bytes(shapely.to_wkb(geometry, byte_order=1, flavor="iso"))


def activity(
    *shapes: Shape, crs: str | None = EQUAL_AREA, columns: Mapping[str, Sequence[object]] | None = None
) -> pa.Table:
    """Return activity rows r0, r1, … with these footprints, in this CRS; `columns` exchanges whole columns."""
    width = len(str(max(len(shapes) - 1, 0)))
    usual: Mapping[str, Sequence[object]] = {
        "row_id": [f"r{number:0{width}d}" for number in range(len(shapes))],
        "activity_id": ["electricity.delivered"] * len(shapes),
        "region": ["US/MROW"] * len(shapes),
        "epoch": ["2021"] * len(shapes),
        "activity_qty": [1.0] * len(shapes),
        "unit": ["MWh"] * len(shapes),
        "geometry": [encoded(shape) for shape in shapes],
    }
    cells = {**usual, **(columns or {})}
    rows = [dict(zip(cells, values, strict=True)) for values in zip(*cells.values(), strict=True)]
    return saying(table_of(Asset.ACTIVITY, rows), {} if crs is None else {"crs": crs})


def source(
    *, quarantine: str | None = None, overlaps: str | None = None, footprint: Footprint = Footprint.AREA
) -> Source:
    """Return a source whose rows bring their own WKT; it may set aside up to this share."""
    allowed = None if quarantine is None else Quarantine(max_share=Decimal(quarantine), because="the sender mends them")
    base = wkt_project(crs=EQUAL_AREA).source
    return replace(base, quarantine=allowed, overlaps_because=overlaps, footprint=footprint)


def policy(equal_area: str = EQUAL_AREA) -> CrsPolicy:
    """Return the policy of a project that waives nothing and measures areas in this CRS."""
    return CrsPolicy.parse({"equal_area": equal_area, "because": "the programme demands it"})


def normalized(
    *shapes: Shape, crs: str = EQUAL_AREA, equal_area: str = EQUAL_AREA, quarantine: str | None = None
) -> Staged:
    """Normalise rows with these footprints."""
    return normalized_table(activity(*shapes, crs=crs), equal_area=equal_area, quarantine=quarantine)


def normalized_table(
    table: pa.Table,
    *,
    equal_area: str = EQUAL_AREA,
    quarantine: str | None = None,
    footprint: Footprint = Footprint.AREA,
    land: Bounds | None = None,
) -> Staged:
    """Normalise activity rows."""
    rules = source(quarantine=quarantine, footprint=footprint)
    return normalize(table, source=rules, policy=policy(equal_area), land=land, where=WHERE)
