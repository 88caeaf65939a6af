"""VM0047, census-based: the census of planted units, how dense they stand, and whose ground their circles touch.

Coordinates are planar metres. What does not belong here: controls of both approaches (vm0047).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import shapely

from mrv_assets.compliance.controls.cells import Rows, blank_cells, repeated
from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.crediting.counted import whole
from mrv_assets.crediting.distinct import distinct
from mrv_assets.crediting.vm0047_census import sample
from mrv_assets.crediting.vm0047_gross import STOCK_CHANGE
from mrv_assets.crediting.vm0047_stock import census_stock
from mrv_assets.domain.errors import listed
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_COLUMNS = ("unit", "instance", "x_m", "y_m", "planted", "species", "status", "tag")


def census(evidence: Monitoring) -> Rows:
    """Return table `census`. Raises ContractError when it has no row, and for a status not `alive` or `dead`."""
    rows = evidence.table("census", *_COLUMNS)
    if not rows:
        raise evidence.missing("table census, rows")
    odd = [row["status"] for row in rows if row["status"] not in ("alive", "dead")]
    if odd:
        raise evidence.unusable("table census, status", expected="alive or dead", found=odd[0])
    return rows


def points(evidence: Monitoring, rows: Rows) -> np.ndarray:
    """Return the points of units, planar metres, in the order of the rows."""
    placed = [[float(evidence.cell("census", row, axis)) for axis in ("x_m", "y_m")] for row in rows]
    return np.asarray(shapely.points(placed), dtype=object)


def complete_census(case: ControlCase, _rule: Rule) -> Finding:
    """Find whether every unit has an id of its own, point, year and species, and every unit of t = 0 is there."""
    evidence = case.account.monitoring
    rows = census(evidence)
    planted = whole(evidence, "census_units", least=1)
    faults = [
        *blank_cells(rows, "unit", "instance", "x_m", "y_m", "planted", "species"),
        *(f"{unit} twice" for unit in repeated([row["unit"] for row in rows])),
        *([f"{len(rows)} rows"] if len(rows) != planted else []),
    ]
    return held(
        holds=not faults,
        observed=f"{len(rows)} units" + (f": {listed(faults)}" if faults else ""),
        limit=f"each of the {planted} units of the census once, with point, year and species",
        evidence=("census", "census_units"),
        remedy="complete the census; a unit that is not found is dead and stays in it",
        units=Decimal(len(rows)),
    )


def unit_density(case: ControlCase, rule: Rule) -> Finding:
    """Find whether no instance has more live units than its size allows, in proportion: 25 on half a hectare."""
    evidence, most = case.account.monitoring, rule.threshold("most_per_ha")
    live = Counter(row["instance"] for row in census(evidence) if row["status"] == "alive")
    table = distinct(evidence, "instances", "instance", "area_ha")
    areas = {row["instance"]: evidence.cell("instances", row, "area_ha") for row in table}
    unknown = sorted(set(live) - set(areas))
    if unknown:
        raise evidence.missing(f"table instances, area of {listed(unknown)}")
    dense = [instance for instance, units in sorted(live.items()) if units > EXACT.multiply(most, areas[instance])]
    return held(
        holds=not dense,
        observed=f"{sum(live.values())} live units in {len(areas)} instances"
        + (f", too many in {listed(dense)}" if dense else ""),
        limit=f"{most} live units a hectare of each instance, in proportion to its size",
        evidence=("census", "instances"),
        remedy="take the surplus units out of the project, or enlarge the instance",
        instances_too_dense=Decimal(len(dense)),
    )


def disjoint_circles(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the circle round no unit touches another instance: its circles, or an area of `neighbour_areas`.

    Circles of one instance may overlap. Raises ContractError for a neighbour that is no polygon as WKT.
    """
    evidence, radius = case.account.monitoring, float(rule.threshold("radius_m"))
    rows = census(evidence)
    placed = points(evidence, rows)
    first, second = shapely.STRtree(placed).query(placed, predicate="dwithin", distance=2 * radius)
    touching = {
        f"{rows[a]['unit']} and {rows[b]['unit']}"
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
        if a < b and rows[a]["instance"] != rows[b]["instance"]
    }
    names, areas = _neighbours(evidence)
    units, hit = shapely.STRtree(areas).query(placed, predicate="dwithin", distance=radius)
    touching |= {
        f"{rows[a]['unit']} and {names[b]}"
        for a, b in zip(units.tolist(), hit.tolist(), strict=True)
        if rows[a]["instance"] != names[b]
    }
    return held(
        holds=not touching,
        observed=f"{len(touching)} touch" + (f": {listed(sorted(touching))}" if touching else ""),
        limit=f"circles of {radius:g} m clear of every other instance",
        evidence=("census", "neighbour_areas"),
        remedy="leave the units at the border out of the census",
        touching=Decimal(len(touching)),
    )


