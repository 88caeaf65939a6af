"""VM0047, area-based: the plot database of §9.3.1 and where and how large project and control plots are (App. 1).

What does not belong here: how well they match and what their growth shows (vm0047_matching).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from mrv_assets.compliance.controls.cells import Rows, blank_cells, repeated
from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held
from mrv_assets.crediting.counted import whole
from mrv_assets.crediting.vm0047_plots import matched_sets, year_of
from mrv_assets.domain.errors import listed
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_PLACED = ("plot", "x_m", "y_m", "area_ha")
_NAMES = ("stocking_index_description", "project_plots", "control_plots", "stocking_index", "remote_sensing")


def project_plots(evidence: Monitoring) -> Rows:
    """Return table `project_plots`: id, planar metres of the centre, hectares, share inside, configuration."""
    return evidence.table("project_plots", *_PLACED, "share_inside", "configuration")


def control_plots(evidence: Monitoring) -> Rows:
    """Return table `control_plots`: id, the project plot it is matched to, planar metres, hectares, weight."""
    return evidence.table("control_plots", "plot", "project_plot", *_PLACED[1:], "weight")


def plot_database(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the plot database has everything that §9.3.1 lists, each id once, and a series for every plot."""
    evidence = case.account.monitoring
    description = evidence.fact("stocking_index_description")
    faults = [*_plot_faults(evidence), *_series_faults(evidence), *_image_faults(evidence)]
    faults += [] if faults else _weight_faults(evidence, rule)
    return held(
        holds=not faults,
        observed=f"complete; stocking index: {description}" if not faults else f"incomplete: {listed(faults)}",
        limit="every field of 9.3.1 for every project plot, control plot and remote sensing data set",
        evidence=_NAMES,
        remedy="complete the plot database of the monitoring package",
        faults=Decimal(len(faults)),
    )


