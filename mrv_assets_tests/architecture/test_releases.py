"""Released reference data: each release reads, is described, and hangs together with the others of its line."""

from __future__ import annotations

import pytest

from mrv_assets.storage.opening import open_store
from mrv_assets.storage.references import ReferenceData
from mrv_assets_tests.world import REFERENCE_DATA

references = ReferenceData(open_store(REFERENCE_DATA.as_uri()))


@pytest.mark.parametrize("version", references.factor_versions())
def test_a_release_reads_and_the_changelog_names_it(version: str) -> None:
    """The release is whole, supersedes a release of the same line, and its effect is written down."""
    release = references.factor_release(version)
    if release.supersedes:
        assert references.factor_release(release.supersedes).line == release.line
    assert version in (REFERENCE_DATA / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("project_id", references.project_ids())
def test_a_project_reads_with_its_boundary_and_a_line_that_exists(project_id: str) -> None:
    """The project file is whole, its boundary is one feature, and its line has a release."""
    project = references.project(project_id)
    assert references.boundary(project).geometry
    lines = {references.factor_release(version).line for version in references.factor_versions()}
    assert project.factor_line in lines


@pytest.mark.parametrize("inventory_id", references.inventory_ids())
def test_an_inventory_asks_for_projects_that_exist(inventory_id: str) -> None:
    """Every project of the inventory has a file."""
    assert set(references.inventory(inventory_id).projects) <= set(references.project_ids())
