"""Rule sets as data."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import RuleSet, Tag
from mrv_assets_tests.rule_sets import RuleText, rule_set, rule_set_toml

HEAD = 'id = "pilot"\nversion = "1.0"\ntitle = "A pilot"\n'


def test_a_rule_set_says_what_each_rule_rests_on() -> None:
    """Clause, evidence tag, formula by name, and exact numbers."""
    found = rule_set(controls=[RuleText(evidence="MEM", thresholds={"share": "0.10"}, more="")])
    [rule] = found.controls
    assert (found.name, found.effective_from, found.effective_until) == ("pilot@1.0", date(2020, 1, 1), None)
    assert (rule.clause, rule.evidence, rule.formula) == ("section 1", Tag.MEM, "known")
    assert rule.threshold("share") == Decimal("0.10")
    with pytest.raises(ContractError, match="expected a threshold limit; found share"):
        rule.threshold("limit")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"\xff", "UTF-8 TOML", id="not text"),
        pytest.param(b"id = " + b"9" * 5000, "UTF-8 TOML", id="a number without end"),
        pytest.param(b"id = " + b"[" * 5000, "UTF-8 TOML", id="brackets without end"),
        pytest.param(rule_set_toml(controls=[]), "at least one rule", id="no rule"),
        pytest.param(rule_set_toml(controls=[RuleText(), RuleText()]), "twice: R-1", id="an id twice"),
        pytest.param(rule_set_toml(lines=[RuleText()]), "twice: R-1", id="an id as line and control"),
        pytest.param(
            rule_set_toml(controls=[RuleText(evidence="SURE")]), "'SURE' is not a valid Tag", id="no such tag"
        ),
        pytest.param(rule_set_toml(controls=[RuleText(formula=" ")]), "text is expected", id="no formula"),
        pytest.param(rule_set_toml(controls=[RuleText(more="limit = 1\n")]), "unknown keys limit", id="unknown key"),
        pytest.param(rule_set_toml(controls=[RuleText(thresholds={"a": "many"})]), "InvalidOperation", id="no number"),
        pytest.param(rule_set_toml(controls=[RuleText(thresholds={"a": "NaN"})]), "threshold a", id="not a number"),
        pytest.param(rule_set_toml(head=HEAD), "KeyError: 'effective_from'", id="no day"),
        pytest.param(rule_set_toml(head=HEAD + 'effective_from = "2020"\n'), "a day such as", id="text for a day"),
        pytest.param(
            rule_set_toml(head=HEAD + "effective_from = 2020-01-01T00:00:00Z\n"), "a day such as", id="an instant"
        ),
        pytest.param(
            rule_set_toml(head=HEAD + 'effective_from = 2020-01-01\ngwp_sets = "ar5"\n'),
            "a list is expected, not 'ar5'",
            id="text for a list",
        ),
        pytest.param(
            rule_set_toml(head=HEAD + 'effective_from = 2020-01-01\nconfidence = "0.99"\n'),
            r'"0\.90" or "0\.95", not',
            id="a level that is no type",
        ),
        pytest.param(
            rule_set_toml(head=HEAD + "effective_from = 2020-01-01\neffective_until = 2019-12-31\n"),
            "found 2020-01-01 to 2019-12-31",
            id="never in force",
        ),
        pytest.param(rule_set_toml(head=HEAD + "author = 1\n"), "found author", id="unknown head"),
    ],
)
def test_a_malformed_rule_set_is_refused(data: bytes, words: str) -> None:
    """With the file and what was expected."""
    with pytest.raises(ContractError, match=words):
        RuleSet.parse(data, where="pilot-1.0.toml")


def test_a_binary_number_is_no_threshold() -> None:
    """TOML's 0.1 is not one tenth."""
    data = rule_set_toml(controls=[RuleText(more="thresholds = { share = 0.1 }\n")])
    with pytest.raises(ContractError, match="threshold share is decimal text"):
        RuleSet.parse(data, where="pilot-1.0.toml")


@pytest.mark.parametrize(
    ("until", "period", "words"),
    [
        pytest.param("", "2019", "not yet effective", id="before"),
        pytest.param("", "2020", None, id="from its first year"),
        pytest.param("", "2019-07-01_2020-01-01", None, id="in force on the last day"),
        pytest.param("effective_until = 2022-12-31\n", "2022", None, id="to its last year"),
        pytest.param("effective_until = 2022-12-31\n", "2022-12-31_2023-06-30", None, id="in force on the first day"),
        pytest.param("effective_until = 2022-12-31\n", "2023", "not effective any more", id="after"),
    ],
)
def test_a_rule_set_holds_for_the_periods_in_which_it_is_in_force(until: str, period: str, words: str | None) -> None:
    """A period that ends before it, or begins after it, is refused by name."""
    found = RuleSet.parse(rule_set_toml(head=HEAD + f"effective_from = 2020-01-01\n{until}"), where="pilot")
    if words is None:
        found.require_effective(Period.parse(period), where="here")
        return
    with pytest.raises(ContractError, match=words):
        found.require_effective(Period.parse(period), where="here")
