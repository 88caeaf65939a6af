"""The gates of `normalized`: are footprints valid, in metres and of believable size, and units canonical.

The areas in the evidence were measured by the stage on the source coordinates; the gates measure the staged
footprints themselves. What does not belong here: whether footprints of projects overlap.
"""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import shapely

from mrv_assets.compliance.case import Case, Gate, Verdict
from mrv_assets.compliance.footprints import Footprints, Mask
from mrv_assets.compliance.rows import rows_conserved_from
from mrv_assets.domain.contract import CANONICAL_CRS
from mrv_assets.domain.errors import ContractError, listed
from mrv_assets.domain.gate import Metric
from mrv_assets.domain.limits import AREA_LIMIT, CRS_ACCURACY_LIMIT_M, REPAIR_LIMIT
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.units import canonical_unit

# ±180° and ±86° in EPSG:6933, rounded up.
_MAX_X_M, _MAX_Y_M = 17_367_531.0, 7_324_185.0
_SAME_AREA = 1e-9
_POLYGONAL = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)


def _geometry_present(case: Case) -> Verdict:
    footprints = Footprints.of(case)
    shapes = footprints.shapes
    is_good: Mask = np.isin(shapely.get_type_id(shapes), _POLYGONAL)
    is_good &= ~shapely.has_z(shapes) & (np.nan_to_num(footprints.areas) > 0.0)
    return footprints.verdict(
        is_good,
        fault="without a flat polygon",
        limit="a 2-D polygon with an area in every row",
        remedy="correct the geometry in the boundary file or in the source",
    )


def _geometry_finite(case: Case) -> Verdict:
    footprints = Footprints.of(case)
    with np.errstate(invalid="ignore"):
        bounds = np.abs(shapely.bounds(footprints.shapes))
        is_good: Mask = np.all(bounds <= np.array([_MAX_X_M, _MAX_Y_M, _MAX_X_M, _MAX_Y_M]), axis=1)
    return footprints.verdict(
        is_good,
        fault="outside",
        limit=f"finite coordinates within the extent of {CANONICAL_CRS}",
        remedy="check the declared CRS, the order of the axes and the antimeridian in the source geometry",
    )


def _geometry_repair_bounded(case: Case) -> Verdict:
    change = case.measured("repair_max_relative_change")
    footprints = Footprints.of(case)
    valid = footprints.verdict(
        shapely.is_valid(footprints.shapes),
        fault="invalid",
        limit=f"valid footprints, their areas changed by {REPAIR_LIMIT:%} at most when they were repaired",
        remedy="correct the geometry in the boundary file or in the source",
    )
    return Verdict(
        passed=valid.passed and 0 <= change <= REPAIR_LIMIT,
        observed=f"{valid.observed}; largest relative change by repair {change}",
        limit=valid.limit,
        metrics={
            **valid.metrics,
            "max_relative_change": change,
            "repaired": int(case.measured("footprints_repaired")),
        },
        remedy=valid.remedy,
    )


def _crs_operation_accurate(case: Case) -> Verdict:
    accuracy = case.measured("crs_operation_accuracy_m")
    operation = case.staged.evidence.get("crs_operation", "")
    is_canonical = case.staged.crs == CANONICAL_CRS
    return Verdict(
        passed=is_canonical and bool(operation) and 0 <= accuracy <= CRS_ACCURACY_LIMIT_M,
        observed=f"{case.staged.crs or 'no CRS'} by {operation or 'no operation'}, accuracy {accuracy} m",
        limit=f"{CANONICAL_CRS} by a named operation, accuracy 0 to {CRS_ACCURACY_LIMIT_M} m",
        metrics={"accuracy_m": accuracy},
        remedy="install the grid of the best operation, or have the footprints delivered in EPSG:4326",
    )


def _units_known(case: Case) -> Verdict:
    units = sorted(case.column("unit").unique().to_pylist(), key=str)
    refused = [unit for unit in units if not _is_canonical(unit)]
    return Verdict(
        passed=len(units) > 0 and not refused,
        observed=f"units {listed(units)}; not canonical {listed(refused) or 'none'}",
        limit="at least one unit, each by its one canonical name",
        metrics={"units": len(units), "refused": len(refused)},
        remedy="declare the unit by an unambiguous name in the project's [source.constants] or in the source",
    )


def _is_canonical(unit: str | None) -> bool:
    try:
        return canonical_unit(unit or "") == unit
    except ContractError:
        return False


def _area_plausible(case: Case) -> Verdict:
    footprints = Footprints.of(case)
    area_ha = case.column("area_ha").to_numpy()
    is_numeric = len(area_ha) > 0 and bool((np.isfinite(area_ha) & (area_ha > 0.0)).all())
    is_own = is_numeric and np.allclose(area_ha, footprints.areas_ha_by_row, rtol=_SAME_AREA, atol=0.0)
    planar = Decimal(math.fsum(area_ha)) if is_numeric else Decimal(0)
    geodesic = case.measured("area_geodesic_ha")
    worst = case.measured("area_max_relative_difference")
    difference = abs(planar - geodesic) / max(planar, geodesic) if min(planar, geodesic) > 0 else Decimal(1)
    metrics: dict[str, Metric] = {
        "area_planar_ha": round(planar, 6),
        "area_geodesic_ha": round(geodesic, 6),
        "relative_difference": round(difference, 9),
        "max_relative_difference": round(worst, 9),
    }
    return Verdict(
        passed=is_own and difference <= AREA_LIMIT and 0 <= worst <= AREA_LIMIT,
        observed=f"{', '.join(f'{name} {value:f}' for name, value in metrics.items())}; "
        f"area_ha {'is' if is_own else 'is not'} the area of each footprint",
        limit=f"positive areas, those of the footprints, within {AREA_LIMIT:%} of the source's geodesic area",
        metrics=metrics,
        remedy="check the declared CRS and the antimeridian in the source geometry",
    )


GATES = (
    Gate(
        name="rows_conserved",
        question="Are these exactly the activity rows?",
        judge=rows_conserved_from(Asset.ACTIVITY),
    ),
    Gate(name="units_known", question="Is every unit known and unambiguous?", judge=_units_known),
    Gate(
        name="crs_operation_accurate",
        question="Did a known operation of stated accuracy lead to the canonical CRS?",
        judge=_crs_operation_accurate,
    ),
    Gate(
        name="geometry_present",
        question="Does every row have a flat polygon with an area?",
        judge=_geometry_present,
    ),
    Gate(
        name="geometry_finite",
        question="Do all coordinates lie in the canonical CRS?",
        judge=_geometry_finite,
    ),
    Gate(
        name="geometry_repair_bounded",
        question="Is every footprint valid, and hardly changed by repair?",
        judge=_geometry_repair_bounded,
    ),
    Gate(
        name="area_plausible",
        question="Is every area a number, and close to the area on the ellipsoid?",
        judge=_area_plausible,
    ),
)
