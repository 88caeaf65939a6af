"""What the landing place asks for: runs of partitions whose delivery is there and whose figure does not rest on it yet.

The store alone tells what is done. What does not belong here: reading the deliveries (delivered), when to ask again
(asking), and Dagster (orchestration).
"""

from __future__ import annotations

from collections.abc import Iterable

from mrv_assets.domain.errors import Refusal, Transient
from mrv_assets.domain.partition import PartitionKey, Period
from mrv_assets.pipeline.asking import Decision, Pending, RequestedRuns, due
from mrv_assets.pipeline.carried import is_carried_through, is_made_from, settled_after
from mrv_assets.pipeline.delivered import Delivered, LandingRound
from mrv_assets.pipeline.landing_memory import Memory
from mrv_assets.pipeline.versions import Versions
from mrv_assets.pipeline.world import World


def look_at_landing(world: World, runs: RequestedRuns, remembered: str | None) -> Decision:
    """Decide which partitions to run. Raises StoreUnavailable when the store does not answer, and what is Tampering.

    A source, project or factor line that is refused or cannot be had now is told, and stops no other one. The mark of a
    request names the bytes of file and project.
    """
    glance = world.at_a_glance()
    landing = LandingRound(glance, Memory.parse(remembered))
    pending, refused = not_carried_through(glance, landing.deliveries())
    asked = due(pending, runs, world.clock())
    notes = (*asked.counts, *landing.notes, *refused, *asked.waits)
    return Decision(requests=asked.requests, notes=notes, memory=landing.memory.to_text())


def not_carried_through(world: World, deliveries: Iterable[Delivered]) -> tuple[list[Pending], list[str]]:
    """Return what has not gone through to the ledger, the oldest first, and what was refused on the way."""
    versions = Versions(world.references)
    found: list[tuple[str, Pending]] = []
    notes: dict[str, None] = {}
    for delivered in deliveries:
        for period in _periods_over(world, delivered):
            try:
                pending = _pending_of(world, delivered, period, versions)
            except (Refusal, Transient) as error:
                notes[f"{delivered.project.id}: {error}"] = None
                continue
            if pending is not None:
                found.append((delivered.source.modified_utc, pending))
    found.sort(key=lambda one: (one[0], one[1].key.period, one[1].key))
    return [pending for _, pending in found], list(notes)


def _periods_over(world: World, delivered: Delivered) -> list[str]:
    today = world.clock().date()
    return [period for period in delivered.periods if Period.parse(period).last < today]


def _pending_of(world: World, delivered: Delivered, period: str, versions: Versions) -> Pending | None:
    """Return a partition whose activity was not made from the delivery, or has not gone through to the ledger."""
    project = delivered.project
    key = PartitionKey(project_id=project.id, period=period, factor_version=versions.to_run(project, period))
    if is_carried_through(world, key) and is_made_from(world, key, delivered.digests):
        return None
    return Pending(key=key, mark=(delivered.name,), settled_after=settled_after(world, key))
