"""The gates of `normalized`: are footprints valid, in metres and of believable size, and units canonical.

The areas in the evidence were measured by the stage on the source coordinates; the gates measure the staged
footprints themselves. What does not belong here: whether footprints of projects overlap.
"""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.expectations import expectations_met
from mrv_assets.compliance.footprints import Mask
from mrv_assets.compliance.land import land_counted_once
from mrv_assets.compliance.rows import rows_conserved_from
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.contract import CANONICAL_CRS, NORMALIZED
from mrv_assets.domain.errors import ContractError, listed
from mrv_assets.domain.gate import Metric
from mrv_assets.domain.geometry import MULTIPOLYGON, POINT, POLYGON
from mrv_assets.domain.limits import AREA_LIMIT, CRS_ACCURACY_LIMIT_M, REPAIR_LIMIT
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.remedies import CORRECT_GEOMETRY
from mrv_assets.domain.source import Footprint
from mrv_assets.domain.units import canonical_unit

# ±180° and ±86° in EPSG:6933, rounded up.
_MAX_X_M, _MAX_Y_M = 17_367_531.0, 7_324_185.0
_SAME_AREA = 1e-9
_DECLARE = "set geometry and footprint under [source] to what the rows have"
_FLAT = {Footprint.AREA: (POLYGON, MULTIPOLYGON), Footprint.POINT: (POINT,), Footprint.NONE: (0,)}


def _geometry_present(case: Case) -> Verdict:
    kind, footprints = case.footprint, case.footprints
    is_good: Mask = np.isin(footprints.types, _FLAT[kind])
    if kind is not Footprint.NONE:
        is_good &= footprints.is_present
    if kind is Footprint.AREA:
        is_good &= np.nan_to_num(footprints.areas) > 0.0
    return footprints.verdict(
        is_good,
        fault=f"not as declared ({kind})",
        limit="a 2-D polygon with an area in every row; a point or nothing where the project declares that",
        remedy=CORRECT_GEOMETRY,
    )


def _geometry_finite(case: Case) -> Verdict:
    footprints = case.footprints
    if case.footprint is Footprint.NONE:
        return footprints.verdict(
            footprints.types == 0, fault="with a footprint", limit="no footprint", remedy=_DECLARE
        )
    xmin, ymin, xmax, ymax = extent = _extent(case)
    with np.errstate(invalid="ignore"):
        west, south, east, north = footprints.bounds.T
        is_good: Mask = (west >= xmin) & (south >= ymin) & (east <= xmax) & (north <= ymax)
    return footprints.verdict(
        is_good,
        fault="outside",
        limit=f"finite coordinates within the extent of {case.staged.crs}, m: {' '.join(f'{m:.0f}' for m in extent)}",
        remedy="check the declared CRS, the order of the axes and the antimeridian in the source geometry",
    )


def _extent(case: Case) -> tuple[float, float, float, float]:
    """Return the box, m, that coordinates lie in: the canonical one, or for another CRS the one that was measured."""
    if case.staged.crs == CANONICAL_CRS:
        return -_MAX_X_M, -_MAX_Y_M, _MAX_X_M, _MAX_Y_M
    bounds = [float(text) for text in case.staged.evidence.get("crs_target_extent_m", "").split()]
    if len(bounds) != 4 or not np.isfinite(bounds).all():
        raise case.unmeasured("crs_target_extent_m", expected="four finite numbers", found=repr(bounds))
    return bounds[0], bounds[1], bounds[2], bounds[3]


def _geometry_repair_bounded(case: Case) -> Verdict:
    footprints = case.footprints
    if case.footprint is Footprint.NONE:
        return footprints.verdict(
            footprints.types == 0, fault="with a footprint", limit="no footprint", remedy=_DECLARE
        )
    change = case.measured("repair_max_relative_change")
    valid = footprints.verdict(
        footprints.is_valid,
        fault="invalid",
        limit=f"valid footprints, their areas changed by {REPAIR_LIMIT:%} at most when they were repaired",
        remedy=CORRECT_GEOMETRY,
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
    if case.footprint is Footprint.NONE:
        has_none = case.staged.crs is None
        return Verdict(
            passed=has_none,
            observed="no CRS, since rows have no footprint" if has_none else f"{case.staged.crs} without footprints",
            limit="no CRS where rows have no footprint",
            remedy=_DECLARE,
        )
    evidence, accuracy = case.staged.evidence, case.measured("crs_operation_accuracy_m")
    operation, waiver = evidence.get("crs_operation", ""), evidence.get("crs_waived_because", "")
    is_target = bool(case.staged.crs) and case.staged.crs == evidence.get("crs_target")
    is_best, is_accurate = evidence.get("crs_best_available") == "yes", 0 <= accuracy <= CRS_ACCURACY_LIMIT_M
    # A waiver excuses what it names, and nothing else.
    may_lack_grid = bool(waiver) and evidence.get("crs_waived_grid") == "yes"
    may_be_worse = bool(waiver) and 0 <= accuracy <= case.measured("crs_waived_accuracy_m")
    return Verdict(
        passed=is_target and bool(operation) and (is_best or may_lack_grid) and (is_accurate or may_be_worse),
        observed=f"{case.staged.crs or 'no CRS'} by {operation or 'no operation'}, accuracy {accuracy} m"
        + (f"; waived because {waiver}" if waiver else "")
        + (f"; missing {evidence['crs_missing_grids']}" if evidence.get("crs_missing_grids") else ""),
        limit=f"the project's CRS by the best operation that PROJ knows, accuracy 0 to {CRS_ACCURACY_LIMIT_M} m, "
        "or what a waiver names and gives a reason for",
        metrics={"accuracy_m": accuracy, "waived": int(bool(waiver) and not (is_best and is_accurate))},
        remedy="install the grid of the best operation, have the footprints delivered in EPSG:4326, or waive it",
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
    footprints, column = case.footprints, case.column("area_ha")
    if case.footprint is Footprint.NONE:
        is_null = column.is_null().to_numpy()
        return footprints.verdict(
            is_null, fault="with an area", limit="no area where there is no footprint", remedy=_DECLARE
        )
    area_ha = column.to_numpy().astype(np.float64)
    if case.footprint is Footprint.POINT:
        return footprints.verdict(
            area_ha == 0.0, fault="with an area", limit="an area of 0 for a point", remedy=_DECLARE
        )
    is_numeric = len(area_ha) > 0 and bool((np.isfinite(area_ha) & (area_ha > 0.0)).all())
    is_own = is_numeric and np.allclose(area_ha, footprints.areas / 10_000.0, rtol=_SAME_AREA, atol=0.0)
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
    Gate(
        name="land_counted_once",
        question="Is no land counted twice, or is it said why footprints overlap?",
        judge=land_counted_once,
    ),
    expectations_met(NORMALIZED),
)
