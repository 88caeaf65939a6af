from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from mrv_assets.crediting.vm0047_removals import (
    Standing,
    all_deductions,
    benchmarked,
    benchmarked_v1_0,
    credited_removals,
    uncertainty_deduction,
    uncredited,
)
from mrv_assets.crediting.vm0047_stock import CensusSample
from mrv_assets.crediting.vm0047_uncertainty import (
    Inventories,
    area_half_width,
    census_half_width,
    census_half_width_literal,
    deduction,
)
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets_tests.verra import account, rule_set, waterfall
from mrv_assets_tests.verra_evidence import AREA, shown

D = Decimal
NONE = D(0)
ALLOWANCE = D("0.10")

tonnes = st.integers(0, 10**15).map(lambda n: D(n).scaleb(-9))
signed = st.integers(-(10**15), 10**15).map(lambda n: D(n).scaleb(-9))
shares = st.integers(0, 10**12).map(lambda n: D(n).scaleb(-12))
errors = st.integers(0, 10**12).map(lambda n: D(n).scaleb(-6))
standings = st.builds(Standing, stock_change=signed, uncertainty=shares, benchmark=shares)
samples = st.builds(
    CensusSample,
    live_tonnes=st.lists(st.integers(1, 10**6).map(lambda n: D(n).scaleb(-6)), min_size=2, max_size=12),
    dead=st.integers(0, 12),
)


def wide(relative: Decimal) -> HalfWidth90:
    """Return a half-width."""
    return HalfWidth90(relative=relative)


@given(widths=st.lists(st.integers(0, 3 * 10**12).map(lambda n: D(n).scaleb(-12)), min_size=2, max_size=5), of=signed)
def test_a_wider_interval_never_has_a_smaller_deduction(widths: list[Decimal], of: Decimal) -> None:
    """The deduction is a share, 0 of what is within the allowance and of a loss."""
    found = [deduction(wide(each), of, allowance=ALLOWANCE) for each in sorted(widths)]
    assert all(0 <= a <= b <= 1 for a, b in pairwise([NONE, *found]))
    assert of >= 0 or not any(found)


@given(first=errors, ends=st.tuples(errors, errors), rho=st.integers(-100, 0), change=signed.filter(bool))
def test_a_worse_inventory_never_has_a_narrower_interval(
    first: Decimal, ends: tuple[Decimal, Decimal], rho: int, change: Decimal
) -> None:
    """Without a positive correlation: with one, an error that both inventories share cancels in the change."""
    found = [
        area_half_width(
            Inventories(error_start=first, error_end=end, correlation=D(rho).scaleb(-2), degrees_of_freedom=29), change
        ).relative
        for end in sorted(ends)
    ]
    assert found[0] <= found[1]


@given(sample=samples)
def test_the_literal_reading_is_never_below_the_dimensional_one(sample: CensusSample) -> None:
    """Which is why it is the conservative one."""
    assert census_half_width_literal(sample).relative >= census_half_width(sample).relative


@given(standing=standings)
def test_a_deduction_never_raises_what_has_been_removed(standing: Standing) -> None:
    """From t = 0 on: neither uncertainty nor benchmark adds to a stock change, and a loss stays whole."""
    start = Standing(stock_change=NONE)
    of_uncertainty = uncertainty_deduction(standing, start)
    assert 0 <= of_uncertainty <= all_deductions(standing, start, benchmarked)
    credited = credited_removals(standing, start, project_emissions=NONE, leakage=NONE, benchmark=benchmarked)
    assert credited <= standing.stock_change
    if standing.stock_change < 0:
        assert credited == standing.stock_change


@given(now=standings, before=standings, other=shares, emissions=tonnes, leaked=tonnes)
def test_more_uncertainty_never_yields_more_credits(
    now: Standing, before: Standing, other: Decimal, emissions: Decimal, leaked: Decimal
) -> None:
    """In any period, whatever stood before; and not above the half-width at which nothing is credited."""
    found = [
        credited_removals(
            Standing(stock_change=now.stock_change, uncertainty=each, benchmark=now.benchmark),
            before,
            project_emissions=emissions,
            leakage=leaked,
            benchmark=benchmarked,
        )
        for each in sorted((now.uncertainty, other))
    ]
    assert found[0] >= found[1] >= uncredited(found[1])


