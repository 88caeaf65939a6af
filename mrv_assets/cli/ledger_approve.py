"""`mrv ledger approve`: keep the approval of a held figure, and run the partition, which reports it."""

from __future__ import annotations

from mrv_assets.cli.deployment import enter, open_for_writing
from mrv_assets.cli.ledger_pending import proposal_json
from mrv_assets.cli.run import launched, print_run, run_json
from mrv_assets.cli.terminal import DONE, print_error, print_json, stdout
from mrv_assets.domain.approval import Approval
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.pipeline.approving import approve, to_approve
from mrv_assets.pipeline.versions import version_to_run
from mrv_assets.report.restatement import causes_between


def run_approve(
    project: str,
    period: str,
    factor_version: str | None,
    *,
    reason: str,
    by: str,
    certificate: str | None,
    as_json: bool,
) -> int:
    """Approve what waits, run its partition, print both and return the exit code of the run.

    Raises Refusal when nothing waits, another certificate does, or who or why is not said; then nothing is kept.
    """
    settings = enter()
    world = open_for_writing(settings)
    if factor_version is None:
        factor_version = version_to_run(world.references, world.references.project(project), period)
    key = PartitionKey(project_id=project, period=period, factor_version=factor_version)
    found = to_approve(world, key, certificate=certificate)
    is_before = found.promotion.approval is not None
    approval = approve(world, found, causes_between, reason=reason, by=by)
    if not as_json:
        stdout().print(_said(approval, is_before=is_before))
    done = launched(settings, key, force=False)
    if as_json:
        print_json({"approval": _json(approval), "run": run_json(done)})
    else:
        print_run(done)
    return DONE if done.error is None else print_error(done.error)


def _said(approval: Approval, *, is_before: bool) -> str:
    p = approval.proposal
    which = "It was approved before" if is_before else "Approved"
    return f"{which} by {approval.approved_by}: {p.project_id} {p.period}, {p}\n  because {approval.reason}"


def _json(approval: Approval) -> dict[str, object]:
    return {
        **proposal_json(approval.proposal, approval.causes),
        "reason": approval.reason,
        "approved_by": approval.approved_by,
        "approved_utc": approval.approved_utc,
        "sha256": approval.sha256,
    }
