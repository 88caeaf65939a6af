"""Whether every figure that an inventory promises is reported; a missing county is named, not summed around.

What does not belong here: what is reported (storage) and the gates of single partitions (gates).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.project import Inventory


def missing_figures(inventory: Inventory, reported: Collection[tuple[str, str]]) -> Mapping[str, tuple[str, ...]]:
    """Return the projects without a figure by period; a period that misses none is left out.

    `reported` are the (project_id, period) pairs that have a figure in the ledger; those of no interest to
    the inventory are ignored.
    """
    missing = {
        period: tuple(project for project in inventory.projects if (project, period) not in reported)
        for period in inventory.periods
    }
    return {period: projects for period, projects in missing.items() if projects}


def completeness(inventory: Inventory, period: str, reported: Collection[tuple[str, str]]) -> GateOutcome:
    """Judge `inventory_complete`: does every project of the inventory have a figure for this period?

    A red outcome names the missing projects.
    """
    expected = len(inventory.projects)
    is_asked = period in inventory.periods and expected > 0
    missing = missing_figures(inventory, reported).get(period, ())
    present = expected - len(missing) if is_asked else 0
    found = f"{present} of {expected} projects" if is_asked else f"{inventory.id} asks nothing for {period}"
    return GateOutcome(
        gate="inventory_complete",
        passed=is_asked and not missing,
        observed=f"{found}; missing {', '.join(missing) or 'none'}",
        limit=f"a reported figure of {period} for each project of {inventory.id}",
        metrics={"expected": expected, "reported": present, "missing": len(missing)},
        remedy="" if is_asked and not missing else "run the missing projects, or correct the inventory file",
    )
