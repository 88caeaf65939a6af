"""What a source states of its number, as a distribution around 1 and as a half-width at 95 %.

A source states h, half the width of its two-sided interval as a share of the value, the level p and a distribution. We
read: the value is the mean, and the interval leaves (1 - p) / 2 on either side. Then, with z the normal quantile:

- normal: sd = h / z(p);
- lognormal: exp(-s²/2) sinh(z(p) s) = h, of which s, the sd of the logarithm, is the smaller solution;
- triangular, symmetric: the half-range is h / (1 - sqrt(1 - p));
- uniform: the half-range is h / p.

What does not belong here: what rule sets state (domain.confidence, levels).
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

from mrv_assets.domain.confidence import HalfWidth95
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.factor_uncertainty import Distribution, Uncertainty
from mrv_assets.uncertainty.digits import decimal, exact, root
from mrv_assets.uncertainty.distributions import Lognormal, Normal, Shape, Triangular, Uniform
from mrv_assets.uncertainty.half_widths import NINETY_FIVE
from mrv_assets.uncertainty.quantiles import normal_interval

_FINE = Context(prec=60)
_STEPS = 140  # halvings until the solution has 40 digits


def stated_half_width_95(stated: Uncertainty, *, where: str) -> HalfWidth95:
    """Return the half-width at 95 % of what is stated at any level; what is stated at 95 % is returned as it is.

    Raises ContractError naming `where` for a lognormal interval wider than one around its mean can be.
    """
    if stated.confidence_level == NINETY_FIVE:
        _refuse_too_wide(stated, where)
        return HalfWidth95(relative=stated.rel_uncertainty)
    to, of = _widths(stated, NINETY_FIVE), _widths(stated, stated.confidence_level)
    if stated.distribution is Distribution.LOGNORMAL:
        return HalfWidth95(relative=_lognormal_width(_sd_of_logarithm(stated, where), NINETY_FIVE))
    return HalfWidth95(relative=decimal(Fraction(stated.rel_uncertainty) * to / of))


def relative_shape(stated: Uncertainty, *, where: str) -> Shape:
    """Return the distribution with the mean 1 that is stated. Raises ContractError as `stated_half_width_95` does."""
    half_range = Fraction(stated.rel_uncertainty) / _widths(stated, stated.confidence_level)
    one = Decimal(1)
    match stated.distribution:
        case Distribution.NORMAL:
            return Normal(mean=one, sd=decimal(half_range))
        case Distribution.LOGNORMAL:
            sigma = _sd_of_logarithm(stated, where)
            variance = _FINE.subtract(_FINE.exp(_FINE.multiply(sigma, sigma)), one)
            return Lognormal(mean=one, sd=root(Fraction(variance)))
        case Distribution.TRIANGULAR:
            return Triangular(low=decimal(1 - half_range), mode=one, high=decimal(1 + half_range))
        case Distribution.UNIFORM:
            return Uniform(low=decimal(1 - half_range), high=decimal(1 + half_range))


def _widths(stated: Uncertainty, level: Decimal) -> Fraction:
    """Return the half-width at a level in parts of what scales the distribution: its sd, or its half-range."""
    match stated.distribution:
        case Distribution.NORMAL | Distribution.LOGNORMAL:
            return Fraction(normal_interval(level))
        case Distribution.TRIANGULAR:
            return 1 - Fraction(root(1 - Fraction(level)))
        case Distribution.UNIFORM:
            return Fraction(level)


def _lognormal_width(sigma: Decimal, level: Decimal) -> Decimal:
    """Return exp(-sigma²/2) sinh(z sigma), half the width of the interval in parts of the mean."""
    reach = _FINE.multiply(normal_interval(level), sigma)
    shrink = _FINE.exp(_FINE.divide(_FINE.multiply(sigma, sigma), Decimal(-2)))
    rise = _FINE.subtract(_FINE.exp(reach), _FINE.exp(-reach))
    return decimal(Fraction(_FINE.divide(_FINE.multiply(shrink, rise), Decimal(2))))


def _sd_of_logarithm(stated: Uncertainty, where: str) -> Decimal:
    """Solve for sigma by halving: from 0 to z the width rises all the way."""
    _refuse_too_wide(stated, where)
    low, high = Decimal(0), normal_interval(stated.confidence_level)
    if not stated.rel_uncertainty:
        return low
    for _ in range(_STEPS):
        middle = _FINE.divide(_FINE.add(low, high), Decimal(2))
        if _lognormal_width(middle, stated.confidence_level) < stated.rel_uncertainty:
            low = middle
        else:
            high = middle
    return high


def _refuse_too_wide(stated: Uncertainty, where: str) -> None:
    exact(stated.rel_uncertainty, what="half-width", where=where)
    if stated.distribution is not Distribution.LOGNORMAL:
        return
    widest = _lognormal_width(normal_interval(stated.confidence_level), stated.confidence_level)
    if stated.rel_uncertainty > widest:
        raise ContractError(
            "lognormal interval is wider than one around its mean can be",
            where=where,
            expected=f"a half-width of at most {widest:.4f} at the level {stated.confidence_level}",
            found=str(stated.rel_uncertainty),
            remedy="check that the source gives a share and not percent; state another distribution otherwise",
        )
