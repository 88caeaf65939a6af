"""Deductions that are a share of the uncertainty itself, the share rising in steps, and the side they are applied on.

Gold Standard 203 Annex A and AR-TOOL14 Appendix 2 are two such tables; their numbers are data of the rule sets. The
shares only step up, so a larger uncertainty never gives a smaller deduction. What does not belong here: the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import count, pairwise, takewhile

from mrv_assets.crediting.rounding import share, tonnes
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.rule_set import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Up to this uncertainty, inclusive, this share of it is deducted. Both are shares: 0.25 is 25 %."""

    up_to: Decimal
    share_of_u: Decimal


class Direction(StrEnum):
    """The conservative side: baseline removals and leakage go up, removals of the project go down."""

    UP = "up"
    DOWN = "down"


def bands_of(rule: Rule) -> tuple[Band, ...]:
    """Return the bands of a rule: thresholds `up_to_1`, `share_1`, and so on, and `share_beyond` where there is one.

    Raises ContractError when there is no band, a bound or share steps down, or a share is negative.
    """
    numbers = takewhile(lambda n: f"up_to_{n}" in rule.thresholds, count(1))
    bands = [Band(up_to=rule.threshold(f"up_to_{n}"), share_of_u=rule.threshold(f"share_{n}")) for n in numbers]
    if "share_beyond" in rule.thresholds:
        bands.append(Band(up_to=Decimal("Infinity"), share_of_u=rule.threshold("share_beyond")))
    rises = all(a.up_to < b.up_to and a.share_of_u <= b.share_of_u for a, b in pairwise(bands))
    if not bands or bands[0].share_of_u < 0 or not rises:
        raise ContractError(
            "rule set is malformed",
            where=f"rule {rule.id}",
            expected="bands up_to_1, share_1, ... with rising bounds and shares that never step down",
            found=", ".join(f"{band.up_to}: {band.share_of_u}" for band in bands) or "no band",
            remedy="correct the file; a share that steps down would let uncertainty raise credits",
        )
    return tuple(bands)


def discount(half_width: HalfWidth90, bands: Sequence[Band], *, where: str) -> Decimal:
    """Return the deduction as a share of the estimate. Raises ContractError naming `where` beyond the last band."""
    for band in bands:
        if half_width.relative <= band.up_to:
            return share(EXACT.multiply(half_width.relative, band.share_of_u))
    raise ContractError(
        "uncertainty is too large for any deduction",
        where=where,
        expected=f"a 90 % half-width of up to {bands[-1].up_to} of the estimate",
        found=str(half_width.relative),
        remedy="measure more; the rule gives no deduction for an estimate as uncertain as this, so it is not credited",
    )


def conservative(estimate: Decimal, deduction: Decimal, direction: Direction) -> Decimal:
    """Return the estimate moved to its conservative side by this share of its size; also for a negative one."""
    change = EXACT.multiply(EXACT.abs(estimate), deduction)
    moved = EXACT.add(estimate, change) if direction is Direction.UP else EXACT.subtract(estimate, change)
    return tonnes(moved)
