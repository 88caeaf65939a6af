"""`make ui`, where the tests run in the environment that make has built, and the same command where they do not.

Asking make for it anywhere else would make it install everything first.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence

from mrv_assets_tests.end_to_end.dagster_dev import by_module
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.world import ROOT


def made_ui(home: Home) -> Callable[[int], Sequence[str]]:
    """Return what serves a home on a port."""
    make = shutil.which("make")
    if make is None or not _is_up_to_date(make):
        return by_module
    # The make that runs the tests would hand its own variables on.
    return lambda port: [
        "/usr/bin/env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL",
        make, "ui", f"PORT={port}", f"MRV_HOME={home.settings.home}",
    ]  # fmt: skip


def _is_up_to_date(make: str) -> bool:
    asked = [make, "--question", "--silent", "-C", str(ROOT), ".venv/.installed"]
    return subprocess.run(asked, check=False, capture_output=True).returncode == 0
