"""What the steps of a waterfall came to, read back by controls.

What does not belong here: the controls.
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.compliance.controls.finding import ControlCase
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.waterfall import Line


def number_of(case: ControlCase, name: str) -> Decimal:
    """Return a number that a line gave, the last one of that name. Raises ContractError when no line did."""
    return _line(case, name)[1].numbers[name]


def running_before(case: ControlCase, name: str) -> Decimal:
    """Return what was left before the line that gave a number, t CO2e. Raises ContractError when no line did."""
    index, _ = _line(case, name)
    return case.waterfall.running()[index - 1] if case.waterfall and index else Decimal(0)


def notes_of(case: ControlCase) -> dict[str, str]:
    """Return what each line says, by its rule."""
    return {line.rule: line.note for line in case.waterfall.lines} if case.waterfall else {}


def _line(case: ControlCase, name: str) -> tuple[int, Line]:
    lines = case.waterfall.lines if case.waterfall else ()
    for index, line in reversed(list(enumerate(lines))):
        if name in line.numbers:
            return index, line
    raise ContractError(
        "control needs a number that no line gives",
        where=f"{case.account.monitoring.where}, {name}",
        expected=f"a line of the rule set that gives {name}",
        found=", ".join(line.name for line in lines) or "no lines",
        remedy="add the line to the rule set, or take the control out of it",
    )
