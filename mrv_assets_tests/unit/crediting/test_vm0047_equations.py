from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.crediting.vm0047_benchmark import benchmark_of, performance_benchmark, signed_z
from mrv_assets.crediting.vm0047_de_minimis import must_be_counted
from mrv_assets.crediting.vm0047_leakage import Commodity, Displacement, NewLand, leakage
from mrv_assets.crediting.vm0047_matching import standardized_difference, weights
from mrv_assets.crediting.vm0047_series import MatchedSet, Slope, complete_sets, observations, slope
from mrv_assets.crediting.vm0047_stock import StratumStock, stock_change
from mrv_assets.domain.errors import ContractError

D = Decimal
AGRICULTURE = Displacement(increased_supply=D("0.75"), new_land=D("0.40"))
FUELWOOD = Displacement(increased_supply=D(1), new_land=D(1))
FOREST = NewLand(biomass=D(100), soil_reference=D(50), land_use=D("0.8"), management=D(1), inputs=D(1))


def rate(per_year: str, error: str = "0.001") -> Slope:
    """Return a slope on 60 observations."""
    return Slope(per_year=D(per_year), error=D(error), observations=60)


def commodity(**changes: object) -> Commodity:
    """Return maize of which 100 t a year were grown on the project's land."""
    given = {"historical": D(100), "years": 0, "monitored": D(0), "mitigated": D(0), "yield_per_ha": D(5)}
    return Commodity(**{**given, "displacement": AGRICULTURE, **changes})  # type: ignore[arg-type]


def test_strata_are_summed_as_co2() -> None:
    """Eq 1: 10 ha that gained 3 t C/ha and 20 ha that lost 1 hold 10 t C more."""
    strata = [
        StratumStock(area_ha=D(10), start_tc_per_ha=D(0), end_tc_per_ha=D(3)),
        StratumStock(area_ha=D(20), start_tc_per_ha=D(5), end_tc_per_ha=D(4)),
    ]
    assert stock_change(strata) == D("36.666666667")
    with pytest.raises(ContractError, match="at least one stratum"):
        stock_change([])


def test_weights_fall_with_the_exponential_of_distance() -> None:
    """A1: a plot that is ln 2 farther away has half the weight; distances that underflow alone do not."""
    assert weights([D(0), D(2).ln()]) == (D("0.666666666667"), D("0.333333333333"))
    assert weights([D(10**9), D(10**9)]) == (D("0.5"), D("0.5"))
    with pytest.raises(ContractError, match="distance 0"):
        weights([D(-1)])


@pytest.mark.parametrize(
    ("means", "variances", "expected"),
    [
        pytest.param(("0.50", "0.75"), ("1", "1"), "0.25", id="at the limit"),
        pytest.param(("0.75", "0.50"), ("0", "2"), "0.25", id="one variance"),
        pytest.param(("0.5", "0.5"), ("0", "0"), "0", id="no difference"),
    ],
)
def test_standardized_difference_of_means(means: tuple[str, str], variances: tuple[str, str], expected: str) -> None:
    """A2, never negative."""
    got = standardized_difference(
        mean_project=D(means[0]),
        mean_control=D(means[1]),
        variance_project=D(variances[0]),
        variance_control=D(variances[1]),
    )
    assert got == D(expected)


@pytest.mark.parametrize("variance", [pytest.param("-1", id="negative"), pytest.param("0", id="none")])
def test_variances_that_say_nothing_are_refused(variance: str) -> None:
    """Below 0, and 0 on both sides of a difference."""
    with pytest.raises(ContractError, match="variance of"):
        standardized_difference(
            mean_project=D(1), mean_control=D(2), variance_project=D(variance), variance_control=D(0)
        )


SETS = [MatchedSet(project_plot=f"p{n}", control_weights={f"c{n}": D(1)}) for n in range(3)]


def test_a_set_with_a_missing_value_is_left_out_as_a_whole() -> None:
    """The project plot of a set whose control is under a cloud has no weight either."""
    series = {f"{kind}{n}": {0: D(0), 1: D(n)} for kind in "pc" for n in range(3)}
    del series["c2"][1]
    assert [each.project_plot for each in complete_sets(SETS, series, 1)] == ["p0", "p1"]
    project, control = observations(SETS, series, [0, 1])
    assert len(project) == len(control) == 5
    assert {each.weight for each in (*project, *control)} == {D(1) / 5}


def test_slope_is_weighted_least_squares() -> None:
    """A6 on 0, 1, 5 at years 0, 1, 2: 2.5 a year, residuals 0.5, -1, 0.5, error sqrt(1.5 / 1 / 2)."""
    series = {"p": {0: D(0), 1: D(1), 2: D(5)}, "c": {0: D(1), 1: D(1), 2: D(1)}}
    project, control = observations([MatchedSet(project_plot="p", control_weights={"c": D(1)})], series, [0, 1, 2])
    found = slope(project)
    assert found.per_year.quantize(D("1e-20")) == D("2.5")
    assert found.error.quantize(D("1e-12")) == D("0.866025403784")
    assert slope(control).per_year == 0


