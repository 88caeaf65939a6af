"""What a simulation found: mean, standard deviation, percentiles and half-widths, with what they were made with.

What does not belong here: the draws (approach_2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import numpy as np
import scipy

from mrv_assets.domain.confidence import HalfWidth90, HalfWidth95
from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.approach_2 import Simulation
from mrv_assets.uncertainty.digits import decimal
from mrv_assets.uncertainty.distributions import Floats

FEWEST = 1000
"""Draws below which a percentile of 2.5 % rests on a handful of values."""

_TWELVE = Context(prec=12, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """Statistics of a simulated sum in its unit, each rounded once to 12 digits. `made_with` names numpy and scipy."""

    mean: Decimal
    sd: Decimal
    p025: Decimal
    p05: Decimal
    p95: Decimal
    p975: Decimal
    draws: int
    seed: str
    made_with: str

    @property
    def half_width_90(self) -> HalfWidth90:
        """Half of what lies between the 5th and 95th percentile, by the mean. Raises ContractError for mean 0."""
        return HalfWidth90(relative=self._share(self.p05, self.p95))

    @property
    def half_width_95(self) -> HalfWidth95:
        """Half of what lies between the 2.5th and 97.5th percentile, by the mean. Raises ContractError for mean 0."""
        return HalfWidth95(relative=self._share(self.p025, self.p975))

    def _share(self, low: Decimal, high: Decimal) -> Decimal:
        if not self.mean:
            raise ContractError(
                "mean of the simulation is 0",
                where=self.seed,
                expected="a mean other than 0, because a half-width is a share of it",
                found="0",
                remedy="report the percentiles; no relative uncertainty exists for a sum of 0",
            )
        return decimal((Fraction(high) - Fraction(low)) / 2 / abs(Fraction(self.mean)))


def simulate(simulation: Simulation, *, draws: int) -> Simulated:
    """Draw so many times and summarise. Raises ContractError as `summary` does."""
    return summary(simulation.draws(0, max(draws, 1)), seed=simulation.seed)


def summary(sums: Floats, *, seed: str) -> Simulated:
    """Summarise the sums of draws 0 to n - 1, in any order. Sums are exact; percentiles are interpolated linearly.

    Raises ContractError for fewer than 1000 draws and for sums beyond binary64.
    """
    if len(sums) < FEWEST or not np.isfinite(sums).all():
        raise ContractError(
            "simulation cannot be summarised",
            where=seed,
            expected=f"at least {FEWEST} draws, all finite",
            found=f"{len(sums)} draws, {int((~np.isfinite(sums)).sum())} of them not finite",
            remedy="draw more often, and check the distributions for parameters far from their mean",
        )
    mean = math.fsum(sums) / len(sums)
    variance = math.fsum((sums - mean) ** 2) / (len(sums) - 1)
    p025, p05, p95, p975 = (float(value) for value in np.quantile(sums, [0.025, 0.05, 0.95, 0.975], method="linear"))
    return Simulated(
        mean=_rounded(mean),
        sd=_rounded(math.sqrt(variance)),
        p025=_rounded(p025),
        p05=_rounded(p05),
        p95=_rounded(p95),
        p975=_rounded(p975),
        draws=len(sums),
        seed=seed,
        made_with=f"numpy {np.__version__}, scipy {scipy.__version__}",
    )


def _rounded(value: float) -> Decimal:
    return _TWELVE.create_decimal_from_float(value)
