"""Controls on the numbers of a VCS monitoring report: potentials, omissions, leakage, buffer, materiality, assurance.

VCS Standard v5.0 §3.14 and §4.1.9. What does not belong here: days (vcs_calendar) and areas (vcs_area).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.compliance.controls.materiality import materiality
from mrv_assets.compliance.controls.taken import number_of, running_before
from mrv_assets.crediting.vcs import buffer_deposit, net_stock_change
from mrv_assets.domain.exact import EXACT, exact_sum
from mrv_assets.domain.rule_set import Rule


def gwp_set(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the set of potentials is one of those for the last day of the period (§3.14.4)."""
    monitoring = case.account.monitoring
    found = monitoring.fact("gwp_set").lower()
    is_new = case.account.period.last >= date.fromisoformat(rule.choices["from"])
    allowed = rule.choices["since" if is_new else "before"].split()
    return held(
        holds=found in allowed,
        observed=f"{found} for {case.account.period}",
        limit=f"{' or '.join(allowed)}, one set for the whole period",
        evidence=("gwp_set",),
        remedy="convert the gases with a set that the programme allows; end the period where the set changes",
    )


def omitted_sources(case: ControlCase, rule: Rule) -> Finding:
    """Find whether what is left out is below a share of the result, each with a reason (§3.14.6, §3.11.1)."""
    monitoring = case.account.monitoring
    rows = monitoring.table("omitted_sources", "source", "tco2e", "reason")
    omitted = exact_sum(EXACT.abs(monitoring.cell("omitted_sources", row, "tco2e")) for row in rows)
    silent = [row["source"] for row in rows if not row["reason"].strip()]
    result = running_before(case, "buffer_tco2e")
    most = EXACT.multiply(rule.threshold("below"), max(Decimal(0), result))
    return held(
        holds=not silent and (omitted < most or not rows),
        observed=f"{omitted} t CO2e omitted of {result}; without a reason: {', '.join(silent) or 'none'}",
        limit=f"below {rule.threshold('below')} of the result, each with a reason",
        evidence=("omitted_sources",),
        remedy="account for the sources, or give the reason why they may be left out",
        omitted_tco2e=omitted,
        result_tco2e=result,
    )


def no_positive_leakage(case: ControlCase, _rule: Rule) -> Finding:
    """Find whether leakage is 0 or more (§3.14.12)."""
    leakage = case.account.monitoring.quantity("leakage_tco2e")
    return held(
        holds=leakage >= 0,
        observed=f"{leakage} t CO2e",
        limit="0 or more",
        evidence=("leakage_tco2e",),
        remedy="state 0 where emissions outside the project fell; positive leakage is not accounted for",
        leakage_tco2e=leakage,
    )


def buffer_base(case: ControlCase, _rule: Rule) -> Finding:
    """Find whether the deposit is the stated rating times the change in carbon stocks, no leakage in it (§3.14.15)."""
    evidence = ("afolu_project", "net_stock_change_tco2e", "npr_rating_percent")
    monitoring = case.account.monitoring
    if not monitoring.is_so("afolu_project"):
        return not_applicable("not an AFOLU project", limit="rating x change in carbon stocks", evidence=evidence)
    rating, deposit = monitoring.quantity("npr_rating_percent"), number_of(case, "buffer_tco2e")
    full = buffer_deposit(rating, net_stock_change(case.account))
    expected = min(full, max(Decimal(0), running_before(case, "buffer_tco2e")))
    return held(
        holds=deposit == expected,
        observed=f"{deposit} t CO2e",
        limit=f"{rating} % of the change in carbon stocks: {expected} t CO2e",
        evidence=evidence,
        remedy="compute the deposit with the assessed rating, on carbon stocks only",
        deposit_tco2e=deposit,
        expected_tco2e=expected,
    )


def assurance(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the verifier gave the level of assurance that the programme asks for (§4.1.9(1))."""
    found = case.account.monitoring.fact("assurance_level").lower()
    return held(
        holds=found == rule.choices["level"],
        observed=found,
        limit=rule.choices["level"],
        evidence=("assurance_level",),
        remedy="have the period verified at this level of assurance",
    )


CHECKS: Mapping[str, Check] = {
    "vcs_gwp_set": gwp_set,
    "vcs_omitted_sources": omitted_sources,
    "vcs_no_positive_leakage": no_positive_leakage,
    "vcs_buffer_base": buffer_base,
    "vcs_materiality": materiality,
    "vcs_assurance": assurance,
}
