"""The job that checks the whole store: unpartitioned, launched by hand or by a schedule, storing nothing.

It fails when there is a breach, so that whoever watches runs hears of it; the table is on the step. Repair is left to
`mrv fsck --repair`, which a person runs.
"""

from dagster import Failure, MetadataValue, OpExecutionContext, job, op
from dagster._core.definitions.metadata import RawMetadataValue

from mrv_assets.orchestration.remedies import remedied
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.storage.breach import Breach, Report

_SHOWN = 200
"""Rows of the table: Dagster keeps metadata in its event log, which is no place for ten thousand."""


@op(name="check_store", description="Read everything that is stored and compare it with its seals. Stores nothing.")
def check_whole_store(context: OpExecutionContext, recorder: RunRecorder) -> None:
    """Report what was read, and fail with a table when anything is not what was sealed."""
    with remedied(context.retry_number):
        report = check_store(recorder.run.world)
    if report.breaches:
        raise Failure(
            description=f"{len(report.breaches)} breach(es), {len(report.repairable)} repairable: see `mrv fsck`",
            metadata=report_metadata(report),
            allow_retries=False,
        )
    context.add_output_metadata(report_metadata(report))


@job(name="fsck", description="Check the whole store: chains, contents, figures, published view and journal.")
def fsck_job() -> None:
    """Check the store."""
    check_whole_store()


def report_metadata(report: Report) -> dict[str, RawMetadataValue]:
    """Return the counts, and the breaches as a Markdown table."""
    return {
        "breaches": len(report.breaches),
        "repairable": len(report.repairable),
        "generations": report.generations,
        "journal_entries": report.entries,
        "blobs": report.blobs,
        "unreferenced_blobs": report.unreferenced,
        "table": MetadataValue.md(_markdown(report)),
    }


def _markdown(report: Report) -> str:
    if not report.breaches:
        return "No breach."
    head = ["| breach | key | expected | found | remedy |", "| --- | --- | --- | --- | --- |"]
    more = len(report.breaches) - _SHOWN
    tail = [f"\n… and {more} more: `mrv fsck`"] if more > 0 else []
    return "\n".join([*head, *map(_row, report.breaches[:_SHOWN]), *tail])


def _row(breach: Breach) -> str:
    cells = (breach.kind.value, f"`{breach.key}`", breach.expected, breach.found, breach.remedy)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |"
