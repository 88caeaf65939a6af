"""What holds of every chain of coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.exact import as_decimal, rounded
from mrv_assets.domain.factor_chains import product
from mrv_assets.domain.factor_diff import differences
from mrv_assets.domain.factor_spans import spans_of
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.partition import Period
from mrv_assets_tests.chains import chained, coefficient

_DECIMALS = st.decimals(0, 100, places=6).map("{:f}".format)
_FRACTIONS = st.tuples(st.integers(0, 99), st.integers(1, 99)).map("{0[0]}/{0[1]}".format)
values = st.lists(_DECIMALS | _FRACTIONS, min_size=1, max_size=6)
rationals = st.fractions(min_value=0, max_value=10**9, max_denominator=10**12)
HALF_STEP = Fraction(1, 2 * 10**28)


def links(numbers: Sequence[str]) -> Sequence[Mapping[str, str]]:
    """Return coefficients of these values that lead from a cubic metre to a tonne of CO2 in so many steps."""
    ends = ["m3", *(f"t of s{n}" for n in range(1, len(numbers))), "t of CO2"]
    return [coefficient(f"c{n}", value, ends[n + 1], ends[n]) for n, value in enumerate(numbers)]


def of(numbers: Sequence[str], *, seed: int = 0) -> FactorRelease:
    """Return a release of one chain; the seed gives the order in which the file lists the coefficients."""
    rows = list(links(numbers))
    chain = " * ".join(row["name"] for row in rows)
    Random(seed).shuffle(rows)
    return chained([{"chain": chain}], rows)


def factor(made: FactorRelease) -> Decimal:
    """Return the combined factor of the chain."""
    found = made.combined(activity_id="forest.growth", region="US/MROW", unit="meter ** 3", epoch=Period.parse("2021"))
    assert found is not None
    return found.ef_value


@given(numbers=values, cut=st.integers(0, 6), seed=st.integers(0, 99))
def test_product_is_exact_in_any_grouping_and_order(numbers: list[str], cut: int, seed: int) -> None:
    """Left to right, in two groups or shuffled: one rational number, the one that rational arithmetic gives."""
    (row,) = of(numbers).rows
    whole = product(row.chain)
    assert whole == product(row.chain[:cut]) * product(row.chain[cut:])
    shuffled = list(row.chain)
    Random(seed).shuffle(shuffled)
    assert product(shuffled) == whole
    expected = Fraction(1)
    for number in reversed(numbers):
        expected *= Fraction(number)
    assert whole == expected


@given(numbers=values, seed=st.integers(0, 99), prec=st.integers(1, 40))
def test_factor_is_rounded_once_whatever_the_file_and_the_context(numbers: list[str], seed: int, prec: int) -> None:
    """It lies at most half a step from the exact product; order of the file and decimal context change nothing."""
    made = of(numbers)
    assert abs(Fraction(factor(made)) - product(made.rows[0].chain)) <= HALF_STEP
    with localcontext() as context:
        context.prec = prec
        assert factor(of(numbers, seed=seed)) == factor(made)


@given(numbers=values)
def test_spans_and_differences_see_what_a_run_takes(numbers: list[str]) -> None:
    """To the decimals of the contract; and a chain does not differ from itself."""
    made = of(numbers)
    ((span,),) = spans_of(made).values()
    assert Context(prec=200, rounding=ROUND_HALF_EVEN).quantize(span.co2e, Decimal("1e-28")) == factor(made)
    assert not differences(made, of(numbers, seed=7)).changed


@given(value=rationals, places=st.integers(0, 30))
def test_rounding_is_the_nearest_and_even_in_the_middle(value: Fraction, places: int) -> None:
    """As rational numbers say, which share no code with decimals."""
    found = rounded(value, places=places)
    off = abs(Fraction(found) - value) * 10**places
    assert off < Fraction(1, 2) or (off == Fraction(1, 2) and int(Fraction(found) * 10**places) % 2 == 0)
    assert found.as_tuple().exponent == -places


@given(value=rationals)
def test_a_number_that_ends_is_itself(value: Fraction) -> None:
    """Only those that do not end are rounded."""
    found, denominator = as_decimal(value, places=28), value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    assert Fraction(found) == value if denominator == 1 else found == rounded(value, places=28)
