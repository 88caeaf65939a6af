"""VM0047, census-based: the lines of its waterfall (Eq 33), with both readings of the uncertainty of Eq 29.

What does not belong here: the equations (vm0047_uncertainty, vm0047_removals), and areas (vm0047_area).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType

from mrv_assets.crediting.account import Account, Formula, Step
from mrv_assets.crediting.distinct import distinct
from mrv_assets.crediting.vm0047_gross import STOCK_CHANGE, census_baseline, standing_before
from mrv_assets.crediting.vm0047_removals import Standing, uncertainty_deduction, uncredited
from mrv_assets.crediting.vm0047_stock import CensusSample
from mrv_assets.crediting.vm0047_uncertainty import census_half_width, census_half_width_literal, deduction
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

READINGS: Mapping[str, Callable[[CensusSample], HalfWidth90]] = MappingProxyType(
    {"literal": census_half_width_literal, "dimensional": census_half_width}
)
"""The readings of Eq 29 that a rule may choose as `eq29`."""


def sample(evidence: Monitoring) -> CensusSample:
    """Return the sampled units of table `census_sample`: `status` alive or dead, above-ground tonnes of the live ones.

    Raises ContractError when the table is missing, for a unit that is there twice, another status, and for fewer than 2
    units or none alive.
    """
    name = "census_sample"
    rows = distinct(evidence, name, "unit", "status", "aboveground_tonnes")
    odd = [row["status"] for row in rows if row["status"] not in ("alive", "dead")]
    if odd:
        raise evidence.unusable(f"table {name}, status", expected="alive or dead", found=odd[0])
    live = [evidence.cell(name, row, "aboveground_tonnes") for row in rows if row["status"] == "alive"]
    return CensusSample(live_tonnes=live, dead=len(rows) - len(live))


def no_leakage(_account: Account, _rule: Rule) -> Step:
    """Return no change: production goes on between the planted units (§8.4)."""
    return Step(change_tco2e=Decimal(0), note="leakage of a census is 0: the land is used as before")


def census_uncertainty(account: Account, rule: Rule) -> Step:
    """Take what the uncertainty withholds (Eq 29, 31), by the reading that the rule chooses as `eq29`.

    All that is left is taken when the half-width is above the whole. Raises ContractError when evidence is missing, for
    a stock change of 0, and for a reading that there is not.
    """
    change = account.number(STOCK_CHANGE)
    if not change:
        raise account.monitoring.unusable("stock change since t = 0", expected="other than 0", found="0")
    half_width = _reading(rule)(sample(account.monitoring))
    limit = rule.threshold("not_credited_above")
    share = deduction(half_width, change, allowance=rule.threshold("allowance"))
    now = Standing(stock_change=change, uncertainty=share)
    before = standing_before(account, benchmark=Decimal(0))
    is_credited = change < 0 or half_width.relative <= limit
    withheld = uncertainty_deduction(now, before)
    kept = EXACT.subtract(EXACT.subtract(now.stock_change, before.stock_change), withheld)
    left = EXACT.subtract(account.running_tco2e, withheld)
    return Step(
        change_tco2e=EXACT.minus(withheld) if is_credited else EXACT.subtract(uncredited(left), account.running_tco2e),
        note="half-width of 90 % above the allowance, of the stock since t = 0"
        if is_credited
        else "the half-width of 90 % is above the whole of the removals: none are credited",
        numbers={
            "half_width_90": half_width.relative,
            "uncertainty": share,
            "is_credited": Decimal(int(is_credited)),
            "net_stock_change_tco2e": max(kept, Decimal(0)) if is_credited else Decimal(0),
        },
    )


def _reading(rule: Rule) -> Callable[[CensusSample], HalfWidth90]:
    chosen = rule.choices.get("eq29", "")
    if chosen not in READINGS:
        raise ContractError(
            "reading of an equation is not chosen",
            where=f"rule {rule.id}, choice eq29",
            expected=" or ".join(READINGS),
            found=repr(chosen),
            remedy="record the reading in the rule set",
        )
    return READINGS[chosen]


FORMULAS: Mapping[str, Formula] = MappingProxyType(
    {
        "vm0047_census_baseline": census_baseline,
        "vm0047_no_leakage": no_leakage,
        "vm0047_census_uncertainty": census_uncertainty,
    }
)
