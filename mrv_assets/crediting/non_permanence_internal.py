"""Internal risks of the Non-Permanence Risk Tool: management, finance, opportunity cost, longevity (Tables 1 to 4).

Points are in the rule set. What does not belong here: external and natural risks.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from mrv_assets.crediting.non_permanence_score import NO_POINTS, Score, above, answered, below, one_of
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_MANAGEMENT = (
    "npr_species_not_adapted",
    "npr_enforcement_needed",
    "npr_skills_missing",
    "npr_team_far_away",
    "npr_loss_report_late",
)
_MANAGEMENT_ALM = ("npr_farmers_untrained", "npr_farmers_unaware")
_AGREEMENTS = ("none", "crediting_period", "hundred_years")


def project_management(monitoring: Monitoring, rule: Rule) -> Score:
    """Table 1: points for each risk, less for each mitigation; no adaptive management plan fails."""
    is_alm = monitoring.is_so("npr_alm_project")
    risks = _MANAGEMENT + (_MANAGEMENT_ALM if is_alm else ())
    mitigations = ("npr_team_experienced",) + (("npr_training_plan",) if is_alm else ())
    parts = answered(monitoring, risks, rule.threshold("risk"))
    parts |= answered(monitoring, mitigations, EXACT.minus(rule.threshold("mitigation")))
    has_plan = monitoring.is_so("npr_adaptive_management_plan")
    return Score(parts=parts, failures=() if has_plan else ("no adaptive management plan",))


def financial_viability(monitoring: Monitoring, rule: Rule) -> Score:
    """Table 2: payback period and secured funding; callable funds lower the points of funding only, not below 0."""
    payback = _not_negative(monitoring, "npr_payback_years")
    funding = below(
        _not_negative(monitoring, "npr_funding_secured_share"), rule, "funding", ("lowest", "low", "medium")
    )
    if _not_negative(monitoring, "npr_callable_funds_share") >= rule.threshold("callable_from"):
        funding = max(NO_POINTS, funding - rule.threshold("callable"))
    is_failed = payback > rule.threshold("payback_failed_above")
    return Score(
        parts={"payback": above(payback, rule, "payback", ("long", "medium", "short")), "funding": funding},
        failures=("payback period is too long",) if is_failed else (),
    )


def opportunity_cost(monitoring: Monitoring, rule: Rule) -> Score:
    """Table 3: net present values compared, or the impact on communities where the baseline is subsistence."""
    agreement = one_of(monitoring, "npr_binding_agreement", _AGREEMENTS)
    mitigations = {
        "none": NO_POINTS,
        "crediting_period": EXACT.minus(rule.threshold("agreement")),
        "hundred_years": EXACT.minus(rule.threshold("agreement_hundred_years")),
    }
    parts = {"alternative": _alternative(monitoring, rule), "agreement": mitigations[agreement]}
    return Score(
        parts=parts | answered(monitoring, ("npr_loss_of_revenue_covered",), EXACT.minus(rule.threshold("covered")))
    )


def _alternative(monitoring: Monitoring, rule: Rule) -> Decimal:
    if monitoring.is_so("npr_subsistence_baseline"):
        is_good = monitoring.is_so("npr_community_impacts_positive")
        return NO_POINTS if is_good else rule.threshold("subsistence")
    return npv_points(monitoring.quantity("npr_project_npv"), monitoring.quantity("npr_alternative_npv"), rule)


def npv_points(project: Decimal, alternative: Decimal, rule: Rule) -> Decimal:
    """Return the points for two net present values in one currency.

    "Per cent more" has no meaning beside a value of 0 or less. There the better alternative takes the highest points
    and the better project none (our own conservative choice).
    """
    if project <= 0:
        return rule.threshold("npv_double") if alternative > project else NO_POINTS
    if alternative >= _above(project, rule.threshold("npv_double_from")):
        return rule.threshold("npv_double")
    for level in ("high", "medium"):
        if alternative > _above(project, rule.threshold(f"npv_{level}_above")):
            return rule.threshold(f"npv_{level}")
    if alternative <= 0:
        return NO_POINTS
    for level in ("much_better", "better"):
        if project > _above(alternative, rule.threshold(f"project_{level}_above")):
            return EXACT.minus(rule.threshold(f"project_{level}"))
    return NO_POINTS


def _above(value: Decimal, part: Decimal) -> Decimal:
    return EXACT.multiply(value, EXACT.add(Decimal(1), part))


def project_longevity(monitoring: Monitoring, rule: Rule) -> Score:
    """Table 4: fewer points the longer the project lasts; an agreement that binds for 100 years has none."""
    if one_of(monitoring, "npr_binding_agreement", _AGREEMENTS) == "hundred_years":
        return Score(parts={"bound for 100 years": NO_POINTS})
    years = _not_negative(monitoring, "npr_longevity_years")
    has_agreement = monitoring.is_so("npr_longevity_agreement") and not monitoring.is_so("npr_grouped_short_contracts")
    least = _least_years(monitoring.day("npr_registration_requested"), rule)
    failures = [f"longevity below {least} years"] if years < least else []
    if not monitoring.is_so("npr_longevity_plans"):
        failures.append("no plans for the whole longevity")
    if monitoring.is_so("npr_harvesting") and not monitoring.is_so("npr_harvest_commitment"):
        failures.append("no commitment to continue, replant or allow regrowth")
    points = longevity_points(years, rule, has_agreement=has_agreement)
    return Score(parts={"longevity": points}, failures=failures)


def longevity_points(years: Decimal, rule: Rule, *, has_agreement: bool) -> Decimal:
    """Return 25 minus a fifth of the years, with a legal agreement a quarter of them; never below 0."""
    divisor = rule.threshold("years_per_point_agreed" if has_agreement else "years_per_point")
    return max(NO_POINTS, EXACT.subtract(rule.threshold("longevity_from"), EXACT.divide(years, divisor)))


def _least_years(requested: date, rule: Rule) -> Decimal:
    is_early = requested < date.fromisoformat(rule.choices["least_years_from"])
    return rule.threshold("least_years_before" if is_early else "least_years")


def _not_negative(monitoring: Monitoring, name: str) -> Decimal:
    value = monitoring.quantity(name)
    if value < 0:
        raise monitoring.unusable(f"quantity {name}", expected="0 or more", found=str(value))
    return value
