"""What an oracle is: a number that somebody else printed, or that follows from a published formula, and ours for it.

What does not belong here: the oracles (one module a document).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Origin(StrEnum):
    """Where the expected number comes from."""

    PUBLISHED = "published"
    THIRD_PARTY = "third party"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True, kw_only=True)
class Oracle:
    """One number. `got` computes ours with the product's own functions, never with numbers of its own.

    `within` is by how much they may differ: half of the last printed digit, or 0 for a number that is exact.
    """

    id: str
    what: str
    expected: Decimal
    got: Callable[[], Decimal]
    within: Decimal
    source: str
    origin: Origin

    @property
    def is_met(self) -> bool:
        """Whether ours is the expected number, as far as it is printed."""
        return abs(self.got() - self.expected) <= self.within
