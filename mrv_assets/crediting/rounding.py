"""The two places where accounting rounds: a final share to 1e-12, the tonnes of a line to 1e-9, half to even.

What does not belong here: whole credits (vintages).
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal

from mrv_assets.domain.confidence import HalfWidth90

_WIDE = Context(prec=200, rounding=ROUND_HALF_EVEN)


def share(value: Decimal) -> Decimal:
    """Return a final share, rounded once to 1e-12."""
    return value.quantize(Decimal("1e-12"), context=_WIDE)


def final(half_width: HalfWidth90) -> HalfWidth90:
    """Return a half-width that nothing is combined with any more, rounded as a share."""
    return HalfWidth90(relative=share(half_width.relative))


def tonnes(value: Decimal) -> Decimal:
    """Return the tonnes of a line, rounded once to 1e-9."""
    return value.quantize(Decimal("1e-9"), context=_WIDE)
