"""The one wording for a number that no equation can take.

What does not belong here: evidence that is missing (Monitoring).
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.domain.errors import ContractError


def refused(what: str, *, expected: str, found: object, remedy: str) -> ContractError:
    """Return the error of a number that an equation cannot take; `what` names the number."""
    return ContractError(
        "number cannot enter the equation", where=what, expected=expected, found=str(found), remedy=remedy
    )


def require_not_negative(**values: Decimal) -> None:
    """Raise ContractError naming the first value that is below 0."""
    for name, value in values.items():
        if value < 0:
            raise refused(
                name.replace("_", " "),
                expected="0 or more",
                found=value,
                remedy="correct it in the monitoring package; variances, errors, areas and emissions have no sign",
            )
