"""VM0042: the lines of its waterfall, soil carbon measured again (approach 2) or modelled (approach 1).

The canonical figure is the project scenario; the baseline line adds what the baseline would have emitted and takes away
what it would have stored. What does not belong here: the equations (vm0042_variance, vm0042_net).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from mrv_assets.crediting.account import Account, Formula, Step
from mrv_assets.crediting.rounding import tonnes
from mrv_assets.crediting.vm0042_evidence import variance
from mrv_assets.crediting.vm0042_net import SoilChange, net_of_leakage, stock_split, with_other_reductions
from mrv_assets.crediting.vm0042_variance import deduction, exceedance_t
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule


def gross(account: Account, _rule: Rule) -> Step:
    """Return the canonical removals less emissions of the project scenario, t CO2e, exact."""
    return Step(change_tco2e=EXACT.minus(account.canonical.net), note="removals less emissions of the project scenario")


def baseline(account: Account, _rule: Rule) -> Step:
    """Add the baseline's emissions and take away its gain of soil carbon, t CO2e.

    Evidence `baseline_emissions_tco2e`, all but soil carbon, 0 or more, and `baseline_soil_change_tco2e`, signed.
    Raises ContractError when they are missing.
    """
    evidence = account.monitoring
    emissions = evidence.quantity("baseline_emissions_tco2e")
    if emissions < 0:
        raise evidence.unusable("quantity baseline_emissions_tco2e", expected="0 or more", found=f"{emissions:f}")
    return Step(
        change_tco2e=tonnes(EXACT.subtract(emissions, evidence.quantity("baseline_soil_change_tco2e"))),
        note="emissions of the baseline less its gain of soil carbon",
    )


def leakage(account: Account, _rule: Rule) -> Step:
    """Take the leakage of the period: evidence `leakage_tco2e`, t CO2e, 0 or more, else ContractError."""
    evidence = account.monitoring
    taken = evidence.quantity("leakage_tco2e")
    if taken < 0:
        raise evidence.unusable("quantity leakage_tco2e", expected="0 or more", found=f"{taken:f}")
    taken = tonnes(taken)
    return Step(change_tco2e=EXACT.minus(taken), note="leakage of the period", numbers={"leakage_tco2e": taken})


def uncertainty(account: Account, rule: Rule) -> Step:
    """Take Eq 74 of the difference in soil carbon, and keep reductions and removals apart (Eq 37 to 45).

    Never above 0: a project behind its baseline has the deduction added to its loss. Evidence
    `project_soil_change_tco2e`, signed, `project_soil_change_since_start_tco2e`, and that of the approach.
    """
    evidence, soil = account.monitoring, _soil(account.monitoring)
    spread, area_ha, degrees_of_freedom = variance(evidence)
    t = exceedance_t(rule.threshold("two_sided_level"), degrees_of_freedom)
    share = deduction(spread, Fraction(soil.difference) / Fraction(area_ha), t=t)
    left = soil.deducted(share)
    taken = EXACT.subtract(soil.difference, left.difference)
    stock = stock_split(left, has_gained=evidence.quantity("project_soil_change_since_start_tco2e") > 0)
    leaked = account.number("leakage_tco2e")
    other = EXACT.subtract(EXACT.add(account.running_tco2e, leaked), soil.difference)
    net = net_of_leakage(with_other_reductions(stock, other), leaked)
    return Step(
        change_tco2e=EXACT.minus(taken),
        note="one-sided 2/3 exceedance of the difference in soil carbon",
        numbers={
            "uncertainty": share,
            "t": t,
            "reductions_tco2e": net.reductions,
            "removals_tco2e": net.removals,
            "net_stock_change_reductions_tco2e": stock.reductions,
            "net_stock_change_removals_tco2e": stock.removals,
            "net_stock_change_tco2e": max(stock.total, Decimal(0)),
        },
    )


def _soil(evidence: Monitoring) -> SoilChange:
    return SoilChange(
        project=tonnes(evidence.quantity("project_soil_change_tco2e")),
        baseline=tonnes(evidence.quantity("baseline_soil_change_tco2e")),
    )


FORMULAS: Mapping[str, Formula] = MappingProxyType(
    {
        "vm0042_gross": gross,
        "vm0042_baseline": baseline,
        "vm0042_leakage": leakage,
        "vm0042_uncertainty": uncertainty,
    }
)
