"""IPCC Approach 1: how relative half-widths combine in products and sums, with sources of uncertainty that are shared.

A term names its sources of uncertainty. What one source does to all terms adds up with its sign, because it is one
error; different sources are independent and combine as the root of the sum of squares. Rows that share a factor share
a source. What does not belong here: skewed or large uncertainties, where the first order falls short (approach_2).

IPCC 2006, vol. 1, ch. 3, equations 3.1 and 3.2, which are the cases without a shared source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Generic, TypeVar

from mrv_assets.domain.confidence import HalfWidth90, HalfWidth95
from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.digits import decimal, exact, root

H = TypeVar("H", HalfWidth90, HalfWidth95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Term(Generic[H]):
    """A part of a sum, in any unit, and its relative half-widths by source of uncertainty; at least one, maybe 0."""

    value: Decimal
    half_widths: Mapping[str, H]


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined(Generic[H]):
    """A sum in the unit of its terms, and its relative half-width at the level of the terms."""

    value: Decimal
    half_width: H

    @property
    def absolute(self) -> Decimal:
        """The half-width in the unit of the value, rounded to 50 digits."""
        return decimal(Fraction(self.half_width.relative) * abs(Fraction(self.value)))


def term(value: Decimal, half_width: H, group: str) -> Term[H]:
    """Return a term with one source of uncertainty; terms of one group are fully correlated."""
    return Term(value=value, half_widths={group: half_width})


def product(half_widths: Sequence[H], *, where: str) -> H:
    """Return the half-width of a product of independent factors: sqrt(sum of U²), rounded to 50 digits.

    Raises ContractError naming `where` for no factor at all and for half-widths of two levels.
    """
    level = _one_level(half_widths, where)
    return level(relative=root(sum((Fraction(u.relative) ** 2 for u in half_widths), Fraction(0))))


def total(terms: Sequence[Term[H]], *, where: str) -> Combined[H]:
    """Return the sum of the terms with its half-width: sqrt(sum over sources of (sum of U x)²) / |sum of x|.

    Exact but for one rounding of each result to 50 digits, so the order of the terms is of no account. Raises
    ContractError naming `where` for a sum of 0, a term without a source, half-widths of two levels and no term at all.
    """
    level = _one_level([u for part in terms for u in _sourced(part, where)], where)
    value, by_source = Fraction(0), dict[str, Fraction]()
    for part in terms:
        amount = exact(part.value, what="term", where=where)
        value += amount
        for source, u in part.half_widths.items():
            by_source[source] = by_source.get(source, Fraction(0)) + amount * Fraction(u.relative)
    if not value:
        raise ContractError(
            "sum is 0",
            where=where,
            expected="a sum other than 0, because its half-width is a share of it",
            found="0",
            remedy="report the absolute interval; no relative uncertainty exists for a sum of 0",
        )
    relative = root(sum((error**2 for error in by_source.values()), Fraction(0)) / value**2)
    return Combined(value=decimal(value), half_width=level(relative=relative))


def _sourced(part: Term[H], where: str) -> Iterable[H]:
    if part.half_widths:
        return part.half_widths.values()
    raise ContractError(
        "term has no uncertainty",
        where=where,
        expected="a half-width for every term; 0 for one that is certain",
        found=f"a term of {part.value} without any",
        remedy="state the half-width of the term with its level",
    )


def _one_level(half_widths: Sequence[H], where: str) -> type[H]:
    levels = {type(half_width) for half_width in half_widths}
    if len(levels) == 1:
        return levels.pop()
    raise ContractError(
        "half-widths of two levels are mixed" if levels else "nothing to combine",
        where=where,
        expected="half-widths of one level, at least one",
        found=" and ".join(sorted(level.__name__ for level in levels)) or "none",
        remedy="convert to one level first, by the function that is named for the distribution",
    )
