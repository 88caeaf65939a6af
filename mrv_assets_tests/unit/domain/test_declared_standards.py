"""Which rule sets a project declares for which periods."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import Project
from mrv_assets_tests.world import project_toml

TWO = """
[[standards]]
window = "2019..2021"
rule_sets = ["vcs@4.7"]
[[standards]]
window = "2022..2024"
rule_sets = ["vcs@5.0", "gs-403@2.1"]
monitoring = "monitoring/{period}.toml"
"""


def project(standards: str) -> Project:
    """Return a project with these standards."""
    return Project.parse(project_toml("anoka") + standards.encode(), where="projects/anoka.toml")


@pytest.mark.parametrize(
    ("period", "rule_sets", "monitoring"),
    [
        pytest.param("2018", None, None, id="before"),
        pytest.param("2021-Q4", ("vcs@4.7",), None, id="a quarter of the first"),
        pytest.param("2023", ("vcs@5.0", "gs-403@2.1"), "monitoring/2023.toml", id="two on one result"),
        pytest.param("2019-04-01_2020-12-31", ("vcs@4.7",), None, id="years of one window"),
    ],
)
def test_a_period_has_the_rule_sets_of_its_window(
    period: str, rule_sets: tuple[str, ...] | None, monitoring: str | None
) -> None:
    """Every day of it lies in the window, or none does."""
    found = project(TWO).declared_for(Period.parse(period))
    assert (found.rule_sets if found else None) == rule_sets
    assert (found.monitoring_of(Period.parse(period)) if found else None) == monitoring


@pytest.mark.parametrize(
    ("period", "words"),
    [
        pytest.param("2021-07-01_2022-06-30", r"found 2019\.\.2021 and 2022\.\.2024", id="across both"),
        pytest.param("2018-12-01_2019-01-31", r"found 2019\.\.2021", id="begins before"),
        pytest.param("2024-12-01_2025-01-31", r"found 2022\.\.2024", id="ends after"),
    ],
)
def test_a_period_that_is_partly_in_a_window_is_refused(period: str, words: str) -> None:
    """It would be assessed by nothing, or by rules that are not those of all its days."""
    with pytest.raises(ContractError, match=f"for a part of the period only.*{words}"):
        project(TWO).declared_for(Period.parse(period))


@pytest.mark.parametrize(
    ("standards", "words"),
    [
        pytest.param('[[standards]]\nwindow = "2024"\nrule_sets = []', "at least one", id="none"),
        pytest.param(
            '[[standards]]\nwindow = "2024"\nrule_sets = ["vcs"]', "no version is ever assumed", id="no version"
        ),
        pytest.param('[[standards]]\nwindow = "2024"\nrule_sets = ["vcs@5.0", "vcs@5.0"]', "each once", id="one twice"),
        pytest.param('[[standards]]\nwindow = "2024"\nrule_sets = ["vcs@5.0"]\nx = 1', "unknown keys x", id="unknown"),
        pytest.param(
            '[[standards]]\nwindow = "2024"\nrule_sets = ["vcs@5.0"]\nmonitoring = "../a.toml"',
            "below the landing folder",
            id="a path that leads out",
        ),
        pytest.param(TWO.replace("2022..2024", "2021..2024"), "share days", id="windows that share days"),
    ],
)
def test_standards_that_leave_a_doubt_are_refused(standards: str, words: str) -> None:
    """When the project file is read."""
    with pytest.raises(ContractError, match=words):
        project("\n" + standards)
