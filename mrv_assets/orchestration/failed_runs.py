"""Failed runs as alerts: which job or partition, and what went wrong in the platform's own words.

Read from what Dagster has recorded of runs, with a cursor for each target. A run failure sensor of Dagster's moves on
when an alert could not be delivered, and begins with what fails after it was started. What does not belong here: how an
alert travels (alerts).
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from dagster import DagsterEvent, DagsterEventType, DagsterInstance, DagsterRun
from dagster._core.event_api import EventLogRecord, RunStatusChangeRecordsFilter

from mrv_assets.alerts.message import Kind, Message, message_id, shown
from mrv_assets.alerts.targets import Target
from mrv_assets.domain.errors import Defect, MrvError
from mrv_assets.orchestration.results import run_error
from mrv_assets.storage.cursors import Cursor, Cursors

HISTORY = "failed runs of Dagster"
"""What the cursors of failed runs are kept under."""

_PARTITION = ("dagster/partition/period", "dagster/partition/series")
_TOLD = 5  # failed steps of one run


def tell_failures(instance: DagsterInstance, target: Target, cursors: Cursors, *, since: date, at_most: int) -> int:
    """Tell the target of every failed run that it was not told of, at most so many; return how many messages went.

    The cursor moves on with each. One that does not fit what Dagster has recorded, as after its database was made anew,
    is no cursor: everything from the day `since` (UTC) on is told again. Raises what `Target.send` raises, and
    Transient when another delivery is at work.
    """
    with cursors.held(target.name):
        known = cursors.read(target.name)
        messages = 0
        for record in _failures(instance, after=_position(instance, known), at_most=at_most):
            run_id, failed_on = record.run_id, datetime.fromtimestamp(record.timestamp, UTC).date()
            run = instance.get_run_by_id(run_id)
            if run is not None and failed_on >= since and Kind.FAILURE in target.alerts:
                target.send(failure_message(instance, run, record))
                messages += 1
            cursors.write(Cursor(store=known.store, target=known.target, delivered=record.storage_id, head=run_id))
        return messages


def failure_message(instance: DagsterInstance, run: DagsterRun, record: EventLogRecord) -> Message:
    """Return the alert of a failed run."""
    period, series = (run.tags.get(tag, "") for tag in _PARTITION)
    what = f"{series.replace('@', ' ')} {period}" if series else f"job {run.job_name}"
    steps = [
        one.event_log_entry.dagster_event
        for one in instance.get_records_for_run(run.run_id, of_type=DagsterEventType.STEP_FAILURE).records
    ]
    errors = [_told(step, run.run_id) for step in steps if step is not None]
    if not errors and record.event_log_entry.dagster_event is not None:
        errors = [_plain(run_error([record.event_log_entry.dagster_event], run.run_id))]
    return Message(
        kind=Kind.FAILURE,
        id=message_id(Kind.FAILURE, run.run_id),
        title=f"Run failed: {what}",
        lines=shown([line for error in errors[:_TOLD] for line in _lines(error)] + [f"run {run.run_id}"]),
        facts={
            "run_id": run.run_id,
            "job": run.job_name,
            "partition": {"period": period, "series": series} if series else None,
            "failed_utc": datetime.fromtimestamp(record.timestamp, UTC).isoformat(timespec="seconds"),
            "failed_steps": len(steps),
            "errors": [{"family": error.family, **_parts(error)} for error in errors[:_TOLD]],
        },
    )


def _failures(instance: DagsterInstance, *, after: int, at_most: int) -> Sequence[EventLogRecord]:
    """Return recorded failures in their order."""
    wanted = RunStatusChangeRecordsFilter(event_type=DagsterEventType.RUN_FAILURE, after_storage_id=after)
    return instance.fetch_run_status_changes(wanted, limit=at_most, ascending=True).records


def _position(instance: DagsterInstance, known: Cursor) -> int:
    """Return the number after which to go on: that of the cursor if Dagster still has that run there, else 0."""
    if not known.delivered:
        return 0
    there = _failures(instance, after=known.delivered - 1, at_most=1)
    is_there = bool(there) and (there[0].storage_id, there[0].run_id) == (known.delivered, known.head)
    return known.delivered if is_there else 0


def _told(step: DagsterEvent, run_id: str) -> MrvError:
    said = step.step_failure_data.user_failure_data
    if said is not None and said.description and "family" not in said.metadata:  # of a job of ours, such as fsck
        return _failed(said.description, f"step {step.step_key}")
    return _plain(run_error([step], run_id))


def _plain(error: MrvError) -> MrvError:
    """Return the error; of one that is not ours only that there was one, since its text may hold anything."""
    if not isinstance(error, Defect):
        return error
    return _failed("an error that no room expected", error.where)


def _failed(what: str, where: str) -> MrvError:
    return Defect(what, where=where, expected="a run that ends well", found="a failed step", remedy="see the run's log")


def _parts(error: MrvError) -> dict[str, str]:
    return {name: getattr(error, name) for name in ("what", "where", "expected", "found", "remedy")}


def _lines(error: MrvError) -> list[str]:
    return [f"{name}: {' '.join(text.split())}" for name, text in _parts(error).items()]
