"""What a backfill leaves to forward: the ledger entries that it corrected, and the credits that rest on what they were.

Forwarding them to a registry is a person's act; what the registry then shows comes back with `mrv registry attach`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mrv_assets.domain.registry import Issuance
from mrv_assets.domain.run_manifest import PartitionDone, RunManifest
from mrv_assets.pipeline.world import World
from mrv_assets.storage.registry_records import read_registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A figure that moved, and the blocks of credits that were issued on the certificate it had before."""

    partition: PartitionDone
    credits: Sequence[str]


def corrections(world: World, manifest: RunManifest) -> tuple[Correction, ...]:
    """Return every figure that the run changed, first ones and those of the same tonnes included.

    Raises what `read_registry` raises.
    """
    moved = [done for done in manifest.partitions if done.has_changed]
    if not moved:
        return ()
    issued: dict[str, list[str]] = {}
    for record in read_registry(world.store):
        if isinstance(record.entry, Issuance):
            issued.setdefault(record.entry.certificate_sha256, []).append(str(record.entry.block))
    return tuple(
        Correction(partition=done, credits=tuple(issued.get(done.before.certificate_sha256, ())) if done.before else ())
        for done in moved
    )
