"""The sensor on factor releases: it asks for the runs that a release or a pin calls for, and registers partitions.

It is stopped until somebody starts it. What does not belong here: deciding what to run (pipeline).
"""

from dagster import DefaultSensorStatus, SensorEvaluationContext, SensorResult, sensor

from mrv_assets.orchestration.jobs import report_partition
from mrv_assets.orchestration.recorded_runs import RecordedRuns
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.orchestration.sensor_answer import answer
from mrv_assets.pipeline.bump import look_at_factors

FACTORS_TAG = "mrv/factors"
"""Run tag that names the factor release and the GWP set that the run was requested for."""

ACTIVITY_TAG = "mrv/activity"
"""Run tag that names the content of the activity that the run was requested for."""

_DONE = "Every period that has activity is reported with the factor version that it should be."


@sensor(
    name="factor_version",
    job=report_partition,
    minimum_interval_seconds=30,
    default_status=DefaultSensorStatus.STOPPED,
    description="Ask for the partitions that a factor release or a pin calls for, until the ledger shows them.",
)
def factor_version(context: SensorEvaluationContext, recorder: RunRecorder) -> SensorResult:
    """Look at all activity once. What a person should know is the reason of a tick that asks for nothing."""
    tags = (FACTORS_TAG, ACTIVITY_TAG)
    decision = look_at_factors(recorder.run.world, RecordedRuns(context.instance, tags), context.cursor)
    return answer(context, decision, tags=tags, otherwise=_DONE)
