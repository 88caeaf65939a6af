"""Controls on the numbers of a VCS monitoring report: potentials, omissions, leakage, buffer, materiality, assurance.

VCS Standard v5.0 §3.14 and §4.1.9. What does not belong here: days (vcs_calendar) and areas (vcs_area).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Context, Decimal

from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.compliance.controls.taken import number_of, running_before
from mrv_assets.crediting.rounding import share
from mrv_assets.crediting.vcs import buffer_deposit, risk_rating
from mrv_assets.crediting.vintages import exact_sum
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.rule_set import Rule

_WIDE = Context(prec=50)


def misstated_share(reported: Decimal, misstatements: Iterable[Decimal], *, where: str) -> Decimal:
    """Return the size of the sum of misstatements as a share of the reported result, to 1e-12.

    Raises ContractError naming `where` when nothing is reported.
    """
    if reported == 0:
        raise ContractError(
            "nothing is reported, so no share of it is misstated",
            where=where,
            expected="reported reductions and removals other than 0, t CO2e",
            found="0",
            remedy="materiality is judged on the reported result",
        )
    return share(_WIDE.divide(abs(exact_sum(misstatements)), abs(reported)))


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
    omitted = exact_sum(abs(monitoring.cell("omitted_sources", row, "tco2e")) for row in rows)
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
    rating, deposit = risk_rating(monitoring, {}), number_of(case, "buffer_tco2e")
    full = buffer_deposit(rating, monitoring.quantity("net_stock_change_tco2e"))
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


def materiality(case: ControlCase, rule: Rule) -> Finding:
    """Find whether misstatements are at most a share of the result, a smaller one of large projects (§4.1.9(4))."""
    monitoring = case.account.monitoring
    annual = monitoring.quantity("estimated_annual_tco2e")
    is_large = annual > rule.threshold("large_above_tco2e")
    most = rule.threshold("most_large" if is_large else "most")
    rows = monitoring.table("misstatements", "finding", "tco2e")
    found = misstated_share(
        monitoring.quantity("reported_tco2e"),
        [monitoring.cell("misstatements", row, "tco2e") for row in rows],
        where=f"{monitoring.where}, quantity reported_tco2e",
    )
    return held(
        holds=found <= most,
        observed=f"{found} of the reported result; {'large' if is_large else 'not a large'} project",
        limit=f"at most {most}",
        evidence=("estimated_annual_tco2e", "misstatements", "reported_tco2e"),
        remedy="correct the report; the verifier's findings are to be settled before it is certified",
        share=found,
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
