"""From a location to a store."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.storage.opening import open_store


def test_a_file_uri_and_a_plain_path_are_one_store(tmp_path: Path) -> None:
    """A folder is found by its URI, escaped as URIs are, and by its path."""
    folder = tmp_path / "with space #1"
    open_store(folder.as_uri()).put_if_absent("a", b"1")
    assert open_store(str(folder)).get("a") == b"1"
    assert open_store(str(folder)).uri == folder.as_uri()


def test_a_memory_store_is_shared_by_its_name() -> None:
    """Everybody in the process who says the same name gets the same objects, and another name other ones."""
    name = uuid.uuid4().hex
    open_store(f"memory://{name}").put_if_absent("a", b"1")
    assert open_store(f"memory://{name}").get("a") == b"1"
    assert open_store(f"memory://{name}-other").get("a") is None


def test_a_memory_store_needs_a_name() -> None:
    """Two nameless stores would be one by accident."""
    with pytest.raises(IdentityError, match="name of a memory store"):
        open_store("memory://")


@pytest.mark.parametrize(
    ("uri", "found"),
    [
        pytest.param("gopher://user:secret@host/x", "unknown scheme", id="unknown scheme"),
        pytest.param("file://user:secret@host/x", "a host", id="file on a host"),
        pytest.param("file:///x?token=secret", "a query", id="file with a query"),
    ],
)
def test_another_location_is_refused_without_repeating_it(uri: str, found: str) -> None:
    """The refusal names the scheme and the remedy, and no part of the location that may be a secret."""
    with pytest.raises(ContractError, match=f"{found}.*Remedy") as caught:
        open_store(uri)
    assert "secret" not in str(caught.value)
