"""The check finds each damage as what it is; repair completes what a crash left and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mrv_assets.domain.errors import StoreUnavailable
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.fsck import check_store, repair_store
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.witnessing import hold_against, publish_checkpoint
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.fsck import fsck
from mrv_assets.storage.journal import CHECKPOINT, entry_key
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.published import published_key
from mrv_assets.storage.witness import StoreWitness
from mrv_assets_tests.unit.pipeline.damages import DAMAGES, Damage, put, unjournaled
from mrv_assets_tests.unit.pipeline.small_store import (
    LEDGER,
    RESTATED,
    age,
    build,
    files,
    kinds,
    world_at,
)
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.world import memory_store, run_partition

NEWER = replace(RESTATED, factor_version="mrow-2024.02.26")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small store; only for reading."""
    root = tmp_path_factory.mktemp("whole") / "store"
    build(world_at(root))
    return root


@pytest.fixture
def root(whole: Path, tmp_path: Path) -> Path:
    """A copy of the small store that a test may damage."""
    return Path(shutil.copytree(whole, tmp_path / "store"))


def test_an_untouched_store_has_no_breach(whole: Path) -> None:
    """The control: everything that the platform writes is what the check expects, and checking writes nothing."""
    before = files(whole)
    report = check_store(world_at(whole))
    assert report.breaches == ()
    assert (report.generations, report.entries, report.views, report.unreferenced) == (16, 3, 2, 0)
    assert report.blobs == 16
    assert files(whole) == before


def test_an_empty_store_has_no_breach(tmp_path: Path) -> None:
    """Where nothing was run there is nothing wrong, and looking makes no folder."""
    assert kinds(tmp_path / "store") == []
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("damage", [pytest.param(d, id=d.name) for d in DAMAGES])
def test_a_damage_is_found_as_what_it_is(root: Path, damage: Damage) -> None:
    """Each damage gives exactly its breaches, and every breach says expected, found and remedy."""
    damage.make(root)
    before = files(root)
    report = check_store(world_at(root))
    assert sorted(b.kind for b in report.breaches) == sorted(damage.found)
    assert all(b.key and b.expected and b.found and b.remedy and b.kind.meaning.endswith(".") for b in report.breaches)
    assert files(root) == before


def test_every_kind_of_breach_has_a_damage() -> None:
    """No kind is reported that no test has seen."""
    assert {kind for damage in DAMAGES for kind in damage.found} == set(BreachKind)


@pytest.mark.parametrize("damage", [pytest.param(d, id=d.name) for d in DAMAGES])
def test_repair_heals_what_it_may_and_touches_nothing_else(root: Path, damage: Damage) -> None:
    """Afterwards only what is not repairable is left; sealed objects are as they were; again changes nothing."""
    damage.make(root)
    before = files(root)
    report = check_store(world_at(root))
    repair_store(world_at(root), report)
    after = files(root)
    left = [b for b in report.breaches if not b.is_repairable]
    assert [(b.kind, b.key) for b in check_store(world_at(root)).breaches] == [(b.kind, b.key) for b in left]
    assert {k: after.get(k) for k in before if _is_sealed(k)} == {k: v for k, v in before.items() if _is_sealed(k)}
    if not report.repairable:
        assert after == before
    repair_store(world_at(root), check_store(world_at(root)))
    repair_store(world_at(root), report)
    assert files(root) == after


def _is_sealed(key: str) -> bool:
    return key != CHECKPOINT and not key.startswith("published/")


@pytest.mark.parametrize(
    ("name", "is_healed"),
    [
        pytest.param("commits not in the journal", True, id="unjournaled"),
        pytest.param("figure not published", True, id="view gone"),
        pytest.param("older figure published", True, id="view stale"),
        pytest.param("checkpoint gone", True, id="checkpoint"),
        pytest.param("newest record gone", False, id="view of a slot that was rolled back"),
        pytest.param("journal rolled back", False, id="journal that was cut"),
    ],
)
def test_repair_does_not_build_on_damage(root: Path, name: str, *, is_healed: bool) -> None:
    """What a crash leaves is completed; the same sight beside a damage of the same history is left to a person."""
    next(damage for damage in DAMAGES if damage.name == name).make(root)
    repair_store(world_at(root), check_store(world_at(root)))
    assert (kinds(root) == []) is is_healed


def test_a_healed_event_is_the_event_that_was_lost(root: Path) -> None:
    """The commit's event that repair writes has the id, run, instant and seals of the one that its own run wrote."""
    lost = {e.event_id: e for e in list(world_at(root).journal.entries())[-1].events if e.outcome is Outcome.COMMITTED}
    unjournaled(root)
    repaired = repair_store(world_at(root), check_store(world_at(root)))
    assert (repaired.entry, len(repaired.told)) == (3, len(lost))
    entry = list(world_at(root).journal.entries())[-1]
    assert entry.run_id == "fsck"
    assert {e.event_id: e for e in entry.events} == lost


