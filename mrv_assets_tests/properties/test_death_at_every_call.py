"""A run dies at each of its store calls in turn, before or after it landed; the next run makes everything whole."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.world import World
from mrv_assets.storage.published import published_key
from mrv_assets_tests.mortal_store import Killed, MortalStore
from mrv_assets_tests.refusals import KEY, SOUND_SOURCE, references
from mrv_assets_tests.world import TickingClock, memory_store, run_partition

FIRST = PartitionKey(project_id=KEY.project_id, period=KEY.period, factor_version="mrow-2024.02.01")
LEDGER = Slot.of(Asset.LEDGER, KEY)


def _world(objects: Mapping[str, bytes]) -> tuple[World, MortalStore]:
    store = MortalStore(memory_store(objects))
    world = World.over(
        store=store,
        references=memory_store(references()),
        landing=memory_store({"source.csv": SOUND_SOURCE}),
        clock=TickingClock(),
    )
    return world, store


def _objects(store: MortalStore) -> dict[str, bytes]:
    return {key: data for key in store.inner.list("") if (data := store.inner.get(key)) is not None}


def _contents(world: World) -> dict[str, list[str]]:
    """Return the content digests of every slot's generations, the first first."""
    return {
        str(slot): [record.content_digest for record in world.slots.history(slot)]
        for slot, _ in world.slots.list_slots()
    }


def _reported_with_the_first_release() -> dict[str, bytes]:
    world, store = _world({})
    run_partition(world, FIRST, run_id="first")
    return _objects(store)


@pytest.mark.slow
@pytest.mark.parametrize(
    "has_landed", [pytest.param(False, id="before-it-landed"), pytest.param(True, id="after-it-landed")]
)
def test_a_run_that_died_at_any_call_is_made_whole_by_the_next(*, has_landed: bool) -> None:
    """Readers see the old figure or the new one; the next run reports the new one with no generation too many."""
    objects = _reported_with_the_first_release()
    undisturbed, counted = _world(objects)
    old = undisturbed.slots.current(LEDGER)
    before = counted.calls
    run_partition(undisturbed, KEY, run_id="bump")
    calls, new = counted.calls - before, undisturbed.slots.current(LEDGER)
    assert old is not None
    assert new is not None
    assert calls > 30, "a run that makes so few calls is not the run this test is about"

    for call in range(1, calls + 1):
        world, store = _world(objects)
        store.die_at(call, has_landed=has_landed)
        with pytest.raises(Killed, match="store call"):
            run_partition(world, KEY, run_id="bump")
        store.live_again()
        seen = world.slots.current(LEDGER)
        assert seen is not None
        assert seen.content_digest in (old.content_digest, new.content_digest), f"torn at call {call}"
        run_partition(world, KEY, run_id="again")
        assert _contents(world) == _contents(undisturbed), f"not healed after call {call}"
        assert store.get(published_key(LEDGER)) == world.slots.load_bytes(new), f"published view stale, call {call}"
        kept = _objects(store)
        assert {k: kept.get(k) for k in objects if k.startswith(("commits/", "blobs/", "journal/entries/"))} == {
            k: v for k, v in objects.items() if k.startswith(("commits/", "blobs/", "journal/entries/"))
        }, f"history changed, call {call}"
