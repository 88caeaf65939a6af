"""Garbage collection removes what nobody names, in two passes, and never anything else, whoever writes meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import BrokenChain, ContractError
from mrv_assets.domain.lineage import LineageEvent
from mrv_assets.domain.partition import Asset
from mrv_assets.storage.blobs import PARQUET, blob_key, blob_ref
from mrv_assets.storage.gc import Plan, collectable, load_plan, min_age, plan, sweep
from mrv_assets.storage.journal import Journal
from mrv_assets.storage.object_store import CollectableStore, ObjectStore
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.storage.slots import SlotStore
from mrv_assets_tests.unit.storage.drafts import (
    SLOT,
    clock,
    commit_versions,
    draft,
    no_pause,
    other_project,
    slot_store,
)
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore

WEEK, WAIT = timedelta(days=7), timedelta(hours=2)
START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ORPHAN = draft("orphan").content
ORPHAN_KEY = blob_key(blob_ref(ORPHAN, PARQUET))


def later(**passed: float) -> Callable[[], datetime]:
    """Return a clock that stands still, so long after everything was written."""
    return lambda: START + timedelta(**passed)


def age_all(root: Path) -> None:
    """Let every file be last changed at the start."""
    for path in root.rglob("*"):
        if path.is_file():
            os.utime(path, (START.timestamp(), START.timestamp()))


def with_orphan(root: Path) -> PosixStore:
    """Return a store with one generation, one orphan and one left-over, all old."""
    store = PosixStore(root)
    commit_versions(store, "named")
    store.put_if_absent(ORPHAN_KEY, ORPHAN)
    (root / "commits" / ".tmp-dead").write_bytes(b"half")
    age_all(root)
    return store


def planned(store: CollectableStore, *, days: float = 8) -> Plan:
    """Plan so many days after everything was written."""
    return plan(store, later(days=days), min_age=WEEK, wait=WAIT)


def test_what_nobody_names_is_planned_and_then_removed(tmp_path: Path) -> None:
    """An orphan and a left-over go in the second pass; everything else stays as it is."""
    store = with_orphan(tmp_path)
    before = set(store.list(""))
    made = planned(store)
    assert [(c.key, c.size) for c in made.candidates] == [(ORPHAN_KEY, len(ORPHAN)), ("commits/.tmp-dead", None)]
    assert set(store.list("")) == {*before, f"gc/plans/{made.id}.json"}
    swept = sweep(store, later(days=9), load_plan(store, made.id))
    assert (swept.removed, swept.kept, swept.freed) == (("commits/.tmp-dead", ORPHAN_KEY), (), len(ORPHAN))
    assert set(store.list("")) == {*before, f"gc/plans/{made.id}.json"} - {ORPHAN_KEY}
    assert list(store.left_overs()) == []


def test_planning_again_gives_the_same_plan(tmp_path: Path) -> None:
    """The same candidates are the same plan, whose waiting time counts from the first look."""
    store = with_orphan(tmp_path)
    first, again = planned(store), planned(store, days=8.05)
    assert (again.id, again.due) == (first.id, first.due)
    assert sweep(store, later(days=8.1), again).removed


def test_nothing_to_collect_leaves_no_plan(tmp_path: Path) -> None:
    """A store without garbage is not written to."""
    store = PosixStore(tmp_path)
    commit_versions(store, "named")
    age_all(tmp_path)
    before = set(store.list(""))
    assert planned(store).candidates == ()
    assert set(store.list("")) == before


@pytest.mark.parametrize("days", [0, 6.9], ids=["fresh", "almost a week"])
def test_young_garbage_is_no_candidate(tmp_path: Path, days: float) -> None:
    """An orphan may be that of a writer that has yet to commit."""
    assert planned(with_orphan(tmp_path), days=days).candidates == ()


@pytest.mark.parametrize(
    ("longest_run", "expected"),
    [
        pytest.param(timedelta(hours=2), WEEK, id="short runs"),
        pytest.param(timedelta(days=3), timedelta(days=12), id="long runs"),
    ],
)
def test_garbage_is_seven_days_old_or_four_runs(longest_run: timedelta, expected: timedelta) -> None:
    """The age is the larger of the two."""
    assert min_age(longest_run) == expected


def test_a_shorter_age_is_refused(tmp_path: Path) -> None:
    """Neither a call nor a plan can make garbage of what is young."""
    store = with_orphan(tmp_path)
    with pytest.raises(ContractError, match="collected too young"):
        plan(store, later(days=8), min_age=timedelta(hours=1), wait=WAIT)
    made = planned(store)
    forged = Plan(candidates=made.candidates, planned=made.planned, min_age=timedelta(0), wait=WAIT)
    with pytest.raises(ContractError, match="collected too young"):
        sweep(store, later(days=9), forged)


def test_a_plan_is_not_swept_before_it_is_due(tmp_path: Path) -> None:
    """The waiting time lets everybody see the plan, and lets runs that were at work come to an end."""
    store = with_orphan(tmp_path)
    made = planned(store)
    with pytest.raises(ContractError, match="not due yet"):
        sweep(store, later(days=8, hours=1), made)
    assert store.head(ORPHAN_KEY) is not None


def test_an_unknown_plan_is_refused(tmp_path: Path) -> None:
    """Only what was published can be swept."""
    with pytest.raises(ContractError, match="no such plan"):
        load_plan(PosixStore(tmp_path), "0" * 16)


def test_a_plan_that_was_changed_is_refused(tmp_path: Path) -> None:
    """A plan is named by its candidates, so another list under its name is no plan."""
    store = with_orphan(tmp_path)
    made = planned(store)
    path = tmp_path / f"gc/plans/{made.id}.json"
    path.write_bytes(path.read_bytes().replace(b'"size":null', b'"size":1'))
    with pytest.raises(ContractError, match="found plan"):
        load_plan(store, made.id)


def test_a_candidate_that_was_touched_stays(tmp_path: Path) -> None:
    """What has changed since the plan is somebody's."""
    store = with_orphan(tmp_path)
    made = planned(store)
    touched = (START + timedelta(days=8)).timestamp()
    os.utime(tmp_path / ORPHAN_KEY, (touched, touched))
    os.utime(tmp_path / "commits/.tmp-dead", (touched, touched))
    swept = sweep(store, later(days=9), made)
    assert swept.removed == ()
    assert {reason.partition(" at ")[0] for _, reason in swept.kept} == {"a writer has touched it"}


