"""What is said when a record or a blob is not as it was sealed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrv_assets.domain.digest import Json, canonical_json, self_sealed_json
from mrv_assets.domain.errors import (
    BrokenChain,
    DigestMismatch,
    Tampering,
)
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.unit.storage.drafts import (
    PASSED,
    SLOT,
    commit_versions,
    draft,
    other_project,
    slot_store,
)


def write_flipped(root: Path, key: str) -> None:
    """Change one bit in the middle of a stored file."""
    path = root / key
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_a_flipped_bit_is_found_on_load(tmp_path: Path) -> None:
    """Stored bytes are checked against the sealed digest before anybody sees them."""
    record = commit_versions(PosixStore(tmp_path), "a")
    write_flipped(tmp_path, blob_key(record.blob))
    slots = slot_store(PosixStore(tmp_path))
    with pytest.raises(DigestMismatch, match=f"with sha256 {record.blob.sha256}"):
        slots.load_bytes(record)
    with pytest.raises(DigestMismatch, match="not the bytes that were sealed"):
        slots.load_table(record)


def test_no_record_comes_to_rest_on_a_damaged_blob(tmp_path: Path) -> None:
    """A blob that is there already is read and checked before a generation names it."""
    store = PosixStore(tmp_path)
    first = commit_versions(store, "a", "b")
    old = slot_store(store).record(SLOT, 1)
    write_flipped(tmp_path, blob_key(old.blob))
    with pytest.raises(DigestMismatch, match="not the bytes that were sealed"):
        slot_store(store).commit(draft("a", expected=first))
    assert slot_store(store).current(SLOT) == first


def test_a_missing_blob_is_tampering(tmp_path: Path) -> None:
    """Sealed content that is gone is not an empty table; a skip can see it without reading."""
    record = commit_versions(PosixStore(tmp_path), "a")
    (tmp_path / blob_key(record.blob)).unlink()
    slots = slot_store(PosixStore(tmp_path))
    assert slots.has_blob(record) is False
    with pytest.raises(Tampering, match=r"sealed content is gone.*restore the blob from a replica"):
        slots.load_bytes(record)


def test_a_truncated_blob_is_not_had(tmp_path: Path) -> None:
    """A blob of another size is not the one that was sealed."""
    record = commit_versions(PosixStore(tmp_path), "a")
    path = tmp_path / blob_key(record.blob)
    path.write_bytes(path.read_bytes()[:-1])
    assert slot_store(PosixStore(tmp_path)).has_blob(record) is False


def test_a_flipped_bit_in_a_record_is_found(tmp_path: Path) -> None:
    """A record that is no longer canonical JSON of its schema cannot be read."""
    commit_versions(PosixStore(tmp_path), "a")
    path = tmp_path / record_key(SLOT, 1)
    path.write_bytes(path.read_bytes().replace(b'"rows":1,', b'"rows": 1,'))
    with pytest.raises(BrokenChain, match="not in canonical form"):
        slot_store(PosixStore(tmp_path)).current(SLOT)


def test_a_rewritten_record_breaks_the_chain(tmp_path: Path) -> None:
    """A record that was changed and sealed anew is no longer the one that the next generation names."""
    commit_versions(PosixStore(tmp_path), "a", "b")
    path = tmp_path / record_key(SLOT, 1)
    document = json.loads(path.read_bytes())
    del document["self_sha256"]
    path.write_bytes(self_sealed_json({**document, "reason": "nicer reason"}))
    with pytest.raises(BrokenChain, match="does not continue the one before it"):
        slot_store(PosixStore(tmp_path)).history(SLOT)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        pytest.param(record_key(SLOT, 1), record_key(SLOT, 2), id="other number"),
        pytest.param(record_key(SLOT, 1), record_key(other_project("other", asset=SLOT.asset), 1), id="other slot"),
    ],
)
def test_a_record_in_the_wrong_place_is_found(tmp_path: Path, source: str, target: str) -> None:
    """A record is believed only under the slot and number that it names itself."""
    store = PosixStore(tmp_path)
    commit_versions(store, "a")
    store.put_if_absent(target, store.get(source) or b"")
    slots = slot_store(store)
    moved = [slot for slot, newest in slots.list_slots() if record_key(slot, newest) == target]
    with pytest.raises(BrokenChain, match="expected its own record"):
        slots.current(moved[0])


def test_a_missing_generation_is_found(tmp_path: Path) -> None:
    """A record is never deleted, so a gap below the newest number is somebody's doing."""
    commit_versions(PosixStore(tmp_path), "a", "b", "c")
    (tmp_path / record_key(SLOT, 2)).unlink()
    slots = slot_store(PosixStore(tmp_path))
    for read in (slots.current, slots.history):
        with pytest.raises(BrokenChain, match=r"generation 2.*no record of this one"):
            read(SLOT)


def test_a_removed_newest_generation_is_not_written_again(tmp_path: Path) -> None:
    """Who decided on a generation that has since vanished does not re-use its number."""
    newest = commit_versions(PosixStore(tmp_path), "a", "b")
    (tmp_path / record_key(SLOT, 2)).unlink()
    with pytest.raises(BrokenChain, match="the record this was decided on"):
        slot_store(PosixStore(tmp_path)).commit(draft("c", expected=newest))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("schema", "mrv-generation-0", id="other schema"),
        pytest.param("gates", [{**PASSED.to_json(), "metrics": {"rows": "many"}}], id="metric that is no number"),
        pytest.param("evidence", 5, id="evidence that is no mapping"),
        pytest.param("pins", "text", id="pins that are text"),
        pytest.param("slot", {"asset": "unknown"}, id="unknown asset"),
        pytest.param("blob", {}, id="blob without digest"),
    ],
)
def test_a_record_of_another_shape_is_tampering(tmp_path: Path, name: str, value: Json) -> None:
    """Whatever is wrong with a record, the reader says so as BrokenChain and names the key."""
    commit_versions(PosixStore(tmp_path), "a")
    path = tmp_path / record_key(SLOT, 1)
    path.write_bytes(canonical_json({**json.loads(path.read_bytes()), name: value}))
    with pytest.raises(BrokenChain, match=r"generation record cannot be read \[commits/aggregated/"):
        slot_store(PosixStore(tmp_path)).current(SLOT)


def test_a_record_with_a_float_is_tampering(tmp_path: Path) -> None:
    """A number that canonical JSON cannot hold is not a number that the platform wrote."""
    commit_versions(PosixStore(tmp_path), "a")
    path = tmp_path / record_key(SLOT, 1)
    path.write_bytes(path.read_bytes().replace(b'"rows":1,', b'"rows":1.0,'))
    with pytest.raises(BrokenChain, match="generation record cannot be read"):
        slot_store(PosixStore(tmp_path)).current(SLOT)
