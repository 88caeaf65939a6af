"""What holds of every half-width, sum, product, sample and conversion."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from statistics import mean as plain_mean
from statistics import variance as plain_variance

from hypothesis import assume, given
from hypothesis import strategies as st

from mrv_assets.domain.confidence import HalfWidth90, HalfWidth95
from mrv_assets.domain.factor_uncertainty import Distribution, Uncertainty
from mrv_assets.uncertainty.approach_1 import Combined, Term, product, term, total
from mrv_assets.uncertainty.half_widths import half_width_90, half_width_95
from mrv_assets.uncertainty.levels import (
    normal_90_from_95,
    normal_95_from_90,
    student_t_90_from_95,
    student_t_95_from_90,
)
from mrv_assets.uncertainty.quantiles import student_t
from mrv_assets.uncertainty.sample_size import Expected, sample_size
from mrv_assets.uncertainty.sampling import Estimate, Sample, difference, stratified_mean, stratified_total
from mrv_assets.uncertainty.stated import stated_half_width_95

_DIGITS = Fraction(1, 10**45)  # results have 50 digits; two roundings and a root leave more than 45

shares = st.decimals(0, 3, places=6)
sizes = st.decimals("0.001", 10**9, places=3)
measured = st.decimals(-(10**6), 10**6, places=3)
freedoms = st.integers(1, 500)
groups = st.sampled_from("abc")


def u95(share: Decimal) -> HalfWidth95:
    """Return a 95 % half-width."""
    return HalfWidth95(relative=share)


def summed(parts: list[tuple[Decimal, Decimal, str]]) -> Combined[HalfWidth95]:
    """Sum values with half-widths and groups."""
    return total([term(value, u95(share), group) for value, share, group in parts], where="x")


def is_near(one: Decimal, other: Decimal) -> bool:
    """Whether two numbers are equal but for the last digits."""
    return abs(Fraction(one) - Fraction(other)) <= _DIGITS * max(abs(Fraction(one)), abs(Fraction(other)))


@given(parts=st.lists(shares, min_size=1, max_size=6), at=st.integers(0, 5), more=shares)
def test_a_product_is_monotone_in_each_half_width(parts: list[Decimal], at: int, more: Decimal) -> None:
    """A less certain factor never makes a surer product, and no factor is surer than what it is part of."""
    wider = [share + more if n == at % len(parts) else share for n, share in enumerate(parts)]
    before, after = (product([u95(share) for share in some], where="x").relative for some in (parts, wider))
    assert before <= after
    assert max(parts) <= before <= sum(parts)


@given(parts=st.lists(st.tuples(sizes, shares, groups), min_size=1, max_size=6), at=st.integers(0, 5), more=shares)
def test_a_sum_is_monotone_in_each_half_width(
    parts: list[tuple[Decimal, Decimal, str]], at: int, more: Decimal
) -> None:
    """Of terms with one sign."""
    wider = [(v, u + more if n == at % len(parts) else u, g) for n, (v, u, g) in enumerate(parts)]
    assert summed(parts).half_width.relative <= summed(wider).half_width.relative


@given(parts=st.lists(st.tuples(sizes, shares, groups), min_size=1, max_size=6))
def test_correlated_terms_are_never_surer(parts: list[tuple[Decimal, Decimal, str]]) -> None:
    """Of one sign: independent, grouped, all in one group, and that is at most the widest of them."""
    alone = summed([(value, share, str(n)) for n, (value, share, _) in enumerate(parts)])
    together = summed([(value, share, "one") for value, share, _ in parts])
    grouped = summed(parts).half_width.relative
    assert alone.half_width.relative <= grouped <= together.half_width.relative
    assert together.half_width.relative <= max(share for _, share, _ in parts)


@given(
    parts=st.lists(st.tuples(measured, shares, groups), min_size=1, max_size=6),
    seed=st.integers(0, 99),
    prec=st.integers(1, 40),
)
def test_a_sum_knows_no_order_and_no_context(parts: list[tuple[Decimal, Decimal, str]], seed: int, prec: int) -> None:
    """Also with both signs: shuffled, or in a context of few digits, the same digits come out."""
    assume(sum(value for value, _, _ in parts))
    shuffled = list(parts)
    Random(seed).shuffle(shuffled)
    expected = summed(parts)
    with localcontext() as context:
        context.prec = prec
        assert summed(shuffled) == expected


@given(parts=st.lists(st.tuples(sizes, shares, groups), min_size=1, max_size=6), scale=sizes)
def test_a_share_knows_no_unit(parts: list[tuple[Decimal, Decimal, str]], scale: Decimal) -> None:
    """Kilograms or tonnes: the relative half-width is the same."""
    scaled = summed([(value * scale, share, group) for value, share, group in parts])
    assert is_near(scaled.half_width.relative, summed(parts).half_width.relative)


@given(parts=st.lists(st.tuples(sizes, shares), min_size=2, max_size=6), cut=st.integers(1, 5))
def test_a_sum_of_independent_sums_is_the_sum(parts: list[tuple[Decimal, Decimal]], cut: int) -> None:
    """Equation 3.2 may be applied in steps; this is what rolling up periods without shared sources does."""
    rows = [(value, share, str(n)) for n, (value, share) in enumerate(parts)]
    at = 1 + cut % (len(rows) - 1)
    steps = [summed(rows[:at]), summed(rows[at:])]
    twice = total([term(step.value, step.half_width, str(n)) for n, step in enumerate(steps)], where="x")
    assert is_near(twice.half_width.relative, summed(rows).half_width.relative)


@given(value=sizes, quantity=shares, factor=shares)
def test_one_term_with_two_sources_is_a_product(value: Decimal, quantity: Decimal, factor: Decimal) -> None:
    """Equation 3.1 is a case of the sum."""
    both = Term(value=value, half_widths={"quantity": u95(quantity), "factor": u95(factor)})
    assert total([both], where="x").half_width == product([u95(quantity), u95(factor)], where="x")


@given(share=st.decimals(0, 3, places=9), freedom=freedoms)
def test_conversions_come_back(share: Decimal, freedom: int) -> None:
    """From 90 to 95 and back, and the wider level is wider."""
    ninety = HalfWidth90(relative=share)
    assert is_near(normal_90_from_95(normal_95_from_90(ninety)).relative, share)
    assert is_near(student_t_90_from_95(student_t_95_from_90(ninety, freedom), freedom).relative, share)
    assert normal_95_from_90(ninety).relative >= share


@given(estimate=sizes, error=sizes, freedom=freedoms)
def test_conversion_is_the_other_half_width_of_the_sample(estimate: Decimal, error: Decimal, freedom: int) -> None:
    """Converting by Student's t is what measuring at the other level would have given."""
    ninety = half_width_90(estimate, error, freedom, where="x")
    assert is_near(
        student_t_95_from_90(ninety, freedom).relative, half_width_95(estimate, error, freedom, where="x").relative
    )


