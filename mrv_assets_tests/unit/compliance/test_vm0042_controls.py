from __future__ import annotations

import pytest

from mrv_assets.compliance.controls.vm0042 import CHECKS
from mrv_assets.domain.assessment import Status
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets_tests.verra import FORMULAS, finding, rule_set
from mrv_assets_tests.verra_evidence import SOIL, shown

PASS, FAIL, NOT = Status.PASS, Status.FAIL, Status.NOT_APPLICABLE
RULES = "vm0042-2.2"
MODELLED = shown(SOIL, soil_approach="measure and model")


def changed(table: str, **cells: str) -> Monitoring:
    """Return evidence with cells of the first row changed."""
    first, *rest = SOIL.tables[table]
    return shown(SOIL, **{table: [{**first, **cells}, *rest]})


@pytest.mark.parametrize(
    ("control", "evidence", "status", "observed"),
    [
        pytest.param("composites", SOIL, PASS, "at least 3", id="composites"),
        pytest.param(
            "composites",
            changed("soil_samples", stratum="clay"),
            FAIL,
            "'loam'",
            id="composites: 2 of a stratum",
        ),
        pytest.param("depth", SOIL, PASS, "30 cm", id="depth"),
        pytest.param("depth", changed("soil_samples", depth_cm="29.9"), FAIL, "29.9 cm", id="depth: too shallow"),
        pytest.param("depth", shown(SOIL, soil_samples=[]), FAIL, "0 samples", id="depth: no sample"),
        pytest.param("equivalent_soil_mass", SOIL, PASS, "equivalent", id="soil mass"),
        pytest.param(
            "equivalent_soil_mass", shown(SOIL, soil_stock_basis="fixed depth"), FAIL, "fixed", id="depth basis"
        ),
        pytest.param("depth_increments", SOIL, PASS, "2 increments", id="increments"),
        pytest.param("depth_increments", changed("soil_samples", increments="1"), FAIL, "1", id="increments: one"),
        pytest.param("depth_increments", shown(SOIL, soil_resampled="no"), NOT, "not sampled again", id="not yet"),
        pytest.param("control_sites", SOIL, PASS, "3 control sites", id="control sites"),
        pytest.param("control_sites", changed("control_sites", site="s2"), FAIL, "2 control", id="control sites: 2"),
        pytest.param(
            "control_sites",
            shown(SOIL, control_sites=[{**row, "stratum": "loam"} for row in SOIL.tables["control_sites"]]),
            FAIL,
            "none for 'clay'",
            id="control sites: a stratum without",
        ),
        pytest.param("control_sites", MODELLED, NOT, "modelled", id="control sites: modelled"),
        pytest.param("control_distance", SOIL, PASS, "250 km", id="distance"),
        pytest.param("control_distance", changed("control_sites", distance_km="250.1"), FAIL, "250.1", id="farther"),
        pytest.param("control_distance", MODELLED, NOT, "modelled", id="distance: modelled"),
        pytest.param("soil_change", SOIL, PASS, "600 t", id="soil carbon"),
        pytest.param("soil_change", shown(SOIL, project_soil_change_tco2e="410"), FAIL, "610", id="stated more"),
        pytest.param("soil_change", MODELLED, NOT, "modelled", id="soil carbon: modelled"),
    ],
)
def test_a_control_finds(control: str, evidence: Monitoring, status: Status, observed: str) -> None:
    """What holds at the limit and what does not beyond it, and what was seen."""
    found = finding(RULES, f"vm0042_{control}", evidence)
    assert (found.status, observed in found.observed) == (status, True), found
    assert bool(found.remedy) is (status is FAIL)
    assert found.evidence


@pytest.mark.parametrize(
    ("control", "evidence", "match"),
    [
        pytest.param("composites", shown(SOIL, soil_strata=[]), "no stratum", id="no stratum"),
        pytest.param("composites", shown(SOIL, soil_samples=None), "table soil_samples", id="samples"),
        pytest.param("depth", changed("soil_samples", depth_cm=""), "column depth_cm", id="cell"),
        pytest.param("equivalent_soil_mass", shown(SOIL, soil_stock_basis=None), "soil_stock_basis", id="basis"),
        pytest.param("depth_increments", shown(SOIL, soil_resampled="perhaps"), "yes or no", id="word"),
        pytest.param("control_sites", shown(SOIL, soil_approach="guess"), "soil_approach", id="approach"),
        pytest.param("control_distance", shown(SOIL, control_sites=None), "control_sites", id="sites"),
    ],
)
def test_evidence_that_is_missing_is_named(control: str, evidence: Monitoring, match: str) -> None:
    """It counts as a failure."""
    with pytest.raises(ContractError, match=match):
        finding(RULES, f"vm0042_{control}", evidence)


@pytest.mark.parametrize("name", ["vm0042-2.0", "vm0042-2.2"])
def test_every_rule_names_a_formula_that_there_is(name: str) -> None:
    """And no control is left without a rule."""
    rules = rule_set(name)
    assert {rule.formula for rule in rules.controls} == set(CHECKS)
    assert {rule.formula for rule in rules.lines} <= {*FORMULAS, "vcs_buffer", "vcs_whole_credits"}
