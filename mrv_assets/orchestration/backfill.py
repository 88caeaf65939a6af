"""The job `backfill_window`: many partitions in one run, planned first, each on its own, with a manifest at the end.

Ingest → diagnose → plan → transform (mapped in chunks) → validate → export → submit. A refused partition stops no other
one; the run is red at its end and lists it. Steps hand each other JSON, so that any executor will do. What does not
belong here: deciding, carrying and checking (pipeline), and how a manifest looks, which is handed in.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Protocol, TypeAlias

from dagster import (
    DynamicOut,
    DynamicOutput,
    Failure,
    JobDefinition,
    OpExecutionContext,
    Output,
    ResourceParam,
    RetryRequested,
    job,
    op,
)
from dagster._core.definitions.metadata import RawMetadataValue

from mrv_assets.domain.partition import PartitionKey
from mrv_assets.domain.run_manifest import PartitionDone, RunManifest
from mrv_assets.openlineage.targets import standard_targets
from mrv_assets.orchestration.assets import FOOTPRINTS
from mrv_assets.orchestration.backfill_config import CONFIG, Options, requested
from mrv_assets.orchestration.backfill_events import Reporter, Told
from mrv_assets.orchestration.backfill_metadata import manifest_metadata, plan_metadata, submission_metadata
from mrv_assets.orchestration.executors import in_process_or_multiprocess
from mrv_assets.orchestration.lineage_export import deliver_lineage
from mrv_assets.orchestration.partitions import register
from mrv_assets.orchestration.remedies import MAX_RETRIES, delay_s, remedied
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline.backfill import Walked, done, unsettled, walk
from mrv_assets.pipeline.backfill_checks import Diagnosis, diagnose, publish_again, validate
from mrv_assets.pipeline.backfill_manifest import keep
from mrv_assets.pipeline.backfill_plan import plan_partitions
from mrv_assets.pipeline.backfill_submission import corrections
from mrv_assets.pipeline.backfill_window import Resolved, resolve
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.manifests import load_manifest, manifest_key

BACKFILL_WINDOW = "backfill_window"

ShowManifest: TypeAlias = Callable[[RunManifest], tuple[str, bytes | None]]
"""Says a manifest as Markdown, and draws its tonnes as a PNG where any moved."""


def unadorned(manifest: RunManifest) -> tuple[str, bytes | None]:
    """Say only what the counts say, without a picture."""
    counts = ", ".join(f"{count} {outcome}" for outcome, count in manifest.counts.items())
    return f"{manifest.requested} partitions: {counts}", None


_MAX_RUNTIME = {"dagster/max_runtime": str(24 * 3600)}
"""A run over a whole history takes longer than the limit for the run of one partition."""


class Watch(Protocol):
    """Whoever looks on while partitions are carried, in the process of the run."""

    def begin(self, partitions: int) -> None:
        """Hear how many there are."""
        ...

    def advance(self, partition: PartitionDone) -> None:
        """Hear what became of one."""
        ...


class Unwatched:
    """Nobody looks on."""

    def begin(self, partitions: int) -> None:
        """Do nothing."""

    def advance(self, partition: PartitionDone) -> None:
        """Do nothing."""


@op(config_schema=CONFIG, description="Resolve the window to partitions, and take the digests of what they read.")
def ingest(context: OpExecutionContext, recorder: RunRecorder) -> str:
    """Name the partitions, register them with Dagster, and hand them on."""
    with remedied(context.retry_number):
        options = Options.from_json(context.op_config)
        resolved = resolve(recorder.glance, requested(context.op_config))
    if not options.dry_run:
        register(context.instance, resolved.keys)
    context.add_output_metadata(
        {"partitions": len(resolved.keys), "unresolved": len(resolved.unresolved), "inputs": dict(resolved.inputs)}
    )
    started = utc_text(recorder.run.world.clock())
    return json.dumps({"resolved": resolved.to_json(), "options": options.to_json(), "started_utc": started})


@op(name="diagnose", description="Look for what could make a backfill count twice; abort, or note what to remedy.")
def diagnose_window(context: OpExecutionContext, recorder: RunRecorder, asked: str) -> str:
    """Look at what is there, and hand on what the policy lets the run remedy."""
    resolved, _ = _asked(asked)
    with remedied(context.retry_number):
        found = diagnose(recorder.glance, resolved)
    context.add_output_metadata({"projects": len(resolved.projects), "remedied": list(found.remedied)})
    return json.dumps(found.unhashed)


@op(name="plan", description="Tell for each partition run, skip or blocked, and why; from digests, touching no data.")
def plan_window(context: OpExecutionContext, recorder: RunRecorder, asked: str, diagnosis: str) -> str:
    """Plan, show the plan, and hand the request on. A plan decides nothing: each partition is looked at again.

    What the preflight found is published anew here, one step after it was found, so that no retry can forget it.
    """
    resolved, options = _asked(asked)
    request = resolved.request
    with remedied(context.retry_number):
        plans = list(
            plan_partitions(
                recorder.glance,
                resolved.keys,
                assets=request.mode.assets,
                force=request.force,
                unhashed=_diagnosis(diagnosis).unhashed,
            )
        )
        if not options.dry_run:
            publish_again(recorder.run.world, _diagnosis(diagnosis))
    context.add_output_metadata(plan_metadata(plans, resolved.unresolved))
    return asked


@op(name="split", out=DynamicOut(str), description="Deal the partitions out in chunks, one project after the other.")
def split(asked: str) -> Iterator[DynamicOutput[str]]:
    """Yield the chunks; none for a dry run."""
    resolved, options = _asked(asked)
    for number, start in enumerate(range(0, 0 if options.dry_run else len(resolved.keys), options.chunk_size), start=1):
        chunk = resolved.keys[start : start + options.chunk_size]
        keys = [[key.project_id, key.period, key.factor_version] for key in chunk]
        yield DynamicOutput(json.dumps(keys), mapping_key=f"{number:04d}")


@op(
    name="transform",
    description="Carry each partition of a chunk through all assets; what is unchanged is skipped.",
    pool=FOOTPRINTS,
)
def transform(
    context: OpExecutionContext,
    recorder: RunRecorder,
    watch: ResourceParam[Watch],
    chunk: str,
    asked: str,
    diagnosis: str,
) -> Iterator[Told | Output[str]]:
    """Carry the partitions of a chunk, tell Dagster of each as it is done, and hand on what became of them.

    Those that could not be had now are tried again with the whole chunk, a bounded number of times; by then the others
    are done and skipped, and count as committed by this run all the same.
    """
    resolved, options = _asked(asked)
    keys = [PartitionKey(project_id=p, period=t, factor_version=v) for p, t, v in json.loads(chunk)]
    watch.begin(len(resolved.keys))
    run, runs = recorder.run_over(recorder.glance), _runs(context, recorder)
    reporter = Reporter(context.instance, run.world, keys)
    walked, told = list[Walked](), list[PartitionDone]()
    with remedied(context.retry_number), closing(run):
        for key in keys:
            force = resolved.request.force or (key.project_id, key.period) in _diagnosis(diagnosis).unhashed
            walked.append(walk(run, key, assets=resolved.request.mode.assets, force=force))
            yield from reporter.events(walked[-1], options.events)
            told.append(done(run.world, walked[-1], runs=runs))
            watch.advance(told[-1])
    again = next(unsettled(walked), None)
    if again is not None and context.retry_number < MAX_RETRIES:
        raise RetryRequested(max_retries=MAX_RETRIES, seconds_to_wait=delay_s(context.retry_number)) from again
    yield Output(json.dumps([one.to_json() for one in told]), metadata=_counts(told))


def _runs(context: OpExecutionContext, recorder: RunRecorder) -> frozenset[str]:
    """Return the run ids whose commits are this run's: its own, and those it goes on from that kept no manifest."""
    found, store = {context.run_id}, recorder.run.world.store
    before = context.run.parent_run_id
    while before is not None and store.head(manifest_key(before)) is None:
        found.add(before)
        run = context.instance.get_run_by_id(before)
        before = run.parent_run_id if run else None
    return frozenset(found)


