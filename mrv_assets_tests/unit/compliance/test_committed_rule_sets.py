"""Every committed rule set can be evaluated, everything registered is used, and all evidence is on a page."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from mrv_assets.compliance.controls.iso14064 import is_deduction
from mrv_assets.compliance.controls.register import CHECKS
from mrv_assets.crediting.register import FORMULAS
from mrv_assets.domain.rule_set import RuleSet
from mrv_assets_tests.evidence import rule_of
from mrv_assets_tests.evidence_names import names_asked_for
from mrv_assets_tests.world import ROOT

COMMITTED = [
    RuleSet.parse(path.read_bytes(), where=path.name)
    for path in sorted((ROOT / "reference_data" / "standards").glob("*.toml"))
]
UNUSED = {
    "ar_tool14_discount_of_stated": "the comparison of documents on one stated half-width (oracles)",
    "gs_excess_of_stated_uncertainty": "the comparison of documents on one stated half-width (oracles)",
    "vcs_excess_uncertainty": "VMD0017 v2.2 and VM0007 v1.8 are not committed as rule sets; compared in the oracles",
    "max_relative_uncertainty": "a limit that projects may set in a rule set of their own",
}
NO_DEDUCTIONS = {
    "ar_tool14_change": "gross",
    "gs402_stock_change": "gross",
    "gs403_inventory_removals": "gross",
    "gs501_canonical_removals": "gross",
    "vcs_gross": "gross",
    "vm0042_gross": "gross",
    "vm0042_baseline": "a baseline that emits adds",
    "vm0047_gross": "gross",
    "vm0047_census_baseline": "0 by the methodology",
    "vcs_baseline": "a baseline that emits adds",
    "vcs_whole_credits": "brings a net loss to 0 credits",
    "whole_credits_by_vintage": "brings a net loss to 0 credits",
    **{name: "points of the risk tool: no tonnes" for name in FORMULAS if name.startswith("npr_")},
}


@pytest.mark.parametrize("rule_set", COMMITTED, ids=lambda found: found.name)
def test_every_formula_is_registered(rule_set: RuleSet) -> None:
    """A rule that nothing evaluates would be silence."""
    assert {rule.formula for rule in rule_set.lines} <= FORMULAS.keys()
    assert {rule.formula for rule in rule_set.controls} <= CHECKS.keys()


def test_every_registered_name_is_used_or_has_a_reason() -> None:
    """And a reason of one that is used is gone."""
    used = {rule.formula for found in COMMITTED for rule in (*found.lines, *found.controls)}
    assert (FORMULAS.keys() | CHECKS.keys()) - used == UNUSED.keys()


@pytest.mark.parametrize("rule_set", COMMITTED, ids=lambda found: found.name)
def test_every_deduction_is_known_to_iso_by_its_title(rule_set: RuleSet) -> None:
    """ISO2-CONSERVATIVE looks at lines that may only take away, and at no others."""
    iso = rule_of("iso-14064-2-2019", "ISO2-CONSERVATIVE")
    for line in rule_set.lines:
        assert is_deduction(line.title, iso) is (line.formula not in NO_DEDUCTIONS), line.title


def test_every_evidence_name_is_on_a_page() -> None:
    """Every quantity, fact, table and column that a formula or control asks for."""
    pages = chain([ROOT / "docs" / "standards.md"], (ROOT / "docs" / "standards").glob("*.md"))
    shown = set(re.findall(r"`([a-z0-9_]+)`", "".join(page.read_text() for page in pages)))
    asked = names_asked_for()
    assert {"leakage_tco2e", "result_half_width", "tree_strata", "npr_rating_percent", "misstatements"} <= asked
    assert asked - shown == set()
