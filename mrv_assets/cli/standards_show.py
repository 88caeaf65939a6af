"""`mrv standards show`: one rule set, rule by rule."""

from __future__ import annotations

from collections.abc import Sequence

from mrv_assets.cli.deployment import enter, open_references
from mrv_assets.cli.terminal import plain_table, print_json, stdout
from mrv_assets.domain.rule_set import Rule, RuleSet


def show_rule_set(name: str, *, as_json: bool) -> None:
    """Print one rule set. Raises ContractError when it is not there or malformed."""
    rule_set = open_references(enter()).rule_set(name)
    if as_json:
        print_json(_json(rule_set))
        return
    until = f"to {rule_set.effective_until}" if rule_set.effective_until else "on"
    stdout().print(f"{rule_set.name}: {rule_set.title}", style="bold", soft_wrap=True)
    stdout().print(f"in force from {rule_set.effective_from} {until}; sha256 {rule_set.digest}", soft_wrap=True)
    for title, rules in (("Steps from gross to whole credits", rule_set.lines), ("Controls", rule_set.controls)):
        if rules:
            stdout().print("", _table(title, rules), sep="\n")


def _table(title: str, rules: Sequence[Rule]) -> object:
    table = plain_table(title=title)
    for name in ("rule", "what", "clause", "known", "formula and numbers"):
        table.add_column(name, overflow="fold")
    for rule in rules:
        numbers = [f"{name} = {value:f}" for name, value in rule.thresholds.items()]
        words = [f"{name} = {text}" for name, text in rule.choices.items()]
        table.add_row(rule.id, rule.title, rule.clause, rule.evidence, "\n".join([rule.formula, *numbers, *words]))
    return table


def _json(rule_set: RuleSet) -> dict[str, object]:
    return {
        "id": rule_set.id,
        "version": rule_set.version,
        "title": rule_set.title,
        "effective_from": rule_set.effective_from,
        "effective_until": rule_set.effective_until,
        "confidence": rule_set.confidence,
        "gwp_sets": list(rule_set.gwp_sets),
        "sha256": rule_set.digest,
        "lines": [_rule_json(rule) for rule in rule_set.lines],
        "controls": [_rule_json(rule) for rule in rule_set.controls],
    }


def _rule_json(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "title": rule.title,
        "clause": rule.clause,
        "evidence": rule.evidence,
        "formula": rule.formula,
        "thresholds": dict(rule.thresholds),
        "choices": dict(rule.choices),
    }
