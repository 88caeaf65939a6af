"""What controls look up in a waterfall: the line of a rule, and what was left before it.

What does not belong here: what a line has to be (one module a document).
"""

from __future__ import annotations

from decimal import Decimal
from itertools import takewhile

from mrv_assets.compliance.controls.finding import ControlCase
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import exact_sum
from mrv_assets.domain.rule_set import Rule
from mrv_assets.domain.waterfall import Line


def line_for(case: ControlCase, rule: Rule) -> Line:
    """Return the line that choice `line` of the rule names. Raises ContractError when the waterfall has none."""
    wanted = rule.choices.get("line", "")
    lines = case.waterfall.lines if case.waterfall else ()
    for line in lines:
        if line.rule == wanted:
            return line
    raise ContractError(
        "waterfall lacks a line that a control looks at",
        where=f"{case.account.monitoring.where}, control {rule.id}",
        expected=f"a line of rule {wanted or '(choice line is missing)'}",
        found=", ".join(line.rule for line in lines) or "no lines",
        remedy="let the control name a line of its own rule set",
    )


def left_before(case: ControlCase, line: Line) -> Decimal:
    """Return what the lines before this one leave, t CO2e."""
    lines = case.waterfall.lines if case.waterfall else ()
    return exact_sum(each.change_tco2e for each in takewhile(lambda each: each is not line, lines))
