"""Rule sets for tests: files of the form of `reference_data/standards`, with as little in them as a test needs.

What does not belong here: the committed rule sets, which are read as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mrv_assets.domain.rule_set import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleText:
    """One rule as text."""

    id: str = "R-1"
    formula: str = "known"
    evidence: str = "SRC"
    thresholds: Mapping[str, str] = field(default_factory=dict)
    more: str = ""


def rule_set_toml(
    *,
    lines: Sequence[RuleText] = (),
    controls: Sequence[RuleText] = (RuleText(),),
    head: str = 'id = "pilot"\nversion = "1.0"\ntitle = "A pilot"\neffective_from = 2020-01-01\n',
) -> bytes:
    """Return the bytes of a rule set."""
    rules = [("line", rule) for rule in lines] + [("control", rule) for rule in controls]
    return (head + "".join(_rule(kind, rule) for kind, rule in rules)).encode()


def _rule(kind: str, rule: RuleText) -> str:
    numbers = "".join(f'{name} = "{value}"\n' for name, value in rule.thresholds.items())
    return (
        f'[[{kind}]]\nid = "{rule.id}"\ntitle = "What {rule.id} asks"\nclause = "section 1"\n'
        f'evidence = "{rule.evidence}"\nformula = "{rule.formula}"\n{rule.more}'
        + (f"[{kind}.thresholds]\n{numbers}" if numbers else "")
    )


def rule_set(**of: object) -> RuleSet:
    """Return a parsed rule set."""
    return RuleSet.parse(rule_set_toml(**of), where="pilot-1.0.toml")  # type: ignore[arg-type]
