from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.crediting.rounding import share
from mrv_assets.crediting.vm0042_net import SoilChange, Split, net_of_leakage, stock_split
from mrv_assets.crediting.vm0042_variance import deduction as soil_deduction

D = Decimal
NONE = D(0)

tonnes = st.integers(0, 10**15).map(lambda n: D(n).scaleb(-9))
signed = st.integers(-(10**15), 10**15).map(lambda n: D(n).scaleb(-9))
shares = st.integers(0, 10**12).map(lambda n: D(n).scaleb(-12))
errors = st.integers(0, 10**12).map(lambda n: D(n).scaleb(-6))
soils = st.builds(SoilChange, project=signed, baseline=signed)


@given(soil=soils, some=st.tuples(shares, shares))
def test_more_uncertainty_of_soil_never_yields_more(soil: SoilChange, some: tuple[Decimal, Decimal]) -> None:
    """A gain gets smaller and a loss larger, to the billionth of a tonne."""
    less, more = (soil.deducted(each).difference for each in sorted(some))
    assert soil.difference >= less >= more


@given(soil=soils, other=signed, leaked=tonnes, has_gained=st.booleans())
def test_reductions_and_removals_sum_exactly(
    soil: SoilChange,
    other: Decimal,
    leaked: Decimal,
    has_gained: bool,  # noqa: FBT001
) -> None:
    """Whatever way soil and leakage are split."""
    stock = stock_split(soil, has_gained=has_gained)
    assert stock.total == soil.difference
    gross = Split(reductions=Context(prec=60).add(stock.reductions, other), removals=stock.removals)
    net = net_of_leakage(gross, leaked)
    assert Fraction(net.total) == Fraction(gross.total) - Fraction(leaked)


@given(variances=st.tuples(errors, errors), mean=signed.filter(bool), t=st.integers(1, 10**9))
def test_a_larger_variance_never_has_a_smaller_deduction(
    variances: tuple[Decimal, Decimal], mean: Decimal, t: int
) -> None:
    """Of 0 to 1, whatever the sign of the mean."""
    found = [soil_deduction(Fraction(each), Fraction(mean), t=D(t).scaleb(-9)) for each in sorted(variances)]
    assert 0 <= found[0] <= found[1] <= 1
    assert found == [share(each) for each in found]
