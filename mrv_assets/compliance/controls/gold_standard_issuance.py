"""What has to hold when Gold Standard units are issued: 501 v3.2 §10 to §14, and Paris alignment of 119 v1.2.

What does not belong here: land and inventory (gold_standard) and the steps that take buffer and fractions (crediting).
"""

from __future__ import annotations

from datetime import date

from mrv_assets.compliance.controls.days import years_after
from mrv_assets.compliance.controls.finding import ControlCase, Finding, held, not_applicable
from mrv_assets.compliance.controls.waterfall_lines import left_before, line_for
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.crediting.gold_standard_501 import issued
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_ACTIVITIES = ("afforestation", "agriculture", "other")


def buffer_share(case: ControlCase, rule: Rule) -> Finding:
    """Check that each vintage gives its share to the buffer, rounded up; §11.1.1, §11.1.2."""
    line = line_for(case, rule)
    share = rule.threshold("buffer_share")
    evidence: tuple[str, ...] = ()
    if rule.choices.get("base") != "all":
        share = EXACT.multiply(share, case.account.monitoring.quantity("sequestration_share"))
        evidence = ("sequestration_share",)
    due = issued(left_before(case, line), case.account.period, buffer_share=share).buffer_credits
    return held(
        holds=line.change_tco2e == -due,
        observed=f"{EXACT.minus(line.change_tco2e)} credits",
        limit=f"{due} credits: {share} of whole credits by vintage",
        evidence=evidence,
        remedy="transfer the buffer of every vintage",
        buffer=EXACT.minus(line.change_tco2e),
    )


def whole_report(case: ControlCase, rule: Rule) -> Finding:
    """Check that all that the monitoring report specifies is certified, not a part of it; §10.3.1. No numbers."""
    _ = rule
    monitoring = case.account.monitoring
    reported, certified = monitoring.quantity("reported_tco2e"), monitoring.quantity("certified_tco2e")
    return held(
        holds=reported == certified,
        observed=f"{certified} t of {reported} t certified",
        limit="the whole volume of the monitoring report",
        evidence=("reported_tco2e", "certified_tco2e"),
        remedy="certify the whole report, or correct the report",
    )


def planned_reductions(case: ControlCase, rule: Rule) -> Finding:
    """Check that planned units reach no further ahead than allowed and are of no kind that has none; §11.2.1."""
    monitoring = case.account.monitoring
    if not monitoring.is_so("planned_units_requested"):
        return not_applicable("no planned units are requested", limit="none", evidence=("planned_units_requested",))
    most = rule.threshold(f"most_years_{_activity(monitoring)}")
    ahead = not_negative(monitoring, "planned_years_ahead")
    barred = [name for name in _words(rule, "barred") if monitoring.is_so(name)]
    return held(
        holds=ahead <= most and not barred,
        observed=f"{ahead} years ahead; barred for: {', '.join(barred) or 'nothing'}",
        limit=f"at most {most} years, and none for {', '.join(_words(rule, 'barred'))}",
        evidence=("planned_units_requested", "activity", "planned_years_ahead", *_words(rule, "barred")),
        remedy="request fewer years ahead, and none for what gets no planned units",
        years_ahead=ahead,
    )


def retroactive_limit(case: ControlCase, rule: Rule) -> Finding:
    """Check that crediting starts no earlier than the project, nor so many years before certification; §10.2.1."""
    monitoring = case.account.monitoring
    years = int(rule.threshold(f"most_years_{_activity(monitoring)}"))
    start, project = monitoring.day("crediting_period_first_day"), monitoring.day("project_start")
    earliest = max(project, years_after(monitoring.day("design_certification"), -years))
    return held(
        holds=start >= earliest,
        observed=f"starts on {start}",
        limit=f"not before {earliest}: the project's start, or {years} years before design certification",
        evidence=("activity", "crediting_period_first_day", "project_start", "design_certification"),
        remedy="start the crediting period later; what was removed before it is not credited",
    )


def no_double_issuance(case: ControlCase, rule: Rule) -> Finding:
    """Check that the project is in no other programme, or approved and claimed once; §14.1. No numbers."""
    _ = rule
    monitoring = case.account.monitoring
    elsewhere = monitoring.is_so("registered_elsewhere")
    evidence: tuple[str, ...] = ("registered_elsewhere",)
    is_approved = not elsewhere
    if elsewhere:
        is_approved = monitoring.is_so("dual_certification_approved") and not monitoring.is_so(
            "vintage_claimed_elsewhere"
        )
        evidence += ("dual_certification_approved", "vintage_claimed_elsewhere")
    return held(
        holds=is_approved,
        observed="in another programme" if elsewhere else "in no other programme",
        limit="in no other programme, or approved and claimed once",
        evidence=evidence,
        remedy="leave the other programme, or show the approval and that the vintage is claimed here only",
    )


def paris_alignment(case: ControlCase, rule: Rule) -> Finding:
    """Check that vintages from the rule's year on have a methodology aligned with the Paris Agreement; 119 v1.2."""
    first = int(rule.threshold("first_vintage"))
    if case.account.period.last < date(first, 1, 1):
        return not_applicable(f"no vintage of {first} or later", limit=f"vintages from {first}", evidence=())
    is_aligned = case.account.monitoring.is_so("methodology_is_paris_aligned")
    return held(
        holds=is_aligned,
        observed="aligned" if is_aligned else "not aligned",
        limit=f"an aligned methodology for vintages from {first}",
        evidence=("methodology_is_paris_aligned",),
        remedy="use an aligned methodology, or pass the design change that the programme asks for",
    )


def _activity(monitoring: Monitoring) -> str:
    found = monitoring.fact("activity")
    if found not in _ACTIVITIES:
        raise monitoring.unusable("fact activity", expected=" or ".join(_ACTIVITIES), found=found)
    return found


def _words(rule: Rule, name: str) -> tuple[str, ...]:
    return tuple(rule.choices.get(name, "").split())


CHECKS = {
    "gs501_buffer_share": buffer_share,
    "gs501_whole_report": whole_report,
    "gs501_planned_reductions": planned_reductions,
    "gs501_retroactive_limit": retroactive_limit,
    "gs501_no_double_issuance": no_double_issuance,
    "gs119_paris_alignment": paris_alignment,
}
