from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from mrv_assets.crediting.stratified import Stratum, stratified
from mrv_assets.domain.errors import ContractError


def stratum(name: str, *values: str, area: str = "10") -> Stratum:
    """Return a stratum of these plots."""
    return Stratum.of_plots(name, area_ha=Fraction(area), values=[Fraction(value) for value in values])


def test_mean_and_variance_of_plots_are_exact() -> None:
    """With the divisor n − 1 of Eq. 17."""
    found = stratum("a", "0.1", "0.2", "0.3")
    assert (found.mean, found.variance, found.plots) == (Fraction(1, 5), Fraction(1, 100), 3)


def test_strata_are_weighted_by_area() -> None:
    """Equal plots have no spread, so the half-width is 0."""
    found = stratified([stratum("a", "80", "80", area="60"), stratum("b", "40", "40", area="40")], where="test")
    assert (found.mean, found.area_ha, found.half_width.relative) == (Fraction(64), Fraction(100), Decimal(0))


@pytest.mark.parametrize("values", [pytest.param((), id="none"), pytest.param(("5",), id="n = 1")])
def test_a_stratum_needs_two_plots(values: tuple[str, ...]) -> None:
    """One plot tells nothing about the spread, and is refused by the stratum's name."""
    with pytest.raises(ContractError, match=rf"stratum has too few plots \[north\].*n = {len(values)}"):
        stratum("north", *values)


@pytest.mark.parametrize(
    ("area", "variance"),
    [pytest.param("0", "1", id="no area"), pytest.param("1", "-1", id="negative variance")],
)
def test_an_impossible_stratum_is_refused_by_name(area: str, variance: str) -> None:
    """An area of 0 ha and a negative variance are mistakes."""
    with pytest.raises(ContractError, match=r"stratum is impossible \[north\]"):
        Stratum(name="north", area_ha=Fraction(area), mean=Fraction(1), variance=Fraction(variance), plots=2)


def test_the_uncertainty_of_nothing_is_undefined() -> None:
    """It is refused and not taken for 0."""
    with pytest.raises(ContractError, match=r"uncertainty is undefined \[here\]"):
        stratified([stratum("a", "0", "0")], where="here")


@pytest.mark.parametrize("names", [pytest.param((), id="none"), pytest.param(("a", "a"), id="one twice")])
def test_each_stratum_is_there_once(names: tuple[str, ...]) -> None:
    """A stratum counted twice would count its land twice."""
    with pytest.raises(ContractError, match=r"strata cannot be used \[here\]"):
        stratified([stratum(name, "1", "2") for name in names], where="here")
