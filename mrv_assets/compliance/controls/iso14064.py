"""The controls of ISO 14064-2:2019 and ISO 14064-3:2019. The ISO texts are not public and were not read.

Each control restates a rule that is known from a secondary source and has a readable counterpart, which its clause
names. What does not belong here: limits and accepted words, which are data of the rule sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.compliance.controls.materiality import materiality
from mrv_assets.compliance.controls.shown import fact_of, is_sha256, word_of, words
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.domain.errors import listed
from mrv_assets.domain.exact import EXACT, exact_sum
from mrv_assets.domain.rule_set import Rule

_YES_NO = ("yes", "no")
_KINDS = ("source", "sink", "reservoir")


def baseline(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that a baseline is described, set before the project started, and of one version all through the period."""
    shown = case.account.monitoring
    scenario, set_on, start = shown.fact("baseline_scenario"), shown.day("baseline_date"), shown.day("project_start")
    first, last = shown.fact("baseline_version_first_day"), shown.fact("baseline_version_last_day")
    return held(
        holds=set_on < start and first == last,
        observed=f"{scenario}, set on {set_on}, project started on {start}; version {first} on the first day of the "
        f"period and {last} on the last",
        limit="set before the project started, one version all through the period",
        evidence=(
            "baseline_scenario", "baseline_date", "project_start", "baseline_version_first_day",
            "baseline_version_last_day",
        ),
        remedy="show the baseline that was set before the start; a new version begins with a new period",
    )  # fmt: skip


def additionality(case: ControlCase, rule: Rule) -> Finding:
    """Ask that a test of the list was taken, that it came out additional, and that its evidence is named by digest."""
    shown = case.account.monitoring
    test = fact_of(shown, "additionality_test", words(rule, "tests"))
    result = fact_of(shown, "additionality_result", ("additional", "not additional"))
    digest = shown.fact("additionality_evidence_sha256")
    return held(
        holds=result == "additional" and is_sha256(digest),
        observed=f"{test}: {result}, evidence {digest}",
        limit="additional, evidence named by its sha256",
        evidence=("additionality_test", "additionality_result", "additionality_evidence_sha256"),
        remedy="show the test that was taken and the sha256 of its evidence",
    )


def boundary(case: ControlCase, rule: Rule) -> Finding:
    """Ask that every source, sink and reservoir is in or out with a reason, and that those left out stay under a share.

    Amounts left out count by their size, so that a source and a sink left out do not cancel.
    """
    shown = case.account.monitoring
    rows = shown.table("ssr", "name", "kind", "included", "reason", "tco2e")
    left_out, names = [], []
    for row in rows:
        names.append(word_of(shown, "ssr", row, "name"))
        word_of(shown, "ssr", row, "kind", _KINDS)
        word_of(shown, "ssr", row, "reason")
        if word_of(shown, "ssr", row, "included", _YES_NO) == "no":
            left_out.append(EXACT.abs(shown.cell("ssr", row, "tco2e")))
    excluded, reported = exact_sum(left_out), EXACT.abs(shown.quantity("reported_tco2e"))
    share = rule.threshold("excluded_below")
    repeated = sorted({name for name in names if names.count(name) > 1})
    return held(
        holds=bool(rows) and not repeated and (not excluded or excluded < EXACT.multiply(share, reported)),
        observed=f"{len(rows)} sources, sinks and reservoirs, {len(left_out)} left out with {excluded} t CO2e of "
        f"{reported} reported; named twice: {listed(repeated) or 'none'}",
        limit=f"at least one, each once with a reason; left out together below {share} of what is reported",
        evidence=("ssr", "reported_tco2e"),
        remedy="count the largest ones that are left out until the rest is below the limit",
        excluded_tco2e=excluded,
    )


