"""Which certificate a new one takes the place of, so that the statement itself can say it.

The predecessor is history and not an input: making the same certificate again, forced or after a change that moves no
number, names the predecessor that it named before. What does not belong here: whether the ledger moves (promotion).
"""

from __future__ import annotations

from dataclasses import replace

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.promotion import reported
from mrv_assets.pipeline.succession import standing
from mrv_assets.pipeline.world import World


def superseding(world: World, certificate: Certificate) -> Certificate:
    """Return the certificate with the sha256 of the one that it takes the place of.

    That is the current certificate of the partition where the new one says something else; for the first of its factor
    version it is the one behind the reported figure, as far as the ledger would move.
    """
    current = world.slots.current(Slot.of(Asset.CERTIFICATE, certificate.key))
    if current is None:
        return replace(certificate, supersedes=_reported(world, certificate.key))
    where = f"{current.slot}, generation {current.generation}"
    before = Certificate.from_bytes(world.slots.load_bytes(current), where=where)
    again = replace(certificate, supersedes=before.supersedes)
    return again if again.sha256 == current.content_digest else replace(certificate, supersedes=current.content_digest)


def _reported(world: World, key: PartitionKey) -> str | None:
    ledger = world.slots.current(Slot.of(Asset.LEDGER, key))
    stands = standing(world, key, ledger)
    if ledger is None or ledger.withdrawal is not None or stands.hold is not None or stands.rival is not None:
        return None
    return reported(world, ledger).certificate_sha256
