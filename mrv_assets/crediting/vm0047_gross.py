"""VM0047: the first lines of its waterfalls, and what stood at the verification before.

What does not belong here: leakage, uncertainty and benchmark (vm0047_area, vm0047_census).
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.crediting.account import Account, Step
from mrv_assets.crediting.vm0047_removals import Standing
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.rule_set import Rule

STOCK_CHANGE = "stock_change_tco2e"
"""The number of the stock change since t = 0 among those of the lines."""


def gross(account: Account, _rule: Rule) -> Step:
    """Return the canonical removals less emissions of the period, t CO2e, exact; negative for a loss.

    Evidence `project_emissions_tco2e` says which part of the canonical emissions are burning and fertiliser, so that
    the rest is stock change; `stock_change_before_tco2e` is the stock change from t = 0 to the verification before, 0
    for the first. Raises ContractError when they are missing, and for project emissions that the canonical figure has
    not.
    """
    evidence, canonical = account.monitoring, account.canonical
    emissions = evidence.quantity("project_emissions_tco2e")
    if not 0 <= emissions <= canonical.emissions:
        raise evidence.unusable(
            "quantity project_emissions_tco2e",
            expected=f"0 to {canonical.emissions:f}, the emissions of the canonical figure",
            found=f"{emissions:f}",
        )
    of_period = EXACT.subtract(emissions, canonical.net)
    through = EXACT.add(evidence.quantity("stock_change_before_tco2e"), of_period)
    return Step(
        change_tco2e=EXACT.minus(canonical.net),
        note="removals less emissions of the period: stock change less project emissions",
        numbers={
            STOCK_CHANGE: through,
            "stock_change_of_period_tco2e": of_period,
            "project_emissions_tco2e": emissions,
        },
    )


def area_baseline(_account: Account, _rule: Rule) -> Step:
    """Return no change: the baseline of areas is the growth of the control plots, which the benchmark takes away."""
    return Step(change_tco2e=Decimal(0), note="the baseline of areas is taken by the performance benchmark")


def census_baseline(_account: Account, _rule: Rule) -> Step:
    """Return no change: without the project there are no planted units (§8.1.2)."""
    return Step(change_tco2e=Decimal(0), note="the baseline of a census is 0: no units without the project")


def standing_before(account: Account, *, benchmark: Decimal) -> Standing:
    """Return what stood at the verification before, from `stock_change_before_tco2e` and `uncertainty_before`.

    They are those of that verification, whether removals were credited at it or not: the periods then add up to the
    equation over all of them. Raises ContractError when they are missing, and for a share that is none.
    """
    evidence = account.monitoring
    return Standing(
        stock_change=evidence.quantity("stock_change_before_tco2e"),
        uncertainty=evidence.quantity("uncertainty_before"),
        benchmark=benchmark,
    )
