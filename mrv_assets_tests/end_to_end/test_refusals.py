"""A defect is refused by the right gate, stores nothing, and leaves the ledger as it was."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.world import World
from mrv_assets_tests.refusals import KEY, REFUSALS, SOUND_SOURCE, Defect, references
from mrv_assets_tests.world import memory_store, memory_world, outcomes, run_partition


def _stored(world: World) -> dict[str, bytes | None]:
    """Return every object but the journal, which remembers the refusal, by key."""
    return {key: world.store.get(key) for key in world.store.list("") if not key.startswith("journal/")}


def _reported_then_delivered(defect: Defect) -> World:
    """Report a sound figure, then let the defective file (and its project file) arrive over it."""
    landing = memory_store({"source.csv": SOUND_SOURCE})
    sound = memory_world(references=references(), landing=landing)
    assert outcomes(run_partition(sound, KEY)) == [Outcome.COMMITTED] * len(Asset)
    landing.replace("source.csv", defect.source)
    return World.over(
        store=sound.store,
        references=memory_store(references(declared_crs=defect.declared_crs)),
        landing=landing,
        clock=sound.clock,
    )


@pytest.mark.parametrize("defect", [pytest.param(d, id=d.name) for d in REFUSALS])
def test_a_defect_is_refused_by_its_gate_and_the_ledger_stays(defect: Defect) -> None:
    """The named gate is red, no slot from the refusing asset on gains anything, and the journal says refused."""
    world = _reported_then_delivered(defect)
    before = _stored(world)
    with pytest.raises(GateError, match=defect.gate) as refusal:
        run_partition(world, KEY, run_id="poisoned")
    assert refusal.value.gate == defect.gate
    after = _stored(world)
    gained = {key for key in after if key.startswith("commits/") and key not in before}
    assert {key.split("/")[1] for key in gained} <= set(_before(defect.asset))
    assert {key: after[key] for key in before} == before
    last = [event for entry in world.journal.entries() for event in entry.events if event.run_id == "poisoned"][-1]
    assert (last.asset, last.outcome) == (defect.asset, Outcome.REFUSED)
    assert defect.gate in last.reason


@pytest.mark.parametrize("defect", [pytest.param(d, id=d.name) for d in REFUSALS])
def test_a_defect_in_an_empty_store_leaves_it_empty_from_the_refusing_asset_on(defect: Defect) -> None:
    """With nothing reported before, a refused partition has no figure at all, not a partial one."""
    world = memory_world(
        references=references(declared_crs=defect.declared_crs), landing=memory_store({"source.csv": defect.source})
    )
    with pytest.raises(GateError, match=defect.gate):
        run_partition(world, KEY)
    filled = [asset for asset in Asset if world.slots.current(Slot.of(asset, KEY))]
    assert filled == _before(defect.asset)
    assert list(world.store.list("published/")) == []


def _before(asset: Asset) -> list[Asset]:
    order = list(Asset)
    return order[: order.index(asset)]
