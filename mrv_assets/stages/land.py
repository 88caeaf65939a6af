"""The box around the project's land, which tells footprints that are elsewhere from those that are at home.

What does not belong here: the rule (placement).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import shapely
from pyproj import Transformer

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.project import Project
from mrv_assets.stages.antimeridian import bounding_box
from mrv_assets.stages.crs import degrees_from_greenwich, known_crs
from mrv_assets.stages.footprints import Bounds, Shapes, shapes_of, wkb_of_geojson


def land_box(project: Project, boundary: Mapping[str, Any], *, boundary_crs: str | None, where: str) -> Bounds | None:
    """Return west, south, east and north, degrees, of the project's boundary; None where no row has its own footprint.

    Raises GateError (gate `crs_operation_accurate`) when nobody says which CRS the boundary is in.
    """
    if not project.source.geometry.is_own:
        return None
    place = f"{where}, boundary {project.boundary.path}"
    crs = project.boundary.declared.crs if project.boundary.declared else boundary_crs
    if crs is None:
        raise GateError(
            "boundary has no CRS, so nobody can tell whether footprints lie in it",
            gate="crs_operation_accurate",
            where=place,
            expected="a CRS in the boundary file or declared_crs under [boundary]",
            found="neither",
            remedy="set declared_crs and declared_because under [boundary], after asking who made the file",
        )
    shapes = shapes_of(pa.array([wkb_of_geojson(boundary, where=place)], pa.binary()))
    return bounding_box(_degrees(shapes, crs, place))


def _degrees(shapes: Shapes, crs: str, where: str) -> Shapes:
    source = known_crs(crs, gate="crs_operation_accurate", where=where)
    unit, meridian = degrees_from_greenwich(source)
    move = Transformer.from_crs(source, source.geodetic_crs, always_xy=True)
    flat: Shapes = shapely.transform(
        shapes, lambda xy: np.column_stack(move.transform(xy[:, 0], xy[:, 1])) * unit + [meridian, 0.0]
    )
    return flat
