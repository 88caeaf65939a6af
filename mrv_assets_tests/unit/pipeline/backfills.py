"""A backfill without Dagster: resolve, diagnose, plan, carry in chunks, validate and gather, as the job's steps do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from mrv_assets.domain.backfill import BackfillRequest
from mrv_assets.domain.run_manifest import PartitionDone, RunManifest
from mrv_assets.pipeline.backfill import done, walk
from mrv_assets.pipeline.backfill_checks import diagnose, publish_again, validate
from mrv_assets.pipeline.backfill_manifest import keep
from mrv_assets.pipeline.backfill_plan import PartitionPlan, plan_partitions
from mrv_assets.pipeline.backfill_window import resolve
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.clock import utc_text


def asked(window: str = "2021", *projects: str, **what: object) -> BackfillRequest:
    """A request over a window; no projects are all of them."""
    return BackfillRequest.of(projects=projects, window=window, **what)  # type: ignore[arg-type]


def planned(world: World, request: BackfillRequest) -> list[PartitionPlan]:
    """The plan of a request."""
    glance = world.at_a_glance()
    resolved = resolve(glance, request)
    unhashed = diagnose(glance, resolved).unhashed
    assets, force = request.mode.assets, request.force
    return list(plan_partitions(glance, resolved.keys, assets=assets, force=force, unhashed=unhashed))


def backfill(
    world: World, request: BackfillRequest, *, run_id: str = "backfill", goes_on_from: Sequence[str] = ()
) -> RunManifest:
    """Carry out a request and return its manifest, which is kept."""
    glance = world.at_a_glance()
    resolved = resolve(glance, request)
    diagnosis = diagnose(glance, resolved)
    publish_again(world, diagnosis)
    partitions: list[PartitionDone] = []
    with closing(Run(glance, run_id=run_id)) as run:
        for key in resolved.keys:
            force = request.force or (key.project_id, key.period) in diagnosis.unhashed
            walked = walk(run, key, assets=request.mode.assets, force=force)
            partitions.append(done(glance, walked, runs={run_id, *goes_on_from}))
    manifest = RunManifest(
        run_id=run_id,
        request=request,
        started_utc=utc_text(world.clock()),
        finished_utc=utc_text(world.clock()),
        inputs=resolved.inputs,
        remedied=diagnosis.remedied,
        partitions=tuple(partitions),
        unresolved=resolved.unresolved,
        findings=validate(world.at_a_glance(), resolved, partitions, diagnosis=diagnosis),
    )
    return keep(world, manifest, parent=None).manifest
