"""What garbage collection may do to a store, the same on every kind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.object_store import CollectableStore
from mrv_assets.storage.opening import open_store

BLOB = "blobs/ab/abcd.parquet"


def test_a_blob_can_be_removed_and_put_again(store: CollectableStore) -> None:
    """After removal the key is free, and removing what is gone is no error."""
    store.put_if_absent(BLOB, b"1")
    store.remove(BLOB)
    store.remove(BLOB)
    assert store.get(BLOB) is None
    assert list(store.list("")) == []
    assert store.put_if_absent(BLOB, b"2") is True


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("commits/ledger/project_id=a/period=2021/000000000001.json", id="record"),
        pytest.param("journal/entries/000000000001.json", id="journal entry"),
        pytest.param("published/ledger/project_id=a/period=2021/ledger.parquet", id="published view"),
        pytest.param("blobs", id="not below blobs"),
        pytest.param("blobs/../commits/x", id="out of blobs"),
        pytest.param("../.tmp-1", id="out of the store"),
        pytest.param("/.tmp-1", id="absolute"),
    ],
)
def test_history_is_never_removed(store: CollectableStore, key: str) -> None:
    """Anything but a content or a left-over is refused, whether it is there or not."""
    store.put_if_absent("commits/ledger/project_id=a/period=2021/000000000001.json", b"1")
    with pytest.raises(ContractError, match=r"object is never removed|object key is refused"):
        store.remove(key)
    assert len(list(store.list(""))) == 1


def test_the_last_change_of_an_object_is_known(store: CollectableStore) -> None:
    """It is an instant with a time zone, about now; an absent object has none."""
    store.put_if_absent(BLOB, b"1")
    changed = store.modified(BLOB)
    assert changed is not None
    assert abs(datetime.now(UTC) - changed) < timedelta(minutes=5)
    assert store.modified("blobs/ab/other.parquet") is None


def test_whole_objects_are_no_left_overs(store: CollectableStore) -> None:
    """A store in which every write came to its end has none."""
    assert list(store.left_overs()) == []
    store.put_if_absent(BLOB, b"1")
    store.replace("published/x", b"2")
    assert list(store.left_overs()) == []


def test_the_temporary_files_of_a_killed_writer_are_found_and_removed(tmp_path: Path) -> None:
    """Each is told with its last change, also one below a temporary folder, and can be removed by its key."""
    store = open_store(str(tmp_path))
    store.put_if_absent("commits/a/1.json", b"1")
    for name in ("commits/a/.tmp-killed", ".tmp-folder/deep/part"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"ha")
    found = dict(store.left_overs())
    assert sorted(found) == [".tmp-folder/deep/part", "commits/a/.tmp-killed"]
    assert all(abs(datetime.now(UTC) - changed) < timedelta(minutes=5) for changed in found.values())
    for key in found:
        store.remove(key)
    assert list(store.left_overs()) == []
    assert list(store.list("")) == ["commits/a/1.json"]