def test_a_candidate_that_was_named_since_stays(tmp_path: Path) -> None:
    """A record that landed between the two passes keeps its content."""
    store = with_orphan(tmp_path)
    made = planned(store)
    slot_store(store).commit(draft("orphan", slot=other_project("other", asset=SLOT.asset)))
    swept = sweep(store, later(days=9), made)
    assert swept.kept == ((ORPHAN_KEY, "a record names it"),)
    assert store.get(ORPHAN_KEY) == ORPHAN


def test_a_sweep_that_was_done_finds_everything_gone(tmp_path: Path) -> None:
    """The same plan again removes nothing and says so."""
    store = with_orphan(tmp_path)
    made = planned(store)
    sweep(store, later(days=9), made)
    swept = sweep(store, later(days=9), made)
    assert swept.removed == ()
    assert {reason for _, reason in swept.kept} == {"it is gone already"}


def _cut_history(store: PosixStore, root: Path) -> None:
    commit_versions(store, "b", "c", slot=other_project("cut", asset=SLOT.asset))
    (root / record_key(other_project("cut", asset=SLOT.asset), 1)).unlink()


def _lose_newest(store: PosixStore, root: Path) -> None:
    record = commit_versions(store, "b", slot=other_project("lost", asset=SLOT.asset))
    Journal(store, clock).append("run", [LineageEvent.of_commit(record, factor_version="v1")])
    (root / record_key(record.slot, 1)).unlink()


def _damage_record(_: PosixStore, root: Path) -> None:
    path = root / record_key(SLOT, 1)
    path.write_bytes(path.read_bytes()[:-2])


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(_cut_history, id="a generation is missing"),
        pytest.param(_lose_newest, id="the journal tells of a record that is gone"),
        pytest.param(_damage_record, id="a record cannot be read"),
    ],
)
def test_nothing_is_removed_from_a_damaged_store(tmp_path: Path, damage: Callable[[PosixStore, Path], None]) -> None:
    """What no record names may be what a lost record named: neither pass begins."""
    store = with_orphan(tmp_path)
    made = planned(store)
    damage(store, tmp_path)
    with pytest.raises(BrokenChain, match="whose history is not whole"):
        planned(store)
    with pytest.raises(BrokenChain, match="whose history is not whole"):
        sweep(store, later(days=9), made)
    assert store.get(ORPHAN_KEY) == ORPHAN


