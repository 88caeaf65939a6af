"""Walking the lines of a rule set."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pytest

from mrv_assets.crediting.account import Account, Formula, Step
from mrv_assets.crediting.assess import waterfall
from mrv_assets.crediting.register import FORMULAS
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets_tests.rule_sets import RuleText, rule_set

ACCOUNT = Account(
    period=Period.parse("2024"), canonical=Tonnes(removals=Decimal("100.5")), monitoring=Monitoring(where="2024.toml")
)


def _gross(account: Account, _: Rule) -> Step:
    return Step(change_tco2e=account.canonical.removals, note="removals", numbers={"gross": account.canonical.removals})


def _tenth(account: Account, rule: Rule) -> Step:
    return Step(change_tco2e=-account.number("gross") * rule.threshold("share"), note="a share of gross")


KNOWN: Mapping[str, Formula] = {"gross": _gross, "tenth": _tenth}
LINES = (RuleText(id="G", formula="gross"), RuleText(id="T", formula="tenth", thresholds={"share": "0.1"}))


def test_lines_are_taken_in_order_and_sum_exactly() -> None:
    """Each line sees what the lines before came to; the total is their exact sum."""
    after, found = waterfall(rule_set(lines=LINES, controls=[]), ACCOUNT, formulas=KNOWN)
    assert found is not None
    assert [(line.rule, line.change_tco2e) for line in found.lines] == [
        ("G", Decimal("100.5")),
        ("T", Decimal("-10.05")),
    ]
    assert found.running() == (Decimal("100.5"), Decimal("90.45"))
    assert found.total_tco2e == after.running_tco2e == Decimal("90.45")


def test_a_rule_set_without_lines_has_no_waterfall() -> None:
    """It issues no credits."""
    assert waterfall(rule_set(), ACCOUNT) == (ACCOUNT, None)


def test_a_formula_that_nobody_knows_is_refused() -> None:
    """With the rule that names it."""
    with pytest.raises(ContractError, match=r"rule G.*expected one of tenth; found gross"):
        waterfall(rule_set(lines=LINES, controls=[]), ACCOUNT, formulas={"tenth": _tenth})


def test_a_line_that_comes_too_early_is_refused() -> None:
    """A number that no earlier line gives is never taken for 0."""
    with pytest.raises(ContractError, match=r"step needs a number that no earlier step gives.*gross"):
        waterfall(rule_set(lines=LINES[::-1], controls=[]), ACCOUNT, formulas=KNOWN)


def test_no_formula_stands_for_itself_under_two_names() -> None:
    """Names are distinct over all documents, which importing the register has checked."""
    assert len(set(FORMULAS)) == len(FORMULAS)