def performance_tiles(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the project plots are equal units of the allowed size, inside the boundary enough, and enough."""
    evidence, name = case.account.monitoring, "project_plots"
    rows = project_plots(evidence)
    areas = [evidence.cell(name, row, "area_ha") for row in rows]
    inside = [evidence.cell(name, row, "share_inside") for row in rows]
    least, most = rule.threshold("least_ha"), rule.threshold("most_ha")
    least_inside, least_plots = rule.threshold("least_inside"), rule.threshold("least_plots")
    faults = [
        *(["fewer plots"] if len(rows) < least_plots else []),
        *(["unequal size"] if len(set(areas)) > 1 else []),
        *(["size"] if any(not least <= area <= most for area in areas) else []),
        *(["share inside"] if any(not least_inside <= share <= 1 for share in inside) else []),
    ]
    return held(
        holds=not faults,
        observed=f"{len(rows)} plots, {min(areas, default=0)} to {max(areas, default=0)} ha, "
        f"at least {min(inside, default=0)} inside" + (f": {', '.join(faults)}" if faults else ""),
        limit=f"{least_plots} equal plots or more of {least} to {most} ha, at least {least_inside} inside",
        evidence=(name,),
        remedy="divide the area into equal units and draw a new random sample",
        plots=Decimal(len(rows)),
    )


def control_size(case: ControlCase, rule: Rule) -> Finding:
    """Find whether every control plot has about the size of the mean project plot."""
    evidence = case.account.monitoring
    sizes = [evidence.cell("project_plots", row, "area_ha") for row in project_plots(evidence)]
    if not sizes:
        raise evidence.missing("table project_plots, rows")
    within, rows = rule.threshold("within"), control_plots(evidence)
    mean = sum((Fraction(size) for size in sizes), Fraction(0)) / len(sizes)
    far = [
        row["plot"]
        for row in rows
        if abs(Fraction(evidence.cell("control_plots", row, "area_ha")) - mean) > Fraction(within) * mean
    ]
    return held(
        holds=bool(rows) and not far,
        observed=f"{len(rows) - len(far)} of {len(rows)} control plots" + (f", not {listed(far)}" if far else ""),
        limit=f"all within {within} of the mean project plot",
        evidence=("project_plots", "control_plots"),
        remedy="draw control plots of the size of the project plots",
        outside=Decimal(len(far)),
    )


def control_distance(case: ControlCase, rule: Rule) -> Finding:
    """Find whether every control plot is near its project plot: 100 km, and 100 km more for each step that was needed.

    Distances are planar, between centres. A control plot of no known project plot raises ContractError.
    """
    evidence = case.account.monitoring
    steps = whole(evidence, "search_radius_steps", least=0)
    limit_m = EXACT.add(rule.threshold("radius_m"), EXACT.multiply(rule.threshold("step_m"), Decimal(steps)))
    rows = control_plots(evidence)
    places = {row["plot"]: _place(evidence, "project_plots", row) for row in project_plots(evidence)}
    unknown = [row["project_plot"] for row in rows if row["project_plot"] not in places]
    if unknown:
        raise evidence.missing(f"table project_plots, plots {listed(unknown)} that control plots refer to")
    controls = np.array([_place(evidence, "control_plots", row) for row in rows]).reshape(-1, 2)
    projects = np.array([places[row["project_plot"]] for row in rows]).reshape(-1, 2)
    metres = np.hypot(*(controls - projects).T)
    farthest = max(metres.tolist(), default=0.0)
    return held(
        holds=bool(rows) and farthest <= float(limit_m),
        observed=f"farthest of {len(rows)} control plots at {farthest:.0f} m",
        limit=f"{limit_m} m from the project plot",
        evidence=("project_plots", "control_plots", "search_radius_steps"),
        remedy="match plots that are nearer, or widen the search by whole steps when no match is good enough",
    )


def _place(evidence: Monitoring, table: str, row: Mapping[str, str]) -> tuple[float, float]:
    return float(evidence.cell(table, row, "x_m")), float(evidence.cell(table, row, "y_m"))


def _plot_faults(evidence: Monitoring) -> list[str]:
    projects, controls = project_plots(evidence), control_plots(evidence)
    ids = [row["plot"] for row in projects]
    return [
        *(["no project plot"] if not projects else []),
        *blank_cells(projects, *_PLACED, "configuration"),
        *blank_cells(controls, "project_plot", *_PLACED, "weight"),
        *(f"{plot} twice" for plot in repeated(ids + [row["plot"] for row in controls])),
        *(f"{row['plot']}: of no project plot" for row in controls if row["project_plot"] not in set(ids)),
        *(f"{plot}: no control plot" for plot in sorted(set(ids) - {row["project_plot"] for row in controls})),
    ]


def _weight_faults(evidence: Monitoring, rule: Rule) -> list[str]:
    within = rule.threshold("weights_within")
    return [
        f"{each.project_plot}: weights sum to {float(total):g}"
        for each in matched_sets(evidence)
        if abs((total := sum(map(Fraction, each.control_weights.values()), Fraction(0))) - 1) > within
    ]


def _series_faults(evidence: Monitoring) -> list[str]:
    """Return plots without a row for each year from t = 0 to the last; an index that is missing has its row too."""
    rows = evidence.table("stocking_index", "plot", "year", "si")
    shown = {(row["plot"], year_of(evidence, row)) for row in rows}
    last = max((year for _, year in shown), default=0)
    plots = [row["plot"] for row in (*project_plots(evidence), *control_plots(evidence))]
    return [f"{plot}: index of year {year}" for plot in plots for year in range(last + 1) if (plot, year) not in shown]


def _image_faults(evidence: Monitoring) -> list[str]:
    rows = evidence.table("remote_sensing", "dataset", "acquired")
    none = ["no remote sensing data set"] if not rows else []
    return none + [f"{row['dataset']}: no time stamp" for row in rows if not _is_day(row["acquired"])]


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "vm0047_plot_database": plot_database,
        "vm0047_performance_tiles": performance_tiles,
        "vm0047_control_size": control_size,
        "vm0047_control_distance": control_distance,
    }
)