@pytest.mark.parametrize("key", [record_key(SLOT, 1), "journal/entries/000000000001.json", "published/x"])
def test_a_forged_plan_cannot_name_history(tmp_path: Path, key: str) -> None:
    """Records, journal and view cannot be removed, whatever a plan says."""
    store = with_orphan(tmp_path)
    made = planned(store)
    store.put_if_absent(key, b"x")
    age_all(tmp_path)
    changed = made.candidates[0].modified
    forged = Plan(
        candidates=(type(made.candidates[0])(key=key, modified=changed, size=1),),
        planned=made.planned,
        min_age=WEEK,
        wait=WAIT,
    )
    with pytest.raises((ContractError, BrokenChain), match=r"never removed|not whole"):
        sweep(store, later(days=9), forged)
    assert store.get(key) is not None


def test_a_wrapped_store_is_not_collected(store: FaultyStore) -> None:
    """A store that cannot tell when an object was changed is refused."""
    with pytest.raises(ContractError, match="cannot be collected"):
        collectable(store)


class Interrupted(PosixStore):
    """A store at one call of which, counted from 1, something else happens first."""

    def __init__(self, root: Path, at: int, event: Callable[[], object]) -> None:
        super().__init__(root)
        self.calls, self._at, self._event = 0, at, event

    def _count(self) -> None:
        self.calls += 1
        if self.calls == self._at:
            self._event()

    def get(self, key: str) -> bytes | None:
        self._count()
        return super().get(key)

    def head(self, key: str) -> int | None:
        self._count()
        return super().head(key)

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
        self._count()
        return super().list(prefix, start_after=start_after)

    def put_if_absent(self, key: str, data: bytes) -> bool:
        self._count()
        return super().put_if_absent(key, data)

    def left_overs(self) -> Iterator[tuple[str, datetime]]:
        self._count()
        return super().left_overs()

    def modified(self, key: str) -> datetime | None:
        self._count()
        return super().modified(key)

    def remove(self, key: str) -> None:
        self._count()
        super().remove(key)


TARGET = other_project("late", asset=Asset.AGGREGATED)


def _commit_orphan(store: ObjectStore) -> None:
    SlotStore(store, clock, pause=no_pause).commit(draft("orphan", slot=TARGET))


def _is_whole(root: Path) -> bool:
    store = PosixStore(root)
    record = slot_store(store).current(TARGET)
    return record is not None and sha256_hex(store.get(blob_key(record.blob)) or b"") == record.blob.sha256


def test_a_whole_commit_at_any_call_of_the_sweep_keeps_its_content(tmp_path: Path) -> None:
    """A writer that re-uses the orphan while the sweep goes on is never left without it."""
    total = 0
    for at in range(1, 1000):
        root = tmp_path / str(at)
        made = planned(with_orphan(root))
        store = Interrupted(root, at, lambda root=root: _commit_orphan(PosixStore(root)))  # type: ignore[misc]
        sweep(store, later(days=9), made)
        if store.calls < at:
            break
        assert _is_whole(root), f"content lost at call {at}"
        total = at
    assert total > 10, "a sweep of so few calls is not the sweep this test is about"


def test_a_whole_sweep_at_any_call_of_the_commit_keeps_its_content(tmp_path: Path) -> None:
    """A writer that stalls anywhere, for as long as a sweep takes, is never left without the content it re-uses."""
    total = 0
    for at in range(1, 100):
        root = tmp_path / str(at)
        made = planned(with_orphan(root))
        store = Interrupted(root, at, lambda root=root, made=made: sweep(PosixStore(root), later(days=9), made))  # type: ignore[misc]
        _commit_orphan(store)
        if store.calls < at:
            break
        assert _is_whole(root), f"content lost at call {at}"
        total = at
    assert total >= 6, "a commit of so few calls is not the commit this test is about"


def test_the_window_is_real(tmp_path: Path) -> None:
    """The control: a writer whose last look were to see what was there before it would be left without its content."""
    made = planned(with_orphan(tmp_path))

    class Forgetful(PosixStore):
        """A whole sweep passes before the record lands; of the orphan this writer is told that it is there."""

        def put_if_absent(self, key: str, data: bytes) -> bool:
            if key == ORPHAN_KEY:
                return False
            sweep(PosixStore(tmp_path), later(days=9), made)
            return super().put_if_absent(key, data)

        def get(self, key: str) -> bytes | None:
            return ORPHAN if key == ORPHAN_KEY else super().get(key)

    _commit_orphan(Forgetful(tmp_path))
    assert not _is_whole(tmp_path)