def leakage(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that leakage is there and not negative: no credit for positive leakage."""
    found = case.account.monitoring.quantity("leakage_tco2e")
    return held(
        holds=found >= 0,
        observed=f"{found} t CO2e",
        limit="a figure of 0 or more t CO2e",
        evidence=("leakage_tco2e",),
        remedy="positive leakage earns nothing: report 0",
        leakage_tco2e=found,
    )


def permanence(case: ControlCase, rule: Rule) -> Finding:
    """Ask that the risk is rated within its limits and the buffer posted, where carbon is stored."""
    shown = case.account.monitoring
    low, high = rule.threshold("rating_min_percent"), rule.threshold("rating_max_percent")
    evidence = ("stores_carbon", "npr_rating_percent", "net_stock_change_tco2e", "buffer_credits")
    limit = f"a rating of {low} to {high} %, and at least that share of the stock change in the buffer"
    if not shown.is_so("stores_carbon"):
        return not_applicable("the project stores no carbon", limit=limit, evidence=evidence[:1])
    rating, change = shown.quantity("npr_rating_percent"), shown.quantity("net_stock_change_tco2e")
    posted = not_negative(shown, "buffer_credits")
    owed = EXACT.multiply(EXACT.scaleb(rating, -2), max(change, Decimal(0)))
    return held(
        holds=low <= rating <= high and posted >= owed,
        observed=f"rating {rating} %, {posted} credits in the buffer for a stock change of {change} t CO2e",
        limit=limit,
        evidence=evidence,
        remedy="rate the risk and post the buffer before anything is issued",
        owed_tco2e=owed,
    )


def conservativeness(case: ControlCase, rule: Rule) -> Finding:
    """Ask that of two possible values the one with fewer credits is used, and that no deduction adds credits."""
    shown = case.account.monitoring
    rows = shown.table("alternative_values", "name", "credits", "value", "other", "used")
    bold = [row["name"] for row in rows if not _is_careful(case, row)]
    lines = case.waterfall.lines if case.waterfall else ()
    deductions = [line for line in lines if is_deduction(line.name, rule)]
    added = [line.name for line in deductions if line.change_tco2e > 0]
    return held(
        holds=not bold and not added,
        observed=f"{len(rows)} choices of value; the one with more credits: {listed(bold) or 'none'}; "
        f"{len(deductions)} deductions in the waterfall of the rule set; those that add: {listed(added) or 'none'}",
        limit="the value with fewer credits each time; no deduction adds credits",
        evidence=("alternative_values",),
        remedy="use the lower value where it raises credits and the higher one where it lowers them",
    )


def is_deduction(title: str, rule: Rule) -> bool:
    """Tell whether a line of this title may only take credits away: one of the rule's words is in it, in any case."""
    return any(word in title.lower() for word in words(rule, "deductions"))


def _is_careful(case: ControlCase, row: Mapping[str, str]) -> bool:
    shown, table = case.account.monitoring, "alternative_values"
    word_of(shown, table, row, "name")
    direction = word_of(shown, table, row, "credits", ("raises", "lowers"))
    value, other, used = (shown.cell(table, row, column) for column in ("value", "other", "used"))
    return used == (min(value, other) if direction == "raises" else max(value, other))


def assurance(case: ControlCase, rule: Rule) -> Finding:
    """Ask for a level of assurance that is accepted."""
    level = fact_of(case.account.monitoring, "assurance_level", ("reasonable", "limited"))
    return _accepted(level, words(rule, "accepted"), "assurance_level", "have the statement verified at this level")


def opinion(case: ControlCase, rule: Rule) -> Finding:
    """Ask for an opinion that is accepted."""
    known = ("unmodified", "modified", "adverse", "disclaimer")
    found = fact_of(case.account.monitoring, "verification_opinion", known)
    return _accepted(found, words(rule, "accepted"), "verification_opinion", "settle what the verifier objects to")


def _accepted(found: str, accepted: tuple[str, ...], evidence: str, remedy: str) -> Finding:
    return held(
        holds=found in accepted, observed=found, limit=" or ".join(accepted), evidence=(evidence,), remedy=remedy
    )


def factors_traced(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that every result says which factor set it was made with, by name and digest."""
    shown = case.account.monitoring
    rows = shown.table("results", "name", "factor_set", "factor_set_sha256")
    lost = [
        row["name"] for row in rows if not (row["factor_set"].strip() and is_sha256(row["factor_set_sha256"].strip()))
    ]
    return held(
        holds=bool(rows) and not lost,
        observed=f"{len(rows)} results; without a factor set and its sha256: {listed(lost) or 'none'}",
        limit="at least one result, each with the factor set and its sha256",
        evidence=("results",),
        remedy="name the factor release and its digest beside each result",
    )


CHECKS: Mapping[str, Check] = {
    "iso_baseline": baseline,
    "iso_additionality": additionality,
    "iso_boundary": boundary,
    "iso_leakage": leakage,
    "iso_permanence": permanence,
    "iso_conservativeness": conservativeness,
    "iso_materiality": materiality,
    "iso_assurance": assurance,
    "iso_opinion": opinion,
    "iso_factors_traced": factors_traced,
}
"""The controls by the name that rule sets give them."""
