"""Gold Standard product requirements 501 v3.2: buffer and whole credits by vintage.

No Gold Standard text that was read gives a rule for rounding: that the buffer is rounded up and credits down, once for
each vintage, is our own conservative choice. What does not belong here: how much was removed, and what has to hold
(compliance).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from mrv_assets.crediting.account import Account, Step
from mrv_assets.crediting.exact_sum import exact_sum
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule


def by_vintage(tonnes: Decimal, period: Period) -> dict[int, Fraction]:
    """Return tonnes by calendar year, pro rata to days, exact."""
    years = range(period.first.year, period.last.year + 1)
    days = {
        year: (min(period.last, date(year, 12, 31)) - max(period.first, date(year, 1, 1))).days + 1 for year in years
    }
    return {year: Fraction(tonnes) * days[year] / sum(days.values()) for year in years}


def whole_credits(amounts: Mapping[int, Fraction]) -> dict[int, int]:
    """Return what each vintage issues, buffer included: rounded down, none for a vintage below 1 t."""
    return {year: max(floor(amount), 0) for year, amount in amounts.items()}


def buffer_credits(issued: Mapping[int, int], share: Decimal) -> dict[int, int]:
    """Return what each vintage gives to the compliance buffer: this share of what it issues, rounded up; §11.1.

    Of whole credits, as the text says, and not of the tonnes before rounding: so more tonnes never leave fewer credits.
    """
    return {year: ceil(credits_ * Fraction(share)) for year, credits_ in issued.items()}


def canonical_removals(account: Account, rule: Rule) -> Step:
    """Start with the canonical result: removals minus emissions, t CO2e. The rule has no numbers."""
    _ = rule
    gross = EXACT.minus(account.canonical.net)
    return Step(change_tco2e=gross, note="removals minus emissions of the ledger", numbers={"gross_tco2e": gross})


def buffer(account: Account, rule: Rule) -> Step:
    """Take the buffer: of all credits where the rule's `base` is `all`, else of the share that evidence states.

    The share is quantity `sequestration_share`, 0 to 1: the rest are reductions that cannot be reversed (§11.1.1).
    """
    share = rule.threshold("buffer_share")
    if rule.choices.get("base") != "all":
        share = EXACT.multiply(share, _sequestration_share(account))
    taken = buffer_credits(whole_credits(by_vintage(account.running_tco2e, account.period)), share)
    numbers = {f"buffer_{year}": Decimal(credits_) for year, credits_ in taken.items()}
    numbers |= {"before_buffer_tco2e": account.running_tco2e, "buffer_share": share}
    return Step(change_tco2e=Decimal(-sum(taken.values())), note="to the compliance buffer", numbers=numbers)


def whole(account: Account, rule: Rule) -> Step:
    """Round down to whole credits by vintage, what the buffer took left out. The rule has no numbers.

    A net-negative account issues none: the line brings it to 0, and `carried_tco2e` records what is below it.
    """
    _ = rule
    running = account.running_tco2e
    is_buffered = "before_buffer_tco2e" in account.numbers
    before = account.number("before_buffer_tco2e") if is_buffered else running
    issued = {year: Decimal(n) for year, n in whole_credits(by_vintage(before, account.period)).items()}
    if is_buffered:
        issued = {year: EXACT.subtract(n, account.number(f"buffer_{year}")) for year, n in issued.items()}
    credited = exact_sum(issued.values())
    numbers = {f"credits_{year}": n for year, n in issued.items()}
    numbers |= {"whole_credits": credited, "carried_tco2e": min(running, Decimal(0))}
    note = "whole credits by vintage" if running >= 0 else "net negative: recorded and carried, no credits"
    return Step(change_tco2e=EXACT.subtract(credited, running), note=note, numbers=numbers)


def _sequestration_share(account: Account) -> Decimal:
    share = account.monitoring.quantity("sequestration_share")
    if not 0 <= share <= 1:
        what = "quantity sequestration_share"
        raise account.monitoring.unusable(what, expected="a share from 0 to 1", found=str(share))
    return share


FORMULAS = {"gs501_canonical_removals": canonical_removals, "gs501_buffer": buffer, "whole_credits_by_vintage": whole}
