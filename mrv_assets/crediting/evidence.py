"""Evidence that has to be 0 or more, as every rule that deducts asks for it.

What does not belong here: what a rule does with it.
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.domain.monitoring import Monitoring


def not_negative(monitoring: Monitoring, name: str) -> Decimal:
    """Return a quantity of 0 or more. Raises ContractError when it is missing, no number or negative.

    A negative deduction would be a credit: positive leakage, for one, is not accounted.
    """
    value = monitoring.quantity(name)
    if value < 0:
        raise monitoring.unusable(f"quantity {name}", expected="a number of 0 or more", found=str(value))
    return value
