"""The land behind a figure, for maps: the distinct footprints of its normalized table, in EPSG:6933.

What does not belong here: drawing (charts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import shapely

from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.figures import Figure, upstream_record
from mrv_assets.storage.slots import SlotStore

Ring: TypeAlias = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Land:
    """One project's footprints: outer rings and a point inside in metres (EPSG:6933), planar area in hectares."""

    project_id: str
    rings: Sequence[Ring]
    inside: tuple[float, float]
    area_ha: float


def land_of(slots: SlotStore, figure: Figure) -> Land:
    """Return the land of the normalized generation that `figure` was made from. Raises as the slot store does."""
    record = upstream_record(slots, figure.record, Asset.NORMALIZED)
    distinct = slots.load_table(record).column("geometry").unique().to_pylist()
    parts = shapely.get_parts(shapely.union_all(shapely.from_wkb(distinct)))
    polygons = [part for part in parts if isinstance(part, shapely.Polygon)]
    shape = shapely.MultiPolygon(polygons)
    # The middle of the largest circle inside: where a label has most room.
    inside = shapely.get_point(shapely.maximum_inscribed_circle(shape), 0)
    return Land(
        project_id=figure.project_id,
        rings=[[(x, y) for x, y in polygon.exterior.coords] for polygon in polygons],
        inside=(inside.x, inside.y),
        area_ha=shape.area / 10_000.0,
    )
