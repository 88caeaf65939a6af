"""What the factor releases ask for: runs of partitions that the version to report was not carried through yet.

Every period that has activity is looked at anew each time, and the store alone tells what is done. What does not belong
here: which version is meant (versions), when to ask again (asking), and Dagster (orchestration).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from itertools import groupby

from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import MrvError, Refusal, Transient
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.project import Project
from mrv_assets.pipeline.asking import Decision, Mark, Pending, RequestedRuns, due
from mrv_assets.pipeline.carried import is_carried_through, settled_after
from mrv_assets.pipeline.versions import Versions
from mrv_assets.pipeline.withdrawn import silence
from mrv_assets.pipeline.world import World
from mrv_assets.storage.withdrawals import ever_withdrawn

WORKED = timedelta(seconds=20)
"""After so long no other project is begun; the next look goes on there. Dagster ends a look after a minute."""

_NAMED = 32  # hex digits of a digest in a mark


def look_at_factors(world: World, runs: RequestedRuns, remembered: str | None) -> Decision:
    """Decide which partitions to run, from one listing of the store and each record at most once.

    A project, line, pin or release that is refused is told, and stops no other one. What is remembered is the project
    whose turn it is. The mark of a request names the factor release with its GWP set, then the content of the activity.
    Raises StoreUnavailable when the store does not answer, and what is Tampering.
    """
    look = _Look(world.at_a_glance())
    pending = sorted(look.pending(remembered or ""), key=lambda one: (one.key.period, one.key))
    asked = due(pending, runs, world.clock())
    return Decision(requests=asked.requests, notes=(*asked.counts, *look.notes, *asked.waits), memory=look.stopped_at)


class _Look:
    """One pass over all activity. `notes` are what was refused on the way, each once.

    `stopped_at` is the project that was not reached any more, empty when all were.
    """

    def __init__(self, world: World) -> None:
        self.notes: dict[str, None] = {}
        self.stopped_at = ""
        self._world = world
        self._versions = Versions(world.references)
        self._doubtful = cache(lambda: ever_withdrawn(world.store))

    def pending(self, begin: str) -> Iterator[Pending]:
        """Yield what was not carried through with the version that the ledger should show, project by project."""
        started, activities = self._world.clock(), self._activities()
        for number, project_id in enumerate(sorted(activities, key=lambda name: (name < begin, name))):
            if number and self._world.clock() - started > WORKED:
                self.stopped_at = project_id
                self.notes[f"projects that are left for the next look: {len(activities) - number}"] = None
                return
            project = self._project(project_id)
            if project is not None:
                found = (self._pending_of(project, slot) for slot in activities[project_id])
                yield from (pending for pending in found if pending is not None)

    def _activities(self) -> dict[str, list[Slot]]:
        """Return the slots that have activity by project."""
        slots = sorted(self._world.slots.listed(Asset.ACTIVITY))
        return {name: list(of_one) for name, of_one in groupby(slots, key=lambda slot: slot.project_id)}

    def _project(self, project_id: str) -> Project | None:
        try:
            return self._world.references.project(project_id)
        except (Refusal, Transient) as error:
            self._tell(project_id, error)
            return None

    def _pending_of(self, project: Project, activity: Slot) -> Pending | None:
        release = self._wanted(project, activity.period)
        if release is None:
            return None
        key = PartitionKey(project_id=project.id, period=activity.period, factor_version=release.version)
        try:
            if is_carried_through(self._world, key) or self._is_withdrawn(key):
                return None
            after = settled_after(self._world, key)
        except Refusal as refusal:
            self._tell(project.id, refusal)
            return None
        return Pending(key=key, mark=_mark(self._world, release, activity), settled_after=after)

    def _is_withdrawn(self, key: PartitionKey) -> bool:
        """Tell whether the figure was withdrawn and may not return: other factors are no reason to run it."""
        slot = Slot.of(Asset.LEDGER, key)
        if slot not in self._doubtful():
            return False
        found = silence(self._world.store, self._world.slots.current(slot))
        return found is not None and found.hold is not None

    def _wanted(self, project: Project, period: str) -> FactorRelease | None:
        """Return the release that the ledger should show; None when that is none, or cannot be told now."""
        try:
            version = self._versions.to_report(project, period)
            return None if version is None else self._world.references.factor_release(version)
        except (Refusal, Transient) as error:
            self._tell(project.id, error)
            return None

    def _tell(self, project_id: str, error: MrvError) -> None:
        self.notes[f"{project_id}: {error}"] = None


def _mark(world: World, release: FactorRelease, slot: Slot) -> Mark:
    """Name what a run is requested for: by other factors, or other activity, it is another one."""
    activity = world.slots.current(slot)
    pinned = sha256_hex(canonical_json([release.digest, release.gwp.digest]))
    return (pinned[:_NAMED], activity.content_digest[:_NAMED] if activity else "")
