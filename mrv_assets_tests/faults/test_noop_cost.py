"""What a run over many partitions asks of the store when nothing is to be done, counted at the store seam."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from mrv_assets.domain.errors import CommitConflict
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.journal import ENTRIES
from mrv_assets.storage.published import published_key
from mrv_assets_tests.faults.answers import AilingStore
from mrv_assets_tests.faults.figures import NEW, NEW_MWH, NEW_T, OLD, reported, world_over
from mrv_assets_tests.world import memory_store, run_partition

PERIODS = tuple(f"{year}-{month:02d}" for year in (2020, 2021) for month in range(1, 11))
"""Twenty periods; the source has a row for each."""


def _keys() -> Sequence[PartitionKey]:
    return [replace(OLD, period=period) for period in PERIODS]


def _run_all(world: World, run_id: str) -> Counter[Outcome]:
    run = Run(world, run_id=run_id)
    kept = [run.advance(asset, key) for key in _keys() for asset in Asset]
    run.close()
    return Counter(k.outcome for k in kept)


def test_a_rerun_of_twenty_partitions_lists_once_and_appends_once() -> None:
    """One listing of `commits/` and one journal entry; beside them each record is read once and each blob looked at."""
    store = AilingStore(memory_store())
    world = world_over(store, periods=PERIODS)
    assert _run_all(world, "first")[Outcome.COMMITTED] == 20 * len(Asset)
    store.calls.clear()
    assert _run_all(world.at_a_glance(), "again") == {Outcome.SKIPPED: 20 * len(Asset)}
    asked = Counter((call.operation, call.key.partition("/")[0]) for call in store.calls)
    assert asked == {
        ("list", "commits"): 1,
        ("get", "commits"): 20 * len(Asset),
        ("head", "blobs"): 20 * len(Asset),
        ("get", "blobs"): 20,
        ("get", "published"): 20,
        # the journal append: its head from checkpoint and listing, the entry, the checkpoint moved on
        ("get", "journal"): 3,
        ("list", "journal"): 1,
        ("put_if_absent", "journal"): 1,
        ("replace", "journal"): 1,
    }
    assert [c.key for c in store.calls if c.operation == "put_if_absent"] == [f"{ENTRIES}000000000002.json"]


def test_what_another_run_commits_meanwhile_is_a_conflict_and_then_seen() -> None:
    """A listing that is behind never wins a commit: the store decides, and the next try sees what is there."""
    store = memory_store()
    run_partition(world_over(store), OLD)
    late = Run(world_over(store, mwh=NEW_MWH + 1).at_a_glance(), run_id="late")
    run_partition(world_over(store, mwh=NEW_MWH), NEW)
    with pytest.raises(CommitConflict, match="another writer took the generation number"):
        late.advance(Asset.ACTIVITY, OLD)
    assert late.advance(Asset.ACTIVITY, OLD).outcome is Outcome.COMMITTED
    assert [r.generation for r in late.world.slots.history(Slot.of(Asset.ACTIVITY, OLD))] == [1, 2, 3]


def test_a_skip_on_an_old_listing_does_not_bring_an_old_figure_back() -> None:
    """A run that skips the ledger on a listing from before a commit leaves the newer figure published."""
    store = memory_store()
    run_partition(world_over(store), OLD)
    late = Run(world_over(store).at_a_glance(), run_id="late")
    run_partition(world_over(store, mwh=NEW_MWH), NEW)
    ledger = Slot.of(Asset.LEDGER, NEW)
    assert late.advance(Asset.LEDGER, OLD).outcome is Outcome.SKIPPED
    newest = late.world.slots.history(ledger)[-1]
    assert store.get(published_key(ledger)) == late.world.slots.load_bytes(newest)
    assert reported(world_over(store)) == NEW_T


def test_a_run_that_is_overtaken_while_it_publishes_publishes_what_overtook_it() -> None:
    """A writer that was held up between its commit and the view does not leave the older figure in the view."""
    store = memory_store()
    run_partition(world_over(store), OLD)
    overtaken = _OvertakenAtPublishing(store)
    run_partition(world_over(overtaken, mwh=NEW_MWH - 5), OLD, run_id="slow")
    world = world_over(store)
    newest = world.slots.current(Slot.of(Asset.LEDGER, NEW))
    assert newest is not None
    assert newest.run_id == "fast"
    assert store.get(published_key(newest.slot)) == world.slots.load_bytes(newest)


class _OvertakenAtPublishing(AilingStore):
    """Lets another run commit and publish in the instant before the view is written."""

    def replace(self, key: str, data: bytes) -> None:
        if key.startswith("published/") and not self.calls_of("replace", "published/"):
            run_partition(world_over(self.inner, mwh=NEW_MWH), NEW, run_id="fast")
        super().replace(key, data)

    def calls_of(self, operation: str, prefix: str) -> int:
        return sum(1 for call in self.calls if call.operation == operation and call.key.startswith(prefix))
