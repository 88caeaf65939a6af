"""Dagster tries again: a step whose write had landed, under a retry policy that a user has set (B15); whole ranges.

What does not belong here: what the platform itself asks Dagster to retry (end_to_end/test_retries).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from dagster import (
    AssetExecutionContext,
    AssetsDefinition,
    BackfillPolicy,
    DagsterInstance,
    Definitions,
    ExecuteInProcessResult,
    InitResourceContext,
    IOManager,
    OutputContext,
    RetryPolicy,
    asset,
    define_asset_job,
    in_process_executor,
)
from dagster_aws.s3 import S3Resource

from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.orchestration.deployment import wired
from mrv_assets.orchestration.io_manager import GenerationIOManager
from mrv_assets.orchestration.jobs import REPORT_PARTITION
from mrv_assets.orchestration.partitions import PARTITIONS, dagster_key, partition_key, register
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.faults.answers import AilingStore
from mrv_assets_tests.faults.checked import checked
from mrv_assets_tests.faults.figures import LEDGER, OLD, OLD_T, reported, world_over
from mrv_assets_tests.faults.line import Injury, Line, State, summed
from mrv_assets_tests.world import memory_store, run_partition

RANGE = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")
_RETRIES = 2
_worlds: list[World] = []


class GivenWorld(RunRecorder):
    """A recorder over the world that the scenario has made."""

    def setup_for_execution(self, context: InitResourceContext) -> None:
        self._run = Run(_worlds[-1], run_id=context.run.run_id if context.run else "none")


class ConnectionLost(RuntimeError):
    """An error that the platform does not know, raised behind a write that landed."""


class FailingBehind(AilingStore):
    """A store whose first writes under a prefix land and then raise what no room expects."""

    def __init__(self, inner: ObjectStore, *, prefix: str, times: int) -> None:
        super().__init__(inner)
        self._prefix = prefix
        self._times = times

    def put_if_absent(self, key: str, data: bytes) -> bool:
        is_created = self.inner.put_if_absent(key, data)
        if self._times and key.startswith(self._prefix):
            self._times -= 1
            raise ConnectionLost(key)
        return is_created


class Appending(IOManager):
    """The control: rows are added to what is there, as an append-mode writer does; the first write fails behind it."""

    def __init__(self) -> None:
        self.tonnes: list[Decimal] = []

    def handle_output(self, context: OutputContext, obj: object) -> None:  # noqa: ARG002 - Dagster's signature
        self.tonnes.append(OLD_T)
        if len(self.tonnes) == 1:
            raise ConnectionLost("behind the write")

    def load_input(self, context: object) -> None:
        raise NotImplementedError


def figure_of_users(policy: BackfillPolicy | None = None) -> AssetsDefinition:
    """Return an asset such as users write beside ours: our IO manager, their own retry policy."""

    @asset(
        partitions_def=PARTITIONS,
        io_manager_key="generations",
        retry_policy=RetryPolicy(max_retries=_RETRIES),
        backfill_policy=policy,
    )
    def users_figure(context: AssetExecutionContext, recorder: RunRecorder) -> Any:
        run = recorder.run
        planned = run.plan(Asset.LEDGER, partition_key(context.partition_keys[-1]))
        return planned if planned.skip else run.make(planned)

    return users_figure


def behind_the_write(prefix: str) -> Line:
    """Let the write under `prefix` land and fail, twice; the step runs again, and the figure is there once."""
    failing = FailingBehind(memory_store(), prefix=prefix, times=_RETRIES)
    sound = world_over(failing.inner)
    run = Run(sound, run_id="before")
    for upstream in list(Asset)[:-1]:
        run.advance(upstream, OLD)
    run.close()
    with given(world_over(failing)):
        result = run_users_asset(figure_of_users())
    health = checked(sound)
    is_right = result.success and reported(sound) == OLD_T and len(sound.slots.history(LEDGER)) == 1
    seen = State.NEW if is_right else State.TORN
    injury = Injury(seen=seen, breaches=health.breaches, changed=0, is_healed=is_right, completed=health.completed)
    return summed(f"RetryPolicy, error behind {prefix}", [injury], shown=f"{reported(sound) or 0:,.0f} t")


def behind_an_append() -> Line:
    """Run the same asset with the same policy over the control."""
    appending = Appending()
    with given(world_over(memory_store())):
        run_partition(_worlds[-1], OLD)
        run_users_asset(figure_of_users(), appending)
    tonnes = sum(appending.tonnes, Decimal(0))
    seen = State.NEW if tonnes == OLD_T else State.TORN
    injury = Injury(seen=seen, breaches=0, changed=0, is_healed=tonnes == OLD_T)
    return summed("control: RetryPolicy over an append", [injury], shown=f"{tonnes:,.0f} t", is_control=True)


def run_users_asset(
    users: AssetsDefinition,
    manager: IOManager | None = None,
    *,
    keys: Sequence[PartitionKey] = (OLD,),
    tags: Mapping[str, str] | None = None,
) -> ExecuteInProcessResult:
    """Run the user's asset in a job of its own, for one partition or for the range that the tags name.

    The IO manager is ours, unless another is given.
    """
    given_world = recorder()
    definitions = Definitions(
        assets=[users],
        jobs=[define_asset_job("users", selection=[users])],
        executor=in_process_executor,
        resources={"recorder": given_world, "generations": manager or GenerationIOManager(recorder=given_world)},
    )
    with DagsterInstance.ephemeral() as instance:
        register(instance, keys)
        return definitions.resolve_job_def("users").execute_in_process(
            instance=instance,
            partition_key=None if tags else dagster_key(keys[0]),
            tags=dict(tags) if tags else None,
            raise_on_error=False,
        )


def run_range(world: World, keys: Sequence[PartitionKey]) -> ExecuteInProcessResult:
    """Run our own job once over the range of `keys`."""
    with given(world), DagsterInstance.ephemeral() as instance:
        register(instance, keys)
        return (
            wired(recorder())
            .resolve_job_def(REPORT_PARTITION)
            .execute_in_process(instance=instance, tags=range_tags(keys), raise_on_error=False)
        )


def range_tags(keys: Sequence[PartitionKey]) -> dict[str, str]:
    """Return the tags by which Dagster asks for a range in one run."""
    return {RANGE[0]: dagster_key(keys[0]), RANGE[1]: dagster_key(keys[-1])}


def recorder() -> Any:
    """Return the recorder over the given world, configured at launch as the deployment does."""
    return GivenWorld.configure_at_launch(
        s3=S3Resource(),
        home="",
        store="",
        reference="",
        landing="",
        key_folder="",
        alerts="",
        allow_network_fs=False,
    )


@contextmanager
def given(world: World) -> Iterator[None]:
    """Make `world` the one that runs are given."""
    _worlds.append(world)
    yield
    _worlds.pop()
