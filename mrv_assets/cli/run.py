"""`mrv run`: one partition through the Dagster job, and what came of each asset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from mrv_assets.cli.deployment import enter, log_file, open_for_reading
from mrv_assets.cli.terminal import DONE, parts, plain_table, print_error, print_json, stderr, stdout
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.pipeline.versions import version_to_run
from mrv_assets.settings import Settings

if TYPE_CHECKING:
    from mrv_assets.orchestration.results import AssetResult, PartitionRun

_STYLES = {Outcome.COMMITTED: "green", Outcome.SKIPPED: "cyan", Outcome.REFUSED: "red"}


def run_one(project: str, period: str, factor_version: str | None, *, force: bool, as_json: bool) -> int:
    """Run one partition, print what became of each asset, and return the exit code.

    Raises Refusal when the project is unknown, an id is not canonical, or no factor version can be chosen.
    """
    settings = enter()
    done = launched(settings, _key(settings, project, period, factor_version), force=force)
    if as_json:
        print_json(run_json(done))
    else:
        print_run(done)
    return DONE if done.error is None else print_error(done.error)


def launched(settings: Settings, key: PartitionKey, *, force: bool) -> PartitionRun:
    """Run one partition in Dagster and return what became of it."""
    with stderr().status(f"Running {key}"):
        # Dagster costs seconds to import; a refusal before this does not wait for it.
        from mrv_assets.orchestration.launch import launcher

        with launcher(settings, processes=1, log=log_file(settings), force=force) as launch:
            (done,) = launch([key])
    return done


def run_json(done: PartitionRun) -> dict[str, object]:
    """Return what became of a partition in JSON-ready values."""
    return {
        "project_id": done.key.project_id,
        "period": done.key.period,
        "factor_version": done.key.factor_version,
        "run_id": done.run_id,
        "is_success": done.error is None,
        "error": None if done.error is None else {"family": done.error.family, **parts(done.error)},
        "assets": [
            {
                "asset": result.asset.value,
                "outcome": _outcome(result),
                "generation": result.generation,
                "reason": result.reason,
                "red_gates": list(result.red),
            }
            for result in done.assets
        ],
    }


def _key(settings: Settings, project: str, period: str, factor_version: str | None) -> PartitionKey:
    if factor_version is None:
        references = open_for_reading(settings).references
        factor_version = version_to_run(references, references.project(project), period)
    return PartitionKey(project_id=project, period=period, factor_version=factor_version)


def print_run(done: PartitionRun) -> None:
    """Print what became of each asset."""
    table = plain_table(title=f"{done.key}")
    for name in ("asset", "outcome"):
        table.add_column(name, no_wrap=True)
    table.add_column("generation", justify="right")
    table.add_column("reason", overflow="fold")
    for result in done.assets:
        outcome = Text(_outcome(result), style=_STYLES.get(result.outcome, "dim") if result.outcome else "dim")
        table.add_row(result.asset.value, outcome, str(result.generation or "-"), _reason(result))
    stdout().print(table)
    stdout().print(f"run {done.run_id}", style="dim")


def _reason(result: AssetResult) -> str:
    if result.red:
        return f"red gates: {', '.join(result.red)}"
    # What a refusal says stands in the panel, in full and by its parts.
    return "see below" if result.outcome is Outcome.REFUSED else result.reason


def _outcome(result: AssetResult) -> str:
    return result.outcome.value if result.outcome else "not reached"
