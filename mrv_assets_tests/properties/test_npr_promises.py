"""Promises of the risk tool: a worse answer never gives fewer points, and nothing falls below its floor."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.crediting.non_permanence import rated
from mrv_assets.crediting.non_permanence_external import governance_points
from mrv_assets.crediting.non_permanence_internal import financial_viability, longevity_points, npv_points
from mrv_assets.crediting.non_permanence_natural import historic_points
from mrv_assets_tests.monitored import NPR, rule

FINANCE, OPPORTUNITY, LONGEVITY, POLITICS, NATURAL = (
    rule("npr-4.2", f"NPR-{name}") for name in ("FV", "OC", "PL", "PC", "NR")
)
FAILED = Decimal(1000)  # worse than any points
shares = st.integers(0, 1000).map(lambda n: Decimal(n).scaleb(-3))
years = st.integers(1, 2000).map(lambda n: Decimal(n).scaleb(-1))
values = st.integers(-300, 300).map(Decimal)
points = st.integers(0, 500).map(lambda n: Decimal(n).scaleb(-1))


@given(losses=st.tuples(shares, shares), intervals=st.tuples(years, years))
def test_a_larger_or_more_frequent_loss_has_no_fewer_points(
    losses: tuple[Decimal, Decimal], intervals: tuple[Decimal, Decimal]
) -> None:
    """Along rows and columns of Table 10, the cell FAIL being the worst."""
    mild = historic_points(min(losses), max(intervals), NATURAL, is_transient=False)
    harsh = historic_points(max(losses), min(intervals), NATURAL, is_transient=False)
    assert (FAILED if mild is None else mild) <= (FAILED if harsh is None else harsh)


@given(project=values, alternatives=st.tuples(values, values))
def test_a_better_alternative_has_no_fewer_points(project: Decimal, alternatives: tuple[Decimal, Decimal]) -> None:
    """Also around values of 0, where a comparison in per cent has no meaning. Points below 0 count as 0."""
    low, high = (max(Decimal(0), npv_points(project, other, OPPORTUNITY)) for other in sorted(alternatives))
    assert low <= high


@given(lengths=st.tuples(years, years))
def test_a_longer_project_has_no_more_points(lengths: tuple[Decimal, Decimal]) -> None:
    """With an agreement fewer than without, and never below 0."""
    short, long = sorted(lengths)
    for has_agreement in (True, False):
        assert longevity_points(long, LONGEVITY, has_agreement=has_agreement) >= 0
        assert longevity_points(long, LONGEVITY, has_agreement=has_agreement) <= longevity_points(
            short, LONGEVITY, has_agreement=has_agreement
        )
    assert longevity_points(long, LONGEVITY, has_agreement=True) <= longevity_points(
        long, LONGEVITY, has_agreement=False
    )


@given(scores=st.tuples(st.fractions(-2, 2), st.fractions(-2, 2)))
def test_a_better_governed_country_has_no_more_points(scores: tuple[Fraction, Fraction]) -> None:
    """Whatever the limits of Table 8."""
    low, high = sorted(scores)
    assert governance_points(high, POLITICS) <= governance_points(low, POLITICS)


@given(payback=st.tuples(years, years), funding=st.tuples(shares, shares), callable_share=shares)
def test_slower_and_less_funded_projects_have_no_fewer_points(
    payback: tuple[Decimal, Decimal], funding: tuple[Decimal, Decimal], callable_share: Decimal
) -> None:
    """Table 2."""
    good, bad = (
        financial_viability(
            NPR.with_(
                npr_payback_years=str(slow),
                npr_funding_secured_share=str(part),
                npr_callable_funds_share=str(callable_share),
            ).monitoring,
            FINANCE,
        ).points
        for slow, part in ((min(payback), max(funding)), (max(payback), min(funding)))
    )
    assert 0 <= good <= bad


@given(sums=st.tuples(points, points, points))
def test_the_rating_is_the_sum_rounded_up(sums: tuple[Decimal, Decimal, Decimal]) -> None:
    """Whole, no less than the sum and than 12, and less than one above the greater of them."""
    internal, external, natural = sums
    percent = rated(internal=internal, external=external, natural=natural, least=Decimal(12)).percent
    least = max(sum(sums), Decimal(12))
    assert percent == percent.to_integral_value()
    assert least <= percent < least + 1
