"""Accounts under the Verra rule sets, their waterfalls without the programme's own lines, and what their controls find.

What does not belong here: evidence (verra_evidence), expected numbers (tests, oracles).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from mrv_assets.compliance.controls.finding import ControlCase, Finding
from mrv_assets.compliance.controls.vm0042 import CHECKS as CHECKS_42
from mrv_assets.compliance.controls.vm0047 import CHECKS as CHECKS_47
from mrv_assets.crediting import vm0042, vm0047_area, vm0047_census
from mrv_assets.crediting.account import Account, Formula
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule, RuleSet
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets_tests.world import ROOT

FORMULAS: Mapping[str, Formula] = {**vm0047_area.FORMULAS, **vm0047_census.FORMULAS, **vm0042.FORMULAS}
CHECKS = {**CHECKS_47, **CHECKS_42}


def rule_set(name: str) -> RuleSet:
    """Return a rule set of the reference data, such as `vm0047-area-1.1`."""
    path = ROOT / "reference_data" / "standards" / f"{name}.toml"
    return RuleSet.parse(path.read_bytes(), where=str(path))


def rule(rules: RuleSet, formula: str) -> Rule:
    """Return the rule that names a formula."""
    return next(each for each in (*rules.lines, *rules.controls) if each.formula == formula)


def account(evidence: Monitoring, *, removals: str, emissions: str = "0") -> Account:
    """Return an account of 2026 with these canonical tonnes."""
    return Account(
        period=Period.parse("2026"),
        canonical=Tonnes(emissions=Decimal(emissions), removals=Decimal(removals)),
        monitoring=evidence,
    )


def waterfall(rules: RuleSet, start: Account) -> Waterfall:
    """Return the lines of the methodology, those of the programme left out."""
    lines: list[Line] = []
    now = start
    for each in rules.lines:
        if each.formula.startswith("vcs_"):
            continue
        step = FORMULAS[each.formula](now, each)
        lines.append(
            Line(
                name=each.title,
                rule=each.id,
                clause=each.clause,
                change_tco2e=step.change_tco2e,
                note=step.note,
                numbers=step.numbers,
            )
        )
        total = Waterfall(rule_set=rules.name, lines=lines).total_tco2e
        now = replace(now, running_tco2e=total, numbers={**now.numbers, **step.numbers})
    return Waterfall(rule_set=rules.name, lines=lines)


def finding(name: str, formula: str, evidence: Monitoring, of: Waterfall | None = None) -> Finding:
    """Return what a control of a rule set finds in evidence."""
    case = ControlCase(account=account(evidence, removals="0"), waterfall=of)
    return CHECKS[formula](case, rule(rule_set(name), formula))
