"""What a waterfall is: the steps from a gross figure to whole credits, exact, each with its clause.

What does not belong here: the formulas behind the steps (crediting).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import accumulate

from mrv_assets.domain.exact import EXACT, exact_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One step. `change_tco2e` is signed: negative takes credits away. `numbers` are what the formula came to by name.

    `rule` and `clause` say by which rule; `note` says in words what the step did, for people.
    """

    name: str
    rule: str
    clause: str
    change_tco2e: Decimal
    note: str
    numbers: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """The steps under one rule set. The first line is the gross figure; the running sum of all is what is credited."""

    rule_set: str
    lines: Sequence[Line]

    @property
    def total_tco2e(self) -> Decimal:
        """The exact sum of all lines, t CO2e."""
        return exact_sum(line.change_tco2e for line in self.lines)

    @property
    def changes_tonnes(self) -> bool:
        """Whether any line does: the lines of a risk rating give numbers only."""
        return any(line.change_tco2e for line in self.lines)

    def running(self) -> tuple[Decimal, ...]:
        """Return what is left after each line, t CO2e."""
        return tuple(accumulate((line.change_tco2e for line in self.lines), EXACT.add))
