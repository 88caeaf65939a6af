"""How uncertain a chain is as a whole: IPCC approach 1 for products, from what the sources state of its coefficients.

2006 IPCC Guidelines, volume 1, chapter 3, equation 3.1: the root of the sum of the squares of the relative half-widths
of 95 % intervals, coefficients being independent. What does not belong here: what one source states
(factor_uncertainty), and what uncertainty does to a figure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from functools import cache
from typing import TypeAlias

from mrv_assets.domain.factor_chains import Coefficient
from mrv_assets.domain.factor_uncertainty import Distribution, Uncertainty

_Quantile: TypeAlias = Callable[[Decimal], Decimal]
"""How wide the central interval of a level is, in a unit that all levels share."""

LEVEL = Decimal("0.95")
"""The confidence level that all half-widths are converted to."""

PLACES = 6
"""Decimals of a relative half-width, rounded once at the end, half to even."""

_WIDE = Context(prec=200, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation, DivisionByZero, Overflow])
"""Wide enough for what a tail of 1e-40 leaves: a confidence level has at most 40 decimals."""

_MOST = Decimal(300)
_NOTHING_MORE = Decimal("1e-90")
_PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651"
)


def chain_uncertainty(chain: Sequence[Coefficient]) -> Decimal | None:
    """Return the relative half-width of the 95 % interval of a product, to 1e-6; None while a coefficient states none.

    Half-widths are converted to 95 % by the quantiles of the stated distribution. Normal, uniform and triangular ones
    are symmetric about the value; the value of a lognormal one counts as its median, and half of the width of its
    central interval as the half-width, and where that comes to more than e^300 it is as good as none. A coefficient
    that is exact states a half-width of 0. The approach takes coefficients for independent, and is the less accurate
    the further a half-width exceeds 0.3.
    """
    squares = Decimal(0)
    for coefficient in chain:
        half_width = None if coefficient.uncertainty is None else _at_level(coefficient.uncertainty)
        if half_width is None:
            return None
        squares = _WIDE.fma(half_width, half_width, squares)
    return _WIDE.sqrt(squares).quantize(Decimal(1).scaleb(-PLACES), context=_WIDE)


def _at_level(stated: Uncertainty) -> Decimal | None:
    width, level = stated.rel_uncertainty, stated.confidence_level
    if level == LEVEL or not width:
        return width
    if stated.distribution is Distribution.LOGNORMAL:
        return _lognormal(width, _ratio(_normal, level))
    return _WIDE.multiply(width, _ratio(_QUANTILES[stated.distribution], level))


def _lognormal(width: Decimal, ratio: Decimal) -> Decimal | None:
    """Return sinh(ratio x asinh(width)): the width is that of the sinh of so many deviations of the logarithm."""
    deviations = _WIDE.ln(_WIDE.add(width, _WIDE.sqrt(_WIDE.fma(width, width, Decimal(1)))))
    grown = _WIDE.multiply(deviations, ratio)
    if grown > _MOST:
        return None
    upper = _WIDE.exp(grown)
    return _WIDE.divide(_WIDE.subtract(upper, _WIDE.divide(Decimal(1), upper)), Decimal(2))


def _ratio(quantile: _Quantile, level: Decimal) -> Decimal:
    return _WIDE.divide(quantile(LEVEL), quantile(level))


def _uniform(level: Decimal) -> Decimal:
    return level


def _triangular(level: Decimal) -> Decimal:
    return _WIDE.subtract(Decimal(1), _WIDE.sqrt(_WIDE.subtract(Decimal(1), level)))


@cache
def _normal(level: Decimal) -> Decimal:
    """Return how many standard deviations hold `level` about the mean, by Newton's method from below.

    The probability is concave there, so no step goes too far.
    """
    scale = _WIDE.sqrt(_WIDE.divide(Decimal(2), _PI))
    deviations = Decimal(0)
    while True:
        squared = _WIDE.multiply(deviations, deviations)
        density = _WIDE.multiply(scale, _WIDE.exp(_WIDE.divide(squared, Decimal(-2))))
        missing = _WIDE.subtract(level, _WIDE.multiply(density, _series(deviations, squared)))
        step = _WIDE.divide(missing, density)
        deviations = _WIDE.add(deviations, step)
        if step <= _WIDE.multiply(_NOTHING_MORE, deviations):
            return deviations


def _series(deviations: Decimal, squared: Decimal) -> Decimal:
    """Return x + x^3/3 + x^5/(3 5) + ..., by which the density at x becomes the probability between -x and x."""
    term = total = deviations
    odd = 1
    while term > _WIDE.multiply(_NOTHING_MORE, total):
        odd += 2
        term = _WIDE.divide(_WIDE.multiply(term, squared), Decimal(odd))
        total = _WIDE.add(total, term)
    return total


_QUANTILES: Mapping[Distribution, _Quantile] = {
    Distribution.NORMAL: _normal,
    Distribution.UNIFORM: _uniform,
    Distribution.TRIANGULAR: _triangular,
}
