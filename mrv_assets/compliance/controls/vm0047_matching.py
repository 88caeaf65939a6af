"""VM0047, area-based: how well control plots match, how many sets are complete, and whether the project is ahead.

What does not belong here: the plot database itself (vm0047_plots).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held
from mrv_assets.crediting.distinct import distinct
from mrv_assets.crediting.vm0047_benchmark import is_ahead, signed_z
from mrv_assets.crediting.vm0047_matching import standardized_difference
from mrv_assets.crediting.vm0047_plots import matched_sets, series, slopes, years
from mrv_assets.crediting.vm0047_series import complete_sets
from mrv_assets.domain.errors import listed
from mrv_assets.domain.rule_set import Rule

_BENCHMARK = "performance_benchmark"


def donor_pool(case: ControlCase, rule: Rule) -> Finding:
    """Find whether every covariate of project and control plots is alike (A2).

    Raises ContractError when there is no covariate, and for a variance below 0.
    """
    evidence, name = case.account.monitoring, "covariates"
    numbers = ("mean_project", "mean_control", "variance_project", "variance_control")
    rows = distinct(evidence, name, "covariate", *numbers)
    if not rows:
        raise evidence.missing(f"table {name}, rows")
    differences = {
        row["covariate"]: standardized_difference(**{number: evidence.cell(name, row, number) for number in numbers})
        for row in rows
    }
    limit = rule.threshold("most_sdm")
    far = [covariate for covariate, value in differences.items() if value > limit]
    return held(
        holds=not far,
        observed=f"largest of {len(rows)} covariates {float(max(differences.values())):.4f}"
        + (f", above it {listed(far)}" if far else ""),
        limit=f"standardized difference of means of {limit} or less for each",
        evidence=(name,),
        remedy="widen the search by 100 km or match fewer plots to each, and weigh anew",
        largest=max(differences.values()),
    )


def complete_matched_sets(case: ControlCase, rule: Rule) -> Finding:
    """Find whether enough matched sets are complete in every year, from t = 0 on, over enough annual steps."""
    evidence = case.account.monitoring
    sets, found = matched_sets(evidence), series(evidence)
    counts = {year: len(complete_sets(sets, found, year)) for year in years(found)}
    least, steps = rule.threshold("least_sets"), rule.threshold("least_annual_steps")
    fewest = min(counts.values(), default=0)
    return held(
        holds=0 in counts and len(counts) > steps and fewest >= least,
        observed=f"at least {fewest} complete sets in each of {len(counts)} years",
        limit=f"{least} or more in every year, t = 0 and {steps} annual steps or more",
        evidence=("control_plots", "stocking_index"),
        remedy="add the missing indices, or use images of another day of the year",
        fewest=Decimal(fewest),
    )


def ahead_of_controls(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the project is significantly ahead of its controls, or else nothing was credited for its growth.

    The sign counts: by the absolute value of the document a project far behind its controls would pass.
    """
    project, control = slopes(case.account.monitoring)
    critical = rule.threshold("critical_z")
    is_better = is_ahead(project, control, critical=critical)
    taken = _benchmark_taken(case)
    shown = "no benchmark was taken" if taken is None else f"benchmark {taken}"
    return held(
        holds=taken is not None and (is_better or taken == 1),
        observed=f"Z {float(signed_z(project, control)):.4f}, project {float(project.per_year):.6g} a year; {shown}",
        limit=f"Z of {critical} or more with a growing project, else a benchmark of 1",
        evidence=("control_plots", "stocking_index"),
        remedy="take a benchmark of 1: growth that is not ahead of the controls is not additional",
        z=signed_z(project, control),
    )


def _benchmark_taken(case: ControlCase) -> Decimal | None:
    lines = case.waterfall.lines if case.waterfall else ()
    taken = [line.numbers[_BENCHMARK] for line in lines if _BENCHMARK in line.numbers]
    return taken[0] if taken else None


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "vm0047_donor_pool": donor_pool,
        "vm0047_matched_sets": complete_matched_sets,
        "vm0047_signed_z": ahead_of_controls,
    }
)
