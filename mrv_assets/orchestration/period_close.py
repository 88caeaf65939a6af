"""The schedule that follows the calendar: once a day, a run for every closed period that is not reported and can be.

It is stopped until somebody starts it. What does not belong here: deciding what to run (pipeline/closing).
"""

from collections.abc import Sequence
from pathlib import Path

from dagster import DefaultScheduleStatus, RunRequest, ScheduleEvaluationContext, SkipReason, schedule

from mrv_assets.orchestration.jobs import report_partition
from mrv_assets.orchestration.landing import DELIVERY_TAG
from mrv_assets.orchestration.partitions import register
from mrv_assets.orchestration.recorded_runs import RecordedRuns
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.orchestration.sensor_answer import run_request, told
from mrv_assets.pipeline.closing import look_at_closed_periods
from mrv_assets.pipeline.kept_memory import KeptMemory

_DONE = "Every period that has ended is reported."


@schedule(
    name="period_close",
    job=report_partition,
    cron_schedule="0 6 * * *",
    execution_timezone="UTC",
    default_status=DefaultScheduleStatus.STOPPED,
    description="Ask for closed periods that are delivered and not reported, and name those that were not delivered.",
)
def period_close(context: ScheduleEvaluationContext, recorder: RunRecorder) -> Sequence[RunRequest] | SkipReason:
    """Look at the calendar once. What a person should know is the reason of a tick that asks for nothing, or its log.

    Its runs carry the tag of the landing sensor, so the two share what became of them.
    """
    tags, memory = (DELIVERY_TAG,), KeptMemory(Path(recorder.home))
    decision = look_at_closed_periods(recorder.run.world, RecordedRuns(context.instance, tags), memory.read())
    memory.write(decision.memory)
    if not decision.requests:
        return SkipReason(told(decision.notes or [_DONE]))
    context.log.info(told([f"runs that are asked for: {len(decision.requests)}", *decision.notes]))
    register(context.instance, [request.key for request in decision.requests])
    return [run_request(request, tags) for request in decision.requests]