def test_z_has_a_sign() -> None:
    """A7, positive for a project ahead."""
    assert signed_z(rate("0.15", "0.03"), rate("0.02", "0.04")) == D("2.6")
    assert signed_z(rate("0.02", "0.03"), rate("0.15", "0.04")) == D("-2.6")
    with pytest.raises(ContractError, match="standard errors of the slopes"):
        signed_z(rate("1", "0"), rate("0", "0"))


@pytest.mark.parametrize(
    ("project", "control", "expected"),
    [
        pytest.param(rate("0.15"), rate("0.03"), "0.2", id="ahead"),
        pytest.param(rate("0.15"), rate("0.14", "0.01"), "1", id="not significantly ahead"),
        pytest.param(rate("0.03"), rate("0.15"), "1", id="far behind"),
        pytest.param(rate("-0.01"), rate("-0.15"), "1", id="shrinks more slowly"),
        pytest.param(rate("0.15"), rate("-0.05"), "0", id="controls shrink"),
        pytest.param(rate("0.15"), rate("0.001", "0.001"), "0", id="controls not significant"),
    ],
)
def test_performance_benchmark(project: Slope, control: Slope, expected: str) -> None:
    """A8 behind the guard of the sign."""
    assert performance_benchmark(project, control, critical=D("1.96")) == D(expected)


def test_a_benchmark_needs_a_growing_project() -> None:
    """There is no share of a growth that is none."""
    with pytest.raises(ContractError, match="slopes of the stocking index"):
        benchmark_of(D(0), D("0.1"))


@pytest.mark.parametrize(
    ("commodities", "mitigation", "expected"),
    [
        pytest.param([commodity()], "0", "2420", id="agriculture: 100 × 0.3 / 5 × 110 × 44/12"),
        pytest.param([commodity(displacement=FUELWOOD)], "0", "8066.666666667", id="fuelwood: all on new land"),
        pytest.param([commodity(years=1)], "0", "2480.5", id="yields grow by 2.5 % a year"),
        pytest.param([commodity(monitored=D(60), mitigated=D(40))], "7", "7", id="grown or mitigated"),
        pytest.param([commodity(), commodity(monitored=D(500))], "0", "2420", id="more of one offsets nothing"),
        pytest.param([], "0", "0", id="nothing displaced"),
    ],
)
def test_leakage(commodities: list[Commodity], mitigation: str, expected: str) -> None:
    """VMD0054: the land that lost production needs, times what it loses."""
    assert leakage(commodities, FOREST, growth=D("0.025"), mitigation=D(mitigation)) == D(expected)


@pytest.mark.parametrize(
    ("commodities", "mitigation", "match"),
    [
        pytest.param([commodity(yield_per_ha=D(0))], "0", "yield of new land", id="no yield"),
        pytest.param([commodity(historical=D(-1))], "0", "historical production", id="negative production"),
        pytest.param([], "-1", "emissions of mitigation", id="negative mitigation"),
    ],
)
def test_leakage_is_not_made_of_impossible_numbers(commodities: list[Commodity], mitigation: str, match: str) -> None:
    """Each is named."""
    with pytest.raises(ContractError, match=match):
        leakage(commodities, FOREST, growth=D("0.025"), mitigation=D(mitigation))


def test_new_land_that_would_gain_is_refused() -> None:
    """There is no credit for leakage."""
    with pytest.raises(ContractError, match="carbon lost on new land"):
        NewLand(biomass=D(0), soil_reference=D(50), land_use=D(1), management=D("1.1"), inputs=D(1)).loss  # noqa: B018


@pytest.mark.parametrize(
    ("sources", "removals", "counted"),
    [
        pytest.param({"fire": "30", "fertiliser": "19"}, "1000", (), id="below 5 % together"),
        pytest.param({"fire": "30", "fertiliser": "20"}, "1000", ("fire", "fertiliser"), id="5 % together"),
        pytest.param({"fire": "97", "fertiliser": "3"}, "1000", ("fire",), id="one has 95 %"),
        pytest.param(
            {"a": "950", "b": "30", "c": "20"},
            "100",
            ("a", "b", "c"),
            id="the rest is 5 % of the removals or more",
        ),
    ],
)
def test_small_sources_may_be_left_out(sources: dict[str, str], removals: str, counted: tuple[str, ...]) -> None:
    """Appendix 2, both steps."""
    given = {name: D(text) for name, text in sources.items()}
    assert must_be_counted(given, D(removals), small=D("0.05"), covered=D("0.95")) == counted


def test_nothing_is_small_beside_no_removals() -> None:
    """There is no share of 0."""
    with pytest.raises(ContractError, match="removals"):
        must_be_counted({}, D(0), small=D("0.05"), covered=D("0.95"))
