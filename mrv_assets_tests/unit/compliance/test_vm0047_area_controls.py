from __future__ import annotations

import pytest

from mrv_assets.domain.assessment import Status
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets_tests.verra import account, finding, rule_set, waterfall
from mrv_assets_tests.verra_evidence import AREA, plots, shown

PASS, FAIL, NOT = Status.PASS, Status.FAIL, Status.NOT_APPLICABLE
RULES = "vm0047-area-1.1"


def changed(table: str, n: int = 0, evidence: Monitoring = AREA, **cells: str) -> Monitoring:
    """Return evidence with cells of one row changed."""
    rows = [dict(row) for row in evidence.tables[table]]
    rows[n].update(cells)
    return shown(evidence, **{table: rows})


def without(table: str, evidence: Monitoring = AREA, n: int = 0) -> Monitoring:
    """Return evidence without one row."""
    return shown(evidence, **{table: [row for m, row in enumerate(evidence.tables[table]) if m != n]})


@pytest.mark.parametrize(
    ("control", "evidence", "status", "observed"),
    [
        pytest.param("plot_database", AREA, PASS, "complete", id="database: complete"),
        pytest.param(
            "plot_database", changed("stocking_index", si=""), PASS, "complete", id="database: a cloud is no gap"
        ),
        pytest.param(
            "plot_database",
            without("stocking_index"),
            FAIL,
            "p0: index of year 0",
            id="database: no row of a year",
        ),
        pytest.param(
            "plot_database",
            changed("project_plots", configuration=""),
            FAIL,
            "p0: configuration",
            id="database: blank",
        ),
        pytest.param("plot_database", changed("project_plots", plot="p1"), FAIL, "p1 twice", id="database: id twice"),
        pytest.param(
            "plot_database",
            changed("control_plots", project_plot="q"),
            FAIL,
            "no project plot",
            id="database: orphan",
        ),
        pytest.param(
            "plot_database",
            changed("control_plots", weight="0.5"),
            FAIL,
            "weights sum to 0.9",
            id="database: weights",
        ),
        pytest.param(
            "plot_database",
            changed("remote_sensing", acquired="June"),
            FAIL,
            "no time stamp",
            id="database: image",
        ),
        pytest.param("plot_database", shown(AREA, remote_sensing=[]), FAIL, "no remote", id="database: no image"),
        pytest.param("performance_tiles", AREA, PASS, "30 plots", id="tiles"),
        pytest.param("performance_tiles", without("project_plots"), FAIL, "fewer plots", id="tiles: 29"),
        pytest.param("performance_tiles", changed("project_plots", area_ha="2"), FAIL, "unequal", id="tiles: unequal"),
        pytest.param(
            "performance_tiles",
            changed("project_plots", share_inside="0.75"),
            PASS,
            "0.75",
            id="tiles: 75 % inside",
        ),
        pytest.param(
            "performance_tiles",
            changed("project_plots", share_inside="0.7499"),
            FAIL,
            "inside",
            id="tiles: below",
        ),
        pytest.param("control_size", changed("control_plots", area_ha="1.2"), PASS, "60 of 60", id="size: 20 % more"),
        pytest.param(
            "control_size", changed("control_plots", area_ha="0.79"), FAIL, "not 'c0-0'", id="size: 21 % less"
        ),
        pytest.param("control_size", shown(AREA, control_plots=[]), FAIL, "0 of 0", id="size: no control plot"),
        pytest.param("control_distance", AREA, PASS, "10000 m", id="distance"),
        pytest.param(
            "control_distance", changed("control_plots", y_m="100000"), PASS, "100000 m", id="distance: 100 km"
        ),
        pytest.param("control_distance", changed("control_plots", y_m="100001"), FAIL, "100001 m", id="distance: more"),
        pytest.param(
            "control_distance",
            changed("control_plots", y_m="200000", evidence=shown(AREA, search_radius_steps="1")),
            PASS,
            "200000 m",
            id="distance: one step",
        ),
        pytest.param("donor_pool", AREA, PASS, "0.1633", id="donor pool"),
        pytest.param(
            "donor_pool",
            changed("covariates", mean_control="0.6"),
            FAIL,
            "above it 'SI(0)'",
            id="donor pool: far",
        ),
        pytest.param("matched_sets", AREA, PASS, "at least 30", id="sets"),
        pytest.param("matched_sets", changed("stocking_index", si=""), FAIL, "at least 29", id="sets: a cloud"),
        pytest.param("matched_sets", shown(AREA, **plots(30, (0, 1))), FAIL, "of 2 years", id="sets: one step"),
        pytest.param("matched_sets", shown(AREA, **plots(30, (1, 2, 3))), FAIL, "of 3", id="sets: no t = 0"),
        pytest.param(
            "start_stock_window",
            shown(AREA, project_start="0001-01-01"),
            FAIL,
            "start on 0001-01-01",
            id="t = 0: on the first day of the calendar",
        ),
        pytest.param(
            "inventory_cadence",
            shown(AREA, inventory_before_on="9998-01-01", inventory_on="9999-12-31"),
            PASS,
            "9999-12-31",
            id="inventory: at the end of the calendar",
        ),
        pytest.param("start_stock_window", AREA, PASS, "2023-09-01", id="t = 0: before the start"),
        pytest.param(
            "start_stock_window",
            shown(AREA, start_stock_measured_on="2024-03-02"),
            FAIL,
            "",
            id="t = 0: too late",
        ),
        pytest.param(
            "start_stock_window",
            shown(AREA, start_stock_measured_on="2022-03-01"),
            PASS,
            "",
            id="t = 0: two years",
        ),
        pytest.param(
            "start_stock_window",
            shown(AREA, start_stock_measured_on="2022-02-28"),
            FAIL,
            "",
            id="t = 0: too early",
        ),
        pytest.param(
            "start_stock_window",
            shown(AREA, site_preparation_starts_project="no", start_stock_measured_on="2026-03-01"),
            PASS,
            "",
            id="t = 0: after the start",
        ),
        pytest.param(
            "start_stock_window",
            shown(AREA, site_preparation_starts_project="no"),
            FAIL,
            "",
            id="t = 0: not before",
        ),
        pytest.param("inventory_cadence", AREA, PASS, "2026-09-01", id="inventory"),
        pytest.param(
            "inventory_cadence", shown(AREA, inventory_on="2028-09-02"), FAIL, "", id="inventory: above 5 years"
        ),
        pytest.param("inventory_cadence", shown(AREA, inventory_on="2023-09-01"), FAIL, "", id="inventory: the same"),
        pytest.param(
            "inventory_cadence", shown(AREA, inventory_before_on="9998-01-01"), FAIL, "", id="inventory: no such year"
        ),
        pytest.param(
            "start_stock_window", shown(AREA, project_start="0001-03-01"), FAIL, "", id="start: no such year before"
        ),
        pytest.param("approach_constant", AREA, PASS, "all area-based", id="approach"),
        pytest.param(
            "approach_constant",
            changed("approaches", approach="census-based"),
            FAIL,
            "'i1'",
            id="approach: other",
        ),
        pytest.param("gwp_set", AREA, PASS, "ar5", id="potentials"),
        pytest.param("gwp_set", shown(AREA, gwp_set="ar6"), FAIL, "ar6", id="potentials: newest report"),
        pytest.param("de_minimis", AREA, NOT, "no optional source", id="small sources: none"),
        pytest.param(
            "de_minimis",
            shown(AREA, optional_sources=[{"source": "fire", "tco2e": "50", "counted": "no"}]),
            FAIL,
            "'fire'",
            id="small sources: 5 %",
        ),
        pytest.param(
            "de_minimis",
            shown(AREA, optional_sources=[{"source": "fire", "tco2e": "49", "counted": "no"}]),
            PASS,
            "0 of 1",
            id="small sources: below",
        ),
    ],
)
def test_a_control_of_areas_finds(control: str, evidence: Monitoring, status: Status, observed: str) -> None:
    """What holds at the limit and what does not beyond it, and what was seen."""
    found = finding(RULES, f"vm0047_{control}", evidence)
    assert (found.status, observed in found.observed) == (status, True), found
    assert bool(found.remedy) is (status is FAIL)
    assert found.evidence
    assert found.limit