@op(
    name="validate", description="Ask the store: every gate passed, one live figure, no shared days, all accounted for."
)
def validate_window(
    context: OpExecutionContext, recorder: RunRecorder, asked: str, diagnosis: str, chunks: list[str]
) -> str:
    """Check what is there now against what was asked for, and hand the draft of the manifest on."""
    resolved, options = _asked(asked)
    partitions = tuple(PartitionDone.from_json(one) for chunk in chunks for one in json.loads(chunk))
    with remedied(context.retry_number):
        world = recorder.glance.at_a_glance()  # listed anew; records that were read do not change
        findings = () if options.dry_run else validate(world, resolved, partitions, diagnosis=_diagnosis(diagnosis))
    context.add_output_metadata({"partitions": len(partitions), "findings": list(findings)})
    manifest = RunManifest(
        run_id=context.run_id,
        request=resolved.request,
        started_utc=json.loads(asked)["started_utc"],
        finished_utc=utc_text(recorder.run.world.clock()),
        inputs=resolved.inputs,
        remedied=_diagnosis(diagnosis).remedied,
        partitions=partitions,
        unresolved=resolved.unresolved,
        findings=findings,
    )
    return json.dumps(manifest.to_json())


def backfill_job(show: ShowManifest) -> JobDefinition:
    """Build the job, whose manifest is shown by `show`."""

    @op(name="export", description="Keep the run manifest, tell the journal, and show it as a table and a picture.")
    def export(context: OpExecutionContext, recorder: RunRecorder, asked: str, draft: str) -> str:
        if not _asked(asked)[1].dry_run:
            with remedied(context.retry_number):
                manifest = keep(recorder.run.world, RunManifest.draft(json.loads(draft)), parent=recorder.run.parent)
            context.add_output_metadata(manifest_metadata(manifest, show))
        return str(json.loads(draft)["run_id"])

    @job(
        name=BACKFILL_WINDOW,
        executor_def=in_process_or_multiprocess,
        tags=_MAX_RUNTIME,
        description="Reprocess a window of periods for many projects. Planned first; what is unchanged is skipped; "
        "nothing is overwritten; one refused partition stops no other. The manifest is on the step `export`.",
    )
    def backfill_window() -> None:
        asked = ingest()
        diagnosis = diagnose_window(asked)
        planned = plan_window(asked, diagnosis)
        chunks = split(planned).map(lambda chunk: transform(chunk, asked, diagnosis)).collect()
        submit(asked, export(asked, validate_window(asked, diagnosis, chunks)))

    return backfill_window


