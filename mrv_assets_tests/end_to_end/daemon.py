"""What Dagster's daemon does with a sensor, step by step in one process: look, register, run, hand on the cursor.

What does not belong here: a daemon that runs by itself (dagster_dev).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import DagsterInstance, RunRequest, SensorDefinition, SensorEvaluationContext
from dagster._core.definitions.sensor_definition import SensorExecutionData
from dagster._core.storage.tags import RUN_KEY_TAG

from mrv_assets.orchestration.deployment import deployment
from mrv_assets.orchestration.instance import initialise_home, open_instance
from mrv_assets.orchestration.jobs import REPORT_PARTITION
from mrv_assets.settings import Settings

OUR_TAGS = "mrv/"
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class Daemon:
    """A sensor of a deployment, and the cursor that one look hands to the next."""

    def __init__(self, settings: Settings, instance: DagsterInstance, sensor: SensorDefinition) -> None:
        self.cursor: str | None = None
        self._repository = deployment(settings).get_repository_def()
        self._instance = instance
        self._sensor = sensor.name

    def look(self) -> SensorExecutionData:
        """Evaluate the sensor once and register the partitions that it asks for."""
        with SensorEvaluationContext(
            self._instance.get_ref(),
            last_tick_completion_time=None,
            last_run_key=None,
            cursor=self.cursor,
            log_key=None,
            repository_name=self._repository.name,
            repository_def=self._repository,
            sensor_name=self._sensor,
            resources=self._repository.get_top_level_resources(),
        ) as context:
            tick = self._repository.get_sensor_def(self._sensor).evaluate_tick(context)
        self.cursor = tick.cursor
        for request in tick.dynamic_partitions_requests or ():
            self._instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
        return tick

    def run(self, request: RunRequest) -> bool:
        """Carry out a run that was asked for, under the tags that the daemon gives it; tell whether it ended well."""
        job = self._repository.get_job(REPORT_PARTITION)
        # The partition's own tags come with its key.
        ours = {name: value for name, value in request.tags.items() if name.startswith(OUR_TAGS)}
        done = job.execute_in_process(
            instance=self._instance,
            partition_key=request.partition_key,
            tags={**ours, RUN_KEY_TAG: str(request.run_key)},
            run_config=_QUIET,
            raise_on_error=False,
        )
        return done.success


@contextmanager
def daemon(settings: Settings, sensor: SensorDefinition) -> Iterator[Daemon]:
    """Give a daemon for one sensor on the instance of a home."""
    initialise_home(settings)
    with open_instance(settings) as instance:
        yield Daemon(settings, instance, sensor)


def asked(tick: SensorExecutionData) -> list[str | None]:
    """Return the partitions that a look has asked for."""
    return [request.partition_key for request in tick.run_requests or ()]
