"""Emissions and removals side by side, t CO2e: added and compared exactly, netted only when asked.

What does not belong here: what a figure rests on (certificate) and how tonnes are written (report).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from mrv_assets.domain.exact import EXACT


@dataclass(frozen=True, slots=True, kw_only=True)
class Tonnes:
    """Gross emissions and gross removals, t CO2e, neither negative."""

    emissions: Decimal = Decimal(0)
    removals: Decimal = Decimal(0)

    @property
    def net(self) -> Decimal:
        """Emissions minus removals; negative is a net removal."""
        return EXACT.subtract(self.emissions, self.removals)

    def __add__(self, other: Tonnes) -> Tonnes:
        """Return the exact sum of each."""
        return Tonnes(
            emissions=EXACT.add(self.emissions, other.emissions), removals=EXACT.add(self.removals, other.removals)
        )

    @classmethod
    def sum(cls, each: Iterable[Tonnes]) -> Tonnes:
        """Return the exact sum of each; none of either for none."""
        return sum(each, cls())


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Tonnes before and after, for the same thing."""

    before: Tonnes
    after: Tonnes

    @property
    def delta(self) -> Decimal:
        """The change of the net figure, t CO2e, exact."""
        return EXACT.subtract(self.after.net, self.before.net)

    @property
    def share(self) -> Fraction | None:
        """The change as a part of the size of the net figure before, exact; None for a change from 0."""
        if not self.delta:
            return Fraction(0)
        return Fraction(self.delta) / abs(Fraction(self.before.net)) if self.before.net else None

    def exceeds(self, materiality: Decimal) -> bool:
        """Tell whether the change is larger than this share of the figure before; a change from 0 always is."""
        return abs(self.delta) > EXACT.multiply(materiality, abs(self.before.net))

    def __add__(self, other: Move) -> Move:
        """Return both moves together."""
        return Move(before=self.before + other.before, after=self.after + other.after)
