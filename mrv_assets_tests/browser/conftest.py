"""What a test in the browser needs: a Chromium, a home that is served, and a folder for pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mrv_assets.orchestration.instance import open_instance
from mrv_assets.orchestration.partitions import register
from mrv_assets_tests.browser.album import Album
from mrv_assets_tests.browser.chromium import installed_chromium
from mrv_assets_tests.browser.made_ui import made_ui
from mrv_assets_tests.browser.two_counties import KEYS, two_counties
from mrv_assets_tests.end_to_end.dagster_dev import DagsterDev, dagster_dev
from mrv_assets_tests.end_to_end.home import Home


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program; without one the test is skipped."""
    found = installed_chromium()
    if found is None:
        pytest.skip(
            "no Chromium on the path; install one (Debian: apt-get install chromium) or name it in MRV_CHROMIUM"
        )
    return found


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with the data of two counties."""
    return two_counties(tmp_path)


@pytest.fixture
def server(chromium: str, home: Home, tmp_path: Path) -> Iterator[DagsterDev]:  # noqa: ARG001 - no browser, no server
    """Dagit on that home, with the six partitions known to Dagster."""
    with dagster_dev(home, tmp_path / "dagster-dev.log", command=made_ui(home)) as server:
        with open_instance(home.settings) as instance:
            register(instance, KEYS)
        yield server


@pytest.fixture
def album(tmp_path: Path) -> Album:
    """Pictures go to the folder that `MRV_ARTIFACTS` names, else to the test's own."""
    return Album(folder=Path(os.environ.get("MRV_ARTIFACTS") or tmp_path / "pictures"))
