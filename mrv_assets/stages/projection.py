"""The operation that takes footprints from their CRS to the equal-area one, and the areas on both sides.

Edges are straight lines in the source CRS, so long ones get vertices before they are moved; where the plane is cut,
footprints across the cut are cut as well. A source that is the equal-area CRS already, under whatever name, keeps every
coordinate. What does not belong here: which operation is good enough (best_operation), whether coordinates make sense
(placement) and repair (footprints).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyproj
import pyproj.database
import shapely
from numpy.typing import NDArray
from pyproj import CRS, Geod, Transformer
from pyproj.enums import TransformDirection

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import GateError
from mrv_assets.stages.antimeridian import crossing, split, unwrapped
from mrv_assets.stages.best_operation import Best, best_operation
from mrv_assets.stages.crs import degrees_from_greenwich, known_crs, named
from mrv_assets.stages.equal_area import centre_of, equal_area_crs, extent, is_same_plane, plane_of
from mrv_assets.stages.footprints import Areas, Bounds, Mask, Shapes
from mrv_assets.stages.geodesic import areas_beside_m2, geodesic_areas_m2
from mrv_assets.stages.vertices import densified

MAX_EDGE_DEG = 0.1
MAX_EDGE_M = 10_000.0
IDENTITY = "identity"

Floats = NDArray[np.float64]
_Move = Callable[[Floats, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """Footprints in the equal-area CRS, m, and their areas on the ellipsoid of the source, m2.

    `is_split` marks those that lay across the cut of the plane. None stands for one that crosses itself there and so
    cannot be cut; what has no place on the plane is infinite.
    """

    shapes: Shapes
    geodesic_m2: Areas
    is_split: Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """How the source CRS becomes the equal-area one: PROJ's name of the operation, its accuracy, m, its definition.

    `to_target` takes x and y of the source and gives x and y of the target, m, without cutting anything.
    `to_geographic` is None for a geographic source; `plane` leads from the target's datum, degrees, to its plane.
    `max_edge` is in units of the source CRS. `area` is where the operation holds. `missing` names a better operation
    that is not installed, and is empty when there is none. Threads may share all of it.
    """

    source: CRS
    target: CRS
    source_name: str
    target_name: str
    name: str
    accuracy_m: float
    is_best_available: bool
    missing: str
    waived_because: str | None
    area: Bounds | None
    max_edge: float
    to_target: Transformer
    to_geographic: Transformer | None
    plane: Transformer

    @property
    def is_identity(self) -> bool:
        """Whether the source is the equal-area CRS already, so that coordinates keep their bits."""
        return self.name == IDENTITY

    @property
    def is_geographic_source(self) -> bool:
        """Whether the source counts in degrees of longitude and latitude."""
        return bool(self.source.is_geographic)

    @property
    def evidence(self) -> Mapping[str, str]:
        """What an auditor needs to do the same again, as text by name."""
        return {
            "crs_source": self.source_name,
            "crs_target": self.target_name,
            "crs_target_extent_m": " ".join(f"{bound:.0f}" for bound in extent(self.target)),
            "crs_operation": self.name,
            "crs_operation_accuracy_m": repr(self.accuracy_m),
            "crs_pipeline": self.to_target.definition,
            "crs_best_available": "yes" if self.is_best_available else "no",
            "crs_missing_grids": self.missing,
            "crs_waived_because": self.waived_because or "",
            "proj_version": f"{pyproj.proj_version_str}, EPSG {pyproj.database.get_database_metadata('EPSG.VERSION')}",
            "max_edge_source_units": repr(math.inf if self.is_identity else self.max_edge),
        }

    @property
    def geod(self) -> Geod:
        """The ellipsoid of the source."""
        return self.source.get_geod() or Geod(ellps="WGS84")

    def degrees(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return longitudes from Greenwich and latitudes, degrees, on the source datum, of x and y of the source."""
        if self.to_geographic is not None:
            x, y = self.to_geographic.transform(x, y)
        unit, meridian = degrees_from_greenwich(self.source)
        # Multiplied and added only where it changes something, so that degrees keep their bits.
        return (x, y) if (unit, meridian) == (1.0, 0.0) else (x * unit + meridian, y * unit)

    def geographic(self, shapes: Shapes) -> Shapes:
        """Return shapes of the source in degrees of longitude and latitude on its datum, with the same vertices."""
        return _moved(shapes, self.degrees)

    def densified(self, shapes: Shapes) -> Shapes:
        """Add vertices so that no edge is longer than `max_edge`; a straight edge bends in another CRS.

        Polygons across the antimeridian get continuous longitudes first, beyond ±180.
        """
        return densified(unwrapped(shapes) if self.is_geographic_source else shapes, self.max_edge)

    def carried(self, shapes: Shapes) -> Carried:
        """Return polygons or points of the source CRS in the equal-area CRS; they must be finite and well placed."""
        dense = self.densified(shapes)
        if self.is_identity:
            planar, is_split = _moved(shapes, lambda x, y: (x, y)), np.zeros(len(shapes), dtype=np.bool_)
        else:
            planar, is_split = self._cut(_moved(dense, self.to_target.transform))
        geodesic_m2 = areas_beside_m2(
            shapely.area(planar), dense, self.max_edge, lambda some: self.geodesic_areas_m2(self.geographic(some))
        )
        return Carried(shapes=planar, geodesic_m2=geodesic_m2, is_split=is_split)

    def geodesic_areas_m2(self, geographic: Shapes) -> Areas:
        """Return the area of each shape on the source ellipsoid, m2, from longitudes and latitudes; 0 for a point."""
        return geodesic_areas_m2(geographic, self.geod)

    def _cut(self, planar: Shapes) -> tuple[Shapes, Mask]:
        """Cut the shapes that cross the cut of the plane, and tell which."""
        if centre_of(self.target) is None:
            return planar, np.zeros(len(planar), dtype=np.bool_)
        # Back from the plane, not from the source: the datum may have moved a vertex to the other side of the cut.
        turned = _moved(planar, lambda x, y: self.plane.transform(x, y, direction=TransformDirection.INVERSE))
        is_split = crossing(turned)
        cut = planar.copy()
        # Densified once more: the cut itself is a long edge, and in many projections a curve.
        halves = densified(split(turned[is_split]), MAX_EDGE_DEG)
        cut[is_split] = _moved(halves, self.plane.transform)
        return cut, is_split


