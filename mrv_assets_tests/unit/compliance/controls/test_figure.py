"""The control of how sure a figure is, as rule sets ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pytest

from mrv_assets.compliance.controls.figure import max_relative_uncertainty
from mrv_assets.compliance.controls.finding import ControlCase, Finding
from mrv_assets.crediting.account import Account
from mrv_assets.domain.assessment import Status
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets_tests.evidence import SOUND
from mrv_assets_tests.rule_sets import RuleText, rule_set

[RULE] = rule_set(controls=[RuleText(thresholds={"limit": "0.15"})]).controls


def found(emissions: str, numbers: Mapping[str, Decimal]) -> Finding:
    """Ask a figure of so many tonnes with these half-widths."""
    tonnes = Tonnes(emissions=Decimal(emissions), removals=Decimal(0))
    account = Account(period=Period.parse("2021"), canonical=tonnes, monitoring=SOUND, numbers=numbers)
    return max_relative_uncertainty(ControlCase(account=account, waterfall=None), RULE)


@pytest.mark.parametrize(
    ("emissions", "share", "status"),
    [("7", "0.15", Status.PASS), ("7", "0.151", Status.FAIL), ("0", None, Status.NOT_APPLICABLE)],
)
def test_a_figure_is_as_sure_as_the_rule_set_asks(emissions: str, share: str | None, status: Status) -> None:
    """Of 0 t nothing is a share."""
    numbers = {} if share is None else {"emissions_half_width_95": Decimal(share)}
    assert found(emissions, numbers).status is status


def test_a_figure_of_which_it_is_not_known_is_refused_with_where_to_say_it() -> None:
    """In the project file, not in the monitoring package."""
    with pytest.raises(ContractError, match=r"\[uncertainty\] of the project.*add \[uncertainty\] to the project file"):
        found("7", {})
