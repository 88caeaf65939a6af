"""What the calendar asks for: runs of periods that have ended and are not reported, and the word on what never came.

It asks as the landing look does, under the same marks, so that neither asks for what the other has asked for. What
does not belong here: what is missing (freshness), and Dagster (orchestration).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mrv_assets.domain.errors import listed
from mrv_assets.pipeline.asking import Decision, RequestedRuns, due
from mrv_assets.pipeline.delivered import LandingRound
from mrv_assets.pipeline.freshness import Freshness, Why, freshness
from mrv_assets.pipeline.landing import not_carried_through
from mrv_assets.pipeline.landing_memory import Memory
from mrv_assets.pipeline.world import World


def look_at_closed_periods(world: World, runs: RequestedRuns, remembered: str | None) -> Decision:
    """Decide which closed periods to run: those without a figure that are delivered whole and have not gone through.

    Raises StoreUnavailable when the store does not answer, and what is Tampering. What is refused is told, and stops
    no other project.
    """
    glance = world.at_a_glance()
    landing = LandingRound(glance, Memory.parse(remembered))
    deliveries = list(landing.deliveries())
    found = freshness(glance, landing)
    missing = {(one.project_id, period.period) for one in found for period in one.missing}
    closed = [replace(d, periods=tuple(p for p in d.periods if (d.project.id, p) in missing)) for d in deliveries]
    pending, refused = not_carried_through(glance, closed)
    asked = due(pending, runs, world.clock())
    notes = (*asked.counts, *_never_came(found), *landing.notes, *refused, *asked.waits)
    return Decision(requests=asked.requests, notes=notes, memory=landing.memory.to_text())


def _never_came(found: Sequence[Freshness]) -> list[str]:
    notes = []
    for one in found:
        missing = [period for period in one.missing if period.why is Why.NO_DELIVERY]
        if missing:
            due = f", due {missing[0].due}" if missing[0].due else ""
            notes.append(f"{one.project_id}: no delivery yet of {listed([m.period for m in missing])}{due}")
    return notes