def unit_spacing(case: ControlCase, _rule: Rule) -> Finding:
    """Find whether units can be told apart in the field: by a tag of their own each, or by distance."""
    evidence, limit = case.account.monitoring, "spacing of the GPS accuracy or more, or a tag on every unit"
    rows = census(evidence)
    tags = [row["tag"].strip() for row in rows]
    if len(rows) < 2:
        return not_applicable("one unit only", limit=limit, evidence=("census",))
    if all(tags) and not repeated(tags):
        return held(holds=True, observed="a tag of its own on every unit", limit=limit, evidence=("census",), remedy="")
    accuracy = evidence.quantity("gps_accuracy_m")
    placed = points(evidence, rows)
    _, metres = shapely.STRtree(placed).query_nearest(placed, exclusive=True, return_distance=True, all_matches=False)
    # `exclusive` skips equal geometries, so two units on one point are looked for apart
    least = 0.0 if len({point.wkb for point in placed}) < len(rows) else float(metres.min())
    return held(
        holds=least >= float(accuracy),
        observed=f"{least:.2f} m between the nearest two, GPS accuracy {accuracy} m",
        limit=limit,
        evidence=("census", "gps_accuracy_m"),
        remedy="tag the units durably, or measure their points with a better receiver",
    )


def census_stock_agrees(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the stock change of the waterfall is the stock that the sample gives (Eq 22 to 25)."""
    evidence = case.account.monitoring
    counted = census_stock(
        whole(evidence, "census_units", least=1),
        sample(evidence),
        root_shoot=evidence.quantity("root_shoot_ratio"),
        carbon_fraction=rule.threshold("carbon_fraction"),
    )
    lines = case.waterfall.lines if case.waterfall else ()
    shown = [line.numbers[STOCK_CHANGE] for line in lines if STOCK_CHANGE in line.numbers]
    if not shown:
        raise evidence.missing("stock change of the waterfall")
    return held(
        holds=abs(Fraction(shown[0]) - Fraction(counted)) <= rule.threshold("within_tco2e"),
        observed=f"{shown[0]:f} t CO2e in the waterfall, {counted:f} from the sample",
        limit=f"the same within {rule.threshold('within_tco2e')} t CO2e",
        evidence=("census_sample", "census_units", "root_shoot_ratio"),
        remedy="correct the activity data or the stock change before this period",
        from_sample_tco2e=counted,
    )


def _neighbours(evidence: Monitoring) -> tuple[list[str], np.ndarray]:
    rows = evidence.table("neighbour_areas", "instance", "wkt")
    shapes = shapely.from_wkt([row["wkt"] for row in rows], on_invalid="ignore") if rows else np.array([], dtype=object)
    for row, shape in zip(rows, shapes, strict=True):
        if shape is None or shape.is_empty or shape.geom_type not in ("Polygon", "MultiPolygon") or not shape.is_valid:
            raise evidence.unusable(
                f"table neighbour_areas, row {row['instance']}",
                expected="a valid polygon as WKT",
                found=row["wkt"][:40],
            )
    return [row["instance"] for row in rows], shapes


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "vm0047_complete_census": complete_census,
        "vm0047_unit_density": unit_density,
        "vm0047_circles": disjoint_circles,
        "vm0047_unit_spacing": unit_spacing,
        "vm0047_census_stock": census_stock_agrees,
    }
)
