"""The commands of `mrv ledger`: their names, arguments and help, and nothing that costs time to import.

What does not belong here: the work, which is in a module for each command.
"""

from __future__ import annotations

from typing import Annotated

import typer

from mrv_assets.cli.options import AsJson, FactorVersion, PeriodText, ProjectId

ledger = typer.Typer(
    name="ledger",
    epilog="Example: `mrv ledger --period 2021`; what moved one project's figures: "
    "`mrv ledger --history --project metc-anoka`; what waits for an approval: `mrv ledger pending`",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
OnlyProject = Annotated[str | None, typer.Option("--project", metavar="PROJECT", help="Only this project.")]


@ledger.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    project: OnlyProject = None,
    period: Annotated[str | None, typer.Option("--period", metavar="PERIOD", help="Only this period.")] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Every generation of each figure, with what moved it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what is reported: each live figure, totals, and whether each inventory is complete."""
    if context.invoked_subcommand is not None:
        return
    from mrv_assets.cli.ledger import show_history, show_ledger

    (show_history if history else show_ledger)(project, period, as_json=as_json)


@ledger.command(epilog="Example: `mrv ledger pending`; one project: `mrv ledger pending --project metc-anoka`")
def pending(project: OnlyProject = None, as_json: AsJson = False) -> None:
    """Show the certified figures that are held until somebody approves them: old, new, share and cause of each.

    They are of projects with `publication = "approve"`, and change a figure by more than the project's materiality.
    """
    from mrv_assets.cli.ledger_pending import show_pending

    raise typer.Exit(show_pending(project, as_json=as_json))


@ledger.command(
    epilog="Example: `mrv ledger approve metc-anoka 2021 --by 'R. Reviewer' --reason 'eGRID 2022 replaces 2021'`"
)
def approve(
    project: ProjectId,
    period: PeriodText,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why the new figure is the right one.")],
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who approves it.")],
    factor_version: FactorVersion = None,
    certificate: Annotated[
        str | None,
        typer.Option(
            "--certificate", metavar="SHA256", help="First digits of the certificate that was looked at; no other is."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Approve a figure that is held, and report it: the approval is kept for good, then the partition is run.

    It is for one change, from the figure that is reported to the one that is proposed. Nothing else gets through by it.
    """
    from mrv_assets.cli.ledger_approve import run_approve

    raise typer.Exit(
        run_approve(project, period, factor_version, reason=reason, by=by, certificate=certificate, as_json=as_json)
    )


By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides it.")]
Because = Annotated[str, typer.Option("--because", metavar="TEXT", help="Why.")]


@ledger.command(
    epilog="Example: `mrv ledger withdraw metc-anoka 2021 --by 'R. Reviewer' --because 'by quarter from now on' "
    "--in-favour-of '2021-Q1 to 2021-Q4'`"
)
def withdraw(
    project: ProjectId,
    period: PeriodText,
    by: By,
    because: Because,
    in_favour_of: Annotated[
        str | None, typer.Option("--in-favour-of", metavar="TEXT", help="What is to be reported instead, if anything.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take back the figure that is reported: from then on nothing is, until it is reinstated. The history stays.

    Runs, factor releases and deliveries do not bring it back. The same command again completes what a crash left.
    """
    from mrv_assets.cli.ledger_withdraw import run_withdraw

    raise typer.Exit(run_withdraw(project, period, by=by, because=because, in_favour_of=in_favour_of, as_json=as_json))


@ledger.command(epilog="Example: `mrv ledger reinstate metc-anoka 2021 --by 'R. Reviewer' --because 'sound after all'`")
def reinstate(
    project: ProjectId,
    period: PeriodText,
    by: By,
    because: Because,
    factor_version: FactorVersion = None,
    as_json: AsJson = False,
) -> None:
    """End the withdrawal of a figure, and run the partition, which reports what its certificate says now.

    It is refused while a day of the period is reported elsewhere.
    """
    from mrv_assets.cli.ledger_withdraw import run_reinstate

    raise typer.Exit(run_reinstate(project, period, factor_version, by=by, because=because, as_json=as_json))
