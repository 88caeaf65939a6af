"""The controls of ESRS E1 (2023): the sums of E1-6 and E1-7 hold, and nothing is netted.

What does not belong here: writing the datapoints (report).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.compliance.controls.shown import fact_of, serial_block, word_of, words
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.domain.errors import listed
from mrv_assets.domain.exact import exact_sum
from mrv_assets.domain.gross import GrossEmissions, is_whole
from mrv_assets.domain.issuance import SerialBlock
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_GROSS = ("scope1_tco2e", "scope2_location_tco2e", "scope2_market_tco2e", "scope3_tco2e")


def gross_of(shown: Monitoring) -> GrossEmissions:
    """Return the gross emissions that were shown. Raises ContractError when one is missing or negative."""
    scope1, location, market, scope3 = (not_negative(shown, name) for name in _GROSS)
    return GrossEmissions(scope1=scope1, scope2_location=location, scope2_market=market, scope3=scope3)


def removed_by(shown: Monitoring, row: Mapping[str, str]) -> Decimal:
    """Return the tonnes of one removal activity. Raises ContractError when they are missing or negative."""
    value = shown.cell("removal_activities", row, "tco2e")
    if value < 0:
        what = f"table removal_activities, row {row['activity']}, column tco2e"
        raise shown.unusable(what, expected="0 or more; a reversal is E1-7_07", found=str(value))
    return value


def totals(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that the totals by location and by market are the sums of their scopes."""
    shown = case.account.monitoring
    gross = gross_of(shown)
    location, market = shown.quantity("total_location_tco2e"), shown.quantity("total_market_tco2e")
    return held(
        holds=(location, market) == (gross.total_location, gross.total_market),
        observed=f"stated {location} by location and {market} by market; the scopes come to {gross.total_location} and "
        f"{gross.total_market} t CO2e",
        limit="each total the exact sum of scope 1, scope 2 and scope 3",
        evidence=(*_GROSS, "total_location_tco2e", "total_market_tco2e"),
        remedy="state the sums; removals and credits lower neither",
        total_location_tco2e=gross.total_location,
        total_market_tco2e=gross.total_market,
    )


def not_netted(case: ControlCase, rule: Rule) -> Finding:
    """Ask that the scope which holds the certified figure is at least its gross emissions, and removals are apart."""
    shown, canonical = case.account.monitoring, case.account.canonical
    scope = fact_of(shown, "certificate_scope", words(rule, "scopes"))
    stated, removals = not_negative(shown, f"{scope}_tco2e"), not_negative(shown, "removals_tco2e")
    return held(
        holds=stated >= canonical.emissions and removals >= canonical.removals,
        observed=f"{scope} of {stated} and removals of {removals} t CO2e; certified {canonical.emissions:f} emitted "
        f"and {canonical.removals:f} removed",
        limit="both at least what is certified, gross",
        evidence=("certificate_scope", *_GROSS, "removals_tco2e"),
        remedy="state gross emissions under E1-6 and removals under E1-7",
    )


def activities_sum(case: ControlCase, rule: Rule) -> Finding:
    """Ask that the removals by activity and place come to the total of E1-7_05."""
    shown = case.account.monitoring
    rows = shown.table("removal_activities", "activity", "kind", "place", "tco2e")
    for row in rows:
        word_of(shown, "removal_activities", row, "kind", words(rule, "kinds"))
        word_of(shown, "removal_activities", row, "place", words(rule, "places"))
    found = exact_sum(removed_by(shown, row) for row in rows)
    stated = not_negative(shown, "removals_tco2e")
    return held(
        holds=found == stated,
        observed=f"{len(rows)} activities with {found} t CO2e; stated {stated}",
        limit="the exact sum of the activities",
        evidence=("removal_activities", "removals_tco2e"),
        remedy="state every activity, and their sum as E1-7_05",
        activities_tco2e=found,
    )


def credit_shares(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that credits from reductions and from removals share out 100 %, where credits were cancelled."""
    shown = case.account.monitoring
    evidence = ("credits_cancelled_tco2e", "credits_reduction_percent", "credits_removal_percent")
    limit = "reductions and removals together exactly 100 %"
    if not not_negative(shown, evidence[0]):
        return not_applicable("no credits were cancelled", limit=limit, evidence=evidence[:1])
    reduction, removal = (shown.quantity(name) for name in evidence[1:])
    return held(
        holds=is_whole(reduction, removal),
        observed=f"{reduction} % from reductions and {removal} % from removals",
        limit=limit,
        evidence=evidence,
        remedy="state both shares of the credits that were cancelled",
    )


def sold_not_used(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that no credit that was sold backs a claim of our own, serial by serial."""
    shown = case.account.monitoring
    both = used_although_sold(shown)
    return held(
        holds=not both,
        observed=f"used for own claims although sold: {listed(both) or 'none'}",
        limit="no serial number in both",
        evidence=("credits_sold", "credits_used"),
        remedy="withdraw the claim; what was sold belongs to the buyer",
    )


def used_although_sold(shown: Monitoring) -> list[str]:
    """Return the blocks that are used for own claims and share a serial number with one that was sold."""
    sold, used = _blocks(shown, "credits_sold"), _blocks(shown, "credits_used")
    return [f"{u.start} to {u.end}" for u in used if any(u.overlaps(s) for s in sold)]


def _blocks(shown: Monitoring, table: str) -> Sequence[SerialBlock]:
    rows = shown.table(table, "serial_start", "serial_end")
    return [serial_block(shown, table, row, first="serial_start", last="serial_end") for row in rows]


CHECKS: Mapping[str, Check] = {
    "esrs_totals": totals,
    "esrs_not_netted": not_netted,
    "esrs_activities_sum": activities_sum,
    "esrs_credit_shares": credit_shares,
    "esrs_sold_not_used": sold_not_used,
}
"""The controls by the name that rule sets give them."""
