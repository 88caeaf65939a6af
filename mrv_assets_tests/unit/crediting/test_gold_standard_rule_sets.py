from __future__ import annotations

import pytest

from mrv_assets.compliance.controls import ar_tool14, gold_standard, gold_standard_issuance, ledger_agreement
from mrv_assets.crediting import (
    ar_tool14_lines,
    gold_standard_203,
    gold_standard_402,
    gold_standard_403,
    gold_standard_501,
    gold_standard_precision,
)
from mrv_assets.domain.rule_set import Tag
from mrv_assets_tests.oracles.standards import rule_set

NAMES = ("gs-403@2.1", "gs-402@1.0", "gs-203@1.2.1", "gs-501@3.2", "cdm-ar-tool14@4.2")
FORMULAS = {
    **ar_tool14_lines.FORMULAS, **gold_standard_203.FORMULAS, **gold_standard_402.FORMULAS,
    **gold_standard_403.FORMULAS, **gold_standard_501.FORMULAS, **gold_standard_precision.FORMULAS,
}  # fmt: skip
CHECKS = {
    **gold_standard.CHECKS, **gold_standard_issuance.CHECKS, **ar_tool14.CHECKS, **ledger_agreement.CHECKS,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_names_a_formula_or_a_control_that_there_is(name: str) -> None:
    """A rule that nothing evaluates would be silence."""
    found = rule_set(name)
    assert found.name == name
    assert {line.formula for line in found.lines} <= set(FORMULAS)
    assert {control.formula for control in found.controls} <= set(CHECKS)


@pytest.mark.parametrize("name", NAMES)
def test_no_rule_rests_on_memory(name: str) -> None:
    """Each has been read in the document, an extract of it, or is our own choice and says so."""
    found = rule_set(name)
    assert {rule.evidence for rule in (*found.lines, *found.controls)} <= {Tag.SRC, Tag.EXT, Tag.OURS}


@pytest.mark.parametrize("name", NAMES)
def test_every_line_that_a_control_looks_at_is_there(name: str) -> None:
    """By its id."""
    found = rule_set(name)
    wanted = {control.choices["line"] for control in found.controls if "line" in control.choices}
    assert wanted <= {line.id for line in found.lines}


def test_numbers_that_stand_in_several_rules_are_the_same() -> None:
    """A control measures with the numbers of the line that it looks at."""
    pairs = [
        ("gs-403@2.1", "gs403-gross", "gs403-uncertainty"),
        ("gs-403@2.1", "gs403-uncertainty", "gs403-mu-precision"),
        ("gs-403@2.1", "gs403-uncertainty", "gs403-long-term-cap"),
        ("cdm-ar-tool14@4.2", "ar-tool14-uncertainty", "ar-tool14-precision"),
        ("cdm-ar-tool14@4.2", "ar-tool14-uncertainty", "ar-tool14-baseline"),
        ("cdm-ar-tool14@4.2", "ar-tool14-uncertainty", "ar-tool14-leakage"),
    ]
    for name, one, other in pairs:
        found = {rule.id: rule for rule in (*rule_set(name).lines, *rule_set(name).controls)}
        assert set(found[one].thresholds.items()) <= set(found[other].thresholds.items()), (name, one, other)
