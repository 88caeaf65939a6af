"""The one operation that takes footprints from their CRS to the canonical one, and the areas on both sides.

An operation is used only when it is the best that PROJ knows, is installed, and states an accuracy within the
limit; so a machine with other grids gives the same coordinates or none. Edges are straight lines in the
source CRS. What does not belong here: whether coordinates make sense (placement) and repair (footprints).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS, Geod, Transformer
from pyproj.transformer import TransformerGroup

from mrv_assets.domain.contract import CANONICAL_CRS
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.limits import CRS_ACCURACY_LIMIT_M
from mrv_assets.stages.crs import known_crs
from mrv_assets.stages.footprints import Areas, Shapes, densified

MAX_EDGE_DEG = 0.1
MAX_EDGE_M = 10_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """How a source CRS becomes the canonical one: PROJ's name of the operation and its accuracy in metres.

    `to_geographic` gives longitude and latitude on the source datum and is None when the source is already
    that. `max_edge` is in units of the source CRS.
    """

    source: CRS
    name: str
    accuracy_m: float
    to_canonical: Transformer
    to_geographic: Transformer | None
    max_edge: float

    def densified(self, shapes: Shapes) -> Shapes:
        """Add vertices so that no edge is longer than `max_edge`; a straight edge bends in another CRS."""
        return densified(shapes, self.max_edge)

    def projected(self, shapes: Shapes) -> Shapes:
        """Return the shapes in metres of the canonical CRS; what has no place there becomes infinite."""
        return _moved(shapes, self.to_canonical)

    def geographic(self, shapes: Shapes) -> Shapes:
        """Return the shapes in degrees of longitude and latitude on the source datum."""
        return shapes if self.to_geographic is None else _moved(shapes, self.to_geographic)

    def geodesic_areas_m2(self, geographic: Shapes) -> Areas:
        """Return the area of each shape on the source ellipsoid, m2, from its longitudes and latitudes."""
        geod = self.source.get_geod() or Geod(ellps="WGS84")
        oriented = shapely.orient_polygons(geographic)
        return np.array([abs(geod.geometry_area_perimeter(shape)[0]) for shape in oriented], dtype=np.float64)


def operation_from(crs: str, *, where: str) -> Operation:
    """Return the operation from `crs` to the canonical CRS.

    Raises GateError (gate `crs_operation_accurate`) when the best operation is not installed, when its
    accuracy is unknown or worse than `CRS_ACCURACY_LIMIT_M`, or when a geographic CRS counts in other units
    than degrees.
    """
    source = known_crs(crs, gate="crs_operation_accurate", where=where).to_2d()
    group = _operations(source.to_wkt())
    if not group.best_available or not group.transformers:
        missing = [operation.name for operation in group.unavailable_operations]
        raise _inaccurate(crs, where, f"not installed: {missing[0] if missing else 'any of known accuracy'}")
    best = group.transformers[0]
    if not 0.0 <= best.accuracy <= CRS_ACCURACY_LIMIT_M:
        raise _inaccurate(crs, where, f"{best.description}, accuracy {best.accuracy} m")
    unit = source.axis_info[0].unit_conversion_factor
    if source.is_geographic and not math.isclose(unit, math.radians(1.0)):
        raise _inaccurate(crs, where, f"angles in {source.axis_info[0].unit_name}")
    return Operation(
        source=source,
        name=best.description,
        accuracy_m=best.accuracy,
        to_canonical=best,
        to_geographic=None if source.is_geographic else _to_geographic(source),
        max_edge=MAX_EDGE_DEG if source.is_geographic else MAX_EDGE_M / unit,
    )


@cache
def _operations(source_wkt: str) -> TransformerGroup:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missing grid is a refusal of ours, not a warning
        return TransformerGroup(source_wkt, CANONICAL_CRS, always_xy=True, allow_ballpark=False)


def _to_geographic(source: CRS) -> Transformer:
    return Transformer.from_crs(source, source.geodetic_crs, always_xy=True)


def _moved(shapes: Shapes, transformer: Transformer) -> Shapes:
    def move(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = transformer.transform(coordinates[:, 0], coordinates[:, 1])
        # Adding 0.0 turns -0.0 into 0.0: one place, one spelling.
        return np.column_stack([x, y]) + 0.0

    moved: Shapes = shapely.transform(shapes, move)
    return moved


def _inaccurate(crs: str, where: str, found: str) -> GateError:
    return GateError(
        "no accurate operation leads to the canonical CRS",
        gate="crs_operation_accurate",
        where=f"{where}, {crs} to {CANONICAL_CRS}",
        expected=f"PROJ's best operation, installed, accuracy 0 to {CRS_ACCURACY_LIMIT_M} m, in degrees",
        found=found,
        remedy="install its grid with projsync, or have the footprints delivered in EPSG:4326",
    )
