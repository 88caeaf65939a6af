"""Distributions that a simulation draws from: each turns uniform numbers into its own, one for one.

One uniform number gives one draw, so draw number n is the same whatever was drawn before it. What does not belong here:
where the uniform numbers come from (streams).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from mrv_assets.domain.errors import ContractError

Floats: TypeAlias = npt.NDArray[np.float64]

_REACH = 8  # standard deviations; beyond them binary64 has no digits left to tell the tails apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    """Mean and standard deviation. Values below 0 are drawn as they come; who wants none takes `TruncatedNormal`."""

    mean: Decimal
    sd: Decimal

    def __post_init__(self) -> None:
        _require(self, "a standard deviation of 0 or more", lambda: self.sd >= 0)

    def draws(self, uniforms: Floats) -> Floats:
        """Return one draw for each uniform number."""
        return float(self.mean) + float(self.sd) * _standard_normal(uniforms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lognormal:
    """Mean and standard deviation of the values themselves, not of their logarithms; the mean is above 0."""

    mean: Decimal
    sd: Decimal

    def __post_init__(self) -> None:
        _require(self, "a mean above 0, a standard deviation of 0 or more", lambda: self.mean > 0 and self.sd >= 0)

    def draws(self, uniforms: Floats) -> Floats:
        """Return one draw for each uniform number."""
        variance = math.log1p(float(Fraction(self.sd) / Fraction(self.mean)) ** 2)
        logs = math.log(float(self.mean)) - variance / 2 + math.sqrt(variance) * _standard_normal(uniforms)
        return np.exp(logs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Triangular:
    """Lowest, most frequent and highest value."""

    low: Decimal
    mode: Decimal
    high: Decimal

    def __post_init__(self) -> None:
        _require(self, "low, mode and high in this order", lambda: self.low <= self.mode <= self.high)

    def draws(self, uniforms: Floats) -> Floats:
        """Return one draw for each uniform number."""
        low, mode, high = float(self.low), float(self.mode), float(self.high)
        rising = low + np.sqrt(uniforms * (high - low) * (mode - low))
        falling = high - np.sqrt((1 - uniforms) * (high - low) * (high - mode))
        return np.where(uniforms * (high - low) < mode - low, rising, falling)


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform:
    """Lowest and highest value, each between them as likely as the other."""

    low: Decimal
    high: Decimal

    def __post_init__(self) -> None:
        _require(self, "low and high in this order", lambda: self.low <= self.high)

    def draws(self, uniforms: Floats) -> Floats:
        """Return one draw for each uniform number."""
        return float(self.low) + (float(self.high) - float(self.low)) * uniforms


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedNormal:
    """What lies from low to high of a normal distribution; `mean` and `sd` are those of the whole one.

    The interval comes within 8 standard deviations of the mean.
    """

    mean: Decimal
    sd: Decimal
    low: Decimal
    high: Decimal

    def __post_init__(self) -> None:
        _require(self, "sd above 0, low below high", lambda: self.sd > 0 and self.low < self.high)
        reach = _REACH * Fraction(self.sd)
        is_near = Fraction(self.low) - reach <= Fraction(self.mean) <= Fraction(self.high) + reach
        _require(self, f"an interval within {_REACH} sd of the mean", lambda: is_near)

    def draws(self, uniforms: Floats) -> Floats:
        """Return one draw for each uniform number, none outside low and high."""
        mean, sd, low, high = float(self.mean), float(self.sd), float(self.low), float(self.high)
        a, b = (low - mean) / sd, (high - mean) / sd
        # The right half is drawn as the mirror image of the left, where probabilities keep their digits.
        if a > 0:
            below, above = special.ndtr(-b), special.ndtr(-a)
            standard: Floats = -special.ndtri(above - uniforms * (above - below))
        else:
            below, above = special.ndtr(a), special.ndtr(b)
            standard = special.ndtri(below + uniforms * (above - below))
        return np.clip(mean + sd * standard, low, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential:
    """Begins at `origin` and falls off with the scale `sd`, which is its standard deviation; its mean is their sum."""

    origin: Decimal
    sd: Decimal

    def __post_init__(self) -> None:
        _require(self, "a standard deviation of 0 or more", lambda: self.sd >= 0)

    def draws(self, uniforms: Floats) -> Floats:
        """Return one draw for each uniform number."""
        return float(self.origin) - float(self.sd) * np.log1p(-uniforms)


Shape: TypeAlias = Normal | Lognormal | Triangular | Uniform | TruncatedNormal | Exponential


def parameters(shape: Shape) -> Sequence[Decimal]:
    """Return the parameters of a distribution in the order of its fields."""
    return [getattr(shape, name) for name in shape.__dataclass_fields__]


def _standard_normal(uniforms: Floats) -> Floats:
    made: Floats = special.ndtri(uniforms)
    return made


def _require(shape: Shape, expected: str, holds: Callable[[], bool]) -> None:
    numbers = parameters(shape)
    if all(number.is_finite() for number in numbers) and holds():
        return
    raise ContractError(
        "distribution has parameters that it cannot have",
        where=type(shape).__name__,
        expected=f"finite numbers; {expected}",
        found=", ".join(map(str, numbers)),
        remedy="correct the parameters, or choose the distribution that fits the data",
    )
