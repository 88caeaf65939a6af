"""The commands of `mrv`: their names, arguments and help, and nothing that costs time to import.

Each hands its arguments to the module that does the work. What does not belong here: the work.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from mrv_assets.domain.errors import MrvError

_EPILOG = """\
Exit codes: 0 done; 1 refused: correct the input; 2 wrong usage; 3 the platform is at fault: report it;
70 the record is at fault: stop, keep everything; 75 the world is at fault: try again later.

Environment: MRV_HOME (.mrv), MRV_STORE, MRV_REFERENCE, MRV_LANDING. Structured events go to logs/mrv.jsonl in the home.
"""


class Door(TyperGroup):
    """Turn every way the platform says no into a panel and an exit code; a defect still shows its traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except MrvError as error:
            from mrv_assets.cli.terminal import print_error

            raise typer.Exit(print_error(error)) from error


app = typer.Typer(
    cls=Door,
    name="mrv",
    help="From raw activity data to reported carbon tonnes, a certificate behind every figure. Start with `mrv demo`.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Stage = Literal["activity", "normalized", "factored", "aggregated", "certificate", "ledger"]
ProjectId = Annotated[str, typer.Argument(metavar="PROJECT", help="Project id, such as metc-anoka.")]
PeriodText = Annotated[
    str, typer.Argument(metavar="PERIOD", help="2024, 2024-Q1, 2024-03 or 2021-04-01_2022-12-31 (inclusive days).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, decimals as text.")]


@app.command(epilog="Example: `MRV_HOME=/srv/mrv mrv init`")
def init() -> None:
    """Create the home folder and Dagster's instance in it; doing it again changes nothing."""
    from mrv_assets.cli.init import create_home

    create_home()


@app.command(
    epilog="Example: `mrv run metc-anoka 2021`; with a named release: `mrv run metc-anoka 2021 mrow-2024.06.24`"
)
def run(
    project: ProjectId,
    period: PeriodText,
    factor_version: Annotated[
        str | None,
        typer.Argument(
            metavar="FACTOR_VERSION",
            help="Factor release; left out: the project's pin for the period, else the newest release of its line.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Compute again even when no input has changed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Carry one partition through all six assets in a Dagster run. What has not changed is skipped."""
    from mrv_assets.cli.run import run_one

    raise typer.Exit(run_one(project, period, factor_version, force=force, as_json=as_json))


@app.command(
    epilog="Example: `mrv ledger --period 2021`; what moved one project's figures: "
    "`mrv ledger --history --project metc-anoka`"
)
def ledger(
    project: Annotated[str | None, typer.Option("--project", metavar="PROJECT", help="Only this project.")] = None,
    period: Annotated[str | None, typer.Option("--period", metavar="PERIOD", help="Only this period.")] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Every generation of each figure, with what moved it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what is reported: each live figure, totals, and whether each inventory is complete."""
    from mrv_assets.cli.ledger import show_history, show_ledger

    (show_history if history else show_ledger)(project, period, as_json=as_json)


@app.command(
    epilog="Example: `mrv show certificate metc-anoka 2021 mrow-2025.05.20`; "
    "a table as file: `mrv show normalized metc-anoka 2021 --out anoka.csv`"
)
def show(
    stage: Annotated[
        Stage,
        typer.Argument(metavar="STAGE", help="activity, normalized, factored, aggregated, certificate or ledger."),
    ],
    project: ProjectId,
    period: PeriodText,
    factor_version: Annotated[
        str | None,
        typer.Argument(
            metavar="FACTOR_VERSION",
            help="Only where factors matter (factored, aggregated, certificate); left out: the one that is reported.",
        ),
    ] = None,
    generation: Annotated[
        int | None, typer.Option("--generation", metavar="N", min=1, help="An earlier generation.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            dir_okay=False,
            help="Write the content: .parquet or .csv for a table, .json for any.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show one generation: its record, inputs, pins and gates, and the content itself, checked before it is shown."""
    from mrv_assets.cli.show import show_generation

    show_generation(stage, project, period, factor_version, generation=generation, out=out, as_json=as_json)


@app.command(epilog="Example: `mrv status --json`")
def status(as_json: AsJson = False) -> None:
    """Show where everything is, how much there is, which inventories are complete and what is behind."""
    from mrv_assets.cli.status import show_status

    show_status(as_json=as_json)


@app.command(epilog="Example: `mrv demo`; into a home of its own: `MRV_HOME=/tmp/try mrv demo`")
def demo(
    replay: Annotated[
        Path | None,
        typer.Option(
            "--replay", metavar="FOLDER", help="Another folder with published.toml and landing/.", file_okay=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay a published inventory, restatement by restatement, and compare every total with the published one."""
    from mrv_assets.cli.demo import run_demo

    raise typer.Exit(run_demo(replay, as_json=as_json))


@app.command(epilog="Example: `mrv docs --check`")
def docs(
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit with 1 when the file is stale.")] = False,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Where the dictionary is; left out: docs/ of this checkout."),
    ] = None,
) -> None:
    """Write docs/data-dictionary.md from the contract and the gates."""
    from mrv_assets.cli.docs import write_dictionary

    raise typer.Exit(write_dictionary(file, check=check))
