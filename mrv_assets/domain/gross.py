"""What a company emits, gross, t CO2e by scope, and how ESRS E1 and the GHG Protocol add it up: nothing is netted.

What does not belong here: where the numbers come from (monitoring) and how they are written (report).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import exact_sum

HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrossEmissions:
    """Gross emissions of one company and period, t CO2e. Removals and credits have no place in it.

    Scope 2 is there twice: by location and by market. Raises ContractError for a negative figure, which is a net one.
    """

    scope1: Decimal
    scope2_location: Decimal
    scope2_market: Decimal
    scope3: Decimal

    def __post_init__(self) -> None:
        for name in ("scope1", "scope2_location", "scope2_market", "scope3"):
            value: Decimal = getattr(self, name)
            if not value.is_finite() or value < 0:
                raise ContractError(
                    "gross emissions are negative",
                    where=name,
                    expected="0 or more t CO2e, before removals and credits",
                    found=str(value),
                    remedy="report removals and credits apart (ESRS E1-7); they lower no gross figure",
                )

    @property
    def total_location(self) -> Decimal:
        """Scope 1 + scope 2 by location + scope 3, exact, t CO2e (E1-6_12)."""
        return exact_sum((self.scope1, self.scope2_location, self.scope3))

    @property
    def total_market(self) -> Decimal:
        """Scope 1 + scope 2 by market + scope 3, exact, t CO2e (E1-6_13)."""
        return exact_sum((self.scope1, self.scope2_market, self.scope3))


def is_whole(*percentages: Decimal) -> bool:
    """Tell whether percentages that share out one whole come to exactly 100, none of them negative."""
    return all(value >= 0 for value in percentages) and exact_sum(percentages) == HUNDRED
