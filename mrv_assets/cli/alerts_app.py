"""The commands of `mrv alerts`: their names, arguments and help, and nothing that costs time to import.

What does not belong here: the work (alerts).
"""

from __future__ import annotations

import typer

from mrv_assets.cli.options import AsJson

alerts = typer.Typer(
    name="alerts",
    help="Where failed runs, restatements and late figures are told: webhooks, Slack, e-mail (MRV_ALERTS).",
    epilog="Example: `mrv alerts test`; the sensor `alerts` sends, once it is started in Dagit",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@alerts.command(name="test", epilog="Example: `mrv alerts test`; exit codes: 0 all took it; 1 refused; 75 one is away")
def try_targets(as_json: AsJson = False) -> None:
    """Send one test message to each target and say what came of it."""
    from mrv_assets.cli.alerts import send_tests

    raise typer.Exit(send_tests(as_json=as_json))


@alerts.command(epilog="Example: `mrv alerts status --json`")
def status(as_json: AsJson = False) -> None:
    """Show each target, whether its secret is set, up to which journal entry it was told, and how many are left."""
    from mrv_assets.cli.alerts import show_status

    raise typer.Exit(show_status(as_json=as_json))
