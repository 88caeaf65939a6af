"""What is issued for one vintage: whole credits, what goes to the buffer, and the block of serial numbers, inclusive.

What does not belong here: how many credits there are (crediting) and how registries write them (report).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from mrv_assets.domain.errors import ContractError


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class SerialBlock:
    """Serial numbers from `start` to `end`, both of them in it. Raises ContractError when it runs backwards."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start < 1 or self.end < self.start:
            raise ContractError(
                "serial block is none",
                where=f"serials {self.start} to {self.end}",
                expected="a first serial of 1 or more and a last one that is not before it",
                found=f"{self.start} to {self.end}",
                remedy="correct the block; a vintage without credits has no block",
            )

    @property
    def count(self) -> int:
        """How many credits it holds: last minus first plus one."""
        return self.end - self.start + 1

    def overlaps(self, other: SerialBlock) -> bool:
        """Tell whether a serial number is in both."""
        return self.start <= other.end and other.start <= self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedVintage:
    """One vintage, first and last day inclusive, within one calendar year. `serials` is None when no credit is issued.

    Raises ContractError for a vintage that crosses a year (VCS Registration and Issuance Process v4.4, 4.1.2), a
    negative number of credits, and a block that does not hold exactly the credits.
    """

    first: date
    last: date
    credits: int
    buffer_credits: int
    serials: SerialBlock | None

    def __post_init__(self) -> None:
        if self.last < self.first or self.first.year != self.last.year:
            raise self._unsound("days of one calendar year, in order", f"{self.first} to {self.last}")
        if self.credits < 0 or self.buffer_credits < 0:
            raise self._unsound("0 or more credits", f"{self.credits} and {self.buffer_credits} for the buffer")
        held = self.serials.count if self.serials else 0
        if held != self.credits:
            raise self._unsound(f"a block of {self.credits} serials, last - first + 1", f"a block of {held}")

    @property
    def text(self) -> str:
        """The vintage for people."""
        return f"{self.first} to {self.last}"

    def _unsound(self, expected: str, found: str) -> ContractError:
        return _unsound(f"vintage {self.text}", expected, found)


def require_apart(vintages: Sequence[IssuedVintage], *, where: str) -> None:
    """Raise ContractError naming `where` when a day or a serial number is in two vintages."""
    by_day = sorted(vintages, key=lambda vintage: vintage.first)
    for before, after in pairwise(by_day):
        if after.first <= before.last:
            raise _unsound(where, "each day in one vintage", f"{before.text} and {after.text}")
    blocks = sorted(vintage.serials for vintage in vintages if vintage.serials)
    for lower, upper in pairwise(blocks):
        if upper.overlaps(lower):
            found = f"{lower.start} to {lower.end} and {upper.start} to {upper.end}"
            raise _unsound(where, "each serial number in one vintage", found)


def _unsound(where: str, expected: str, found: str) -> ContractError:
    return ContractError(
        "vintages cannot be issued",
        where=where,
        expected=expected,
        found=found,
        remedy="correct the vintages of the submission; nothing is written until they hold",
    )
