"""The controls of the VCS programme by the name that rule sets give, each from the day on which its rule binds.

What does not belong here: the controls themselves (vcs_accounting, vcs_calendar, vcs_area).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from mrv_assets.compliance.controls import vcs_accounting, vcs_area, vcs_calendar
from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, not_applicable
from mrv_assets.domain.rule_set import Rule


def when_binding(check: Check) -> Check:
    """Return the control, not applicable to periods that end before the choice `binding_from` of its rule."""

    def answer(case: ControlCase, rule: Rule) -> Finding:
        day = rule.choices.get("binding_from")
        if day is not None and case.account.period.last < date.fromisoformat(day):
            why = f"the period ends on {case.account.period.last}, before the rule binds"
            return not_applicable(why, limit=f"binds from {day} on", evidence=())
        return check(case, rule)

    return answer


CHECKS: Mapping[str, Check] = {
    name: when_binding(check)
    for module in (vcs_accounting, vcs_calendar, vcs_area)
    for name, check in module.CHECKS.items()
}