@pytest.mark.parametrize(
    ("control", "evidence", "match"),
    [
        pytest.param("plot_database", shown(AREA, remote_sensing=None), "table remote_sensing", id="table"),
        pytest.param(
            "plot_database",
            shown(AREA, stocking_index_description=None),
            "stocking_index_description",
            id="fact",
        ),
        pytest.param("control_size", shown(AREA, project_plots=[]), "table project_plots", id="no project plot"),
        pytest.param("control_distance", changed("control_plots", project_plot="q"), "'q'", id="orphan"),
        pytest.param("control_distance", shown(AREA, search_radius_steps="0.5"), "steps", id="half a step"),
        pytest.param("donor_pool", shown(AREA, covariates=[]), "table covariates", id="no covariate"),
        pytest.param(
            "donor_pool",
            changed("covariates", variance_project="-1"),
            "variance of project",
            id="negative variance",
        ),
        pytest.param("approach_constant", shown(AREA, approaches=[]), "table approaches", id="no instance"),
        pytest.param("start_stock_window", shown(AREA, project_start="soon"), "project_start", id="day"),
    ],
)
def test_evidence_of_areas_that_is_missing_is_named(control: str, evidence: Monitoring, match: str) -> None:
    """It counts as a failure."""
    with pytest.raises(ContractError, match=match):
        finding(RULES, f"vm0047_{control}", evidence)


def test_who_is_behind_passes_with_a_benchmark_of_1() -> None:
    """The lines take it, and the control looks at what they took; who is ahead passes with any."""
    for growth in (("0.15", "0.02"), ("0.02", "0.15")):
        evidence = shown(AREA, **plots(growth=growth))
        lines = waterfall(rule_set(RULES), account(evidence, removals="5000", emissions="20"))
        assert finding(RULES, "vm0047_signed_z", evidence, lines).status is PASS


def test_who_is_behind_fails_with_any_other_benchmark() -> None:
    """As by the absolute Z of the document; without a waterfall nothing was taken, which fails too."""
    lines = waterfall(rule_set(RULES), account(AREA, removals="5000", emissions="20"))
    behind = shown(AREA, **plots(growth=("0.02", "0.15")))
    found = finding(RULES, "vm0047_signed_z", behind, lines)
    assert found.status is FAIL
    assert found.metrics["z"] < 0
    assert finding(RULES, "vm0047_signed_z", AREA).status is FAIL
