from __future__ import annotations

from dataclasses import replace

import pytest

from mrv_assets.domain.errors import FactorError, IdentityError
from mrv_assets.domain.project import Project, Publication
from mrv_assets.pipeline.versions import newest_release, version_to_report, version_to_run
from mrv_assets.storage.references import ReferenceData
from mrv_assets_tests.world import committed_references, memory_store, project_toml

NEWEST = "mrow-2025.05.20"


def references(*, without: str | None = None) -> ReferenceData:
    """The committed reference data, with one release left out."""
    files = {key: data for key, data in committed_references().items() if without is None or without not in key}
    return ReferenceData(memory_store(files))


def project(**changes: object) -> Project:
    """A project of the line mrow."""
    return replace(Project.parse(project_toml("p"), where="p"), **changes)  # type: ignore[arg-type]


def test_the_newest_release_is_the_one_that_none_supersedes() -> None:
    """The end of the chain of a line is its newest release, whatever the names."""
    assert newest_release(references(), "mrow").version == NEWEST


def test_two_ends_are_refused() -> None:
    """A line with two releases that nothing supersedes is ambiguous and refused with both names."""
    with pytest.raises(FactorError, match=r"no single newest release .*mrow-2024\.02\.26, mrow-2025\.05\.20"):
        newest_release(references(without="mrow-2024.06.24"), "mrow")


def test_a_line_without_releases_is_refused() -> None:
    """A line that no release belongs to is refused."""
    with pytest.raises(FactorError, match="no release of this line"):
        newest_release(references(), "nothing")


def test_a_pin_decides_before_the_line() -> None:
    """The project's pin of the period is run instead of the newest release, for that period only."""
    pinned = project(pins={"2021": "mrow-2024.02.01"})
    assert version_to_run(references(), pinned, "2021") == "mrow-2024.02.01"
    assert version_to_run(references(), pinned, "2022") == NEWEST


def test_a_period_that_is_not_canonical_is_refused() -> None:
    """No version is chosen for something that is no period."""
    with pytest.raises(IdentityError, match="period is not in canonical form"):
        version_to_run(references(), project(), "2021-1")


@pytest.mark.parametrize(
    ("pins", "expected"), [({}, None), ({"2021": "mrow-2024.02.26"}, "mrow-2024.02.26")], ids=["unpinned", "pinned"]
)
def test_a_project_that_publishes_pins_only_reports_its_pin(pins: dict[str, str], expected: str | None) -> None:
    """Under the pinned policy nothing but a pin is to be reported."""
    assert version_to_report(references(), project(pins=pins, publication=Publication.PINNED), "2021") == expected
