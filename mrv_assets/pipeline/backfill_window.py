"""From a window to the partitions of a backfill: for each project its periods, and for each period its factor version.

What does not belong here: what has to be done for them (backfill_plan).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrv_assets.domain.backfill import BackfillRequest
from mrv_assets.domain.digest import Json
from mrv_assets.domain.errors import ContractError, Refusal, listed
from mrv_assets.domain.partition import Asset, PartitionKey, Period
from mrv_assets.domain.project import Project
from mrv_assets.domain.reporting import periods_within
from mrv_assets.domain.run_manifest import Trouble, Unresolved
from mrv_assets.domain.window import Window
from mrv_assets.pipeline.versions import Versions
from mrv_assets.pipeline.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The partitions that a request comes to, by project and in the order of their days, and what came to none.

    `inputs` are the digests of what each project was read with: project file, source, factor releases.
    """

    request: BackfillRequest
    keys: Sequence[PartitionKey]
    unresolved: Sequence[Unresolved]
    inputs: Mapping[str, Mapping[str, str]]

    @property
    def projects(self) -> tuple[str, ...]:
        """The projects that have a partition, sorted."""
        return tuple(sorted({key.project_id for key in self.keys}))

    def window_of(self, project_id: str) -> Window:
        """Return the periods of one project as a window."""
        return Window.parse(",".join(key.period for key in self.keys if key.project_id == project_id))

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON-ready values, to hand from step to step."""
        return {
            "request": self.request.to_json(),
            "keys": [[key.project_id, key.period, key.factor_version] for key in self.keys],
            "unresolved": [one.to_json() for one in self.unresolved],
            "inputs": {project: dict(found) for project, found in self.inputs.items()},
        }

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> Resolved:
        """Read what `to_json` wrote."""
        return cls(
            request=BackfillRequest.from_json(d["request"]),
            keys=tuple(PartitionKey(project_id=p, period=t, factor_version=v) for p, t, v in d["keys"]),
            unresolved=tuple(Unresolved.from_json(one) for one in d["unresolved"]),
            inputs=d["inputs"],
        )


def resolve(world: World, request: BackfillRequest) -> Resolved:
    """Name the partitions of a request. A project or period that is refused is told and stops no other one.

    A project reports in periods of one length; a longer item of the window stands for those that lie in it, and one
    that is shorter is refused. A monitoring period that has activity stands for the days that it covers. Raises
    ContractError when the request comes to nothing at all, and StoreUnavailable when a store does not answer.
    """
    wanted = _Wanted(world, request)
    keys = [key for project_id in wanted.project_ids for key in wanted.keys(project_id)]
    if not keys and not wanted.unresolved:
        raise _nothing(request)
    return Resolved(request=request, keys=tuple(keys), unresolved=tuple(wanted.unresolved), inputs=wanted.inputs)


class _Wanted:
    """A request on its way to partitions; `unresolved` is what was refused on it."""

    def __init__(self, world: World, request: BackfillRequest) -> None:
        self.unresolved: list[Unresolved] = []
        self.inputs: dict[str, Mapping[str, str]] = {}
        self.project_ids = tuple(request.projects) or world.references.project_ids()
        self._world = world
        self._request = request
        self._versions = Versions(world.references)
        self._spans = _spans(world)
        self._sources: dict[str, Mapping[str, str]] = {}

    def keys(self, project_id: str) -> Iterator[PartitionKey]:
        """Yield the partitions of a project."""
        try:
            project = self._world.references.project(project_id)
            periods = _periods(project, self._request.window, self._spans.get(project_id, ()))
        except Refusal as refusal:
            self._tell(project_id, None, refusal)
            return
        keys = [key for period in periods if (key := self._key(project, period))]
        self.inputs[project_id] = self._inputs(project, keys)
        yield from keys

    def _key(self, project: Project, period: str) -> PartitionKey | None:
        try:
            version = self._request.factor_version
            if self._request.follows:
                version = self._versions.to_run(project, period)
            else:
                self._world.references.factor_release(version)  # refused here, before Dagster knows of the partition
            return PartitionKey(project_id=project.id, period=period, factor_version=version)
        except Refusal as refusal:
            self._tell(project.id, period, refusal)
            return None

    def _inputs(self, project: Project, keys: Sequence[PartitionKey]) -> dict[str, str]:
        """Return what is found now, by kind; what is missing is told by the partitions that need it."""
        found = {"project": project.digest, **self._source(project.source.path)}
        for version in sorted({key.factor_version for key in keys}):
            try:
                found[f"factor_release {version}"] = self._world.references.factor_release(version).digest
            except Refusal:
                continue  # the partitions of this version are refused for it, with its words
        return found

    def _source(self, path: str) -> Mapping[str, str]:
        """Return digest and version of a source file, which many projects may share."""
        if path not in self._sources:
            try:
                source = self._world.landing.fetch(path)
                self._sources[path] = {"source": source.sha256, "source_version": source.version}
            except Refusal:
                self._sources[path] = {}  # likewise
        return self._sources[path]

    def _tell(self, project_id: str, period: str | None, refusal: Refusal) -> None:
        self.unresolved.append(Unresolved(project_id=project_id, period=period, trouble=Trouble.of(refusal)))


def _periods(project: Project, window: Window, spans: Sequence[Period]) -> list[str]:
    """Return the reporting periods of a window, and in their place the monitoring periods that lie in it."""
    asked = [span for span in spans if span.is_covered(window.periods)]
    cut = [span for span in spans if span not in asked and window.touches(span)]
    if cut:
        raise _cut(project, window, cut)
    for item in window.periods:
        for period in periods_within(item, project.reporting) or _refused(project, item):
            if not any(period.overlaps(span) for span in asked):
                asked.append(period)
    return [period.text for period in sorted(asked, key=lambda one: (one.first, one.last))]


def _spans(world: World) -> dict[str, list[Period]]:
    """Return the monitoring periods that have activity, by project."""
    found: dict[str, list[Period]] = {}
    for slot in world.slots.listed(Asset.ACTIVITY):
        if "_" in slot.period:
            found.setdefault(slot.project_id, []).append(Period.parse(slot.period))
    return found


def _refused(project: Project, item: Period) -> list[Period]:
    if "_" in item.text:
        return [item]  # a monitoring period is what its name says
    raise ContractError(
        "project does not report in periods that short",
        where=f"project {project.id}, window item {item}",
        expected=f"items of at least a {project.reporting}, as the project reports",
        found=str(item),
        remedy="widen the window, or leave the project out; to report in other periods change `reporting` first",
    )


def _cut(project: Project, window: Window, spans: Sequence[Period]) -> ContractError:
    return ContractError(
        "window holds a part of a monitoring period",
        where=f"project {project.id}, window {window}",
        expected="monitoring periods whole, or none of their days",
        found=listed(spans),
        remedy="widen or narrow the window, or leave the project out",
    )


def _nothing(request: BackfillRequest) -> ContractError:
    return ContractError(
        "backfill comes to no partition",
        where=f"window {request.window}",
        expected="a project under the reference data",
        found="none",
        remedy="put a project file into reference_data/projects, or point MRV_REFERENCE at the reference data",
    )
