from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.crediting.vm0047_benchmark import performance_benchmark
from mrv_assets.crediting.vm0047_leakage import Commodity, Displacement, NewLand, leakage
from mrv_assets.crediting.vm0047_matching import weights
from mrv_assets.crediting.vm0047_removals import annual
from mrv_assets.crediting.vm0047_series import Slope

D = Decimal
NONE = D(0)

tonnes = st.integers(0, 10**15).map(lambda n: D(n).scaleb(-9))
signed = st.integers(-(10**15), 10**15).map(lambda n: D(n).scaleb(-9))
errors = st.integers(0, 10**12).map(lambda n: D(n).scaleb(-6))
slopes = st.builds(
    Slope,
    per_year=st.integers(-(10**6), 10**6).map(lambda n: D(n).scaleb(-6)),
    error=st.integers(1, 10**6).map(lambda n: D(n).scaleb(-6)),
    observations=st.integers(3, 200),
)


@given(project=slopes, control=slopes)
def test_a_benchmark_is_a_share(project: Slope, control: Slope) -> None:
    """1 for any project that is behind or does not grow."""
    found = performance_benchmark(project, control, critical=D("1.96"))
    assert 0 <= found <= 1
    if project.per_year <= max(control.per_year, NONE):
        assert found == 1


@given(distances=st.lists(errors, min_size=1, max_size=8))
def test_weights_of_a_set_are_shares_of_one(distances: list[Decimal]) -> None:
    """The nearer plot never weighs less."""
    found = weights(distances)
    assert abs(sum(found, NONE) - 1) <= D("1e-11")
    by_distance = [found[n] for n in sorted(range(len(found)), key=distances.__getitem__)]
    assert all(near >= far for near, far in pairwise(by_distance))


@given(removals=signed, years=st.integers(1, 40))
def test_the_years_of_a_period_sum_exactly(removals: Decimal, years: int) -> None:
    """Eq 34 loses nothing."""
    found = annual(removals, years)
    assert len(found) == years
    assert sum(map(Fraction, found)) == Fraction(removals)
    assert max(found) - min(found) <= D("1e-9") * 2


@given(production=st.tuples(tonnes, tonnes, tonnes), years=st.integers(0, 20), more=tonnes)
def test_producing_more_never_raises_leakage(
    production: tuple[Decimal, Decimal, Decimal], years: int, more: Decimal
) -> None:
    """And leakage is never below 0."""
    historical, monitored, mitigated = production
    land = NewLand(biomass=D(100), soil_reference=D(50), land_use=D("0.8"), management=D(1), inputs=D(1))
    found = [
        leakage(
            [
                Commodity(
                    historical=historical,
                    years=years,
                    monitored=Context(prec=60).add(monitored, each),
                    mitigated=mitigated,
                    yield_per_ha=D(3),
                    displacement=Displacement(increased_supply=D("0.75"), new_land=D("0.4")),
                )
            ],
            land,
            growth=D("0.025"),
            mitigation=NONE,
        )
        for each in (NONE, more)
    ]
    assert found[0] >= found[1] >= 0
