"""VM0042: reductions and removals kept apart (Eq 37, 40), leakage shared (Eq 39, 42), base of the buffer (Eq 75, 76).

What does not belong here: the deduction for uncertainty itself (vm0042_variance).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.refused import require_not_negative
from mrv_assets.crediting.rounding import tonnes
from mrv_assets.domain.exact import EXACT, rounded

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoilChange:
    """The change of soil carbon in the period, t CO2e, positive for a gain, in the project and in the baseline."""

    project: Decimal
    baseline: Decimal

    @property
    def difference(self) -> Decimal:
        """Project less baseline, t CO2e, exact."""
        return EXACT.subtract(self.project, self.baseline)

    def deducted(self, uncertainty: Decimal) -> SoilChange:
        """Return both after the deduction (Eq 44, 45), each rounded once to 1e-9.

        A project that is behind its baseline has the deduction added, so that its loss is made larger (sign I).
        """
        factor = EXACT.subtract(1, uncertainty) if self.difference >= 0 else EXACT.add(1, uncertainty)
        return SoilChange(
            project=tonnes(EXACT.multiply(self.project, factor)), baseline=tonnes(EXACT.multiply(self.baseline, factor))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Reductions and removals of a period, t CO2e, each signed; they are never netted against one another."""

    reductions: Decimal
    removals: Decimal

    @property
    def total(self) -> Decimal:
        """Both together, t CO2e, exact."""
        return EXACT.add(self.reductions, self.removals)


def stock_split(soil: SoilChange, *, has_gained: bool) -> Split:
    """Return which part of the soil's difference is a reduction and which a removal: the base of the buffer too.

    `has_gained` says whether the project's cumulative stock change since its start is above 0. Without a gain all is a
    reduction: a loss that came more slowly.
    """
    lost = EXACT.subtract(min(_ZERO, soil.project), min(_ZERO, soil.baseline))
    gained = EXACT.subtract(max(_ZERO, soil.project), max(_ZERO, soil.baseline))
    if has_gained:
        return Split(reductions=lost, removals=gained)
    return Split(reductions=EXACT.add(lost, gained), removals=_ZERO)


def with_other_reductions(stock: Split, other: Decimal) -> Split:
    """Return both parts with the reductions of all other sources added (Eq 37), t CO2e."""
    return Split(reductions=EXACT.add(stock.reductions, other), removals=stock.removals)


def net_of_leakage(gross: Split, leakage: Decimal) -> Split:
    """Return both parts net of leakage, shared in proportion (Eq 38 to 42): the parts sum exactly to the whole.

    Where one part is not above 0 the ratio is no share, and the other part bears all; removals do when neither is.
    Raises ContractError for leakage below 0.
    """
    require_not_negative(leakage=leakage)
    if gross.reductions > 0 and gross.removals > 0:
        ratio = Fraction(gross.reductions) / Fraction(gross.total)
        of_reductions = rounded(Fraction(leakage) * ratio, places=9)
    else:
        of_reductions = leakage if gross.reductions > 0 else _ZERO
    return Split(
        reductions=EXACT.subtract(gross.reductions, of_reductions),
        removals=EXACT.subtract(gross.removals, EXACT.subtract(leakage, of_reductions)),
    )
