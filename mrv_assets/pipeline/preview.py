"""What a project's source file is and would become, found out without keeping anything.

What does not belong here: the way of one period through the stages (stage_preview) and keeping content (run).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mrv_assets.domain.errors import GateError, Refusal
from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import Project
from mrv_assets.domain.source import DeclaredCrs
from mrv_assets.pipeline.source_reading import SourceReading, read_source
from mrv_assets.pipeline.stage_preview import StagePreview, preview_stages
from mrv_assets.pipeline.world import World
from mrv_assets.stages.crs import declared_crs
from mrv_assets.stages.formats.column_names import column_names
from mrv_assets.storage.references import BoundaryFeature
from mrv_assets.storage.sources import SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A project's source file: its identity, what it holds, and what one period of it would become.

    `boundary_tag` is the CRS that the boundary file says it has. `columns` are the names of all columns of the file.
    `reading`, `columns` and `crs` are missing as far as the file was refused before; `refusal` is the first. `stages`
    are activity and, once it has passed, normalized; none when no period was asked for.
    """

    project: Project
    identity: Mapping[str, str]
    boundary_tag: str | None
    columns: tuple[str, ...] = ()
    reading: SourceReading | None = None
    crs: DeclaredCrs | None = None
    stages: tuple[StagePreview, ...] = ()
    refusal: Refusal | None = None


def preview(world: World, project_id: str, period: str | None = None) -> Preview:
    """Look at the source file of a project, and with `period` at what a run would make of it up to normalized.

    Nothing is written, whatever is found. A refusal of the file is told in the answer; ContractError is raised when
    there is no such project, boundary or file, IdentityError for a period that is not canonical, and StoreUnavailable
    when a store does not answer.
    """
    project = world.references.project(project_id)
    span = None if period is None else Period.parse(period)
    source, boundary = world.landing.fetch(project.source.path), world.references.boundary(project)
    seen = _looked_at(source, project, boundary)
    if span is None:
        return seen
    stages = preview_stages(world, project, span, source, boundary)
    refusals = [stage.refusal for stage in stages if stage.refusal is not None]
    return replace(seen, stages=stages, refusal=seen.refusal or next(iter(refusals), None))


def _looked_at(source: SourceFile, project: Project, boundary: BoundaryFeature) -> Preview:
    seen = Preview(project=project, identity=source.identity, boundary_tag=boundary.tagged_crs)
    where = f"{project.id}, source {project.source.path}"
    try:
        reading = read_source(source.data, project, where=where)
        seen = replace(seen, reading=reading, columns=column_names(source.content, project.source, where=where))
        crs = declared_crs(project, tagged=reading.tag, boundary_crs=boundary.tagged_crs, where=where)
    except GateError as refusal:
        columns = seen.columns or _columns_all_the_same(source, project, refusal, where)
        return replace(seen, columns=columns, refusal=refusal)
    return replace(seen, crs=crs)


def _columns_all_the_same(source: SourceFile, project: Project, refusal: GateError, where: str) -> tuple[str, ...]:
    """Return the columns of a file that lacks a mapped one: a mapping is corrected by looking at them."""
    if refusal.gate != "columns_present":
        return ()
    try:
        return column_names(source.content, project.source, where=where)
    except GateError:
        return ()