@op(name="submit", description="Deliver lineage, name corrected ledger entries, and fail when a partition was refused.")
def submit(context: OpExecutionContext, recorder: RunRecorder, asked: str, run_id: str) -> None:
    """Show what is to be forwarded: figures that moved, and the issued credits that rest on what they were.

    The run ends red when anything was refused or the validation found something, and says so here.
    """
    if _asked(asked)[1].dry_run:
        return
    if run_id != context.run_id:
        raise Failure(description=_EXECUTED_AGAIN, allow_retries=False)
    with remedied(context.retry_number):
        world = recorder.run.world
        manifest = load_manifest(world.store, run_id)
        metadata = submission_metadata(corrections(world, manifest)) | _lineage(recorder)
    if not manifest.is_clean:
        raise Failure(description=_verdict(manifest), metadata=metadata, allow_retries=False)
    context.add_output_metadata(metadata)


def _lineage(recorder: RunRecorder) -> dict[str, RawMetadataValue]:
    """Deliver the journal to lineage catalogues, where there are any; one that is away is told by the sensor later."""
    targets = standard_targets()
    if not targets:
        return {}
    delivered = deliver_lineage(recorder, targets)
    return {"lineage": [*delivered.told, *(f"not now: {error}" for error in delivered.away)]}


def _verdict(manifest: RunManifest) -> str:
    """Say what was refused and found, one line each."""
    refused = [f"{one.key}: {one.trouble.what}" for one in manifest.partitions if one.trouble]
    refused += [f"{one}: {one.trouble.what}" for one in manifest.unresolved]
    head = [f"{len(refused)} of {manifest.requested} partitions were refused; the others are done."] if refused else []
    more = len(refused) - _LISTED
    rest = [f"… and {more} more: mrv manifest {manifest.run_id}"] if more > 0 else []
    found = [f"The validation found: {finding}" for finding in manifest.findings]
    return "\n".join([*head, *refused[:_LISTED], *rest, *found, _AGAIN])


_LISTED = 50
_AGAIN = "Correct what is refused and launch the backfill again; what is done is skipped."
_EXECUTED_AGAIN = (
    "This run was executed again from the end of one that has its manifest already: nothing was looked at. "
    "Launch the backfill again; what is done is skipped."
)


def _asked(asked: str) -> tuple[Resolved, Options]:
    d: Mapping[str, Any] = json.loads(asked)
    return Resolved.from_json(d["resolved"]), Options.from_json(d["options"])


def _diagnosis(text: str) -> Diagnosis:
    return Diagnosis(unhashed=tuple((project, period) for project, period in json.loads(text)))


def _counts(told: Sequence[PartitionDone]) -> dict[str, RawMetadataValue]:
    found: dict[str, int] = {}
    for one in told:
        found[one.outcome.value] = found.get(one.outcome.value, 0) + 1
    return {"partitions": len(told), **found}
