"""`mrv ledger withdraw` and `mrv ledger reinstate`: a person takes a figure back, or lets its period report again."""

from __future__ import annotations

from mrv_assets.cli.deployment import enter, open_for_writing
from mrv_assets.cli.run import launched, print_run, run_json
from mrv_assets.cli.terminal import DONE, print_error, print_json, stdout
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal, Reinstatement
from mrv_assets.domain.partition import PartitionKey, Period
from mrv_assets.pipeline.versions import version_to_run
from mrv_assets.pipeline.withdrawing import Withdrawn, reinstate, withdraw
from mrv_assets.report.wording import tonnes


def run_withdraw(project: str, period: str, *, by: str, because: str, in_favour_of: str | None, as_json: bool) -> int:
    """Take a figure back, print what stands in its place, and return the exit code. Raises as `withdraw`."""
    world = open_for_writing(enter())
    done = withdraw(world, project, period, by=by, reason=because, in_favour_of=in_favour_of)
    if as_json:
        print_json(_withdrawn_json(done))
    else:
        stdout().print(_said(done), soft_wrap=True)
    return DONE


def run_reinstate(
    project: str, period: str, factor_version: str | None, *, by: str, because: str, as_json: bool
) -> int:
    """End a withdrawal, run the partition, print both and return the exit code of the run.

    Raises as `reinstate`, and Refusal when it cannot be told which factor version to run; then nothing is kept.
    """
    settings = enter()
    world = open_for_writing(settings)
    span = Period.parse(period).text
    if factor_version is None:
        factor_version = version_to_run(world.references, world.references.project(project), span)
    key = PartitionKey(project_id=project, period=span, factor_version=factor_version)
    found = reinstate(world, project, span, by=by, reason=because)
    if not as_json:
        before = "It was reinstated before: " if found.is_before else ""
        stdout().print(f"{before}{project} {span} {found.reinstatement}", soft_wrap=True)
    done = launched(settings, key, force=False)
    if as_json:
        print_json({"reinstatement": _reinstatement_json(found.reinstatement), "run": run_json(done)})
    else:
        print_run(done)
    return DONE if done.error is None else print_error(done.error)


def _said(done: Withdrawn) -> str:
    word = done.withdrawal
    before = "It was withdrawn before: " if done.is_before else ""
    return (
        f"{before}{word.project_id} {word.period}, generation {word.generation}, net"
        f" {tonnes(word.withdrawn.tonnes.net)} t CO2e, {word}\n  nothing is reported in its place; its certificate and"
        " history stay as they are"
    )


def _withdrawn_json(done: Withdrawn) -> dict[str, object]:
    record = done.kept.record
    return {
        "withdrawal": _withdrawal_json(done.withdrawal),
        "is_before": done.is_before,
        "outcome": done.kept.outcome.value,
        "generation": record.generation if record else None,
    }


def _withdrawal_json(word: FigureWithdrawal) -> dict[str, object]:
    return {
        "project_id": word.project_id,
        "period": word.period,
        "generation": word.generation,
        "certificate_sha256": word.withdrawn.certificate_sha256,
        "net_tco2e": word.withdrawn.tonnes.net,
        "by": word.withdrawn_by,
        "because": word.reason,
        "in_favour_of": word.in_favour_of,
        "withdrawn_utc": word.withdrawn_utc,
        "sha256": word.sha256,
    }


def _reinstatement_json(word: Reinstatement) -> dict[str, object]:
    return {
        "project_id": word.project_id,
        "period": word.period,
        "generation": word.generation,
        "by": word.reinstated_by,
        "because": word.reason,
        "reinstated_utc": word.reinstated_utc,
        "sha256": word.sha256,
    }
