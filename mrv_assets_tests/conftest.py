"""Hypothesis profiles (`ci` draws the same examples on every run, `search` looks for new ones) and the S3 server."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from mrv_assets_tests.s3_server import S3Server, s3_server

settings.register_profile("ci", derandomize=True, max_examples=60, deadline=None, database=None)
settings.register_profile("search", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slow tests first.

    pytest-xdist gives each worker one piece of the list, and whoever is done takes over what is left. So one worker has
    the servers while the others compute, and in the end nobody waits for one that has a server yet to start.
    """
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A real S3 server for all tests of this process that ask for it. Mark them `server`."""
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server
