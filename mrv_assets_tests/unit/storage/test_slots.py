"""Slots and generations: what is committed, what is current, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import (
    ContractError,
    DigestMismatch,
    GateError,
    IdentityError,
)
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import BlobRef, Quarantined
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.storage.blobs import JSON, PARQUET, blob_key
from mrv_assets.storage.parquet import to_parquet
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.slot_paths import record_key, slot_folder
from mrv_assets_tests.unit.storage.drafts import (
    PASSED,
    RED,
    SLOT,
    commit_versions,
    draft,
    other_project,
    slot_store,
    table,
)
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore


def test_an_empty_slot_has_no_current_generation(store: FaultyStore) -> None:
    """Nothing kept is None, and its history is empty."""
    slots = slot_store(store)
    assert slots.current(SLOT) is None
    assert slots.history(SLOT) == ()
    assert list(slots.list_slots()) == []


def test_a_commit_becomes_current_and_reads_back(store: FaultyStore) -> None:
    """The record and the table that were committed are what a reader gets."""
    committed = slot_store(store).commit(draft("first"))
    assert committed.is_ours is True
    slots = slot_store(store)
    record = slots.current(SLOT)
    assert record == committed.record
    assert record is not None
    assert (record.generation, record.prev, record.written_utc) == (1, None, "2026-01-02T03:04:05.000000+00:00")
    assert slots.load_table(record) == table("first")
    assert slots.has_blob(record) is True


def test_generations_are_contiguous_and_chained(store: FaultyStore) -> None:
    """Each generation names the sha256 of the one before it, and all of them stay."""
    commit_versions(store, "a", "b", "c")
    history = slot_store(store).history(SLOT)
    assert [record.generation for record in history] == [1, 2, 3]
    assert [record.prev for record in history] == [None, history[0].sha256, history[1].sha256]
    assert [slot_store(store).load_table(record) for record in history] == [table(v) for v in "abc"]


def test_no_record_or_blob_is_ever_replaced(store: FaultyStore) -> None:
    """The slot store creates and reads; it has no other way to write."""
    commit_versions(store, "a", "b", "a")
    assert {name for name, _ in store.calls} == {"list", "get", "put_if_absent"}


def test_content_that_comes_back_re_uses_its_blob(store: FaultyStore) -> None:
    """Three generations with two contents are two blobs."""
    commit_versions(store, "a", "b", "a")
    assert len(list(store.list("blobs/"))) == 2


@pytest.mark.parametrize(
    "gates",
    [pytest.param((RED,), id="red"), pytest.param((PASSED, RED), id="one red"), pytest.param((), id="none")],
)
def test_a_draft_without_passing_gates_writes_nothing(store: FaultyStore, gates: tuple[GateOutcome, ...]) -> None:
    """A red or missing gate is refused before the first byte goes out."""
    with pytest.raises(GateError, match="no complete set of passing gates"):
        slot_store(store).commit(draft(gates=gates))
    assert store.calls == []


def test_a_draft_that_continues_another_slot_is_refused(store: FaultyStore) -> None:
    """A chain does not cross slots."""
    record = commit_versions(store, "a")
    with pytest.raises(IdentityError, match="draft continues another slot"):
        slot_store(store).commit(draft("b", slot=other_project("metc-dakota"), expected=record))


def test_a_generation_without_passing_gates_is_not_loaded(store: FaultyStore) -> None:
    """A record that somebody wrote with a red gate is refused by its reader."""
    record = replace(commit_versions(store, "a"), gates=(RED,))
    with pytest.raises(GateError, match="red: finite"):
        slot_store(store).load_bytes(record)


def test_rows_set_aside_for_a_generation_without_passing_gates_are_not_loaded(store: FaultyStore) -> None:
    """They are as little judged as the rows that were kept."""
    aside = to_parquet(pa.table({"row": [3], "row_id": ["c"]}))
    record = slot_store(store).commit(replace(draft(), quarantined=aside, quarantined_rows=1)).record
    with pytest.raises(GateError, match="red: finite"):
        slot_store(store).load_quarantine(replace(record, gates=(RED,)))


def test_a_document_is_no_table(store: FaultyStore) -> None:
    """A certificate is read as bytes; as a table it is refused."""
    content = canonical_json({"a": 1})
    document = replace(draft(), content=content, media_type=JSON, content_digest=sha256_hex(content))
    record = slot_store(store).commit(document).record
    assert slot_store(store).load_bytes(record) == content
    with pytest.raises(ContractError, match="content is not a table"):
        slot_store(store).load_table(record)


def test_an_unknown_media_type_writes_nothing(store: FaultyStore) -> None:
    """Only what can be found again under a known suffix is kept."""
    with pytest.raises(ContractError, match="media type is not stored here"):
        slot_store(store).commit(replace(draft(), media_type="text/csv"))
    assert store.count("put_if_absent") == 0


def test_a_content_that_is_not_proven_becomes_no_generation(store: FaultyStore) -> None:
    """The proof is asked for when the content is stored and before a record names it; then a later run starts anew."""

    def fails() -> None:
        assert [key[:6] for name, key in store.calls if name == "put_if_absent"] == ["blobs/"]
        raise DigestMismatch("table reads back", where="here", expected="a", found="b", remedy="look")

    with pytest.raises(DigestMismatch, match="table reads back"):
        slot_store(store).commit(draft(), proof=fails)
    assert slot_store(store).current(SLOT) is None
    assert slot_store(store).commit(draft()).record.generation == 1


def test_rows_set_aside_are_stored_before_the_record_names_them(store: FaultyStore) -> None:
    """Both blobs are there before the commit, so no reader finds a record whose rows set aside are still to come."""
    aside = to_parquet(pa.table({"row": [3], "row_id": ["c"]}))
    record = slot_store(store).commit(replace(draft(), quarantined=aside, quarantined_rows=1)).record
    assert record.quarantine is not None
    assert record.quarantine.rows == 1
    put = [key for name, key in store.calls if name == "put_if_absent"]
    assert put == [blob_key(record.blob), blob_key(record.quarantine.blob), record_key(SLOT, 1)]
    loaded = slot_store(store).load_quarantine(record)
    assert loaded is not None
    assert loaded.to_pylist() == [{"row": 3, "row_id": "c"}]
    assert slot_store(store).load_quarantine(commit_versions(store, "other", slot=other_project("metc-dakota"))) is None


def test_without_the_rows_set_aside_a_content_is_not_whole(store: FaultyStore) -> None:
    """A skip must not rest on a generation of which only the table is left."""
    aside = to_parquet(pa.table({"row": [3], "row_id": ["c"]}))
    record = slot_store(store).commit(replace(draft(), quarantined=aside, quarantined_rows=1)).record
    assert slot_store(store).has_blob(record)
    assert record.quarantine is not None
    other = BlobRef(sha256="0" * 64, size=len(aside), media_type=PARQUET)
    assert not slot_store(store).has_blob(replace(record, quarantine=Quarantined(blob=other, rows=1)))


def test_foreign_objects_in_a_slot_are_not_generations(store: FaultyStore) -> None:
    """What does not look like a record is passed over by readers and stays visible in a listing."""
    record = commit_versions(store, "a")
    folder = slot_folder(SLOT)
    foreign = [f"{folder}part-0.parquet", f"{folder}999.json", f"{folder}sub/000000000009.json"]
    for key in foreign:
        store.put_if_absent(key, b"not ours")
    assert slot_store(store).current(SLOT) == record
    assert list(slot_store(store).list_slots()) == [(SLOT, 1)]
    assert set(foreign) < set(store.list("commits/"))


def test_ids_that_look_like_numbers_stay_text(store: FaultyStore) -> None:
    """`0042` is not 42, `1e5` is not 100000 and `2024.10` is not `2024.1`: four slots with four contents."""
    keys = [
        PartitionKey(project_id=project_id, period="2024", factor_version=version)
        for project_id in ("0042", "1e5")
        for version in ("2024.10", "2024.1")
    ]
    slots = slot_store(store)
    for key in keys:
        slots.commit(draft(f"{key}", slot=Slot.of(Asset.FACTORED, key)))
    listed = {(s.project_id, s.period, s.factor_version) for s, _ in slots.list_slots()}
    assert listed == {(key.project_id, key.period, key.factor_version) for key in keys}
    for key in keys:
        record = slots.current(Slot.of(Asset.FACTORED, key))
        assert record is not None
        assert slots.load_table(record) == table(f"{key}", asset=Asset.FACTORED)


def test_slots_are_listed_with_their_newest_number_and_without_reading(store: FaultyStore) -> None:
    """Ten thousand slots are one listing, so a plan does not read ten thousand records."""
    for project_id in ("a", "b"):
        commit_versions(store, "1", "2", slot=other_project(project_id))
        commit_versions(store, "1", slot=other_project(project_id, asset=Asset.FACTORED))
    store.calls.clear()
    slots = slot_store(store)
    everything = {(slot.asset, slot.project_id): newest for slot, newest in slots.list_slots()}
    assert everything == {
        (Asset.ACTIVITY, "a"): 2,
        (Asset.ACTIVITY, "b"): 2,
        (Asset.FACTORED, "a"): 1,
        (Asset.FACTORED, "b"): 1,
    }
    assert store.calls == [("list", "commits/")]
    assert [s.project_id for s, _ in slots.list_slots(asset=Asset.ACTIVITY)] == ["a", "b"]
    assert [s.asset for s, _ in slots.list_slots(project_id="b")] == [Asset.ACTIVITY, Asset.FACTORED]
    assert list(slots.list_slots(asset=Asset.FACTORED, project_id="a")) == [
        (other_project("a", asset=Asset.FACTORED), 1)
    ]


def test_a_file_in_the_way_of_a_slot_is_left_alone(tmp_path: Path) -> None:
    """A foreign file where the slot wants a folder is refused with a remedy, and keeps its bytes."""
    path = tmp_path / "commits/aggregated/project_id=metc-anoka"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"foreign")
    with pytest.raises(ContractError, match="nothing is removed to make room"):
        slot_store(PosixStore(tmp_path)).commit(draft("a"))
    assert path.read_bytes() == b"foreign"
