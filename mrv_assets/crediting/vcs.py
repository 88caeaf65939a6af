"""From the canonical result to whole VCUs: gross, baseline, leakage, buffer and vintages of the VCS programme.

VCS Standard v5.0 §3.14 and Registration and Issuance Process v4.4 §4.1.2, §5.1. Credits are positive, t CO2e. What does
not belong here: the deduction for uncertainty (vcs_uncertainty) and the risk rating (non_permanence).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from mrv_assets.crediting.account import Account, Formula, Step
from mrv_assets.crediting.rounding import tonnes
from mrv_assets.crediting.vcs_uncertainty import FORMULAS as UNCERTAINTY
from mrv_assets.crediting.vintages import Issuance, Span, by_days, by_year, calendar_spans, issued
from mrv_assets.crediting.whole_credits import whole_credits_step
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_NONE = Decimal(0)
_MOST_RATING = Decimal(100)
_YEAR = re.compile("[0-9]{4}")


def buffer_deposit(rating_percent: Decimal, stock_change_tco2e: Decimal) -> Decimal:
    """Return the deposit, t CO2e, to 1e-9: rating times the net change in carbon stocks, 0 where stocks fell.

    Leakage, N2O, CH4 and fossil CO2 are no part of the change. Raises ContractError for a rating outside 0 to 100.
    """
    if not 0 <= rating_percent <= 100:
        raise ContractError(
            "risk rating is not a percentage",
            where="npr_rating_percent",
            expected="0 to 100",
            found=str(rating_percent),
            remedy="give the overall rating of the Non-Permanence Risk Tool, in per cent",
        )
    return tonnes(EXACT.multiply(EXACT.scaleb(rating_percent, -2), max(_NONE, stock_change_tco2e)))


def risk_rating(account: Account, rule: Rule) -> Decimal:
    """Return the overall risk rating in per cent: that of an earlier step, else as the assessed risk report states.

    Raises ContractError for a rating that the tool cannot give: not whole, or below `least_rating_percent` in a period
    that ends on the day `least_rating_from` of the rule or later.
    """
    name, monitoring = "npr_rating_percent", account.monitoring
    if name in account.numbers:
        return account.numbers[name]
    stated = monitoring.quantity(name)
    is_bound = account.period.last >= date.fromisoformat(rule.choices["least_rating_from"])
    least = rule.threshold("least_rating_percent") if is_bound else _NONE
    if stated != stated.to_integral_value() or not least <= stated <= _MOST_RATING:
        raise monitoring.unusable(f"quantity {name}", expected=f"a whole number of {least} to 100", found=str(stated))
    return stated


def net_stock_change(account: Account) -> Decimal:
    """Return the change in carbon stocks that a buffer is due on: that of an earlier step, else as the package states.

    A methodology that computes it leaves its own number; then the package has no say.
    """
    name = "net_stock_change_tco2e"
    return account.numbers[name] if name in account.numbers else account.monitoring.quantity(name)


def vcs_gross(account: Account, _rule: Rule) -> Step:
    """Start with the project's removals minus its emissions (§3.14.1)."""
    net = EXACT.minus(account.canonical.net)
    return Step(change_tco2e=net, note="removals minus emissions of the project", numbers={"gross_tco2e": net})


def vcs_baseline(account: Account, _rule: Rule) -> Step:
    """Take away what the baseline would have removed on balance; a baseline that emits is negative (§3.12, §3.14.1)."""
    baseline = account.monitoring.quantity("baseline_net_removals_tco2e")
    return Step(change_tco2e=EXACT.minus(baseline), note=f"baseline net removals {baseline} t CO2e")


def vcs_leakage(account: Account, _rule: Rule) -> Step:
    """Deduct leakage; leakage below 0 counts as none, because positive leakage is not accounted for (§3.14.12, .14)."""
    stated = account.monitoring.quantity("leakage_tco2e")
    counted = max(_NONE, stated)
    note = f"leakage {stated} t CO2e" if stated >= 0 else f"leakage {stated} t CO2e is positive leakage and not counted"
    return Step(change_tco2e=EXACT.minus(counted), note=note, numbers={"leakage_tco2e": counted})


def vcs_buffer(account: Account, rule: Rule) -> Step:
    """Set buffer credits aside: rating times the change in carbon stocks only, no more than there is (§3.14.15).

    Evidence: fact `afolu_project`; for one, `npr_rating_percent` and, unless the methodology has computed it,
    `net_stock_change_tco2e`.
    """
    monitoring = account.monitoring
    if not monitoring.is_so("afolu_project"):
        return Step(change_tco2e=_NONE, note="not an AFOLU project: no buffer", numbers={"buffer_tco2e": _NONE})
    rating = risk_rating(account, rule)
    full = buffer_deposit(rating, net_stock_change(account))
    deposit = min(full, max(_NONE, account.running_tco2e))
    note = f"{rating} % of the net change in carbon stocks"
    if deposit < full:
        note += f", {full} t CO2e, of which only what there is to credit"
    return Step(
        change_tco2e=EXACT.minus(deposit), note=note, numbers={"buffer_tco2e": deposit, "npr_rating_percent": rating}
    )


def issuance(account: Account) -> Issuance:
    """Return the vintages of an account after its buffer step. Raises ContractError for missing evidence.

    Evidence: `deficit_carried_in_tco2e`, stated also when it is 0, and, if the report gives amounts by calendar year
    before deductions, the table `calendar_years` with `year` and `amount_tco2e`; else years are pro rata by days.
    """
    monitoring = account.monitoring
    deposit = account.number("buffer_tco2e")
    spans = calendar_spans(account.period)
    net = EXACT.add(account.running_tco2e, deposit)
    return issued(
        spans,
        _results(monitoring, net, spans),
        buffer_tco2e=deposit,
        deficit_tco2e=monitoring.quantity("deficit_carried_in_tco2e"),
    )


def _results(monitoring: Monitoring, net: Decimal, spans: tuple[Span, ...]) -> tuple[Decimal, ...]:
    if "calendar_years" not in monitoring.tables:
        return by_days(net, spans)
    given: dict[int, Decimal] = {}
    for row in monitoring.table("calendar_years", "year", "amount_tco2e"):
        year = row["year"].strip()
        if not _YEAR.fullmatch(year) or int(year) in given:
            raise monitoring.unusable("table calendar_years, column year", expected="each year once", found=year)
        given[int(year)] = monitoring.cell("calendar_years", row, "amount_tco2e")
    return by_year(net, given, spans, where=f"{monitoring.where}, table calendar_years")


def vcs_whole_credits(account: Account, _rule: Rule) -> Step:
    """Come to whole credits by vintage: rounded down once, deposits rounded up, nothing carried but losses.

    The deficit of a period with a net loss is what the next one takes as `deficit_carried_in_tco2e`.
    """
    return whole_credits_step(account, issuance(account))


FORMULAS: Mapping[str, Formula] = {
    **UNCERTAINTY,
    "vcs_gross": vcs_gross,
    "vcs_baseline": vcs_baseline,
    "vcs_leakage": vcs_leakage,
    "vcs_buffer": vcs_buffer,
    "vcs_whole_credits": vcs_whole_credits,
}
"""The formulas of the programme by the name that rule sets give."""