@given(now=standings, before=standings, other=shares)
def test_a_higher_benchmark_never_yields_more_credits(now: Standing, before: Standing, other: Decimal) -> None:
    """With MIN. Without it, v1.0 shrinks a loss by its benchmark; of a gain it is true there too."""
    for benchmark in (benchmarked, *([benchmarked_v1_0] if now.stock_change >= 0 else [])):
        found = [
            credited_removals(
                Standing(stock_change=now.stock_change, uncertainty=now.uncertainty, benchmark=each),
                before,
                project_emissions=NONE,
                leakage=NONE,
                benchmark=benchmark,
            )
            for each in sorted((now.benchmark, other))
        ]
        assert found[0] >= found[1]


@given(now=standings, before=standings, emissions=tonnes, leaked=tonnes)
def test_credited_removals_are_the_equation(
    now: Standing, before: Standing, emissions: Decimal, leaked: Decimal
) -> None:
    """Eq 32 in rational numbers, to half a billionth of a tonne."""

    def bracket(standing: Standing) -> Fraction:
        change = Fraction(standing.stock_change)
        left = min(change, change * (1 - Fraction(standing.benchmark)))
        return left * (1 - Fraction(standing.uncertainty if change > 0 else 0))

    found = credited_removals(now, before, project_emissions=emissions, leakage=leaked, benchmark=benchmarked)
    exact = bracket(now) - bracket(before) - Fraction(emissions) - Fraction(leaked)
    assert abs(Fraction(found) - exact) <= Fraction(1, 2 * 10**9)


@given(
    removals=tonnes,
    error=st.integers(0, 10**7),
    before=st.tuples(signed, shares, shares),
    prec=st.integers(5, 40),
)
def test_the_lines_of_an_area_sum_exactly_to_the_equation(
    removals: Decimal, error: int, before: tuple[Decimal, Decimal, Decimal], prec: int
) -> None:
    """Whatever stood before, and whatever decimal context other code has left behind."""
    assume(removals + before[0])
    evidence = shown(
        AREA,
        stock_se_end_tco2e=str(error),
        stock_change_before_tco2e=f"{before[0]:f}",
        uncertainty_before=f"{before[1]:f}",
        performance_benchmark_before=f"{before[2]:f}",
    )
    with localcontext(Context(prec=prec)):
        found = waterfall(rule_set("vm0047-area-1.1"), account(evidence, removals=f"{removals:f}", emissions="20"))
    numbers = {name: value for line in found.lines for name, value in line.numbers.items()}
    equation = credited_removals(
        Standing(
            stock_change=numbers["stock_change_tco2e"],
            uncertainty=numbers["uncertainty"],
            benchmark=numbers["performance_benchmark"],
        ),
        Standing(stock_change=before[0], uncertainty=before[1], benchmark=before[2]),
        project_emissions=D(20),
        leakage=D(150),
        benchmark=benchmarked,
    )
    assert found.total_tco2e == (equation if numbers["is_credited"] else min(equation, NONE))
    assert all(line.change_tco2e == line.change_tco2e.quantize(D("1e-9")) for line in found.lines)


@given(
    removals=st.integers(1, 10**7),
    ends=st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)),
    before=st.tuples(tonnes, shares, shares),
)
def test_a_worse_inventory_never_yields_more_through_the_lines(
    removals: int, ends: tuple[int, int], before: tuple[Decimal, Decimal, Decimal]
) -> None:
    """Also where the half-width passes 100 % and nothing is credited any more."""
    totals = []
    for error in sorted(ends):
        evidence = shown(
            AREA,
            stock_se_end_tco2e=str(error),
            stock_change_before_tco2e=f"{before[0]:f}",
            uncertainty_before=f"{before[1]:f}",
            performance_benchmark_before=f"{before[2]:f}",
        )
        start = account(evidence, removals=str(removals), emissions="20")
        totals.append(waterfall(rule_set("vm0047-area-1.1"), start).total_tco2e)
    assert totals[0] >= totals[1]
