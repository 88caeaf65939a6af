"""A mean per hectare over strata and its 90 % half-width, as AR-TOOL14 v04.2 Eq. 14 to 17 state them.

A single unit, such as a modelling unit of Gold Standard 403, is one stratum. What does not belong here: what a standard
deducts for the half-width, and reading plots from evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from mrv_assets.crediting.rounding import share
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.quantiles import student_t

_ROOTS = Context(prec=50)
_CONFIDENCE = Decimal("0.90")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """What was measured in one stratum: its area in ha, mean and sample variance per ha, and the number of plots."""

    name: str
    area_ha: Fraction
    mean: Fraction
    variance: Fraction
    plots: int

    def __post_init__(self) -> None:
        if self.plots < 2:
            raise _refused(
                "stratum has too few plots", self.name, expected="2 plots or more", found=f"n = {self.plots}",
                remedy="measure more plots; one plot, or none, says nothing about the spread",
            )  # fmt: skip
        if self.area_ha <= 0 or self.variance < 0:
            raise _refused(
                "stratum is impossible", self.name, expected="an area above 0 ha and a variance of 0 or more",
                found=f"area {float(self.area_ha)} ha, variance {float(self.variance)}", remedy="correct the stratum",
            )  # fmt: skip

    @classmethod
    def of_plots(cls, name: str, *, area_ha: Fraction, values: Sequence[Fraction]) -> Stratum:
        """Return mean and sample variance of the plots (Eq. 16, 17). Raises ContractError for fewer than two."""
        n = len(values)
        mean = sum(values, Fraction(0)) / n if n else Fraction(0)
        spread = sum(((value - mean) ** 2 for value in values), Fraction(0))
        variance = spread / (n - 1) if n > 1 else Fraction(0)
        return cls(name=name, area_ha=area_ha, mean=mean, variance=variance, plots=n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean per hectare, the area it holds for, ha, and its two-sided 90 % half-width as a share of the mean."""

    mean: Fraction
    area_ha: Fraction
    half_width: HalfWidth90


def stratified(strata: Iterable[Stratum], *, where: str) -> Estimate:
    """Return the area-weighted mean and t × sqrt(Σ w² s²/n) / |mean|, t with n − M degrees of freedom (Eq. 14, 15).

    Raises ContractError naming `where` for no strata, a name twice, and a mean of 0, whose half-width is undefined.
    """
    given = tuple(strata)
    names = sorted(stratum.name for stratum in given)
    if not given or len(set(names)) < len(names):
        raise _refused(
            "strata cannot be used", where, expected="at least one stratum, each name once",
            found=", ".join(names) or "none", remedy="list each stratum once",
        )  # fmt: skip
    area = sum((stratum.area_ha for stratum in given), Fraction(0))
    mean = sum((stratum.area_ha * stratum.mean for stratum in given), Fraction(0)) / area
    variance = sum(((s.area_ha / area) ** 2 * s.variance / s.plots for s in given), Fraction(0))
    t = student_t(_CONFIDENCE, sum(stratum.plots for stratum in given) - len(given))
    return Estimate(mean=mean, area_ha=area, half_width=relative_half_width(t * root(variance), mean, where=where))


def relative_half_width(half_width: Decimal, mean: Fraction, *, where: str) -> HalfWidth90:
    """Return an absolute half-width as a share of the size of `mean`. Raises ContractError for a mean of 0."""
    if not mean:
        raise _refused(
            "uncertainty is undefined", where, expected="an estimate that is not 0", found="0",
            remedy="an estimate of 0 has no relative half-width: leave out what is not credited yet",
        )  # fmt: skip
    size = abs(mean)
    return HalfWidth90(
        relative=share(_ROOTS.divide(_ROOTS.multiply(half_width, Decimal(size.denominator)), Decimal(size.numerator)))
    )


def root(value: Fraction) -> Decimal:
    """Return the square root of a number of 0 or more, to 50 digits."""
    return _ROOTS.sqrt(_ROOTS.divide(Decimal(value.numerator), Decimal(value.denominator)))


def _refused(what: str, where: str, *, expected: str, found: str, remedy: str) -> ContractError:
    return ContractError(what, where=where, expected=expected, found=found, remedy=remedy)
