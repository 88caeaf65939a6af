"""What Gold Standard 403 and 402 deduct: what the 90 % half-width exceeds the allowed 20 % by, and nothing below.

What does not belong here: the stepped table of 203 Annex A (gold_standard_203).
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.crediting.account import Account, Step
from mrv_assets.crediting.rounding import share, tonnes
from mrv_assets.crediting.stated_uncertainty import RESULT, half_width_90
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.rule_set import Rule


def excess(half_width: HalfWidth90, allowed: Decimal) -> Decimal:
    """Return max(0, U − allowed) as a share of the estimate; 403 §3.11.5 and 402 Eq. 11. It has no upper limit."""
    return share(max(Decimal(0), EXACT.subtract(half_width.relative, allowed)))


def excess_of_stated(account: Account, rule: Rule) -> Step:
    """Deduct the excess from the gross figure, for evidence that states one half-width for the whole of it."""
    return deducted_from_gross(account, excess(half_width_90(account.monitoring, RESULT), rule.threshold("allowed")))


def deducted_from_gross(account: Account, deduction: Decimal) -> Step:
    """Take this share of the size of the gross figure away: a loss becomes a larger loss."""
    taken = tonnes(EXACT.multiply(EXACT.abs(account.number("gross_tco2e")), deduction))
    note = f"uncertainty takes {deduction:f} of the gross figure"
    return Step(change_tco2e=EXACT.minus(taken), note=note, numbers={"uncertainty_deduction_share": deduction})


FORMULAS = {"gs_excess_of_stated_uncertainty": excess_of_stated}
