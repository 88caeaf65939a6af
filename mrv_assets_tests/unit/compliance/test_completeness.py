from __future__ import annotations

from collections.abc import Sequence

import pytest

from mrv_assets.compliance.completeness import completeness, missing_figures
from mrv_assets.domain.project import Inventory

COUNTIES = tuple(
    f"metc-{name}"
    for name in (
        "anoka",
        "carver",
        "chisago",
        "dakota",
        "hennepin",
        "ramsey",
        "scott",
        "sherburne",
        "washington",
        "pierce",
        "st-croix",
    )
)


def inventory(projects: Sequence[str] = COUNTIES) -> Inventory:
    """Return the inventory of eleven counties, or of these projects."""
    return Inventory(id="twin-cities", title="Twin Cities", projects=projects, periods=("2020", "2021"))


def figures(period: str, projects: Sequence[str] = COUNTIES) -> set[tuple[str, str]]:
    """Return reported figures of one period."""
    return {(project, period) for project in projects}


def test_nine_of_eleven_counties_names_the_two_missing() -> None:
    """An inventory with nine of eleven figures is red, with the two missing counties by name."""
    outcome = completeness(inventory(), "2021", figures("2021", COUNTIES[:9]))
    assert (outcome.gate, outcome.passed) == ("inventory_complete", False)
    assert outcome.observed == "9 of 11 projects; missing metc-pierce, metc-st-croix"
    assert outcome.metrics == {"expected": 11, "reported": 9, "missing": 2}
    assert outcome.remedy


def test_all_eleven_counties_are_complete() -> None:
    """Eleven figures of the period make it complete; projects from elsewhere do not matter."""
    outcome = completeness(inventory(), "2021", figures("2021") | {("elsewhere", "2021")})
    assert (outcome.passed, outcome.remedy) == (True, "")


def test_figures_of_another_period_do_not_count() -> None:
    """A figure counts for its own period only."""
    outcome = completeness(inventory(), "2021", figures("2020"))
    assert outcome.metrics == {"expected": 11, "reported": 0, "missing": 11}


@pytest.mark.parametrize(
    ("asked", "period"),
    [(inventory(), "2019"), (inventory(()), "2021")],
    ids=["period that is not asked for", "inventory without projects"],
)
def test_nothing_asked_is_not_complete(asked: Inventory, period: str) -> None:
    """A question that asks for nothing is red: an empty list proves nothing."""
    assert not completeness(asked, period, figures("2021")).passed


def test_missing_figures_by_period_leave_out_complete_periods() -> None:
    """Only periods that miss a figure are listed, with their projects in the inventory's order."""
    reported = figures("2020") | figures("2021", COUNTIES[2:])
    assert missing_figures(inventory(), reported) == {"2021": ("metc-anoka", "metc-carver")}
