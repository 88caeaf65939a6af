"""Stores for the tests of the storage room."""

from __future__ import annotations

import uuid

import pytest

from mrv_assets.storage.opening import open_store
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore


@pytest.fixture
def store() -> FaultyStore:
    """Give each test an empty store that can fail."""
    return FaultyStore(open_store(f"memory://{uuid.uuid4().hex}"))
