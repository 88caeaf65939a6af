"""More uncertainty never yields more credits, and no deduction raises them, under Gold Standard and AR-TOOL14.

The deductions of 203 Annex A and AR-TOOL14 jump at the bounds of their tables, and always upwards.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.crediting.account import Account
from mrv_assets.crediting.gold_standard_501 import buffer_credits, by_vintage, whole_credits
from mrv_assets.crediting.stratified import Stratum, stratified
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets_tests.oracles.gold_standard_oracles import ONE_VINTAGE, TWO_UNITS, waterfall
from mrv_assets_tests.oracles.one_dataset_oracles import FORMULAS, ROWS
from mrv_assets_tests.oracles.standards import rule

SHARES = st.decimals(0, 3, places=6)
BOUNDS = st.sampled_from([Decimal(text) for text in ("0.10", "0.15", "0.20", "0.30", "0.40", "0.50")])
NEAR_BOUNDS = st.tuples(BOUNDS, st.sampled_from([Decimal(0), Decimal("1e-6")])).map(sum)
UNCERTAINTIES = st.one_of(SHARES, NEAR_BOUNDS)
TONNES = st.decimals(-(10**9), 10**9, places=6)
PERIODS = st.sampled_from(["2024", "2023-07-01_2024-06-30", "2021-01-01_2025-12-31"]).map(Period.parse)
LINES = [pytest.param(line, id=line) for line, _, _ in ROWS]


def left(line: str, gross: Decimal, uncertainty: Decimal) -> Decimal:
    """Return what a deduction leaves of the gross figure."""
    evidence = Monitoring(
        where="test",
        quantities={"removals_half_width": f"{uncertainty:f}"},
        facts={"removals_confidence": "0.90"},
    )
    account = Account(
        period=Period.parse("2026"), canonical=Tonnes(), monitoring=evidence, numbers={"gross_tco2e": gross}
    )
    wanted = rule("one-dataset@1", line)
    return gross + FORMULAS[wanted.formula](replace(account, running_tco2e=gross), wanted).change_tco2e


@pytest.mark.parametrize("line", LINES)
@given(gross=TONNES, one=UNCERTAINTIES, other=UNCERTAINTIES)
def test_more_uncertainty_never_leaves_more(line: str, gross: Decimal, one: Decimal, other: Decimal) -> None:
    """Nor more than there was, for removals and for losses; 203 is asked up to its last band."""
    most = Decimal("0.5") if line == "one-dataset-gs203" else Decimal(4)
    small, large = sorted((min(one, most), min(other, most)))
    assert left(line, gross, large) <= left(line, gross, small) <= gross


@given(one=TONNES, other=TONNES, period=PERIODS, share=st.decimals(0, 1, places=3))
def test_more_tonnes_never_leave_fewer_credits(one: Decimal, other: Decimal, period: Period, share: Decimal) -> None:
    """Also after the buffer, which is rounded up, and never more credits than tonnes."""
    small, large = sorted((one, other))
    credits_ = []
    for tonnes in (small, large):
        issued = whole_credits(by_vintage(tonnes, period))
        credits_.append(sum(issued.values()) - sum(buffer_credits(issued, share).values()))
    assert 0 <= credits_[0] <= credits_[1] <= max(large, Decimal(0))


@given(tonnes=TONNES, period=PERIODS, share=st.decimals(0, 1, places=3))
def test_the_buffer_is_never_less_than_its_share_of_what_is_issued(
    tonnes: Decimal, period: Period, share: Decimal
) -> None:
    """Of each vintage, and never more than the vintage."""
    issued = whole_credits(by_vintage(tonnes, period))
    taken = buffer_credits(issued, share)
    assert all(issued[year] * Fraction(share) <= taken[year] <= issued[year] for year in issued)


@given(tonnes=TONNES, period=PERIODS)
def test_vintages_sum_to_the_whole(tonnes: Decimal, period: Period) -> None:
    """Exactly."""
    assert sum(by_vintage(tonnes, period).values()) == Fraction(tonnes)


@given(
    plots=st.lists(st.lists(st.fractions(0, 1000, max_denominator=100), min_size=2, max_size=6), min_size=1, max_size=4)
)
def test_an_estimate_lies_between_its_strata(plots: list[list[Fraction]]) -> None:
    """For any plots of which one is not 0."""
    strata = [Stratum.of_plots(str(n), area_ha=Fraction(n + 1), values=values) for n, values in enumerate(plots)]
    means = [stratum.mean for stratum in strata]
    if any(means):
        found = stratified(strata, where="test")
        assert min(means) <= found.mean <= max(means)
        assert found.half_width.relative >= 0


@given(one=st.integers(0, 40), other=st.integers(0, 40), issued=st.integers(0, 6000), period=PERIODS)
def test_plots_that_differ_more_never_yield_more_units(one: int, other: int, issued: int, period: Period) -> None:
    """Through every line of 403, the mean of the plots unchanged."""
    small, large = (credits_of(spread, issued, period) for spread in sorted((one, other)))
    assert 0 <= large <= small


def credits_of(spread: int, issued: int, period: Period) -> Decimal:
    """Return the whole credits of the published inventory with its second unit's plots so many tenths apart."""
    plots = [row for row in TWO_UNITS.tables["inventory_plots"] if row["unit"] == "MU1"]
    plots += [
        {"plot": f"MU2-{n}", "unit": "MU2", "stem_volume_m3": f"{40 + n * spread}E-1", "plot_area_ha": "0.04"}
        for n in (-1, 0, 1)
    ]
    monitoring = replace(
        TWO_UNITS,
        quantities={**TWO_UNITS.quantities, "issued_earlier_tco2e": str(issued)},
        tables={**TWO_UNITS.tables, "inventory_plots": plots},
    )
    account = replace(ONE_VINTAGE, monitoring=monitoring, period=period)
    return waterfall(account, until="gs403-whole-credits").running_tco2e
