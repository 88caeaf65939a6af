"""The sum of tonnes without rounding: Python's own `sum` rounds decimals to 28 digits.

What does not belong here: sums that have a meaning of their own, such as a waterfall's.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from mrv_assets.domain.exact import EXACT


def exact_sum(values: Iterable[Decimal]) -> Decimal:
    """Return the exact sum; 0 for none."""
    total = Decimal(0)
    for value in values:
        total = EXACT.add(total, value)
    return total
