"""One round through the landing place: each source file is read at most once, and not at all when it looks the same.

It is parsed once for all projects that map it alike. A file that is refused, or cannot be had now, is told and stops no
other one. What does not belong here: what is asked for (landing).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import Refusal, Transient, listed
from mrv_assets.domain.project import Project
from mrv_assets.pipeline.coverage import SourceEpochs, coverage
from mrv_assets.pipeline.landing_memory import Finding, KnownSource, Memory
from mrv_assets.pipeline.world import World
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.sources import Look

RESTED = timedelta(seconds=30)
"""How long nobody may have written to a file before it is read: a copy under way looks like a short file."""

WORKED = timedelta(seconds=20)
"""After so long no other file is begun; the next round goes on there. Dagster ends a round after a minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What a source file holds for one project: its reporting periods that are covered whole."""

    project: Project
    source: KnownSource
    periods: tuple[str, ...]

    @property
    def digests(self) -> Mapping[str, str]:
        """The digests of everything that was delivered, by the kind that a record calls it."""
        item = {"stac_item": self.source.item} if self.source.item else {}
        return {"source": self.source.sha256, "project": self.project.digest, **item}

    @property
    def name(self) -> str:
        """A short name for these very bytes."""
        return sha256_hex(canonical_json(self.digests))[:32]


class LandingRound:
    """A round that begins where the last one stopped; `notes` are what a person should know, once it is over.

    `left` are the source files that it did not get to.
    """

    def __init__(self, world: World, remembered: Memory) -> None:
        self.notes: list[str] = []
        self.left: frozenset[str] = frozenset()
        self._world = world
        self._before = remembered
        self._known: dict[str, KnownSource] = {}
        self._begin = ""

    @property
    def memory(self) -> Memory:
        """What the next round need not find out again, of this round and of the last one."""
        return Memory(begin=self._begin, sources=self._known)

    def deliveries(self) -> Iterator[Delivered]:
        """Yield what is delivered, source file by source file, until all are seen or the round has taken too long."""
        projects, started = self._projects(), self._world.clock()
        self._known = {path: known for path, known in self._before.sources.items() if path in projects}
        paths = sorted(projects, key=lambda path: (path < self._before.begin, path))
        for number, path in enumerate(paths):
            if number and self._world.clock() - started > WORKED:
                self._begin = path
                self.left = frozenset(paths[number:])
                self.notes.append(f"source files that are left for the next look: {len(paths) - number}")
                return
            yield from self._delivered_in(path, projects[path])

    def _projects(self) -> dict[str, list[Project]]:
        """Return the projects by the path of their source."""
        found: dict[str, list[Project]] = {}
        for project_id in self._world.references.project_ids():
            try:
                project = self._world.references.project(project_id)
            except (Refusal, Transient) as error:
                self.notes.append(str(error))
                continue
            found.setdefault(project.source.path, []).append(project)
        return found

    def _delivered_in(self, path: str, projects: Sequence[Project]) -> Iterator[Delivered]:
        try:
            known = self._known_source(path, projects)
        except (Refusal, Transient) as error:
            self.notes.append(str(error))
            return
        if known is None:
            return
        self._known[path] = known
        if known.refusal:
            self.notes.append(known.refusal)
            return
        for project in projects:
            finding = known.findings[project.id]
            self._tell(project, finding)
            yield Delivered(project=project, source=known, periods=finding.whole)

    def _known_source(self, path: str, projects: Sequence[Project]) -> KnownSource | None:
        """Return what the file holds, from memory when no file changed that matters; None while it is too young."""
        look = self._world.landing.look(path)
        known = self._known.get(path)
        if known is not None and known.mark == look.mark and known.answers(projects):
            return known
        if timedelta() <= self._world.clock() - look.modified < RESTED:
            self.notes.append(f"{path} was changed a moment ago; it is read when it has rested for {RESTED.seconds} s")
            return None
        return self._read(path, look, projects)

    def _read(self, path: str, look: Look, projects: Sequence[Project]) -> KnownSource:
        source = self._world.landing.fetch(path)
        known = KnownSource(
            mark=look.mark,
            sha256=source.sha256,
            item=source.identity.get("source_stac_sha256", ""),
            modified_utc=utc_text(look.modified),
        )
        try:
            data = source.data
        except Refusal as refusal:
            return replace(known, refusal=str(refusal))
        epochs = SourceEpochs(data)
        return replace(known, findings={project.id: _finding(epochs, project) for project in projects})

    def _tell(self, project: Project, finding: Finding) -> None:
        if finding.refusal:
            self.notes.append(finding.refusal)
        if finding.unusable:
            self.notes.append(
                f"{project.id}: epochs {listed(finding.unusable)} of {project.source.path} lie in no single"
                f" {project.reporting}, as it reports; nothing is asked for by them"
            )
        if finding.partial:
            self.notes.append(f"{project.id}: {project.source.path} covers only a part of {listed(finding.partial)}")


def _finding(epochs: SourceEpochs, project: Project) -> Finding:
    try:
        found = coverage(epochs.of(project), project.reporting)
    except Refusal as refusal:
        return Finding(project=project.digest, refusal=str(refusal))
    return Finding(project=project.digest, whole=found.whole, partial=found.partial, unusable=found.unusable)
