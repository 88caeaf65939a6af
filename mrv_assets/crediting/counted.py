"""Evidence that is a count: whole, and not below a least number.

What does not belong here: what is counted.
"""

from __future__ import annotations

from mrv_assets.domain.monitoring import Monitoring


def whole(evidence: Monitoring, name: str, *, least: int) -> int:
    """Return a quantity that is a count. Raises ContractError when it is missing, not whole, or below `least`."""
    value = evidence.quantity(name)
    if value != value.to_integral_value() or value < least:
        raise evidence.unusable(f"quantity {name}", expected=f"a whole number of {least} or more", found=str(value))
    return int(value)
