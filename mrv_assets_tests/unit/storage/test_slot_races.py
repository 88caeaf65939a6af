"""One commit, whatever answers are lost and whoever else is writing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mrv_assets.domain.errors import (
    CommitConflict,
    CommitStateUnknown,
    StoreUnavailable,
)
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.settle import ATTEMPTS
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.unit.storage.drafts import (
    SLOT,
    commit_versions,
    draft,
    slot_store,
    table,
)
from mrv_assets_tests.unit.storage.faulty_files import FaultyFiles, fail_never, fail_nth
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore


def test_a_blob_left_by_a_crash_is_re_used(store: FaultyStore) -> None:
    """A run that died between blob and record leaves an orphan, which readers do not see and the next run takes."""
    store.refuse("put_if_absent", prefix="commits/", times=ATTEMPTS)
    with pytest.raises(StoreUnavailable, match="store is away"):
        slot_store(store).commit(draft("a"))
    assert slot_store(store).current(SLOT) is None
    assert len(list(store.list("blobs/"))) == 1
    assert slot_store(store).commit(draft("a")).is_ours is True
    assert len(list(store.list("blobs/"))) == 1


@pytest.mark.parametrize("prefix", ["commits/", "blobs/"])
def test_a_lost_answer_is_recognised_by_its_write_id(store: FaultyStore, prefix: str) -> None:
    """The write landed and its response did not: one generation, and it is ours."""
    store.lose_answer("put_if_absent", prefix=prefix)
    committed = slot_store(store).commit(draft("a"))
    assert committed.is_ours is True
    assert slot_store(store).history(SLOT) == (committed.record,)


def test_a_commit_that_cannot_be_read_back_is_unknown_and_settled_by_the_next_run(store: FaultyStore) -> None:
    """CommitStateUnknown deletes nothing; the next run finds the generation and has nothing to add."""
    store.lose_answer("put_if_absent", prefix="commits/", times=ATTEMPTS)
    store.refuse("get", prefix="commits/", times=ATTEMPTS)
    with pytest.raises(CommitStateUnknown, match="the next run settles it"):
        slot_store(store).commit(draft("a"))
    record = slot_store(store).current(SLOT)
    assert record is not None
    assert record.content_digest == draft("a").content_digest
    assert slot_store(store).load_table(record) == table("a")


def test_another_writer_with_other_content_is_a_conflict_that_names_both(store: FaultyStore) -> None:
    """Who decided on a state that is gone hears both contents and both runs, and nothing is overwritten."""
    theirs = slot_store(store).commit(draft("theirs", run_id="run-1")).record
    with pytest.raises(CommitConflict, match=r"of run run-2; found .* of run run-1") as caught:
        slot_store(store).commit(draft("ours", run_id="run-2"))
    assert theirs.content_digest in str(caught.value)
    assert draft("ours").content_digest in str(caught.value)
    assert slot_store(store).history(SLOT) == (theirs,)


def test_another_writer_with_the_same_content_is_agreement(store: FaultyStore) -> None:
    """Two daemons that computed the same make one generation; the second sees that it is not its own."""
    theirs = slot_store(store).commit(draft("same", run_id="run-1")).record
    committed = slot_store(store).commit(draft("same", run_id="run-2"))
    assert committed.is_ours is False
    assert committed.record == theirs


class Overtaken(FaultyStore):
    """Lets another writer commit in the instant between the listing and the create."""

    def __init__(self, inner: ObjectStore, value: str) -> None:
        super().__init__(inner)
        self._value: str | None = value

    def put_if_absent(self, key: str, data: bytes) -> bool:
        value, self._value = self._value, None
        if value is not None:
            slot_store(self.inner).commit(draft(value, run_id="faster"))
        return super().put_if_absent(key, data)


def test_a_race_that_is_lost_at_the_last_moment_is_a_conflict(store: FaultyStore) -> None:
    """The create is refused although the listing showed a free number."""
    with pytest.raises(CommitConflict, match=r"another writer took the generation number.*of run faster"):
        slot_store(Overtaken(store, "theirs")).commit(draft("ours"))


def test_a_race_that_is_lost_to_the_same_content_is_agreement(store: FaultyStore) -> None:
    """The create is refused, and what is there says the same."""
    committed = slot_store(Overtaken(store, "same")).commit(draft("same"))
    assert (committed.is_ours, committed.record.run_id) == (False, "faster")


def test_a_slot_that_moved_on_twice_is_a_conflict(store: FaultyStore) -> None:
    """A decision on generation 1 is worth nothing when 3 is current, whatever the content."""
    first = commit_versions(store, "a")
    slots = slot_store(store)
    second = slots.commit(draft("b", expected=first)).record
    slots.commit(draft("c", expected=second))
    with pytest.raises(CommitConflict, match=r"expected generation 1 to be current.*found generation 3"):
        slots.commit(draft("b", expected=first))


def test_eight_identical_writers_make_one_generation(tmp_path: Path) -> None:
    """Of eight runs that start at once with the same content one commits and seven agree."""
    with ThreadPoolExecutor(8) as pool:
        results = list(
            pool.map(
                lambda run: slot_store(PosixStore(tmp_path)).commit(draft("same", run_id=f"run-{run}")),
                range(8),
            )
        )
    assert [result.is_ours for result in results].count(True) == 1
    assert len(slot_store(PosixStore(tmp_path)).history(SLOT)) == 1


def test_racing_writers_leave_contiguous_generations(tmp_path: Path) -> None:
    """Four writers with eight contents each, re-deciding after each conflict, give 32 chained generations."""

    def commit_eight(writer: int) -> None:
        slots = slot_store(PosixStore(tmp_path))
        for number in range(8):
            is_kept = False
            while not is_kept:
                try:
                    current = slots.current(SLOT)
                    is_kept = slots.commit(draft(f"{writer}-{number}", expected=current)).is_ours
                except CommitConflict:
                    continue

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(commit_eight, range(4)))
    history = slot_store(PosixStore(tmp_path)).history(SLOT)
    assert [record.generation for record in history] == list(range(1, 33))
    assert len({record.content_digest for record in history}) == 32


class LateListing(FaultyStore):
    """Lists a folder as a system may that is written to meanwhile: generation 2 is not among the names yet."""

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
        listed = super().list(prefix, start_after=start_after)
        return (key for key in listed if key != record_key(SLOT, 2))


def test_a_listing_that_misses_a_record_is_no_gap(store: FaultyStore) -> None:
    """Only asking for the record itself tells that it is gone."""
    newest = commit_versions(store, "a", "b", "c")
    assert slot_store(LateListing(store)).current(SLOT) == newest


def test_one_disk_error_at_any_call_of_a_commit_is_healed_by_the_commit(tmp_path: Path) -> None:
    """Whichever file system call fails once, the commit retries and leaves exactly one generation, durable."""
    counted = FaultyFiles(fail_never)
    slot_store(PosixStore(tmp_path / "count", files=counted)).commit(draft("a"))
    assert len(counted.calls) > 30
    for number in range(1, len(counted.calls) + 1):
        root = tmp_path / f"fail-{number}"
        committed = slot_store(PosixStore(root, files=FaultyFiles(fail_nth(number)))).commit(draft("a"))
        assert committed.is_ours is True
        slots = slot_store(PosixStore(root))
        assert slots.history(SLOT) == (committed.record,)
        assert slots.load_table(committed.record) == table("a")
