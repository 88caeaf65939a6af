from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.crediting.vm0047_removals import (
    Benchmarked,
    Standing,
    annual,
    benchmarked,
    benchmarked_v1_0,
    credited_removals,
)
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.waterfall import Waterfall
from mrv_assets_tests.verra import account, rule_set, waterfall
from mrv_assets_tests.verra_evidence import AREA, CENSUS, plots, sampled, shown

D = Decimal


def area(evidence: Monitoring, removals: str = "5000", emissions: str = "20", version: str = "1.1") -> Waterfall:
    """Return the area-based waterfall."""
    return waterfall(rule_set(f"vm0047-area-{version}"), account(evidence, removals=removals, emissions=emissions))


def census(evidence: Monitoring, removals: str = "24.568270833", emissions: str = "0.604607") -> Waterfall:
    """Return the census-based waterfall."""
    return waterfall(rule_set("vm0047-census-1.1"), account(evidence, removals=removals, emissions=emissions))


def standings(found: Waterfall, evidence: Monitoring) -> tuple[Standing, Standing]:
    """Return now and before, from the numbers of the lines and the evidence."""
    numbers = {name: value for line in found.lines for name, value in line.numbers.items()}
    now = Standing(
        stock_change=numbers["stock_change_tco2e"],
        uncertainty=numbers["uncertainty"],
        benchmark=numbers.get("performance_benchmark", D(0)),
    )
    before = Standing(
        stock_change=evidence.quantity("stock_change_before_tco2e"),
        uncertainty=evidence.quantity("uncertainty_before"),
        benchmark=D(evidence.quantities.get("performance_benchmark_before", "0")),
    )
    return now, before


GRAIN = {
    "commodity": "grain", "kind": "agriculture", "historical_per_year": "10", "years_since_start": "3",
    "monitored_per_year": "5", "mitigated_per_year": "0", "yield_per_ha": "4",
}  # fmt: skip
CONTROL = AREA.tables["control_plots"][0]
LATER = shown(
    AREA,
    stock_change_before_tco2e="3000.000000001",
    uncertainty_before="0.07",
    performance_benchmark_before="0.2",
    leakage_before_tco2e="100",
)
"""A later period, after one that was credited."""


@pytest.mark.parametrize(
    ("evidence", "removals", "version", "benchmark"),
    [
        pytest.param(AREA, "5000", "1.1", benchmarked, id="first period"),
        pytest.param(LATER, "1234.567890123", "1.1", benchmarked, id="later period"),
        pytest.param(LATER, "0", "1.1", benchmarked, id="loss in the period"),
        pytest.param(AREA, "5000", "1.0", benchmarked_v1_0, id="v1.0"),
        pytest.param(shown(AREA, permanent_plots="yes"), "5000", "1.1", benchmarked, id="permanent plots"),
    ],
)
def test_the_lines_of_an_area_are_the_equation(
    evidence: Monitoring, removals: str, version: str, benchmark: Benchmarked
) -> None:
    """Eq 32, v1.0 Eq 30, to the last digit, whatever the order of the lines."""
    found = area(evidence, removals, version=version)
    leaked = -found.lines[2].change_tco2e
    expected = credited_removals(
        *standings(found, evidence), project_emissions=D(20), leakage=leaked, benchmark=benchmark
    )
    assert found.total_tco2e == expected


def test_the_lines_of_a_census_are_the_equation() -> None:
    """Eq 33, with no leakage and no benchmark."""
    found = census(CENSUS)
    now, before = standings(found, CENSUS)
    emissions = D("0.604607")
    assert found.total_tco2e == credited_removals(
        now, before, project_emissions=emissions, leakage=D(0), benchmark=benchmarked
    )
    assert [line.change_tco2e for line in found.lines[1:3]] == [0, 0]


def test_a_first_period_is_that_of_the_design() -> None:
    """30 plots, standard errors 100 and 400, leakage 150: deduction 4.01136 % before the benchmark."""
    found = area(AREA)
    assert [line.change_tco2e for line in found.lines[:3]] == [D(4980), D(0), D(-150)]
    assert found.lines[3].change_tco2e.quantize(D("0.0001")) == D("-200.5680")
    assert found.lines[4].numbers["performance_benchmark"].quantize(D("0.001")) == D("0.133")


def test_the_literal_reading_deducts_more_than_the_dimensional_one() -> None:
    """The rule set of v1.1 takes the literal one, that of v1.0 the other, which is the third party's figure."""
    start = account(CENSUS, removals="24.568270833", emissions="0.604607")
    assert waterfall(rule_set("vm0047-census-1.0"), start).total_tco2e.quantize(D("0.00001")) == D("18.15384")
    assert census(shown(CENSUS, uncertainty_before="0.434651579")).total_tco2e < D("18.15384")


def test_a_project_behind_its_controls_is_credited_nothing_for_growth() -> None:
    """Although the size of Z is far above 1.96: what is left is what the project emitted and displaced."""
    found = area(shown(AREA, **plots(growth=("0.02", "0.15"))))
    assert found.lines[4].numbers["performance_benchmark"] == 1
    assert found.total_tco2e == D(-170)


@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [
        pytest.param(benchmarked, D(-1000), id="v1.1: whole"),
        pytest.param(benchmarked_v1_0, D(-870), id="v1.0: made smaller by the benchmark"),
    ],
)
def test_a_loss_and_the_benchmark(benchmark: Benchmarked, expected: Decimal) -> None:
    """MIN is what v1.1 added: a cumulative loss is not shrunk."""
    lost = Standing(stock_change=D(-1000), benchmark=D("0.13"))
    none = Standing(stock_change=D(0))
    assert credited_removals(lost, none, project_emissions=D(0), leakage=D(0), benchmark=benchmark) == expected


