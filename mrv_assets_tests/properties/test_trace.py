"""Whatever was run, in whatever order: a trace holds every record upstream, exactly those, and is the same again."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.pipeline.trace import trace
from mrv_assets.pipeline.world import World
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.unit.pipeline.small_store import ANOKA, CARVER, RESTATED, world_over
from mrv_assets_tests.world import memory_store, run_partition

runs = st.lists(st.tuples(st.sampled_from([ANOKA, CARVER, RESTATED]), st.booleans()), min_size=1, max_size=4)


def upstream(world: World, record: GenerationRecord) -> set[str]:
    """Return the keys of a record and of every record upstream, by plain recursion."""
    found = {record_key(record.slot, record.generation)}
    for ref in record.upstream:
        found |= upstream(world, world.slots.record(ref.slot, ref.generation))
    return found


@settings(max_examples=6)
@given(runs=runs)
def test_every_record_upstream_is_a_node(runs: list[tuple[PartitionKey, bool]]) -> None:
    """Of each certificate of the store: its upstream, its inputs, and the run of each record."""
    world = world_over(memory_store())
    for number, (key, force) in enumerate(runs):
        run_partition(world, key, run_id=f"run-{number}", force=force)
    for slot, newest in world.slots.list_slots(asset=Asset.CERTIFICATE):
        record = world.slots.record(slot, newest)
        found = trace(world, f"{slot.project_id} {slot.period} {slot.factor_version}")
        [start] = found.starts
        assert found.breaks == ()
        reached = found.above(start) | {start}
        keys = upstream(world, record)
        assert keys <= reached
        for id_ in keys:
            node = found.node(id_)
            assert node.entries
            assert f"run {node.facts['run_id']}" in reached
        assert {f"{ref.kind} {ref.name} {ref.digest}" for ref in record.inputs} <= reached
        again = trace(world, record.content_digest)
        assert json.dumps(again.to_json()["nodes"]) == json.dumps(found.to_json()["nodes"])
