"""How sensors and schedules answer Dagster: the runs that they ask for with their partitions, or why they ask for none.

What does not belong here: which runs (pipeline).
"""

from collections.abc import Sequence

from dagster import RunRequest, SensorEvaluationContext, SensorResult

from mrv_assets.orchestration.partitions import PERIOD, SERIES, dagster_key
from mrv_assets.pipeline.asking import Decision, Request

_SHOWN = 20


def answer(
    context: SensorEvaluationContext, decision: Decision, *, tags: Sequence[str], otherwise: str
) -> SensorResult:
    """Return the requests, whose partitions are registered by the same answer and whose marks stand in `tags`.

    The notes are the reason of a tick that asks for nothing, `otherwise` when there are none, and are logged else.
    """
    requests, notes, cursor = decision.requests, decision.notes, decision.memory
    if not requests:
        return SensorResult(skip_reason=told(notes or [otherwise]), cursor=cursor)
    context.log.info(told([f"runs that are asked for: {len(requests)}", *notes]))
    return SensorResult(
        run_requests=[run_request(request, tags) for request in requests],
        dynamic_partitions_requests=[
            PERIOD.build_add_request(sorted({request.key.period for request in requests})),
            SERIES.build_add_request(sorted({request.key.series for request in requests})),
        ],
        cursor=cursor,
    )


def run_request(request: Request, tags: Sequence[str]) -> RunRequest:
    """Return the request of a run, whose marks stand in `tags`."""
    marked = dict(zip(tags, request.mark, strict=True))
    return RunRequest(run_key=request.name, partition_key=dagster_key(request.key), tags=marked)


def told(notes: Sequence[str]) -> str:
    """Return the notes as the reason of a tick, the first twenty and the number of the others."""
    more = [f"… and {len(notes) - _SHOWN} more"] if len(notes) > _SHOWN else []
    return "\n".join([*notes[:_SHOWN], *more])
