"""Worlds whose journals tell commits, skips and refusals, of electricity, of land in regions and of a planted forest.

What does not belong here: what is exported of them.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any

from openlineage.client.serde import Serde

from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.openlineage.events import events_of
from mrv_assets.pipeline.world import World
from mrv_assets_tests import planted_forest
from mrv_assets_tests.unit.pipeline.located import KEY, NEW, OLD, Release, located_world
from mrv_assets_tests.unit.pipeline.two_releases import bump_world, key
from mrv_assets_tests.world import memory_store, run_partition

RUN = "0f3c5a7d-9b1e-4246-8ace-13579bdf0246"
WEST = "POLYGON ((-94 44, -93.2 44, -93.2 46, -94 46, -94 44))"
EAST = "POLYGON ((-93.2 44, -92 44, -92 46, -93.2 46, -93.2 44))"
ROWS = ("r1,2021,5,-93.3,45.1", "r2,2021,5,-93.1,45.1")
SOURCE = {name: (f"r1,{name},2021,electricity.delivered,MWh,{qty}",) for name, qty in (("anoka", 12.5), ("scott", -1))}


def electricity() -> World:
    """Return a world of two projects: one committed, skipped, bumped and refused a release, one refused by a gate."""
    world = bump_world(source=SOURCE)
    run_partition(world, key("anoka"), run_id=RUN)
    run_partition(world, key("anoka"), run_id="again")
    run_partition(world, key("anoka", "bump-2"), run_id="bump")
    for number, wanted in enumerate((key("scott"), key("anoka", "gone-1"))):
        with suppress(Refusal):
            run_partition(world, wanted, run_id=f"refused-{number}")
    return world


def located() -> World:
    """Return a world whose rows have the regions in which they lie."""
    release = Release(factors={"w": "1", "e": "2"}, regions={"w": WEST, "e": EAST})
    world = located_world(memory_store(), before=release, after=release, rows=ROWS)
    for version in (OLD, NEW):
        run_partition(world, KEY[version], run_id=f"run {version}")
    return world


def forest() -> World:
    """Return the planted forest, whose certificate rests on rule sets and monitoring, run twice."""
    world = planted_forest.opened()
    for run_id in ("first", "second"):
        run_partition(world, planted_forest.KEY, run_id=run_id)
    return world


@cache
def worlds() -> dict[str, World]:
    """Return all of them, run once; only for reading."""
    return {"electricity": electricity(), "located": located(), "forest": forest()}


def told(world: World, entry: JournalEntry) -> list[dict[str, Any]]:
    """Return the events of an entry as they go over the wire, read back."""
    return [Serde.to_dict(event) for event in events_of(entry, world.slots.record, namespace=world.store.uri)]


@cache
def all_told(name: str) -> tuple[dict[str, Any], ...]:
    """Return all events of a world."""
    world = worlds()[name]
    return tuple(event for entry in world.journal.entries() for event in told(world, entry))