def operation_from(crs: str, *, policy: CrsPolicy, where: str, land: Bounds | None = None) -> Operation:
    """Return the operation from `crs` to the equal-area CRS of the policy.

    `land` is the box of the project's land; it counts only for a project that waives the best grid. Raises GateError
    (gate `crs_operation_accurate`) when the equal-area CRS is none, when the policy does not allow the best operation
    that is installed, or when a geographic CRS counts in other units than degrees.
    """
    source = known_crs(crs, gate="crs_operation_accurate", where=where)
    target = equal_area_crs(policy.equal_area, where=where)
    if source.is_geographic and degrees_from_greenwich(source)[0] != 1.0:
        raise _not_in_degrees(source, where)
    if is_same_plane(source, target):
        best = Best(
            name=IDENTITY,
            accuracy_m=0.0,
            area=None,
            transformer=_transformer(source, target),
            is_best=True,
            missing="",
        )
    else:
        best = best_operation(source, target, policy=policy, land=land, where=where)
    return Operation(
        source=source,
        target=target,
        source_name=crs,
        target_name=policy.equal_area,
        name=best.name,
        accuracy_m=best.accuracy_m,
        is_best_available=best.is_best,
        missing=best.missing,
        waived_because=policy.waived_because,
        area=best.area,
        max_edge=MAX_EDGE_DEG if source.is_geographic else MAX_EDGE_M / source.axis_info[0].unit_conversion_factor,
        to_target=best.transformer,
        to_geographic=None if source.is_geographic else _transformer(source, source.geodetic_crs),
        plane=plane_of(target),
    )


def _transformer(source: CRS, target: CRS | None) -> Transformer:
    return Transformer.from_crs(source, target, always_xy=True)


def _moved(shapes: Shapes, move: _Move) -> Shapes:
    def moved(coordinates: Floats) -> Floats:
        # Adding 0.0 turns -0.0 into 0.0: one place, one spelling.
        return np.column_stack(move(coordinates[:, 0], coordinates[:, 1])) + 0.0

    flat: Shapes = shapely.transform(shapes, moved)
    return flat


def _not_in_degrees(crs: CRS, where: str) -> GateError:
    return GateError(
        "no accurate operation leads to the equal-area CRS",
        gate="crs_operation_accurate",
        where=f"{where}, {named(crs)}",
        expected="longitudes and latitudes in degrees",
        found=f"angles in {crs.axis_info[0].unit_name}",
        remedy="have the footprints delivered in EPSG:4326",
    )
