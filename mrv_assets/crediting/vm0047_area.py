"""VM0047, area-based: leakage, uncertainty and performance benchmark as lines of a waterfall (Eq 32, v1.0 Eq 30).

Uncertainty comes first and the benchmark takes its share of what is left; both lines together are exactly the
deductions of the equation. What does not belong here: the equations (vm0047_removals and those below it).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from types import MappingProxyType

from mrv_assets.crediting import vm0047_plots
from mrv_assets.crediting.account import Account, Formula, Step
from mrv_assets.crediting.vm0047_area_evidence import displaced, inventories, new_land, pools
from mrv_assets.crediting.vm0047_benchmark import counted_slope, performance_benchmark, signed_z
from mrv_assets.crediting.vm0047_gross import STOCK_CHANGE, area_baseline, gross, standing_before
from mrv_assets.crediting.vm0047_leakage import leakage
from mrv_assets.crediting.vm0047_removals import (
    Benchmarked,
    Standing,
    all_deductions,
    benchmarked,
    benchmarked_v1_0,
    uncertainty_deduction,
    uncredited,
)
from mrv_assets.crediting.vm0047_uncertainty import area_half_width, area_half_width_v1_0, deduction
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.rule_set import Rule


def area_leakage(account: Account, rule: Rule) -> Step:
    """Take the leakage of the period (VMD0054): that through year t less `leakage_before_tco2e`.

    Raises ContractError when evidence is missing, and when less leakage is shown than was taken before.
    """
    evidence = account.monitoring
    through = leakage(
        displaced(evidence, rule),
        new_land(evidence),
        growth=rule.threshold("yield_growth"),
        mitigation=evidence.quantity("leakage_mitigation_tco2e"),
    )
    before = evidence.quantity("leakage_before_tco2e")
    if not 0 <= before <= through:
        raise evidence.unusable(
            "quantity leakage_before_tco2e",
            expected=f"0 to {through:f}, the leakage through this period: leakage is not given back",
            found=f"{before:f}",
        )
    return Step(
        change_tco2e=EXACT.subtract(before, through),
        note="leakage from displaced production, less what was taken before",
        numbers={"leakage_tco2e": through},
    )


def _uncertainty(account: Account, rule: Rule, half_width_of: Callable[[Account, Decimal], HalfWidth90]) -> Step:
    """Take what the uncertainty withholds (Eq 28): all that is left when the half-width is above the whole."""
    change = account.number(STOCK_CHANGE)
    half_width = half_width_of(account, change)
    limit = rule.threshold("not_credited_above")
    share = deduction(half_width, change, allowance=rule.threshold("allowance"))
    is_credited = change < 0 or half_width.relative <= limit
    withheld = uncertainty_deduction(Standing(stock_change=change, uncertainty=share), _before(account))
    left = EXACT.subtract(account.running_tco2e, withheld)
    return Step(
        change_tco2e=EXACT.minus(withheld) if is_credited else EXACT.subtract(uncredited(left), account.running_tco2e),
        note="half-width of 90 % above the allowance, of the stock change since t = 0"
        if is_credited
        else "the half-width of 90 % is above the whole of the removals: none are credited",
        numbers={
            "half_width_90": half_width.relative,
            "uncertainty": share,
            "before_benchmark_tco2e": left,
            "is_credited": Decimal(int(is_credited)),
        },
    )


def _performance_benchmark(account: Account, rule: Rule, benchmark: Benchmarked) -> Step:
    """Take what would have grown without the project (A8): the rest of the equation's deductions."""
    project, control = vm0047_plots.slopes(account.monitoring)
    critical = rule.threshold("critical_z")
    share = performance_benchmark(project, control, critical=critical)
    now = Standing(
        stock_change=account.number(STOCK_CHANGE), uncertainty=account.number("uncertainty"), benchmark=share
    )
    before, is_credited = _before(account), bool(account.number("is_credited"))
    deducted = all_deductions(now, before, benchmark)
    taken = EXACT.subtract(deducted, uncertainty_deduction(now, before))
    left = EXACT.subtract(account.number("before_benchmark_tco2e"), taken)
    kept = EXACT.subtract(EXACT.subtract(now.stock_change, before.stock_change), deducted)
    return Step(
        change_tco2e=EXACT.subtract(left if is_credited else uncredited(left), account.running_tco2e),
        note="growth of the control plots as a share of the project's",
        numbers={
            "performance_benchmark": share,
            "slope_project": project.per_year,
            "slope_control": counted_slope(control),
            "z": signed_z(project, control),
            "net_stock_change_tco2e": max(kept, Decimal(0)) if is_credited else Decimal(0),
        },
    )


def _before(account: Account) -> Standing:
    return standing_before(account, benchmark=account.monitoring.quantity("performance_benchmark_before"))


def _half_width(account: Account, change: Decimal) -> HalfWidth90:
    return area_half_width(inventories(account.monitoring), change)


def _half_width_v1_0(account: Account, change: Decimal) -> HalfWidth90:
    return area_half_width_v1_0(pools(account.monitoring), change)


FORMULAS: Mapping[str, Formula] = MappingProxyType(
    {
        "vm0047_gross": gross,
        "vm0047_area_baseline": area_baseline,
        "vm0047_area_leakage": area_leakage,
        "vm0047_area_uncertainty": partial(_uncertainty, half_width_of=_half_width),
        "vm0047_area_uncertainty_1_0": partial(_uncertainty, half_width_of=_half_width_v1_0),
        "vm0047_performance_benchmark": partial(_performance_benchmark, benchmark=benchmarked),
        "vm0047_performance_benchmark_1_0": partial(_performance_benchmark, benchmark=benchmarked_v1_0),
    }
)
