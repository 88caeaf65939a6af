"""Walking an account through the lines of a rule set: what each step takes away or gives, exactly, in order.

What does not belong here: the steps (one module a document) and the controls beside them (compliance).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mrv_assets.crediting.account import Account, Formula
from mrv_assets.crediting.register import FORMULAS
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.rule_set import Rule, RuleSet
from mrv_assets.domain.waterfall import Line, Waterfall


def waterfall(
    rule_set: RuleSet, account: Account, *, formulas: Mapping[str, Formula] = FORMULAS
) -> tuple[Account, Waterfall | None]:
    """Return the account after the last line, and the waterfall; None for a rule set that issues no credits.

    Raises ContractError for a formula that is not known, and what the formulas raise for missing evidence.
    """
    lines: list[Line] = []
    for rule in rule_set.lines:
        step = _formula(rule, formulas)(account, rule)
        lines.append(
            Line(
                name=rule.title,
                rule=rule.id,
                clause=rule.clause,
                change_tco2e=step.change_tco2e,
                note=step.note,
                numbers=step.numbers,
            )
        )
        account = replace(
            account,
            running_tco2e=EXACT.add(account.running_tco2e, step.change_tco2e),
            numbers={**account.numbers, **step.numbers},
        )
    return account, Waterfall(rule_set=rule_set.name, lines=tuple(lines)) if lines else None


def _formula(rule: Rule, formulas: Mapping[str, Formula]) -> Formula:
    if rule.formula not in formulas:
        raise ContractError(
            "rule names a formula that is not known",
            where=f"rule {rule.id}",
            expected=f"one of {', '.join(sorted(formulas))}",
            found=rule.formula,
            remedy="correct the rule set, or run a release of the platform that knows the formula",
        )
    return formulas[rule.formula]
