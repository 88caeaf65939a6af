"""The reporting calendar: which periods have ended, and when their figures are due."""

from __future__ import annotations

from datetime import date

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import Project
from mrv_assets.domain.reporting import Reporting, ReportingDue, ended_periods, reporting_period
from mrv_assets_tests.world import project_toml


@pytest.mark.parametrize(
    ("reporting", "text"),
    [
        pytest.param(Reporting.YEAR, "2024", id="year"),
        pytest.param(Reporting.QUARTER, "2024-Q2", id="quarter"),
        pytest.param(Reporting.MONTH, "2024-05", id="month"),
    ],
)
def test_a_day_lies_in_one_period(reporting: Reporting, text: str) -> None:
    """Of the length in which the project reports."""
    assert reporting_period(date(2024, 5, 31), reporting).text == text


@pytest.mark.parametrize(
    ("reporting", "today", "ended"),
    [
        pytest.param(Reporting.YEAR, date(2023, 12, 31), ["2022"], id="on its last day a year still runs"),
        pytest.param(Reporting.YEAR, date(2024, 1, 1), ["2022", "2023"], id="the day after it has ended"),
        pytest.param(Reporting.QUARTER, date(2022, 12, 31), ["2022-Q2", "2022-Q3"], id="quarters"),
        pytest.param(Reporting.MONTH, date(2022, 8, 1), ["2022-05", "2022-06", "2022-07"], id="months"),
        pytest.param(Reporting.YEAR, date(2022, 7, 1), [], id="none yet"),
    ],
)
def test_periods_that_have_ended_begin_with_the_one_of_the_first_day(
    reporting: Reporting, today: date, ended: list[str]
) -> None:
    """And end before today."""
    assert [period.text for period in ended_periods(reporting, date(2022, 5, 3), today)] == ended


def test_a_project_may_say_when_its_figures_are_due() -> None:
    """Days after the end of a period, and since when; nothing when it says nothing."""
    said = Project.parse(project_toml("anoka") + b'\n[reporting_due]\ndays = 90\nsince = "2022"\n', where="anoka")
    assert said.reporting_due == ReportingDue(days=90, since=Period.parse("2022"))
    assert said.reporting_due.day_for(Period.parse("2023")) == date(2024, 3, 30)
    assert Project.parse(project_toml("anoka"), where="anoka").reporting_due is None


@pytest.mark.parametrize(
    ("table", "says"),
    [
        pytest.param('days = "90"', "days, a whole number", id="text"),
        pytest.param("days = true", "days, a whole number", id="switch"),
        pytest.param("days = -1", "from 0 to 3660", id="before the end"),
        pytest.param("days = 90\nday = 1", "days, a whole number", id="unknown key"),
        pytest.param('since = "2022"', "days, a whole number", id="no days"),
    ],
)
def test_a_due_day_that_is_none_is_refused(table: str, says: str) -> None:
    """With the whole project file."""
    with pytest.raises(ContractError, match=says):
        Project.parse(project_toml("anoka") + f"\n[reporting_due]\n{table}\n".encode(), where="anoka")
