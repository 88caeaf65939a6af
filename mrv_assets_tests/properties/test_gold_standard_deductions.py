"""More uncertainty never yields more credits, and no deduction raises them, under Gold Standard, AR-TOOL14 and VCS.

The deductions of 203 Annex A, AR-TOOL14 and VCS jump at the bounds of their tables, and always upwards.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.crediting.account import Account
from mrv_assets.crediting.gold_standard_501 import issued
from mrv_assets.crediting.register import FORMULAS
from mrv_assets.crediting.stratified import density
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.uncertainty.digits import decimal
from mrv_assets.uncertainty.sampling import Sample
from mrv_assets_tests.oracles.gold_standard_oracles import ONE_VINTAGE, TWO_UNITS, waterfall
from mrv_assets_tests.oracles.one_dataset_oracles import ROWS, evidence, line_of

SHARES = st.decimals(0, 3, places=6)
BOUNDS = st.sampled_from([Decimal(text) for text in ("0.10", "0.15", "0.20", "0.30", "0.40", "0.50")])
NEAR_BOUNDS = st.tuples(BOUNDS, st.sampled_from([Decimal(0), Decimal("1e-6")])).map(sum)
UNCERTAINTIES = st.one_of(SHARES, NEAR_BOUNDS)
TONNES = st.decimals(-(10**9), 10**9, places=6)
PERIODS = st.sampled_from(["2024", "2023-07-01_2024-06-30", "2021-01-01_2025-12-31"]).map(Period.parse)
LINES = [pytest.param(line, id=line) for line, *_ in ROWS]


def left(line: str, gross: Decimal, uncertainty: Decimal) -> Decimal:
    """Return what a deduction leaves of the gross figure."""
    wanted = line_of(line)
    shown = evidence(uncertainty, wanted.choices.get("confidence", "0.90"))
    account = Account(period=Period.parse("2026"), canonical=Tonnes(), monitoring=shown, numbers={"gross_tco2e": gross})
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
        credits_.append(issued(tonnes, period, buffer_share=share).credits)
    assert 0 <= credits_[0] <= credits_[1] <= max(large, Decimal(0))


@given(tonnes=TONNES, period=PERIODS, share=st.decimals(0, 1, places=3))
def test_the_buffer_is_never_less_than_its_share_of_what_is_issued(
    tonnes: Decimal, period: Period, share: Decimal
) -> None:
    """Of each vintage, and never more than the vintage."""
    for vintage in issued(tonnes, period, buffer_share=share).vintages:
        whole = vintage.credits + vintage.buffer_credits
        assert whole * Fraction(share) <= vintage.buffer_credits <= whole <= max(vintage.result_tco2e, Decimal(0))


@given(tonnes=TONNES, period=PERIODS)
def test_vintages_sum_to_the_whole(tonnes: Decimal, period: Period) -> None:
    """Exactly; a loss is the deficit, and nothing else is."""
    found = issued(tonnes, period, buffer_share=Decimal("0.2"))
    assert sum(Fraction(vintage.result_tco2e) for vintage in found.vintages) == Fraction(tonnes)
    assert found.deficit_tco2e == found.reversal_tco2e == max(Decimal(0), -tonnes)


@given(
    plots=st.lists(st.lists(st.fractions(0, 1000, max_denominator=100), min_size=2, max_size=6), min_size=1, max_size=4)
)
def test_an_estimate_lies_between_its_strata(plots: list[list[Fraction]]) -> None:
    """For any plots of which one is not 0."""
    samples = {str(n): Sample.of([decimal(value) for value in values], name="x") for n, values in enumerate(plots)}
    means = [sample.mean for sample in samples.values()]
    if any(means):
        found = density({name: Decimal(name) + 1 for name in samples}, samples, where="test")
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
