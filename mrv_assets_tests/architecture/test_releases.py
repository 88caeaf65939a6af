"""Released reference data: each release reads, is described, and hangs together with the others of its line."""

from __future__ import annotations

import re

import pytest

from mrv_assets.cli.factors_import_text import FILL_IN
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.factor_head import pinned_beside
from mrv_assets.domain.released import RELEASED, ReleasedDigests
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.references import ReferenceData
from mrv_assets_tests.git_history import why_no_history
from mrv_assets_tests.released_history import taken_back
from mrv_assets_tests.world import REFERENCE_DATA

references = ReferenceData(open_store(REFERENCE_DATA.as_uri()))
FACTORS = REFERENCE_DATA / "factors"
NO_HISTORY = why_no_history(REFERENCE_DATA)
SETS = REFERENCE_DATA / "gwp"
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


def test_the_list_of_gwp_sets_is_the_files() -> None:
    """Every set is listed with the digest of its file, and nothing else is."""
    found = {path.stem: sha256_hex(path.read_bytes()) for path in SETS.glob("*.csv")}
    assert found == references.released_sets()
    assert {path.name for path in SETS.iterdir()} == {f"{name}.csv" for name in found} | {RELEASED}


@pytest.mark.skipif(NO_HISTORY is not None, reason=str(NO_HISTORY))
def test_no_commit_takes_a_released_digest_back() -> None:
    """What a list said in any first-parent commit it says now: no commit changes a released file with its line."""
    assert taken_back(REFERENCE_DATA) == []


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
