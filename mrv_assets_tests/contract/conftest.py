"""Every implementation of the store seam, each test with an empty one of every kind."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from mrv_assets.storage.object_store import CollectableStore
from mrv_assets.storage.opening import open_store
from mrv_assets_tests.s3_server import S3Server

STORES: dict[str, Callable[[Path], CollectableStore]] = {
    "memory": lambda _: open_store(f"memory://{uuid.uuid4().hex}"),
    "posix": lambda folder: open_store((folder / "store").as_uri()),
}


@pytest.fixture(params=[*sorted(STORES), pytest.param("s3", marks=pytest.mark.server)])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CollectableStore:
    """Give each test an empty store of every kind; the environment finds the one on S3 as well."""
    if request.param in STORES:
        return STORES[request.param](tmp_path)
    server: S3Server = request.getfixturevalue("s3")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return open_store(server.new_store_uri(), s3=server.access())
