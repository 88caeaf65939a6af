"""How tonnes, deltas and digests are written for people, the same in the terminal and on a page.

What does not belong here: numbers for machines, which travel as exact decimal text.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact
from fractions import Fraction

# decimal128(38, 9) holds 38 digits, the default context 28; a sum of figures must not lose one.
_EXACT = Context(prec=60, traps=[Inexact])
_ROUNDED = Context(prec=60, rounding=ROUND_HALF_EVEN)
_SHOWN = Decimal("0.001")
_SHARE_DIGITS = 6


def exact_sum(values: Iterable[Decimal]) -> Decimal:
    """Return the exact sum of tonnes; 0 for none. Raises decimal.Inexact rather than round."""
    total = Decimal(0)
    for value in values:
        total = _EXACT.add(total, value)
    return total


def exact_difference(after: Decimal, before: Decimal) -> Decimal:
    """Return `after` minus `before`, exact."""
    return _EXACT.subtract(after, before)


def tonnes(value: Decimal) -> str:
    """Write tonnes with thousands separators, rounded half-even to 0.001 t: `15,305,433.504`."""
    return f"{_shown(value):,f}"


def signed_tonnes(value: Decimal) -> str:
    """Write a change in tonnes with its sign, `+1,668.261`; no change is `0.000`."""
    shown = _shown(value)
    return f"{shown:+,f}" if shown else f"{shown:,f}"


def share(value: Fraction | None) -> str:
    """Write a change as a share in per cent to three decimals, `-14.742 %`; `from 0` where it has no size."""
    if value is None:
        return "from 0"
    rounded = _shown(Decimal(round(value * 100 * 10**_SHARE_DIGITS)).scaleb(-_SHARE_DIGITS))
    if value and not rounded:
        return f"under {_SHOWN} %"
    return f"{rounded:+,f} %" if rounded else "0"


def short(digest: str) -> str:
    """Return the first twelve digits of a digest: enough to tell two apart by eye."""
    return digest[:12]


def _shown(value: Decimal) -> Decimal:
    rounded = value.quantize(_SHOWN, context=_ROUNDED)
    return rounded or abs(rounded)