def test_a_loss_has_no_deduction_for_uncertainty() -> None:
    """A share of a loss would make it smaller."""
    found = area(AREA, removals="0", emissions="1020")
    assert [line.change_tco2e for line in found.lines] == [D(-1020), D(0), D(-150), D(0), D(0)]


def test_nothing_is_credited_above_a_half_width_of_the_whole() -> None:
    """The sum is 0 and the buffer has no base; what the equation takes back of earlier credits is still recorded."""
    found = area(shown(AREA, stock_se_end_tco2e="3000"))
    assert found.total_tco2e == found.lines[3].numbers["is_credited"] == 0
    assert found.lines[4].numbers["net_stock_change_tco2e"] == 0
    back = area(shown(LATER, stock_se_end_tco2e="3000"), removals="1000")
    now, before = standings(back, LATER)
    equation = credited_removals(now, before, project_emissions=D(20), leakage=D(50), benchmark=benchmarked)
    assert back.total_tco2e == equation < 0


def test_the_base_of_the_buffer_is_the_stock_change_that_is_kept() -> None:
    """Neither project emissions nor leakage are in it."""
    found = area(AREA)
    assert found.lines[4].numbers["net_stock_change_tco2e"] == found.total_tco2e + 170
    assert census(CENSUS).lines[3].numbers["net_stock_change_tco2e"] == census(CENSUS).total_tco2e + D("0.604607")


def test_years_share_the_removals_equally_and_exactly() -> None:
    """Eq 34: a third of a tonne three times is a tonne."""
    shares = annual(D(1), 3)
    assert sum(shares) == 1
    assert max(shares) - min(shares) <= D("1e-9")


@pytest.mark.parametrize(
    ("evidence", "match"),
    [
        pytest.param(shown(AREA, uncertainty_before=None), "missing .*uncertainty_before", id="before is not stated"),
        pytest.param(shown(AREA, inventory_strata=None), "missing .*inventory_strata", id="stratum is missing"),
        pytest.param(shown(AREA, inventory_strata="0"), "inventory_strata.*1 or more", id="no stratum"),
        pytest.param(shown(AREA, inventory_plots="1"), "sample is too small for an interval", id="n = 1"),
        pytest.param(shown(AREA, stock_se_end_tco2e="-1"), "standard error at the end", id="negative error"),
        pytest.param(shown(AREA, permanent_plots="yes", stock_correlation="1.1"), "correlation", id="correlation"),
        pytest.param(shown(AREA, project_emissions_tco2e="21"), "project_emissions.*0 to 20", id="emissions"),
        pytest.param(shown(AREA, leakage_before_tco2e="151"), "not given back", id="leakage given back"),
        pytest.param(shown(AREA, uncertainty_before="1.1"), "uncertainty.*0 to 1", id="share above 1"),
        pytest.param(shown(AREA, displaced_production=None), "missing .*displaced_production", id="no leakage table"),
        pytest.param(shown(AREA, control_plots=[]), "missing .*control_plots", id="no control plot"),
        pytest.param(shown(AREA, control_plots=[CONTROL, CONTROL]), "each control plot once", id="twice"),
        pytest.param(shown(AREA, control_plots=[{**CONTROL, "weight": "0"}]), "weights of p0", id="no weight"),
        pytest.param(
            shown(AREA, control_plots=[*AREA.tables["control_plots"], {**CONTROL, "plot": "far", "weight": "0"}]),
            "weights of p0.*above 0",
            id="one without weight",
        ),
        pytest.param(shown(AREA, stocking_index=[{"plot": "p0", "year": "0.5", "si": "1"}]), "whole years", id="year"),
        pytest.param(
            shown(AREA, stocking_index=[{"plot": "p0", "year": "1e39", "si": "1"}]), "year.*1000", id="endless series"
        ),
        pytest.param(
            shown(AREA, displaced_production=[{**GRAIN, "years_since_start": "1e39"}]),
            "years_since_start.*1000",
            id="endless growth",
        ),
        pytest.param(shown(AREA, **plots(1, (0, 1))), "at least 3 observations", id="one plot at two dates"),
    ],
)
def test_evidence_that_cannot_be_used_is_refused_by_name(evidence: Monitoring, match: str) -> None:
    """Silence is never a zero."""
    with pytest.raises(ContractError, match=match):
        area(evidence)


def test_a_stock_change_of_0_is_refused_by_name() -> None:
    """It has no relative uncertainty."""
    with pytest.raises(ContractError, match="stock change"):
        area(AREA, removals="0", emissions="20")
    with pytest.raises(ContractError, match="stock change"):
        census(shown(CENSUS, stock_change_before_tco2e="0"), removals="0", emissions="0.604607")


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        pytest.param(sampled((42,), dead=0), "at least 2 sampled units", id="n = 1"),
        pytest.param(sampled((42,), dead=3), "at least 2 live units", id="one alive"),
        pytest.param(sampled((), dead=3), "at least 1 of them alive", id="none alive"),
        pytest.param([{"unit": "a", "status": "lost", "aboveground_tonnes": "1"}], "alive or dead", id="status"),
        pytest.param([*sampled((4, 5), dead=0), *sampled((6,), dead=0)], "census_sample, unit.*'a0'", id="twice"),
    ],
)
def test_a_sample_that_is_too_small_is_refused(rows: list[dict[str, str]], match: str) -> None:
    """One unit says nothing about the others."""
    with pytest.raises(ContractError, match=match):
        census(shown(CENSUS, census_sample=rows))
