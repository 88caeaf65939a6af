"""Whether what a delivery says of a partition has gone all the way to the ledger, asked of the store alone.

What does not belong here: computing anything, and who asks for what is missing (landing, bump).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.promotion import promotion
from mrv_assets.pipeline.withdrawn import live_record
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


def is_carried_through(world: World, key: PartitionKey) -> bool:
    """Tell whether the current activity is certified for this factor version, and reported or held.

    It is not when a run ended half-way, which leaves an older certificate behind a newer activity, or an older figure
    behind a newer certificate; nor when the newer activity comes to the same strata, which leaves the certificate as
    it is.
    """
    certificate = certified(world, key)
    return certificate is not None and _is_reported_or_held(world, key, certificate)


def certified(world: World, key: PartitionKey) -> GenerationRecord | None:
    """Return the certificate of the partition's current activity, None while there is none."""
    certificate = world.slots.current(Slot.of(Asset.CERTIFICATE, key))
    if certificate is None or not _rests_on(world, certificate, Slot.of(Asset.ACTIVITY, key)):
        return None
    return certificate


def settled_after(world: World, key: PartitionKey) -> datetime | None:
    """Return the instant after which a run that ended well has left nothing to do, though the store cannot show it.

    That is when the current activity was written: a run that began later and ended well has found the certificate to
    be right as it is. None while there is no certificate, or one that is neither reported nor held: then something is
    missing, whatever a run says of itself.
    """
    certificate = world.slots.current(Slot.of(Asset.CERTIFICATE, key))
    if certificate is None or not _is_reported_or_held(world, key, certificate):
        return None
    activity = world.slots.current(Slot.of(Asset.ACTIVITY, key))
    return None if activity is None else datetime.fromisoformat(activity.written_utc)


def _is_reported_or_held(world: World, key: PartitionKey, certificate: GenerationRecord) -> bool:
    ledger = live_record(world.slots, Slot.of(Asset.LEDGER, key))
    is_reported = ledger is not None and _rests_on(world, ledger, certificate.slot)
    return is_reported or promotion(world, key, certificate).hold is not None


def _rests_on(world: World, record: GenerationRecord, upstream: Slot) -> bool:
    """Compare by content: a new generation of the same content, which new gates make, moves nothing behind it.

    When it is the same generation it is the same content, and its record is not read.
    """
    for ref in record.upstream:
        if ref.slot == upstream:
            newest = world.slots.newest(upstream)
            is_newest = newest == ref.generation
            return is_newest or (
                newest > 0 and world.slots.record(upstream, newest).content_digest == ref.content_digest
            )
    return False
