"""The uncertainty of a chain at 95 %, held against figures that are known and against floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from math import asinh, sinh, sqrt
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.chain_uncertainty import chain_uncertainty
from mrv_assets.domain.factor_spans import spans_of
from mrv_assets.domain.factor_uncertainty import Distribution, Uncertainty
from mrv_assets_tests.chains import FOREST, chained

_LEVELS = st.integers(1, 9999).map(lambda n: Decimal(n).scaleb(-4))
_WIDTHS = st.integers(0, 5000).map(lambda n: Decimal(n).scaleb(-3))


def stated(width: str | Decimal, level: str | Decimal = "0.95", distribution: str = "normal") -> Uncertainty:
    """Return what a source states."""
    return Uncertainty(
        rel_uncertainty=Decimal(width), confidence_level=Decimal(level), distribution=Distribution(distribution)
    )


def alone(uncertainty: Uncertainty) -> Decimal | None:
    """Return the uncertainty of a chain of one coefficient."""
    return chain_uncertainty([replace(chained().rows[0].chain[0], uncertainty=uncertainty)])


def of(*uncertainties: Sequence[str] | None) -> Decimal | None:
    """Return the uncertainty of the chain of the forest whose coefficients state this, from the first on, others 0."""
    names = ("rel_uncertainty", "confidence_level", "distribution")
    said = [*uncertainties, *[("0", "0.95", "normal")] * (len(FOREST) - len(uncertainties))]
    cells = [dict(zip(names, one or ("", "", ""), strict=True)) for one in said]
    made = chained(coefficients=[{**row, **more} for row, more in zip(FOREST, cells, strict=True)])
    [[span]] = spans_of(made).values()
    [gas] = span.gases
    return gas.chain_uncertainty


def test_half_widths_of_a_chain_add_up_by_their_squares() -> None:
    """Equation 3.1 with 10 % and 15 %; what is exact states 0 and adds nothing."""
    assert str(of(("0.1", "0.95", "normal"), ("0.15", "0.95", "uniform"))) == "0.180278"
    assert str(of(("0.3", "0.95", "normal"), ("0.4", "0.95", "lognormal"))) == "0.500000"
    assert str(of()) == "0.000000"


def test_a_chain_is_unknown_while_a_coefficient_states_nothing() -> None:
    """Nothing stated is not 0, and a lognormal interval that grows beyond all bounds says nothing either."""
    assert of(("0.1", "0.95", "normal"), None) is None
    assert of(("0.1", "0.0000000001", "lognormal")) is None


@pytest.mark.parametrize(
    ("uncertainty", "expected"),
    [
        pytest.param(stated("0.1"), "0.100000", id="at 95 % already"),
        pytest.param(stated("0.1", "0.90"), "0.119157", id="normal, 1.959964 / 1.644854"),
        pytest.param(stated("0.1", "0.9999999999999999999999999999999999999999"), "0.014668", id="normal, far out"),
        pytest.param(stated("0.1", "0.5", "uniform"), "0.190000", id="uniform, as its length"),
        pytest.param(stated("0.1", "0.75", "triangular"), "0.155279", id="triangular, by what it leaves outside"),
        pytest.param(stated("0", "0.5", "lognormal"), "0.000000", id="none"),
        pytest.param(stated("0.0000005"), "0.000000", id="half, to the even one below"),
        pytest.param(stated("0.0000015"), "0.000002", id="half, to the even one above"),
    ],
)
def test_half_widths_are_converted_by_the_quantiles_of_their_distribution(
    uncertainty: Uncertainty, expected: str
) -> None:
    """To 95 %, rounded once, half to even."""
    assert str(alone(uncertainty)) == expected


@given(width=_WIDTHS, level=_LEVELS)
def test_conversion_is_that_of_floats(width: Decimal, level: Decimal) -> None:
    """Normal by its quantiles, lognormal by the standard deviation of the logarithm."""
    ratio = NormalDist().inv_cdf(0.975) / NormalDist().inv_cdf((1 + float(level)) / 2)
    normal = float(alone(stated(width, level)) or 0)
    assert normal == pytest.approx(float(width) * ratio, rel=1e-9, abs=1e-6)
    if ratio < 100:
        lognormal = float(alone(stated(width, level, "lognormal")) or 0)
        assert lognormal == pytest.approx(sinh(asinh(float(width)) * ratio), rel=1e-9, abs=1e-6)


@given(widths=st.lists(_WIDTHS, min_size=1, max_size=5), places=st.integers(1, 50))
def test_the_root_does_not_depend_on_order_or_on_the_context_of_the_caller(widths: list[Decimal], places: int) -> None:
    """It is at least the largest half-width and at most their sum."""

    def root(of_these: list[Decimal]) -> Decimal:
        pairs = zip(chained().rows[0].chain, of_these, strict=False)
        found = chain_uncertainty([replace(row, uncertainty=stated(width)) for row, width in pairs])
        assert found is not None
        return found

    once = root(widths)
    with localcontext(prec=places):
        assert root(widths[::-1]) == once
    assert float(once) == pytest.approx(sqrt(sum(float(width) ** 2 for width in widths)), abs=1e-6)
    assert max(widths) <= once <= sum(widths)
