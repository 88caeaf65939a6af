"""Released reference data: each release reads, is described, and hangs together with the others of its line."""

from __future__ import annotations

import re

import pytest

from mrv_assets.cli.factors_import_text import FILL_IN
from mrv_assets.domain.factor_head import pinned_beside
from mrv_assets.domain.released import ReleasedDigests
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.references import ReferenceData
from mrv_assets_tests.world import REFERENCE_DATA

references = ReferenceData(open_store(REFERENCE_DATA.as_uri()))
FACTORS = REFERENCE_DATA / "factors"
FOLDERS = sorted(path.name for path in FACTORS.iterdir() if path.is_dir())
SECTIONS = dict(
    re.findall(
        r"^## ([A-Za-z0-9][A-Za-z0-9._+-]*)(?:,[^\n]*)?\n(.*?)(?=^## |\Z)",
        (REFERENCE_DATA / "CHANGELOG.md").read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )
)


@pytest.mark.parametrize("version", references.factor_versions())
def test_a_release_reads_and_continues_its_line(version: str) -> None:
    """The release is whole, its digests hold, and it supersedes a release of the same line."""
    release = references.factor_release(version)
    if release.supersedes:
        assert references.factor_release(release.supersedes).line == release.line


def test_the_list_of_what_was_released_is_the_folders() -> None:
    """Every folder is listed with the digests of both of its files, and nothing else is: editing both files shows.

    The files of chained factors are pinned by the first of the two.
    """
    found = {
        version: ReleasedDigests.of(
            release_toml=(FACTORS / version / "release.toml").read_bytes(),
            factors_csv=(FACTORS / version / "factors.csv").read_bytes(),
        )
        for version in FOLDERS
    }
    assert found == references.released()
    for version in FOLDERS:
        beside = pinned_beside((FACTORS / version / "release.toml").read_bytes(), version=version)
        assert {path.name for path in (FACTORS / version).iterdir()} == {"release.toml", "factors.csv", *beside}


@pytest.mark.parametrize("version", FOLDERS)
def test_the_changelog_says_which_figures_a_release_moves(version: str) -> None:
    """Each release has a section with a table of figures, or the words that none moves, and nothing left to fill in."""
    section = SECTIONS.get(version, "")
    assert section, f"reference_data/CHANGELOG.md has no section `## {version}`"
    assert FILL_IN not in section
    assert "\n|---" in section or "No reported figure moves" in section


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
