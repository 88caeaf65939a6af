"""VM0047: what holds for areas and census alike: approach, t = 0, cadence, warming potentials, small sources.

What does not belong here: plots (vm0047_plots, vm0047_matching) and planted units (vm0047_census).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, date
from decimal import Decimal
from types import MappingProxyType

from mrv_assets.compliance.controls import vm0047_census, vm0047_matching, vm0047_plots
from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.crediting.distinct import distinct
from mrv_assets.crediting.vm0047_de_minimis import must_be_counted
from mrv_assets.domain.errors import ContractError, listed
from mrv_assets.domain.rule_set import Rule

_ZERO_BASELINE_LAND = ("continuous cropping", "settlements", "other land")


def approach_constant(case: ControlCase, rule: Rule) -> Finding:
    """Find whether every instance has had one approach in all its periods, and whether this rule set is for it."""
    evidence, name = case.account.monitoring, "approaches"
    rows = evidence.table(name, "instance", "period", "approach")
    if not rows:
        raise evidence.missing(f"table {name}, rows")
    expected = _choice(rule, "approach")
    other = sorted({row["instance"] for row in rows if row["approach"] != expected})
    return held(
        holds=not other,
        observed=f"{len(rows)} rows" + (f", another approach in {listed(other)}" if other else f", all {expected}"),
        limit=f"{expected} in every period of every instance",
        evidence=(name,),
        remedy="keep the approach for the crediting period; put instances of the other approach under its rule set",
    )


def start_stock_window(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the stock of t = 0 was measured in its window: before or after the start.

    Before it when site preparation starts the project, else after it.
    """
    evidence = case.account.monitoring
    start, measured = evidence.day("project_start"), evidence.day("start_stock_measured_on")
    years = int(rule.threshold("years"))
    if evidence.is_so("site_preparation_starts_project"):
        first, last = _years_from(start, -years), start
    else:
        first, last = start, _years_from(start, years)
    return held(
        holds=first <= measured <= last,
        observed=f"measured on {measured}, start on {start}",
        limit=f"{first} to {last}",
        evidence=("project_start", "start_stock_measured_on", "site_preparation_starts_project"),
        remedy="measure within two years; remote sensing may give pre-existing woody biomass only",
    )


def inventory_cadence(case: ControlCase, rule: Rule) -> Finding:
    """Find whether this inventory was made in time after the one before, and after it."""
    evidence, years = case.account.monitoring, int(rule.threshold("years"))
    before, now = evidence.day("inventory_before_on"), evidence.day("inventory_on")
    last = _years_from(before, years)
    return held(
        holds=before < now <= last,
        observed=f"{before} and {now}",
        limit=f"after the one before, and by {last}",
        evidence=("inventory_before_on", "inventory_on"),
        remedy=f"make inventories every {years} years or more often",
    )


def gwp_set(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the warming potentials are those that the rule chooses: the document and the programme differ."""
    used, expected = case.account.monitoring.fact("gwp_set"), _choice(rule, "gwp_set")
    return held(
        holds=used == expected,
        observed=used,
        limit=f"{expected}, {_choice(rule, 'because')}",
        evidence=("gwp_set",),
        remedy="weigh methane and nitrous oxide with the potentials that the rule set chooses",
    )


def de_minimis(case: ControlCase, rule: Rule) -> Finding:
    """Find whether every optional source that appendix 2 wants counted was counted. Leakage is never optional.

    Of table `optional_sources`, which may have no row, and `removals_expected_tco2e`.
    """
    evidence, name = case.account.monitoring, "optional_sources"
    rows = distinct(evidence, name, "source", "tco2e", "counted")
    odd = [row["counted"] for row in rows if row["counted"] not in ("yes", "no")]
    if odd:
        raise evidence.unusable(f"table {name}, counted", expected="yes or no", found=odd[0])
    limit = f"sources of {rule.threshold('small')} of the removals or more together, up to {rule.threshold('covered')}"
    if not rows:
        return not_applicable("no optional source", limit=limit, evidence=(name,))
    needed = must_be_counted(
        {row["source"]: evidence.cell(name, row, "tco2e") for row in rows},
        evidence.quantity("removals_expected_tco2e"),
        small=rule.threshold("small"),
        covered=rule.threshold("covered"),
    )
    omitted = [row["source"] for row in rows if row["source"] in needed and row["counted"] == "no"]
    return held(
        holds=not omitted,
        observed=f"{len(needed)} of {len(rows)} count" + (f", left out {listed(omitted)}" if omitted else ""),
        limit=limit,
        evidence=(name, "removals_expected_tco2e"),
        remedy="count the sources that are named",
        omitted=Decimal(len(omitted)),
    )


def zero_baseline(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the land of a census allows a baseline of 0: few trees, and used as the document asks.

    §4.3 says and/or, §6.2 says and: both are asked for.
    """
    evidence, most = case.account.monitoring, rule.threshold("woody_cover_below")
    cover, land = evidence.quantity("woody_cover_before"), evidence.fact("land_use_before")
    return held(
        holds=0 <= cover < most and land in _ZERO_BASELINE_LAND,
        observed=f"woody cover {cover}, {land}",
        limit=f"woody cover below {most} and one of {', '.join(_ZERO_BASELINE_LAND)}",
        evidence=("woody_cover_before", "land_use_before"),
        remedy="land with more trees, or with another use, belongs to the area-based approach",
    )


def _choice(rule: Rule, name: str) -> str:
    if name not in rule.choices:
        raise ContractError(
            "rule makes no choice",
            where=f"rule {rule.id}, choice {name}",
            expected="a choice in the rule set",
            found=", ".join(rule.choices) or "none",
            remedy="record it in the rule set",
        )
    return rule.choices[name]


def _years_from(day: date, years: int) -> date:
    """Return the same day so many years later; 29 February becomes 28 February.

    Beyond the calendar of Python, the years 1 to 9999, it is the first or last day of that.
    """
    if not MINYEAR <= day.year + years <= MAXYEAR:
        return date.max if years > 0 else date.min
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return day.replace(year=day.year + years, day=28)


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        **vm0047_plots.CHECKS,
        **vm0047_matching.CHECKS,
        **vm0047_census.CHECKS,
        "vm0047_approach_constant": approach_constant,
        "vm0047_start_stock_window": start_stock_window,
        "vm0047_inventory_cadence": inventory_cadence,
        "vm0047_gwp_set": gwp_set,
        "vm0047_de_minimis": de_minimis,
        "vm0047_zero_baseline": zero_baseline,
    }
)
