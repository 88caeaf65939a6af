"""Whatever was committed, orphaned and re-used in whatever order, a sweep never removes what a record names."""

from __future__ import annotations

import os
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.partition import Slot
from mrv_assets.storage.blobs import PARQUET, blob_key, blob_ref
from mrv_assets.storage.gc import plan, sweep
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets_tests.unit.storage.drafts import SLOT, clock, draft, other_project, slot_store

VALUES = st.sampled_from("abcde")
SLOTS = st.sampled_from([SLOT, other_project("other", asset=SLOT.asset)])
WEEK = timedelta(days=7)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("commit"), SLOTS, VALUES),
        st.tuples(st.just("orphan"), VALUES, st.integers(0, 20)),
        st.tuples(st.just("left-over"), VALUES, st.integers(0, 20)),
    ),
    max_size=8,
)


def _key(value: str) -> str:
    return blob_key(blob_ref(draft(value).content, PARQUET))


def _age(path: Path, days: int) -> None:
    instant = (clock() - timedelta(days=days)).timestamp()
    os.utime(path, (instant, instant))


def _take(store: PosixStore, root: Path, step: tuple[object, ...]) -> None:
    """Do one step: a commit, an orphan that was last touched some days ago, or a left-over of that age."""
    match step:
        case ("orphan", str(value), int(days)):
            is_new = store.put_if_absent(_key(value), draft(value).content)
            if is_new:
                _age(root / _key(value), days)
        case ("left-over", str(value), int(days)):
            path = root / "blobs" / f".tmp-{value}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"half")
            _age(path, days)
        case ("commit", Slot() as slot, str(value)):
            slots = slot_store(store)
            slots.commit(draft(value, slot=slot, expected=slots.current(slot)))
        case _:
            raise AssertionError(step)


def _named(store: PosixStore) -> set[str]:
    slots = slot_store(store)
    return {blob_key(record.blob) for slot, _ in slots.list_slots() for record in slots.history(slot)}


@pytest.mark.slow
@given(before=STEPS, between=STEPS)
@settings(max_examples=60, deadline=None)
def test_a_sweep_removes_old_garbage_and_nothing_else(
    before: list[tuple[object, ...]], between: list[tuple[object, ...]]
) -> None:
    """All that is removed was unnamed and old; all that is named is there, whole; history is as it was."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        store = PosixStore(root)
        for step in before:
            _take(store, root, step)
        made = plan(store, clock, min_age=WEEK, wait=timedelta(0))
        ages = {c.key: c.modified for c in made.candidates}
        for step in between:
            _take(store, root, step)
        history = {key: store.get(key) for key in store.list("commits/")}
        swept = sweep(store, clock, made)
        assert set(swept.removed) <= set(ages)
        assert set(swept.removed).isdisjoint(_named(store))
        assert all(ages[key] <= clock() - WEEK for key in swept.removed)
        assert {key: store.get(key) for key in store.list("commits/")} == history
        for key in _named(store):
            assert sha256_hex(store.get(key) or b"") in key
