"""Keeping the published view at what is current, whoever else is publishing.

What does not belong here: which figure may become current (succession) and what the view looks like (storage).
"""

from __future__ import annotations

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.pipeline.world import World
from mrv_assets.storage.published import is_published, publish


def show(world: World, record: GenerationRecord) -> None:
    """Publish a generation of the ledger, or what has become current since.

    Writes nothing when it is shown already. A writer that was held up between commit and publication would put an
    older figure over a newer one; so each asks again after it has written, and the last one shows what is current.
    """
    slots = world.slots
    if is_published(world.store, record.slot, slots.load_bytes(record)):
        return
    slots.refresh(record.slot)
    shown, newest = None, slots.current(record.slot)
    while newest is not None and newest != shown:
        publish(world.store, newest.slot, slots.load_bytes(newest))
        shown, newest = newest, slots.current(newest.slot)
