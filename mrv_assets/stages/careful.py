"""The careful route: any footprint, one shapely object each, with everything that may be wrong or unusual about it.

This is what normalising a footprint means; the bulk route does the same for plain rings. What does not belong here:
what becomes of a row with a fault (sieve).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from mrv_assets.domain.limits import AREA_LIMIT, REPAIR_LIMIT
from mrv_assets.domain.remedies import CORRECT_GEOMETRY
from mrv_assets.domain.source import Footprint
from mrv_assets.stages.footprints import POLYGONAL, Bounds, Shapes, canonical_wkb, polygonal, repaired, shapes_of
from mrv_assets.stages.placed import Placed, Rows
from mrv_assets.stages.placement import misplaced
from mrv_assets.stages.projection import Operation
from mrv_assets.stages.sieve import Fault, Mask

_NO_AREA = 1e-12  # m2, below any area, so that points are not divided by nothing
_KINDS = {Footprint.AREA: POLYGONAL, Footprint.POINT: (shapely.GeometryType.POINT,)}
_NOUN = {Footprint.AREA: "polygons that are not empty", Footprint.POINT: "points that are not empty"}
_DECLARE = f"{CORRECT_GEOMETRY}; or set footprint under [source] to what the rows have, area or point"


def carefully(wkb: pa.Array, rows: Rows, *, operation: Operation, footprint: Footprint, land: Bounds | None) -> Placed:
    """Return the footprints `wkb`, those of `rows`, normalised: 2-D, cut at ±180°, valid, in the equal-area CRS.

    `land` is the box of the project's land, degrees, or None when it is not to be compared with.
    """
    given = polygonal(shapes_of(wkb))
    shapes = shapely.force_2d(given)
    alive = _Alive(len(rows))
    is_kind = np.isin(shapely.get_type_id(shapes), _KINDS[footprint]) & ~shapely.is_empty(shapes)
    alive.fault(~is_kind, _fault("geometry_present", _NOUN[footprint], _example(given[~is_kind]), remedy=_DECLARE))
    for wrong in misplaced(shapes[alive.rows], operation, boundary=land):
        alive.note(wrong.shapes, _fault("geometry_finite", wrong.rule, f"coordinates such as {wrong.example}"))
    alive.drop_noted()
    carried = operation.carried(shapes[alive.rows])
    has_place = ~shapely.is_missing(carried.shapes) & np.isfinite(shapely.bounds(carried.shapes)).all(axis=1)
    planar, geodesic_m2, is_split = (
        values[has_place] for values in (carried.shapes, carried.geodesic_m2, carried.is_split)
    )
    alive.fault(
        ~has_place, _fault("geometry_finite", f"a place in {operation.target_name}", "none, or a cut of itself")
    )
    repair = repaired(planar)
    change = np.where(repair.is_repaired, repair.relative_change, 0.0)
    is_gone = shapely.is_empty(repair.shapes)
    alive.note(is_gone, _fault("geometry_present", "footprints with an area", "one that vanishes when made valid"))
    alive.note(~is_gone & (change > float(REPAIR_LIMIT)), _too_much(change[~is_gone]))
    apart = np.abs(repair.area_after - geodesic_m2) / np.maximum(np.maximum(repair.area_after, geodesic_m2), _NO_AREA)
    alive.note(~is_gone & (apart > float(AREA_LIMIT)), _too_far_apart(apart[~is_gone]))
    return alive.placed(
        rows,
        shapes=_in_one_spelling(repair.shapes),
        values={
            "area_m2": repair.area_after,
            "before_m2": repair.area_before,
            "geodesic_m2": geodesic_m2,
            "is_repaired": repair.is_repaired,
            "is_split": is_split,
        },
        has_z=shapely.has_z(given) | shapely.has_m(given),
    )


class _Alive:
    """The positions of the footprints that are still without a fault, and the faults of the others."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._noted: Mask = np.zeros(count, dtype=np.bool_)
        self._faults: list[tuple[Mask, Fault]] = []
        self.rows: Rows = np.arange(count)

    def note(self, is_bad: Mask, fault: Fault) -> None:
        """Remember a fault of those that are alive, which stay alive until `drop_noted`."""
        if is_bad.any():
            marked = np.zeros(self._count, dtype=np.bool_)
            marked[self.rows[is_bad]] = True
            self._faults.append((marked, fault))
            self._noted |= marked

    def drop_noted(self) -> None:
        self.rows = self.rows[~self._noted[self.rows]]

    def fault(self, is_bad: Mask, fault: Fault) -> None:
        self.note(is_bad, fault)
        self.drop_noted()

    def placed(self, rows: Rows, *, shapes: Shapes, values: dict[str, NDArray[Any]], has_z: Mask) -> Placed:
        """Return what became of all; `shapes` and `values` are those of the ones alive before the last notes."""
        before = self.rows
        self.drop_noted()
        is_good = ~self._noted[before]
        wkb = np.full(self._count, None, dtype=object)
        wkb[self.rows] = canonical_wkb(shapes[is_good])
        spread = {}
        for name, found in values.items():
            spread[name] = np.full(self._count, False if found.dtype == np.bool_ else np.nan)
            spread[name][self.rows] = found[is_good]
        return Placed(
            rows=rows,
            wkb=pa.array(wkb, pa.binary()),
            has_z=has_z,
            is_plain=np.zeros(self._count, dtype=np.bool_),
            faults=tuple(self._faults),
            **spread,
        )


def _in_one_spelling(shapes: Shapes) -> Shapes:
    """Return a polygon for several of which there is one: formats differ in how they call the same land."""
    is_one = (shapely.get_type_id(shapes) == shapely.GeometryType.MULTIPOLYGON) & (
        shapely.get_num_geometries(shapes) == 1
    )
    return np.where(is_one, shapely.get_geometry(shapes, 0), shapes)


def _too_much(change: NDArray[np.float64]) -> Fault:
    largest = float(change.max(initial=0.0))
    found = f"a change of {largest:.3%} at most" if np.isfinite(largest) else "a repair that makes area out of none"
    expected = f"valid footprints, or a repair that changes the area by {REPAIR_LIMIT:%} at most"
    return _fault("geometry_repair_bounded", expected, found)


def _too_far_apart(apart: NDArray[np.float64]) -> Fault:
    expected = f"areas on the plane within {AREA_LIMIT:.0%} of those on the ellipsoid"
    return _fault("area_plausible", expected, f"a difference of {float(apart.max(initial=0.0)):.3%}")


def _example(shapes: Shapes) -> str:
    """Say what is there instead of the geometry that is wanted, by the first of the shapes."""
    if not len(shapes) or shapes[0] is None:
        return "no geometry that can be read"
    return f"another geometry, such as {'an empty' if shapes[0].is_empty else 'a'} {shapes[0].geom_type}"


def _fault(gate: str, expected: str, found: str, *, remedy: str = CORRECT_GEOMETRY) -> Fault:
    return Fault(what="footprint is refused", gate=gate, expected=expected, found=found, remedy=remedy)
