"""The lines of a waterfall under AR-TOOL14 v04.2: project change, baseline, leakage and the uncertainty discount.

What does not belong here: the estimates behind them (ar_tool14).
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.crediting.account import Account, Step
from mrv_assets.crediting.ar_tool14 import Carbon, carbon_of, difference, strata_of
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.crediting.gold_standard_precision import deducted_from_gross
from mrv_assets.crediting.stated_uncertainty import RESULT, half_width_90
from mrv_assets.crediting.step_discount import Direction, bands_of, conservative, discount
from mrv_assets.crediting.stratified import density
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

METHODS = ("difference", "remeasured")


def change(account: Account, rule: Rule) -> Step:
    """Start with the change of the project's tree carbon stock between two verifications, t CO2e, undiscounted."""
    found = change_of(account.monitoring, rule)
    numbers = {"gross_tco2e": found.tco2e, "project_half_width": found.half_width.relative}
    return Step(change_tco2e=found.tco2e, note=f"by {account.monitoring.fact('change_method')}", numbers=numbers)


def change_of(monitoring: Monitoring, rule: Rule) -> Carbon:
    """Return the change by fact `change_method`: two independent stocks (6.1), or re-measured plots (6.2).

    Raises ContractError for another method, missing evidence, one plot in a stratum, and a change of 0.
    """
    method = monitoring.fact("change_method")
    if method not in METHODS:
        raise monitoring.unusable("fact change_method", expected=" or ".join(METHODS), found=method)
    where = f"{monitoring.where}, change of tree carbon stock"
    fraction = rule.threshold("carbon_fraction")
    if method == "remeasured":
        return carbon_of(density(*strata_of(monitoring, "biomass_change_t_ha"), where=where), fraction)
    later = carbon_of(density(*strata_of(monitoring, "biomass_t_ha"), where=where), fraction)
    return difference(_earlier_stock(monitoring), later, where=where)


def uncertainty_discount(account: Account, rule: Rule) -> Step:
    """Take the share of Appendix 2 of the project's change, down: a loss becomes a larger loss."""
    half_width = HalfWidth90(relative=account.number("project_half_width"))
    share = discount(half_width, bands_of(rule), where=f"{account.monitoring.where}, change of tree carbon stock")
    return deducted_from_gross(account, share)


def discount_of_stated(account: Account, rule: Rule) -> Step:
    """Take the share of Appendix 2, for evidence that states one half-width for the whole of the gross figure."""
    where = f"{account.monitoring.where}, quantity result_half_width"
    half_width = half_width_90(account.monitoring, RESULT)
    return deducted_from_gross(account, discount(half_width, bands_of(rule), where=where))


def baseline(account: Account, rule: Rule) -> Step:
    """Take the baseline's change of stock, moved up by its own uncertainty; 0 needs none. A decline is stated as 0."""
    return _moved_up(account, rule, "baseline_change", not_negative(account.monitoring, "baseline_change_tco2e"))


def leakage(account: Account, rule: Rule) -> Step:
    """Take leakage, moved up by its own uncertainty; 0 needs none."""
    return _moved_up(account, rule, "leakage", not_negative(account.monitoring, "leakage_tco2e"))


def _moved_up(account: Account, rule: Rule, name: str, estimate: Decimal) -> Step:
    if not estimate:
        return Step(change_tco2e=Decimal(0), note="stated as 0")
    half_width = half_width_90(account.monitoring, name)
    share = discount(half_width, bands_of(rule), where=f"{account.monitoring.where}, quantity {name}_half_width")
    moved = conservative(estimate, share, Direction.UP)
    return Step(
        change_tco2e=EXACT.minus(moved), note=f"estimate {estimate:f} t, moved up", numbers={f"{name}_discount": share}
    )


def _earlier_stock(monitoring: Monitoring) -> Carbon:
    """Return the stock of the verification before, as estimated and not as discounted; 0 needs no uncertainty."""
    stock = not_negative(monitoring, "earlier_stock_tco2e")
    exact = HalfWidth90(relative=Decimal(0))
    return Carbon(tco2e=stock, half_width=half_width_90(monitoring, "earlier_stock") if stock else exact)


FORMULAS = {
    "ar_tool14_change": change,
    "ar_tool14_baseline": baseline,
    "ar_tool14_leakage": leakage,
    "ar_tool14_discount": uncertainty_discount,
    "ar_tool14_discount_of_stated": discount_of_stated,
}
