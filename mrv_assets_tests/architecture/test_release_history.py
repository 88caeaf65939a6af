"""The check of the lists of released files against git, in small repositories."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from mrv_assets.domain.released import ReleasedDigests, appended
from mrv_assets_tests.git_history import versions_of, why_no_history
from mrv_assets_tests.released_history import LISTS, taken_back

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

RELEASES, SETS = LISTS
_NOBODY = {f"GIT_{who}_{what}": f"nobody@{who}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
_PLAIN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder, as nobody in particular."""
    command = ["git", "-C", str(folder), "-c", "init.defaultBranch=main", *arguments]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **_NOBODY, **_PLAIN})


def committed(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files and commit them."""
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    git(folder, "add", "--all")
    git(folder, "commit", "--message", "change")


def listed(*releases: tuple[str, bytes]) -> bytes:
    """Return a list of releases, each of a version and of what its files hold."""
    data: bytes | None = None
    for version, content in releases:
        data = appended(data, version=version, digests=ReleasedDigests.of(release_toml=content, factors_csv=b"factors"))
    assert data is not None
    return data


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a repository whose two lists have been committed."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init")
    committed(folder, {RELEASES: listed(("v1", b"one")), SETS: f'"ar5.csv" = "{"0" * 64}"\n'.encode()})
    return folder


def test_a_list_that_grows_takes_nothing_back(checkout: Path) -> None:
    """A new release is a line more; so is one that is not committed yet."""
    committed(checkout, {RELEASES: listed(("v1", b"one"), ("v2", b"two"))})
    (checkout / RELEASES).write_bytes(listed(("v1", b"one"), ("v2", b"two"), ("v3", b"three")))
    assert taken_back(checkout) == []


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        pytest.param(RELEASES, listed(("v1", b"other")), "v1/release.toml was ", id="another digest"),
        pytest.param(RELEASES, listed(("v2", b"one")), "v1/release.toml was .* and is gone", id="no line any more"),
        pytest.param(
            SETS, f'"ar5.csv" = "{"1" * 64}"\n'.encode(), "gwp/RELEASED.toml: ar5 was 0{64} .* 1{64}", id="set"
        ),
    ],
)
def test_a_line_that_was_changed_is_told_however_it_was_committed(
    checkout: Path, name: str, data: bytes, says: str
) -> None:
    """Before the commit, in it, and after other commits."""
    (checkout / name).write_bytes(data)
    before = taken_back(checkout)
    assert any(re.search(says, line) for line in before)
    committed(checkout, {"later": b""})
    committed(checkout, {"latest": b""})
    assert taken_back(checkout) == before


def test_a_list_that_was_taken_away_and_begun_again_is_told(checkout: Path) -> None:
    """What it said before counts."""
    git(checkout, "rm", RELEASES)
    git(checkout, "commit", "--message", "none")
    assert any("v1/release.toml" in line and "gone" in line for line in taken_back(checkout))
    committed(checkout, {RELEASES: listed(("v1", b"other"))})
    assert any("v1/release.toml" in line for line in taken_back(checkout))


def test_a_line_that_a_merge_changes_is_told(checkout: Path) -> None:
    """The commit of the merge is the first-parent one."""
    git(checkout, "checkout", "-b", "side")
    committed(checkout, {RELEASES: listed(("v1", b"other"))})
    git(checkout, "checkout", "main")
    committed(checkout, {"meanwhile": b""})
    git(checkout, "merge", "--no-ff", "--message", "merge", "side")
    assert len(versions_of(RELEASES, folder=checkout)) == 2
    assert any("v1/release.toml" in line for line in taken_back(checkout))


def test_a_history_that_is_not_there_is_said_so(checkout: Path, tmp_path: Path) -> None:
    """No checkout, and a clone without its past."""
    assert why_no_history(checkout) is None
    committed(checkout, {"later": b""})
    git(tmp_path, "clone", "--depth", "1", checkout.as_uri(), "shallow")
    shallow = why_no_history(tmp_path / "shallow")
    nowhere = why_no_history(tmp_path)
    assert shallow is not None
    assert nowhere is not None
    assert ("shallow" in shallow, "no git checkout" in nowhere) == (True, True)
