"""The way into exact arithmetic and out: fractions inside, decimals of 50 digits outside, rounded once, half to even.

What does not belong here: the rounding of accounting, which is coarser (crediting).
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation, Overflow
from fractions import Fraction

from mrv_assets.domain.errors import ContractError

_FIFTY = Context(prec=50, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation, Overflow])
_WIDE = Context(prec=120, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation, Overflow])


def exact(value: Decimal, *, what: str, where: str) -> Fraction:
    """Return the number as a fraction. Raises ContractError naming `what` and `where` for infinity and not-a-number."""
    if not value.is_finite():
        raise ContractError(
            f"{what} is no number",
            where=where,
            expected="a finite decimal",
            found=str(value),
            remedy=f"give {what} as it was measured or stated",
        )
    return Fraction(value)


def decimal(value: Fraction) -> Decimal:
    """Return the fraction as a decimal, rounded once to 50 digits where it has more."""
    return _FIFTY.divide(Decimal(value.numerator), Decimal(value.denominator))


def root(value: Fraction) -> Decimal:
    """Return the square root to 50 digits; a larger value never has a smaller root. The value is 0 or more."""
    return _FIFTY.sqrt(_WIDE.divide(Decimal(value.numerator), Decimal(value.denominator)))
