from __future__ import annotations

import pytest

from mrv_assets.compliance.controls.vm0047 import CHECKS
from mrv_assets.domain.assessment import Status
from mrv_assets_tests.verra import FORMULAS, finding, rule_set
from mrv_assets_tests.verra_evidence import AREA, plots, shown


@pytest.mark.parametrize("name", ["vm0047-area-1.0", "vm0047-area-1.1", "vm0047-census-1.0", "vm0047-census-1.1"])
def test_every_rule_names_a_formula_that_there_is(name: str) -> None:
    """Lines and controls."""
    rules = rule_set(name)
    assert {rule.formula for rule in rules.controls} <= set(CHECKS)
    assert {rule.formula for rule in rules.lines} <= {*FORMULAS, "vcs_buffer", "vcs_whole_credits"}


def test_no_check_is_without_a_rule() -> None:
    """Each is asked for by areas or by a census."""
    asked = {rule.formula for name in ("vm0047-area-1.1", "vm0047-census-1.1") for rule in rule_set(name).controls}
    assert asked == set(CHECKS)


def test_plots_of_v1_0_have_one_size_and_a_year_more() -> None:
    """0.09 ha, and three annual steps."""
    small = [{**row, "area_ha": "0.09"} for row in AREA.tables["project_plots"]]
    old = "vm0047-area-1.0"
    assert finding(old, "vm0047_performance_tiles", shown(AREA, project_plots=small)).status is Status.PASS
    assert finding(old, "vm0047_performance_tiles", AREA).status is Status.FAIL
    assert finding(old, "vm0047_matched_sets", AREA).status is Status.FAIL
    assert finding(old, "vm0047_matched_sets", shown(AREA, **plots(30, (0, 1, 2, 3)))).status is Status.PASS
