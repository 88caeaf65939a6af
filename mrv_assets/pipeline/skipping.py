"""Whether a stage need not run, because what is kept was made from the very same inputs and is still there."""

from __future__ import annotations

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.pipeline.work import Work
from mrv_assets.pipeline.world import World


def why_skipped(world: World, work: Work, current: GenerationRecord | None, *, force: bool) -> str | None:
    """Return why the stage is skipped, None when it has to run; nothing is loaded or computed."""
    if current is None or force or current.inputs_digest != work.inputs_digest:
        return None
    return (work.settled or "inputs unchanged") if world.slots.has_blob(current) else None
