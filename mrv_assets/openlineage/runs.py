"""The runs behind the events: which run a slot was handled in, what started that, and how it ended.

What does not belong here: datasets (datasets) and the order of events (events).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from openlineage.client.event_v2 import Job, Run
from openlineage.client.facet_v2 import (
    RunFacet,
    error_message_run,
    job_type_job,
    nominal_time_run,
    parent_run,
    processing_engine_run,
)

from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.lineage import LineageEvent
from mrv_assets.domain.partition import Period
from mrv_assets.openlineage.identity import PRODUCER, VERSION, dataset_name, parent_uuid, run_uuid

RUN_JOB, REPAIR_JOB = "mrv/run", "mrv/fsck"
_REPAIR = "fsck"  # the run id of entries that a repair writes
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Handle:
    """A run by its id, and the name of its job, in the namespace of the store."""

    run_id: str
    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A run of Dagster as one entry tells it: what it did, what started it, and whether it ended by itself.

    It did not when a repair tells its commits: then its own entry was lost, and it was aborted for all that is known.
    """

    handle: Handle
    root: Handle | None
    events: tuple[LineageEvent, ...]
    is_lost: bool
    ended_utc: str

    @property
    def started_utc(self) -> str:
        """The instant of the first thing that it did: the journal knows no earlier one."""
        return min((event.occurred_utc for event in self.events), default=self.ended_utc)


def runs_in(entry: JournalEntry, *, namespace: str) -> tuple[Whole, ...]:
    """Return the run that wrote the entry and before it those that it tells of in their stead, by their ids."""
    lost = sorted({event.run_id for event in entry.events} - {entry.run_id})
    return tuple(_whole(entry, run_id, namespace) for run_id in (*lost, entry.run_id))


def _whole(entry: JournalEntry, run_id: str, namespace: str) -> Whole:
    is_own = run_id == entry.run_id
    job = REPAIR_JOB if run_id == _REPAIR else RUN_JOB
    started_by = entry.parent if is_own else None
    root = None
    if started_by is not None:
        root_id = parent_uuid(namespace, started_by.kind, started_by.id)
        root = Handle(run_id=root_id, job=f"mrv/{started_by.kind}")
    return Whole(
        handle=Handle(run_id=run_uuid(namespace, run_id), job=job),
        root=root,
        events=tuple(event for event in entry.events if event.run_id == run_id),
        is_lost=not is_own,
        ended_utc=entry.written_utc,
    )


def job_of(name: str, kind: str, *, namespace: str) -> Job:
    """Return a job of ours, all of which are batches under Dagster."""
    of = job_type_job.JobTypeJobFacet(processingType="BATCH", integration="DAGSTER", jobType=kind, producer=PRODUCER)
    return Job(namespace=namespace, name=name, facets={"jobType": of})


def slot_job(event: LineageEvent) -> str:
    """Return the name of the job that fills one slot.

    A job of its own for each, because catalogues draw a job by what its last run has read and written: one job for all
    periods would show the last of them alone.
    """
    return f"mrv/{dataset_name(event.slot)}"


def run_of(run_id: str, *, facets: dict[str, RunFacet], periods: Iterable[str]) -> Run:
    """Return a run with the engine, and with the reporting period as its nominal time when there is one only."""
    engine = processing_engine_run.ProcessingEngineRunFacet(
        name="mrv-assets on Dagster", version=VERSION, openlineageAdapterVersion=VERSION, producer=PRODUCER
    )
    distinct = set(periods)
    nominal: dict[str, RunFacet] = {"nominalTime": _nominal(*distinct)} if len(distinct) == 1 else {}
    return Run(runId=run_id, facets={"processing_engine": engine, **nominal, **facets})


def parent_facet(parent: Handle, root: Handle, *, namespace: str) -> parent_run.ParentRunFacet:
    """Return what ties a run to the one that it is part of, and to the first one above that."""
    return parent_run.ParentRunFacet(
        run=parent_run.Run(runId=parent.run_id),
        job=parent_run.Job(namespace=namespace, name=parent.job),
        root=parent_run.Root(
            run=parent_run.RootRun(runId=root.run_id), job=parent_run.RootJob(namespace=namespace, name=root.job)
        ),
        producer=PRODUCER,
    )


def error_facet(message: str) -> error_message_run.ErrorMessageRunFacet:
    """Return why a run failed."""
    return error_message_run.ErrorMessageRunFacet(message=message, programmingLanguage="PYTHON", producer=PRODUCER)


def _nominal(period: str) -> nominal_time_run.NominalTimeRunFacet:
    """Return the days of a period, the end excluded; nothing is said of an end after the last day that there is."""
    days = Period.parse(period)
    try:
        end = f"{days.last + _DAY}T00:00:00+00:00"
    except OverflowError:
        end = None
    return nominal_time_run.NominalTimeRunFacet(
        nominalStartTime=f"{days.first}T00:00:00+00:00", nominalEndTime=end, producer=PRODUCER
    )
