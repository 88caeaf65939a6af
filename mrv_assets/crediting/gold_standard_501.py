"""Gold Standard product requirements 501 v3.2: buffer and whole credits by vintage.

No Gold Standard text that was read gives a rule for rounding: that the buffer is rounded up and credits down, once for
each vintage, is our own conservative choice. What does not belong here: how much was removed, and what has to hold
(compliance).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil

from mrv_assets.crediting.account import Account, Step
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.crediting.vintages import Issuance, Vintage, by_days, calendar_spans, whole_below
from mrv_assets.crediting.whole_credits import whole_credits_step
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule

_NONE = Decimal(0)
_CARRIED = "deficit_carried_in_tco2e"


def issued(
    before_buffer_tco2e: Decimal, period: Period, *, buffer_share: Decimal, deficit_tco2e: Decimal = _NONE
) -> Issuance:
    """Return what is issued for a result before the buffer, t CO2e, pro rata to the days of each calendar year.

    Each vintage is rounded down and gives its buffer. What is below 0 issues nothing and is the deficit. The result is
    what is left after `deficit_tco2e`, the loss of earlier periods; a reversal is a loss of this period without it.
    """
    spans = calendar_spans(period)
    results = by_days(before_buffer_tco2e, spans)
    whole = [whole_below(result) for result in results]
    kept = buffer_credits(whole, buffer_share)
    return Issuance(
        vintages=tuple(
            Vintage(span=span, result_tco2e=result, creditable_tco2e=max(_NONE, result), buffer_credits=to_buffer,
                    credits=all_ - to_buffer)
            for span, result, all_, to_buffer in zip(spans, results, whole, kept, strict=True)
        ),
        deficit_tco2e=max(_NONE, EXACT.minus(before_buffer_tco2e)),
        reversal_tco2e=max(_NONE, EXACT.minus(EXACT.add(before_buffer_tco2e, deficit_tco2e))),
    )  # fmt: skip


def buffer_credits(issued_credits: Sequence[int], share: Decimal) -> list[int]:
    """Return what each vintage gives to the compliance buffer: this share of what it issues, rounded up; §11.1."""
    # Of whole credits and by vintage, as the text says; VCS takes a deposit in tonnes of the whole period instead.
    return [ceil(credits_ * Fraction(share)) for credits_ in issued_credits]


def canonical_removals(account: Account, rule: Rule) -> Step:
    """Start with the canonical result: removals minus emissions, t CO2e. The rule has no numbers."""
    _ = rule
    gross = EXACT.minus(account.canonical.net)
    return Step(change_tco2e=gross, note="removals minus emissions of the ledger", numbers={"gross_tco2e": gross})


def carried_in(account: Account, rule: Rule) -> Step:
    """Take the loss of earlier periods that is still to be made up, stated also when it is 0. The rule has no numbers.

    Not for removals since planting, in which an earlier loss stands already (403 §3.3.3).
    """
    _ = rule
    deficit = not_negative(account.monitoring, _CARRIED)
    return Step(change_tco2e=EXACT.minus(deficit), note="to be made up first", numbers={_CARRIED: deficit})


def buffer(account: Account, rule: Rule) -> Step:
    """Take the buffer: of all credits where the rule's `base` is `all`, else of the share that evidence states.

    The share is quantity `sequestration_share`, 0 to 1: the rest are reductions that cannot be reversed (§11.1.1).
    """
    share = rule.threshold("buffer_share")
    if rule.choices.get("base") != "all":
        share = EXACT.multiply(share, _sequestration_share(account))
    taken = issued(account.running_tco2e, account.period, buffer_share=share).buffer_credits
    return Step(
        change_tco2e=Decimal(-taken),
        note="to the compliance buffer",
        numbers={"before_buffer_tco2e": account.running_tco2e, "buffer_share": share},
    )


def whole(account: Account, rule: Rule) -> Step:
    """Round down to whole credits by vintage, what an earlier line gave to the buffer left out. No numbers."""
    _ = rule
    before = account.numbers.get("before_buffer_tco2e", account.running_tco2e)
    share, deficit = (account.numbers.get(name, _NONE) for name in ("buffer_share", _CARRIED))
    return whole_credits_step(account, issued(before, account.period, buffer_share=share, deficit_tco2e=deficit))


def _sequestration_share(account: Account) -> Decimal:
    share = account.monitoring.quantity("sequestration_share")
    if not 0 <= share <= 1:
        what = "quantity sequestration_share"
        raise account.monitoring.unusable(what, expected="a share from 0 to 1", found=str(share))
    return share


FORMULAS = {
    "gs501_canonical_removals": canonical_removals,
    "deficit_carried_in": carried_in,
    "gs501_buffer": buffer,
    "whole_credits_by_vintage": whole,
}
