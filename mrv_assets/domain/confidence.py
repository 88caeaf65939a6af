"""Half-widths of confidence intervals at 90 % and at 95 %: two types, so that none is taken for the other.

Standards ask for one or the other and their thresholds differ, so a number without its level is not accepted anywhere.
What does not belong here: computing a half-width, and turning one level into the other (uncertainty).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from mrv_assets.domain.errors import ContractError


@dataclass(frozen=True, slots=True, kw_only=True)
class _HalfWidth:
    """`relative` is half the width of the two-sided interval as a share of the estimate, 0 or more: 0.25 is 25 %."""

    relative: Decimal

    def __post_init__(self) -> None:
        if not self.relative.is_finite() or self.relative < 0:
            raise ContractError(
                "half-width is not a share",
                where=type(self).__name__,
                expected="a finite number of 0 or more, as a share of the estimate",
                found=str(self.relative),
                remedy="give the half-width of the interval divided by the size of the estimate",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfWidth90(_HalfWidth):
    """The half-width of a two-sided 90 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfWidth95(_HalfWidth):
    """The half-width of a two-sided 95 % interval."""


HalfWidth: TypeAlias = HalfWidth90 | HalfWidth95


def stated_half_width(relative: str, level: str, *, where: str) -> HalfWidth:
    """Read a half-width with its level, as documents state them: `"0.25"` and `"0.90"`.

    Raises ContractError naming `where` when the level is missing or is another one: nothing is assumed.
    """
    kinds: dict[str, type[HalfWidth90 | HalfWidth95]] = {
        "0.90": HalfWidth90,
        "0.9": HalfWidth90,
        "0.95": HalfWidth95,
    }
    if level not in kinds:
        raise ContractError(
            "confidence level is not stated" if not level else "confidence level is not one that rule sets use",
            where=where,
            expected='"0.90" or "0.95"',
            found=repr(level),
            remedy="state the level of the interval; 90 % and 95 % are never taken for one another",
        )
    try:
        return kinds[level](relative=Decimal(relative))
    except InvalidOperation as error:
        raise ContractError(
            "half-width is not a number",
            where=where,
            expected="decimal text",
            found=repr(relative),
            remedy="give the half-width as a share of the estimate",
        ) from error
