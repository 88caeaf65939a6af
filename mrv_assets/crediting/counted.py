"""Evidence that is a count: whole, and not below a least number.

What does not belong here: what is counted.
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.domain.monitoring import Monitoring

MOST_YEARS = 1000
"""More years than any project has; powers of more and lists of them would never end."""


def whole_years(evidence: Monitoring, table: str, row: Mapping[str, str], column: str, *, least: int) -> int:
    """Return a cell that counts years: whole, from `least` to 1000. Raises ContractError when it does not."""
    value = evidence.cell(table, row, column)
    if value != value.to_integral_value() or not least <= value <= MOST_YEARS:
        raise evidence.unusable(
            f"table {table}, {column}", expected=f"whole years from {least} to {MOST_YEARS}", found=str(value)
        )
    return int(value)


def whole(evidence: Monitoring, name: str, *, least: int) -> int:
    """Return a quantity that is a count. Raises ContractError when it is missing, not whole, or below `least`."""
    value = evidence.quantity(name)
    if value != value.to_integral_value() or value < least:
        raise evidence.unusable(f"quantity {name}", expected=f"a whole number of {least} or more", found=str(value))
    return int(value)