@given(freedom=freedoms, more=st.integers(1, 500))
def test_more_units_never_widen_an_interval(freedom: int, more: int) -> None:
    """Student's t falls with the degrees of freedom towards the normal quantile."""
    few, many = (student_t(Decimal("0.90"), n) for n in (freedom, freedom + more))
    assert few >= many > Decimal("1.644853627")


@given(
    level=st.decimals("0.5", "0.99", places=2),
    share=st.decimals(0, "0.3", places=4),
    more=st.decimals(0, "0.1", places=4),
    distribution=st.sampled_from(list(Distribution)),
)
def test_a_stated_half_width_is_monotone(
    level: Decimal, share: Decimal, more: Decimal, distribution: Distribution
) -> None:
    """A source that states more uncertainty, or the same at a lower level, is never taken for a surer one."""

    def at_95(half_width: Decimal, confidence: Decimal) -> Decimal:
        stated = Uncertainty(rel_uncertainty=half_width, confidence_level=confidence, distribution=distribution)
        return stated_half_width_95(stated, where="x").relative

    assert at_95(share, level) <= at_95(share + more, level)
    assert at_95(share, level) >= at_95(share, Decimal("0.99"))


@given(values=st.lists(measured, min_size=2, max_size=20), seed=st.integers(0, 99))
def test_a_sample_is_what_the_textbook_says(values: list[Decimal], seed: int) -> None:
    """Mean and variance are those of the standard library in rational arithmetic, in any order."""
    shuffled = list(values)
    Random(seed).shuffle(shuffled)
    sample = Sample.of(values, name="x")
    assert sample == Sample.of(shuffled, name="x")
    fractions = [Fraction(value) for value in values]
    assert is_near(sample.mean, _decimal(plain_mean(fractions)))
    assert is_near(sample.variance, _decimal(plain_variance(fractions)))
    error = Fraction(sample.estimate.standard_error)
    assert abs(error**2 * len(values) - Fraction(sample.variance)) <= _DIGITS * Fraction(sample.variance)


def _decimal(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(value.numerator) / Decimal(value.denominator)


strata = st.dictionaries(
    st.sampled_from("abcd"), st.tuples(sizes, st.lists(measured, min_size=2, max_size=5)), min_size=1
)


@given(made=strata, scale=sizes)
def test_strata_are_weighed_by_area(made: dict[str, tuple[Decimal, list[Decimal]]], scale: Decimal) -> None:
    """The mean knows no unit of area; total and error are mean and error times the area; df = n - M."""
    areas = {name: area for name, (area, _) in made.items()}
    samples = {name: Sample.of(values, name=name) for name, (_, values) in made.items()}
    mean, whole = stratified_mean(areas, samples, where="x"), stratified_total(areas, samples, where="x")
    scaled = stratified_mean({name: area * scale for name, area in areas.items()}, samples, where="x")
    assert is_near(scaled.standard_error, mean.standard_error)
    area = sum((Fraction(a) for a in areas.values()), Fraction(0))
    assert is_near(whole.standard_error, _decimal(Fraction(mean.standard_error) * area))
    assert abs(Fraction(whole.value) - Fraction(mean.value) * area) <= _DIGITS * 10**6 * area
    assert mean.degrees_of_freedom == sum(len(values) for _, values in made.values()) - len(made)


@given(one=sizes, two=sizes, low=st.decimals(-1, 1, places=3), high=st.decimals(-1, 1, places=3))
def test_correlation_makes_a_change_surer(one: Decimal, two: Decimal, low: Decimal, high: Decimal) -> None:
    """So assuming none without permanent plots is the cautious side; full correlation leaves the plain difference."""
    before, now = (Estimate(value=Decimal(1), standard_error=e, degrees_of_freedom=3) for e in (one, two))

    def error(rho: Decimal) -> Decimal:
        return difference(now, before, correlation=rho, where="x").standard_error

    assert error(max(low, high)) <= error(min(low, high))
    assert is_near(error(Decimal(1)), abs(two - one))


@given(made=st.lists(st.tuples(st.integers(1, 10**6), sizes), min_size=1, max_size=4), error=sizes, more=sizes)
def test_a_smaller_error_never_needs_fewer_plots(
    made: list[tuple[int, Decimal]], error: Decimal, more: Decimal
) -> None:
    """And never more plots than units exist."""
    expected = [Expected(units=Decimal(units), sd=sd) for units, sd in made]
    fine, coarse = (sample_size(expected, allowed_error=e, t=Decimal(2), where="x") for e in (error, error + more))
    assert coarse <= fine <= sum(units for units, _ in made)
