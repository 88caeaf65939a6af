"""What a listing tells a run over many slots, and where it must not be believed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.partition import Asset
from mrv_assets.storage import overview
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.unit.storage.drafts import SLOT, commit_versions, draft, other_project, slot_store
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore


def test_one_listing_answers_for_every_slot(store: FaultyStore) -> None:
    """Slots with generations and empty ones are answered without another listing, and each record is read once."""
    newest = commit_versions(store, "a", "b")
    glance = slot_store(store).at_a_glance()
    store.calls.clear()
    assert [glance.current(SLOT), glance.current(SLOT)] == [newest, newest]
    assert glance.current(other_project("other")) is None
    assert store.calls == [("get", record_key(SLOT, 2))]


def test_a_listing_names_the_slots_of_an_asset(store: FaultyStore) -> None:
    """Each once, in order, without asking again; slots that were not taken at a glance were never listed."""
    commit_versions(store, "a", "b")
    other = replace(SLOT, project_id="other")
    slot_store(store).commit(draft("c", slot=other))
    slots = slot_store(store)
    glance = slots.at_a_glance()
    store.calls.clear()
    assert list(glance.listed(SLOT.asset)) == [SLOT, other]
    assert [glance.newest(slot) for slot in (SLOT, other, replace(SLOT, project_id="none"))] == [2, 1, 0]
    assert [asset for asset in Asset if asset is not SLOT.asset and list(glance.listed(asset))] == []
    assert store.calls == []
    with pytest.raises(ValueError, match="only slots at a glance were listed"):
        slots.listed(SLOT.asset)


def test_a_commit_of_its_own_is_seen(store: FaultyStore) -> None:
    """Whoever commits to a slot asks the store about it from then on."""
    glance = slot_store(store).at_a_glance()
    assert glance.current(SLOT) is None
    committed = glance.commit(draft("a"))
    assert glance.current(SLOT) == committed.record


def test_a_commit_of_another_is_seen_after_a_refresh(store: FaultyStore) -> None:
    """A listing is as old as it is, until somebody asks anew."""
    first = commit_versions(store, "a")
    glance = slot_store(store).at_a_glance()
    second = slot_store(store).commit(draft("b", expected=first)).record
    assert glance.current(SLOT) == first
    glance.refresh(SLOT)
    assert glance.current(SLOT) == second


def test_a_gap_in_the_listing_is_not_believed(tmp_path: Path) -> None:
    """A number that is missing below the newest is asked for, and is a broken chain when it is gone."""
    commit_versions(PosixStore(tmp_path), "a", "b", "c")
    (tmp_path / record_key(SLOT, 2)).unlink()
    glance = slot_store(PosixStore(tmp_path)).at_a_glance()
    with pytest.raises(BrokenChain, match=r"generation 2.*no record of this one"):
        glance.current(SLOT)


def test_history_is_read_from_the_store(tmp_path: Path) -> None:
    """Records that were kept for planning do not stand in for stored ones when a history is checked."""
    commit_versions(PosixStore(tmp_path), "a")
    glance = slot_store(PosixStore(tmp_path)).at_a_glance()
    assert glance.current(SLOT) is not None
    (tmp_path / record_key(SLOT, 1)).write_bytes(b"damaged")
    with pytest.raises(BrokenChain, match="cannot be read"):
        glance.history(SLOT)


def test_the_records_kept_are_bounded(store: FaultyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest is dropped and read again when it is asked for."""
    monkeypatch.setattr(overview, "_RECORDS_KEPT", 1)
    commit_versions(store, "a", "b")
    glance = slot_store(store).at_a_glance()
    store.calls.clear()
    for generation in (1, 2, 2, 1):
        assert glance.record(SLOT, generation).generation == generation
    assert store.count("get") == 3


def test_a_glance_at_one_asset_says_nothing_of_others(store: FaultyStore) -> None:
    """Slots of the listed asset and project are answered from the listing, every other one is asked for itself."""
    newest = commit_versions(store, "a", "b")
    glance = slot_store(store).at_a_glance(asset=SLOT.asset, project_id=SLOT.project_id)
    assert list(glance.listed(SLOT.asset)) == [SLOT]
    store.calls.clear()
    assert glance.current(SLOT) == newest
    assert store.calls == [("get", record_key(SLOT, 2))]
    assert glance.current(other_project(SLOT.project_id, asset=Asset.NORMALIZED)) is None
    assert glance.current(other_project("other")) is None
    assert store.count("list") == 2
