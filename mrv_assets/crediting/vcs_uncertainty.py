"""What the VCS programme deducts for random error: the discount factor, and the older forms with an allowance.

VCS Methodology Requirements v5.0 §2.4, VMD0017 v2.2 and VM0007 v1.8 §8.4.5. The documents ask for different levels of
confidence, so each rule states its own and an interval of another level is refused. What does not belong here: how a
half-width is estimated (uncertainty).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal

from mrv_assets.crediting.account import Account, Formula, Step
from mrv_assets.crediting.rounding import share, tonnes
from mrv_assets.crediting.stated_uncertainty import RESULT, half_width_90, stated
from mrv_assets.domain.confidence import HalfWidth, HalfWidth90, HalfWidth95
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.rule_set import Rule

_WIDE = Context(prec=50)
_ONE, _NONE = Decimal(1), Decimal(0)
_LEVELS: Mapping[str, type[HalfWidth90] | type[HalfWidth95]] = {"0.90": HalfWidth90, "0.95": HalfWidth95}


def relative_half_width(standard_error: Decimal, estimate: Decimal, *, quantile: Decimal, where: str) -> HalfWidth90:
    """Return the half-width of the 90 % interval as a share of the estimate; `quantile` is the two-sided one, 1.6449.

    Both in t CO2e. Raises ContractError naming `where` for an estimate of 0 or less and for a negative error.
    """
    if estimate <= 0 or standard_error < 0:
        raise ContractError(
            "relative uncertainty cannot be stated",
            where=where,
            expected="a standard error of 0 or more and an estimate above 0, in t CO2e",
            found=f"standard error {standard_error}, estimate {estimate}",
            remedy="a period without reductions or removals has no relative uncertainty; nothing of it is credited",
        )
    return HalfWidth90(relative=share(_WIDE.divide(_WIDE.multiply(standard_error, quantile), estimate)))


def discount_factor(half_width: HalfWidth90, *, free: Decimal, two_sided_90: Decimal, one_sided_67: Decimal) -> Decimal:
    """Return the share to deduct, 0 to 1: none up to `free`, then U / t_90 x t_33.3 of the whole U (VCS MR §2.4).

    The published rule steps from 0 to 2.62 % just above 10 %; it never falls as U grows.
    """
    if half_width.relative <= free:
        return _NONE
    return share(min(_ONE, _WIDE.divide(_WIDE.multiply(half_width.relative, one_sided_67), two_sided_90)))


def excess(half_width: HalfWidth, *, allowed: Decimal) -> Decimal:
    """Return the share to deduct, 0 to 1, of the forms that allow a half-width and deduct what is above it."""
    return share(min(_ONE, max(_NONE, _WIDE.subtract(half_width.relative, allowed))))


def deducted(running_tco2e: Decimal, part: Decimal) -> Decimal:
    """Return the signed change, t CO2e, of deducting a share; none of 0 or less: a loss stays as it is."""
    if running_tco2e <= 0:
        return _NONE
    return EXACT.minus(min(running_tco2e, tonnes(EXACT.multiply(running_tco2e, part))))


def vcs_uncertainty(account: Account, rule: Rule) -> Step:
    """Deduct by VCS MR v5.0 §2.4, or all of it where the half-width exceeds `excluded_above`.

    Evidence: `result_half_width` with `result_confidence`, or `result_standard_error_tco2e` of the
    result so far. For slow removals (fact `slow_removals`) the exclusion is by `result_ten_year_half_width`.
    """
    half_width = _half_width_90(account, rule)
    if half_width is None:
        return Step(change_tco2e=_NONE, note="nothing to credit, so nothing is deducted", numbers={})
    if _is_excluded(account, rule, half_width):
        part, note = _ONE, f"half-width {half_width.relative} is above {rule.threshold('excluded_above')}: excluded"
    else:
        part = discount_factor(
            half_width,
            free=rule.threshold("free"),
            two_sided_90=rule.threshold("t_two_sided_90"),
            one_sided_67=rule.threshold("t_one_sided_67"),
        )
        note = f"half-width {half_width.relative} at 90 %: discount factor {part}"
    return _step(account, half_width, part, note)


def vcs_excess_uncertainty(account: Account, rule: Rule) -> Step:
    """Deduct what is above the allowed half-width, at the level that the document of the rule asks for.

    Choice `confidence`, "0.95" for VMD0017 v2.2 and "0.90" for VM0007 v1.8; threshold `allowed`, 0.15 in both.
    """
    kind = _level(rule, account.monitoring.where)
    half_width: HalfWidth = (
        stated(account.monitoring, RESULT, HalfWidth90)
        if kind is HalfWidth90
        else stated(account.monitoring, RESULT, HalfWidth95)
    )
    part = excess(half_width, allowed=rule.threshold("allowed"))
    note = f"half-width {half_width.relative} at {rule.choices['confidence']}: {part} is above the allowance"
    return _step(account, half_width, part, note)


def _step(account: Account, half_width: HalfWidth, part: Decimal, note: str) -> Step:
    numbers = {"half_width_share": half_width.relative, "uncertainty_deduction_share": part}
    return Step(change_tco2e=deducted(account.running_tco2e, part), note=note, numbers=numbers)


def _half_width_90(account: Account, rule: Rule) -> HalfWidth90 | None:
    """Return the half-width as stated, else from the standard error; None where there is nothing to compare it with."""
    monitoring = account.monitoring
    if "result_half_width" in monitoring.quantities:
        return half_width_90(monitoring, RESULT)
    if "result_standard_error_tco2e" not in monitoring.quantities:
        raise monitoring.missing("quantity result_half_width or result_standard_error_tco2e")
    error = monitoring.quantity("result_standard_error_tco2e")
    if account.running_tco2e < 0:
        return None
    where = f"{monitoring.where}, quantity result_standard_error_tco2e"
    return relative_half_width(error, account.running_tco2e, quantile=rule.threshold("t_two_sided_90"), where=where)


def _is_excluded(account: Account, rule: Rule, half_width: HalfWidth90) -> bool:
    limit = rule.threshold("excluded_above")
    if half_width.relative <= limit:
        return False
    if not account.monitoring.is_so("slow_removals"):
        return True
    return account.monitoring.quantity("result_ten_year_half_width") >= limit


def _level(rule: Rule, where: str) -> type[HalfWidth90] | type[HalfWidth95]:
    level = rule.choices.get("confidence", "")
    if level not in _LEVELS:
        raise ContractError(
            "rule does not state its confidence level",
            where=f"{where}, rule {rule.id}",
            expected="choice confidence, 0.90 or 0.95",
            found=repr(level),
            remedy="state it in the rule set; documents with the same allowance differ in it",
        )
    return _LEVELS[level]


FORMULAS: Mapping[str, Formula] = {
    "vcs_uncertainty": vcs_uncertainty,
    "vcs_excess_uncertainty": vcs_excess_uncertainty,
}
"""The formulas of this document by the name that rule sets give."""
