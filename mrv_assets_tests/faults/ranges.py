"""A range of partitions in one run: Dagster would call all of them done, so it is refused before any write."""

from __future__ import annotations

from dagster import BackfillPolicy, DagsterEventType, ExecuteInProcessResult

from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets_tests.faults.figures import LEDGER, OLD, reported, sealed, world_over
from mrv_assets_tests.faults.line import Injury, Line, State, summed
from mrv_assets_tests.faults.partial_runs import KEYS
from mrv_assets_tests.faults.retries import figure_of_users, given, range_tags, run_range, run_users_asset
from mrv_assets_tests.world import memory_store

REFUSAL = "run covers more or less than one partition"


def single_run_ranges() -> Line:
    """Ask for four partitions in one run: of our own assets, and of a user's asset over our IO manager."""
    ours, theirs = world_over(memory_store()), world_over(memory_store())
    run = Run(theirs, run_id="before")
    for upstream in list(Asset)[:-1]:
        run.advance(upstream, OLD)
    run.close()
    before = sealed(theirs.store)
    injuries = [_injury(ours, run_range(ours, KEYS), {})]
    with given(theirs):
        users = figure_of_users(BackfillPolicy.single_run())
        injuries.append(_injury(theirs, run_users_asset(users, keys=KEYS, tags=range_tags(KEYS)), before))
    return summed("BackfillPolicy.single_run over 4 partitions", injuries, shown="refused before any write")


def _injury(world: World, result: ExecuteInProcessResult, before: dict[str, str]) -> Injury:
    """Right is: the run fails in our words, Dagster believes in no partition, and the store holds what it held."""
    failures = [e for e in result.all_events if e.event_type is DagsterEventType.STEP_FAILURE]
    told = [e.step_failure_data.user_failure_data for e in failures]
    is_refused = not result.success and next(data.description or "" for data in told if data).startswith(REFUSAL)
    believed = [e for e in result.all_events if e.event_type is DagsterEventType.ASSET_MATERIALIZATION]
    after = {key: digest for key, digest in sealed(world.store).items() if not key.startswith("journal/")}
    kept = {key: digest for key, digest in before.items() if not key.startswith("journal/")}
    is_right = is_refused and not believed and after == kept and reported(world, LEDGER) is None
    seen = State.OLD if is_right else State.TORN
    return Injury(seen=seen, breaches=0, changed=int(after != kept), is_healed=is_right)
