"""One interval at another level: 90 % to 95 % and back, each function named for the distribution that it takes.

Nothing else in the platform turns one level into the other. What does not belong here: the levels that factor releases
state (stated).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from mrv_assets.domain.confidence import HalfWidth, HalfWidth90, HalfWidth95
from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.digits import decimal
from mrv_assets.uncertainty.half_widths import NINETY, NINETY_FIVE
from mrv_assets.uncertainty.quantiles import normal_interval, student_t


def normal_95_from_90(half_width: HalfWidth90) -> HalfWidth95:
    """Return the 95 % half-width of the same normal distribution, times 1.959963985 / 1.644853627.

    Raises ContractError for a half-width of another level, as all functions here do.
    """
    share = _scaled(half_width, HalfWidth90, normal_interval(NINETY_FIVE), normal_interval(NINETY))
    return HalfWidth95(relative=share)


def normal_90_from_95(half_width: HalfWidth95) -> HalfWidth90:
    """Return the 90 % half-width of the same normal distribution."""
    share = _scaled(half_width, HalfWidth95, normal_interval(NINETY), normal_interval(NINETY_FIVE))
    return HalfWidth90(relative=share)


def student_t_95_from_90(half_width: HalfWidth90, degrees_of_freedom: int) -> HalfWidth95:
    """Return the 95 % half-width of the same sample, which left so many degrees of freedom.

    Raises ContractError for less than 1 degree of freedom.
    """
    quantiles = student_t(NINETY_FIVE, degrees_of_freedom), student_t(NINETY, degrees_of_freedom)
    return HalfWidth95(relative=_scaled(half_width, HalfWidth90, *quantiles))


def student_t_90_from_95(half_width: HalfWidth95, degrees_of_freedom: int) -> HalfWidth90:
    """Return the 90 % half-width of the same sample. Raises ContractError as `student_t_95_from_90` does."""
    quantiles = student_t(NINETY, degrees_of_freedom), student_t(NINETY_FIVE, degrees_of_freedom)
    return HalfWidth90(relative=_scaled(half_width, HalfWidth95, *quantiles))


def _scaled(half_width: HalfWidth, level: type[HalfWidth], to: Decimal, of: Decimal) -> Decimal:
    # Both levels carry the same field, so a call that no type checker saw would pass.
    if not isinstance(half_width, level):
        raise ContractError(
            "half-width has another level than is converted",
            where="conversion between levels",
            expected=level.__name__,
            found=type(half_width).__name__,
            remedy="call the function that is named for the level you have",
        )
    return decimal(Fraction(half_width.relative) * Fraction(to) / Fraction(of))