def test_a_store_without_view_and_end_of_journal_is_made_whole_again(root: Path) -> None:
    """Figures and commits come back from the records; what was only skipped is told by nobody any more.

    The journal still comes to the checkpoint that was published before its end was lost.
    """
    outside, checkpoint = StoreWitness(memory_store()), (root / CHECKPOINT).read_bytes()
    publish_checkpoint(world_at(root), outside)
    for _ in range(2):
        run_partition(world_at(root), NEWER)
    before = files(root)
    lost = {e.event_id: e.outcome for entry in world_at(root).journal.entries(start=4) for e in entry.events}
    for number in (4, 5):
        (root / entry_key(number)).unlink()
    (root / CHECKPOINT).write_bytes(checkpoint)
    shutil.rmtree(root / "published")
    repair_store(world_at(root), check_store(world_at(root)))
    assert kinds(root) == []
    assert {k: v for k, v in files(root).items() if _is_view(k)} == {k: v for k, v in before.items() if _is_view(k)}
    [healed] = world_at(root).journal.entries(start=4)
    committed = {name for name, outcome in lost.items() if outcome is Outcome.COMMITTED}
    assert {event.event_id for event in healed.events} == committed
    assert committed < lost.keys()
    assert [found.head.size for found in hold_against(world_at(root), outside.checkpoints())] == [3]


def _is_view(key: str) -> bool:
    return key.startswith("published/")


def test_a_commit_of_a_run_at_work_is_healed_without_harm(root: Path) -> None:
    """Repair may tell of a commit before its run does; then the event is there twice, and is one."""
    world = world_at(root)
    run = Run(world, run_id="at work")
    run.advance(Asset.FACTORED, NEWER, force=True)
    report = check_store(world_at(root))
    assert [b.kind for b in report.breaches] == [BreachKind.RECORD_NOT_IN_JOURNAL]
    assert repair_store(world_at(root), report).entry == 4
    run.close()
    assert kinds(root) == []
    events = [e.event_id for entry in world.journal.entries(start=4) for e in entry.events]
    assert len(events) == 2
    assert len(set(events)) == 1


def test_a_young_temporary_file_is_no_breach(root: Path) -> None:
    """It may be that of a writer at work."""
    age(put(root / "blobs" / "ab" / ".tmp-0123456789abcdef"), days=6)
    assert kinds(root) == []


def test_no_answer_is_not_taken_for_a_missing_object(whole: Path) -> None:
    """A store that is away ends the check; it never turns into breaches."""
    store = FaultyStore(PosixStore(whole))
    store.refuse("get", prefix="blobs/")
    with pytest.raises(StoreUnavailable, match="store is away"):
        fsck(store, gates=None)


def test_gates_that_are_asked_for_must_have_been_passed(whole: Path) -> None:
    """With gates named, the newest generation of each slot of that asset must carry them."""
    report = fsck(PosixStore(whole), gates={Asset.LEDGER: ("one_figure", "a_gate_of_tomorrow")})
    assert [b.kind for b in report.breaches] == [BreachKind.RECORD_UNJUDGED] * 2
    assert report.breaches[0].expected == "gates a_gate_of_tomorrow"


def test_progress_ends_at_what_there_is(whole: Path) -> None:
    """The callback counts up to the number of objects, each read once."""
    told: list[tuple[int, int]] = []
    store = FaultyStore(PosixStore(whole))
    report = fsck(store, gates=None, progress=lambda done, total: told.append((done, total)))
    objects = report.generations + report.entries + report.blobs + report.views
    assert told[-1] == (objects, objects)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert store.count("get", prefix="blobs/") == report.blobs
    assert store.count("get", prefix="commits/") == report.generations


def test_a_run_that_goes_on_meanwhile_gives_no_breach(root: Path) -> None:
    """Whatever a run adds while the check reads, the check finds nothing but that its entry is still to come."""

    class Busy(PosixStore):
        """Another run commits when the check begins to read the records."""

        is_quiet = False

        def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
            if prefix == "commits/ledger/" and not self.is_quiet:
                Busy.is_quiet = True
                run = Run(world_at(root), run_id="meanwhile")
                for asset in Asset:
                    run.advance(asset, NEWER)
                run.close()
            yield from super().list(prefix, start_after=start_after)

    assert [b.kind for b in fsck(Busy(root), gates=None).breaches] == []
    assert (root / published_key(LEDGER)).exists()
