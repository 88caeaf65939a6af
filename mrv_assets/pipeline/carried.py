"""Whether what a delivery says of a partition has gone all the way to the ledger, asked of the store alone.

What does not belong here: computing anything, and whose delivery it is (landing).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.succession import standing
from mrv_assets.pipeline.world import World

DELIVERED = frozenset({"source", "project", "stac_item"})
"""The kinds of inputs that are delivered or said of a delivery; boundaries and code are not."""


def is_made_from(world: World, key: PartitionKey, delivered: Mapping[str, str]) -> bool:
    """Tell whether the current activity was made from what was delivered, digests by kind, and from nothing else.

    It need not be when a newer file says the same of the partition: equal content adds no generation.
    """
    activity = world.slots.current(Slot.of(Asset.ACTIVITY, key))
    return activity is not None and delivered == {
        ref.kind: ref.digest for ref in activity.inputs if ref.kind in DELIVERED
    }


def made_at(world: World, key: PartitionKey) -> datetime | None:
    """Return when the current activity was written, None when there is none."""
    activity = world.slots.current(Slot.of(Asset.ACTIVITY, key))
    return None if activity is None else datetime.fromisoformat(activity.written_utc)


def is_carried_through(world: World, key: PartitionKey) -> bool:
    """Tell whether the current activity is certified for this factor version, and reported or held.

    It is not when a run ended half-way, which leaves an older certificate behind a newer activity, or an older figure
    behind a newer certificate; nor when the newer activity comes to the same strata, which leaves the certificate as
    it is.
    """
    activity = world.slots.current(Slot.of(Asset.ACTIVITY, key))
    certificate = world.slots.current(Slot.of(Asset.CERTIFICATE, key))
    if activity is None or certificate is None or not _rests_on(certificate, activity):
        return False
    ledger = world.slots.current(Slot.of(Asset.LEDGER, key))
    is_reported = ledger is not None and _rests_on(ledger, certificate)
    return is_reported or standing(world, key).hold is not None


def _rests_on(record: GenerationRecord, upstream: GenerationRecord) -> bool:
    """Compare by content: a new generation of the same content, which new gates make, moves nothing behind it."""
    return (upstream.slot, upstream.content_digest) in {(ref.slot, ref.content_digest) for ref in record.upstream}
