"""A run tells the journal of each of its commits once, whatever became of the answer."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import CommitStateUnknown
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.run import Run
from mrv_assets.storage.settle import ATTEMPTS
from mrv_assets_tests.unit.pipeline.small_store import ANOKA, world_over
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.world import memory_store


def test_a_commit_with_a_lost_answer_is_told_by_the_retry() -> None:
    """The retry finds its own record and skips; the journal has the commit as well as the skip."""
    store = FaultyStore(memory_store())
    run = Run(world_over(store), run_id="run-1")
    store.lose_answer("put_if_absent", prefix="commits/activity", times=ATTEMPTS)
    with pytest.raises(CommitStateUnknown, match="unknown whether a write landed"):
        run.advance(Asset.ACTIVITY, ANOKA)
    assert run.advance(Asset.ACTIVITY, ANOKA).outcome is Outcome.SKIPPED
    assert run.advance(Asset.ACTIVITY, ANOKA, force=True).outcome is Outcome.SKIPPED
    run.close()
    [entry] = run.world.journal.entries()
    assert [event.outcome for event in entry.events] == [Outcome.COMMITTED, Outcome.SKIPPED, Outcome.SKIPPED]
    assert check_store(run.world).breaches == ()


def test_a_commit_of_another_run_is_not_told_again() -> None:
    """A run that skips what another run has committed tells of its skip only."""
    world = world_over(memory_store())
    for number in (1, 2):
        run = Run(world, run_id=f"run-{number}")
        run.advance(Asset.ACTIVITY, ANOKA)
        run.close()
    outcomes = [[event.outcome for event in entry.events] for entry in world.journal.entries()]
    assert outcomes == [[Outcome.COMMITTED], [Outcome.SKIPPED]]
