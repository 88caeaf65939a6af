"""What a step of a waterfall may look at, and what it answers.

What does not belong here: the steps themselves (one module a document) and their order (rule sets).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule
from mrv_assets.domain.tonnes import Tonnes


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The canonical result of one project and period, its evidence, and what the steps before have left.

    `running_tco2e` is the exact sum of the lines so far, t CO2e, positive for what would be credited. `numbers` are
    what earlier steps came to, by name.
    """

    period: Period
    canonical: Tonnes
    monitoring: Monitoring
    running_tco2e: Decimal = Decimal(0)
    numbers: Mapping[str, Decimal] = field(default_factory=dict)

    def number(self, name: str) -> Decimal:
        """Return what an earlier step came to. Raises ContractError when none of that name has been taken."""
        if name not in self.numbers:
            raise ContractError(
                "step needs a number that no earlier step gives",
                where=f"{self.monitoring.where}, {name}",
                expected=f"an earlier line of the rule set that gives {name}",
                found=", ".join(self.numbers) or "no numbers",
                remedy="order the lines of the rule set so that the number is there when it is needed",
            )
        return self.numbers[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a step does: the signed change, t CO2e, what it came to by name, and a note for people."""

    change_tco2e: Decimal
    note: str
    numbers: Mapping[str, Decimal] = field(default_factory=dict)


Formula: TypeAlias = Callable[[Account, Rule], Step]
"""A pure step. Raises ContractError for missing or impossible evidence; never changes what a missing number is to 0."""
