"""What a file of a checkout was in every commit of its first-parent history, asked of git.

What does not belong here: what the file means.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path


def why_no_history(folder: Path) -> str | None:
    """Say why the history of a folder cannot be looked at, None when it can."""
    if shutil.which("git") is None:
        return "git is not installed"
    asked = _git(folder, "rev-parse", "--is-shallow-repository")
    if asked.returncode:
        return f"no git checkout: {asked.stderr.decode().strip()}"
    return "the clone is shallow, fetch all of it: git fetch --unshallow" if asked.stdout.strip() == b"true" else None


def versions_of(path: str, *, folder: Path) -> Mapping[str, bytes]:
    """Return the bytes of a file below a folder by commit, newest first, wherever a first-parent commit changed it.

    A commit that took the file away has none. Raises CalledProcessError when git cannot tell.
    """
    log = _git(folder, "log", "--first-parent", "--format=%H", "--", path)
    log.check_returncode()
    found: dict[str, bytes] = {}
    for commit in log.stdout.decode().split():
        listed = _git(folder, "ls-tree", "--name-only", commit, "--", path)
        listed.check_returncode()
        if listed.stdout.strip():
            shown = _git(folder, "show", f"{commit}:./{path}")
            shown.check_returncode()
            found[commit] = shown.stdout
    return found


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
