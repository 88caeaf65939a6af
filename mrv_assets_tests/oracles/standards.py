"""The released rule sets, as oracles and tests read them: numbers of a table come from the file that products use."""

from __future__ import annotations

from mrv_assets.domain.rule_set import Rule, RuleSet
from mrv_assets_tests.world import REFERENCE_DATA

STANDARDS = REFERENCE_DATA / "standards"


def rule_set(name: str) -> RuleSet:
    """Return the rule set of `<id>@<version>`."""
    path = STANDARDS / f"{name.replace('@', '-')}.toml"
    return RuleSet.parse(path.read_bytes(), where=path.name)


def rule(name: str, rule_id: str) -> Rule:
    """Return a line or control of a rule set."""
    found = rule_set(name)
    return next(each for each in (*found.lines, *found.controls) if each.id == rule_id)
