"""Estimates from samples: a simple random sample, strata by area, and the difference of two inventories.

Means and variances are exact and rounded once to 50 digits. What does not belong here: the interval of an estimate
(half_widths) and how many units to measure (sample_size).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from mrv_assets.domain.errors import ContractError, listed
from mrv_assets.uncertainty.digits import decimal, exact, root


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate, its standard error in the same unit, and the degrees of freedom that its sample left."""

    value: Decimal
    standard_error: Decimal
    degrees_of_freedom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A simple random sample: how many units, their mean, and their variance with the divisor n - 1.

    Raises ContractError naming `name` for fewer than 2 units, a negative variance, and a number that is none.
    """

    name: str
    count: int
    mean: Decimal
    variance: Decimal

    def __post_init__(self) -> None:
        exact(self.mean, what="mean", where=self.name)
        variance = exact(self.variance, what="variance", where=self.name)
        if self.count < 2:
            raise _refused("sample has no variance", self.name, "at least 2 units", f"n = {self.count}")
        if variance < 0:
            raise _refused("variance is negative", self.name, "0 or more", str(self.variance))

    @classmethod
    def of(cls, values: Sequence[Decimal], *, name: str) -> Sample:
        """Take mean and variance of measured values. Raises ContractError as the class does."""
        numbers = [exact(value, what="measured value", where=name) for value in values]
        count = len(numbers)
        mean = sum(numbers, Fraction(0)) / max(count, 1)
        variance = sum(((number - mean) ** 2 for number in numbers), Fraction(0)) / max(count - 1, 1)
        return cls(name=name, count=count, mean=decimal(mean), variance=decimal(variance))

    @property
    def estimate(self) -> Estimate:
        """The mean with its standard error sqrt(s² / n), n - 1 degrees of freedom."""
        error = root(Fraction(self.variance) / self.count)
        return Estimate(value=self.mean, standard_error=error, degrees_of_freedom=self.count - 1)


def stratified_total(areas: Mapping[str, Decimal], samples: Mapping[str, Sample], *, where: str) -> Estimate:
    """Return the sum of area times mean over strata; SE sqrt(sum of A² s² / n), n - M degrees of freedom (AR-TOOL14).

    Raises ContractError naming the strata that have an area and no sample or the other way round, and an area that is
    not above 0.
    """
    _require_same(areas, samples, where)
    weights = {name: exact(areas[name], what=f"area of stratum {name}", where=where) for name in areas}
    return _weighted(weights, samples, where)


def stratified_mean(areas: Mapping[str, Decimal], samples: Mapping[str, Sample], *, where: str) -> Estimate:
    """Return the mean per unit of area, strata weighted by their share of it. Otherwise as `stratified_total`."""
    _require_same(areas, samples, where)
    weights = {name: exact(areas[name], what=f"area of stratum {name}", where=where) for name in areas}
    whole = sum(weights.values(), Fraction(0))
    if whole <= 0:
        raise _refused("strata have no area", where, "areas above 0", str(decimal(whole)))
    return _weighted({name: weight / whole for name, weight in weights.items()}, samples, where)


def difference(later: Estimate, earlier: Estimate, *, correlation: Decimal, where: str) -> Estimate:
    """Return later less earlier; SE sqrt(SE₀² + SE₁² - 2 rho SE₀ SE₁), degrees of freedom of the smaller of the two.

    The correlation is 0 unless the same plots were measured twice. Raises ContractError when it is not from -1 to 1.
    """
    rho = exact(correlation, what="correlation", where=where)
    if abs(rho) > 1:
        raise _refused("correlation is none", where, "from -1 to 1; 0 without permanent plots", str(correlation))
    one, two = Fraction(earlier.standard_error), Fraction(later.standard_error)
    return Estimate(
        value=decimal(Fraction(later.value) - Fraction(earlier.value)),
        standard_error=root(one**2 + two**2 - 2 * rho * one * two),
        degrees_of_freedom=min(later.degrees_of_freedom, earlier.degrees_of_freedom),
    )


def _weighted(weights: Mapping[str, Fraction], samples: Mapping[str, Sample], where: str) -> Estimate:
    value, variance, freedom = Fraction(0), Fraction(0), 0
    for name, weight in weights.items():
        if weight <= 0:
            raise _refused(f"area of stratum {name} is not above 0", where, "areas above 0", str(decimal(weight)))
        sample = samples[name]
        value += weight * Fraction(sample.mean)
        variance += weight**2 * Fraction(sample.variance) / sample.count
        freedom += sample.count - 1
    return Estimate(value=decimal(value), standard_error=root(variance), degrees_of_freedom=freedom)


def _require_same(areas: Mapping[str, Decimal], samples: Mapping[str, Sample], where: str) -> None:
    if not areas:
        raise _refused("no stratum is given", where, "at least one stratum", "none")
    unsampled, unknown = sorted(areas.keys() - samples.keys()), sorted(samples.keys() - areas.keys())
    if unsampled:
        raise _refused("stratum is missing", where, "a sample of every stratum", f"none of {listed(unsampled)}")
    if unknown:
        raise _refused("stratum has no area", where, "an area of every stratum", f"none of {listed(unknown)}")


def _refused(what: str, where: str, expected: str, found: str) -> ContractError:
    remedy = "complete or correct the inventory; a stratum that cannot be measured is joined with another"
    return ContractError(what, where=where, expected=expected, found=found, remedy=remedy)
