"""Gold Standard Land Use & Forests Requirements 203 v1.2.1, Annex A: what the uncertainty of an estimate costs.

What does not belong here: vector layers, biodiversity areas and other things that have to hold (compliance).
"""

from __future__ import annotations

from enum import StrEnum

from mrv_assets.crediting.account import Account, Step
from mrv_assets.crediting.gold_standard_precision import deducted_from_gross
from mrv_assets.crediting.stated_uncertainty import RESULT, half_width_90
from mrv_assets.crediting.step_discount import Direction, bands_of, discount
from mrv_assets.domain.rule_set import Rule


class Kind(StrEnum):
    """What is estimated."""

    REMOVALS = "removals"
    EMISSIONS = "emissions"


class Scenario(StrEnum):
    """For what it is estimated."""

    BASELINE = "baseline"
    PROJECT = "project"


def conservative_direction(kind: Kind, scenario: Scenario) -> Direction:
    """Return the side on which the benefit of the project is smaller (Annex A 1.1.10)."""
    raises_benefit = (kind is Kind.REMOVALS) is (scenario is Scenario.PROJECT)
    return Direction.DOWN if raises_benefit else Direction.UP


def annex_a_of_stated(account: Account, rule: Rule) -> Step:
    """Deduct the share of Annex A Table 2 from the gross figure. Raises ContractError above its last band, 50 %."""
    monitoring = account.monitoring
    where = f"{monitoring.where}, quantity result_half_width"
    return deducted_from_gross(account, discount(half_width_90(monitoring, RESULT), bands_of(rule), where=where))


FORMULAS = {"gs203_annex_a": annex_a_of_stated}
