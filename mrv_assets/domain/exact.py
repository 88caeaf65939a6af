"""Exact rational numbers as decimals: unchanged where they end, rounded once where they do not.

What does not belong here: what the numbers mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow
from fractions import Fraction
from functools import reduce

EXACT = Context(prec=200, traps=[Inexact, InvalidOperation, Overflow])
"""Wide enough for every product of three factors and sums of such, and it raises instead of rounding."""

_WIDE = Context(prec=400, traps=[Inexact, InvalidOperation, Overflow])
_UNBOUNDED = Context(prec=1_000_000, traps=[Inexact, InvalidOperation, Overflow])


def exact_sum(values: Iterable[Decimal]) -> Decimal:
    """Return the sum without rounding, 0 for none: Python's own `sum` rounds decimals to 28 digits."""
    return reduce(EXACT.add, values, Decimal(0))


def rounded(value: Fraction, *, places: int) -> Decimal:
    """Return `value` rounded once, half to even, to so many decimals."""
    return Decimal(round(value * 10**places)).scaleb(-places, context=_UNBOUNDED)


def as_decimal(value: Fraction, *, places: int) -> Decimal:
    """Return `value` as it is when its decimals end within 400 digits, else rounded as `rounded` does."""
    try:
        return _WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))
    except Inexact:
        return rounded(value, places=places)
