"""What the rows of one period would become, by the stages and gates of a run, up to normalized; nothing is kept.

What does not belong here: what the source file is and holds (preview), and keeping content (run).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.contract import ACTIVITY, NORMALIZED, Contract
from mrv_assets.domain.errors import GateError, Refusal
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.domain.project import Project
from mrv_assets.domain.staged import Staged
from mrv_assets.pipeline.cases import case_of, refusal_by
from mrv_assets.pipeline.threads import on_all_cores
from mrv_assets.pipeline.world import World
from mrv_assets.stages.ingest import ingest
from mrv_assets.stages.land import land_box
from mrv_assets.stages.normalize import normalize
from mrv_assets.storage.references import BoundaryFeature
from mrv_assets.storage.sources import SourceFile

# Activity and normalized do not depend on factors, so any canonical version names their slots.
_ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePreview:
    """What one stage would make of a partition, and what every gate says of it.

    `staged` is None when the stage refused, `content_digest` is None unless every gate passed. `current` is the
    generation that the slot holds now.
    """

    slot: Slot
    current: GenerationRecord | None
    staged: Staged | None = None
    gates: tuple[GateOutcome, ...] = ()
    content_digest: str | None = None
    refusal: Refusal | None = None

    @property
    def is_new(self) -> bool:
        """Whether this is content, and another than the slot holds now."""
        return self.content_digest is not None and (
            self.current is None or self.current.content_digest != self.content_digest
        )


def preview_stages(
    world: World, project: Project, period: Period, source: SourceFile, boundary: BoundaryFeature
) -> tuple[StagePreview, ...]:
    """Return what activity would become, and normalized after it when a run would get so far.

    A refusal is told in the answer. Raises StoreUnavailable when the store does not say what it holds now.
    """
    key = PartitionKey(project_id=project.id, period=period.text, factor_version=_ANY)

    def make_activity() -> Staged:
        return ingest(
            source.data,
            project=project,
            period=period,
            boundary=boundary.geometry,
            boundary_crs=boundary.tagged_crs,
        )

    activity = _stage(world, key, ACTIVITY, make_activity, upstream={})
    if activity.refusal is not None or activity.staged is None:
        return (activity,)
    rows, where = activity.staged.table, str(Slot.of(Asset.NORMALIZED, key))

    def make_normalized() -> Staged:
        land = land_box(project, boundary.geometry, boundary_crs=boundary.tagged_crs, where=where)
        return normalize(rows, source=project.source, policy=project.crs, land=land, where=where, each=on_all_cores)

    return activity, _stage(world, key, NORMALIZED, make_normalized, upstream={Asset.ACTIVITY: rows})


def _stage(
    world: World,
    key: PartitionKey,
    contract: Contract,
    make: Callable[[], Staged],
    *,
    upstream: Mapping[Asset, pa.Table],
) -> StagePreview:
    slot = Slot.of(contract.asset, key)
    seen = StagePreview(slot=slot, current=world.slots.current(slot))
    try:
        staged = make()
    except GateError as refusal:
        return replace(seen, gates=(GateOutcome.from_error(refusal),), refusal=refusal)
    except Refusal as refusal:
        return replace(seen, refusal=refusal)
    case = case_of(key, staged, current=seen.current, upstream=upstream, upstream_gates={})
    gates = judge_all(contract.asset, case)
    red = [gate for gate in gates if not gate.passed]
    return replace(
        seen,
        staged=staged,
        gates=gates,
        content_digest=None if red else contract.digest(staged.table),
        refusal=refusal_by(red, slot) if red else None,
    )
