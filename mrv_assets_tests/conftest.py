"""Hypothesis profiles (`ci` draws the same examples on every run, `search` looks for new ones) and the S3 server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from mrv_assets_tests.s3_server import S3Server, s3_server

settings.register_profile("ci", derandomize=True, max_examples=60, deadline=None, database=None)
settings.register_profile("search", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


_LONG = ("browser", "end_to_end")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deal the long tests out to the workers, module by module, each worker's share before its share of the short ones.

    pytest-xdist cuts the list into one piece for each worker, and whoever is done takes over what is left: that is
    short then, and nobody waits for one worker that had all the servers to start.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long, short = dict[Path, list[pytest.Item]](), list[pytest.Item]()
    for item in items:
        if item.path.parent.name in _LONG or item.get_closest_marker("slow") or item.get_closest_marker("server"):
            long.setdefault(item.path, []).append(item)
        else:
            short.append(item)
    shares = [[*long.values()][worker::workers] for worker in range(workers)]
    pieces = [[item for module in share for item in module] for share in shares]
    counts, dealt = [len(piece) for piece in pieces], 0
    for number, piece in enumerate(pieces, start=1):
        room = max(0, number * len(items) // workers - sum(counts[:number]) - dealt)
        piece.extend(short[dealt : dealt + room])
        dealt += room
    items[:] = [item for piece in pieces for item in piece] + short[dealt:]


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A real S3 server for all tests of this process that ask for it. Mark them `server`."""
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server
