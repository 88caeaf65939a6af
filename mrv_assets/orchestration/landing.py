"""The sensor on the landing place: it asks for the runs that a delivery calls for, and registers their partitions.

It is stopped until somebody starts it. What does not belong here: deciding what to run (pipeline).
"""

from dagster import DefaultSensorStatus, SensorEvaluationContext, SensorResult, sensor

from mrv_assets.orchestration.jobs import report_partition
from mrv_assets.orchestration.recorded_runs import RecordedRuns
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.orchestration.sensor_answer import answer
from mrv_assets.pipeline.landing import look_at_landing

DELIVERY_TAG = "mrv/delivery"
"""Run tag that names the bytes of the source file and of the project file that the run was requested for."""

_DONE = "Everything that was delivered is reported."


@sensor(
    name="landing",
    job=report_partition,
    minimum_interval_seconds=30,
    default_status=DefaultSensorStatus.STOPPED,
    description="Ask for the partitions whose source file was delivered and whose figure does not rest on it yet.",
)
def landing(context: SensorEvaluationContext, recorder: RunRecorder) -> SensorResult:
    """Look at the landing place once. What a person should know is the reason of a tick that asks for nothing."""
    tags = (DELIVERY_TAG,)
    decision = look_at_landing(recorder.run.world, RecordedRuns(context.instance, tags), context.cursor)
    return answer(context, decision, tags=tags, otherwise=_DONE)
