"""The commands of `mrv lineage`: their names, arguments and help, and nothing that costs time to import.

What does not belong here: the work (lineage).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mrv_assets.cli.options import AsJson

lineage = typer.Typer(
    name="lineage",
    help="Tell lineage catalogues (Marquez, DataHub) what every run did, as OpenLineage events from the journal.",
    epilog="Example: `mrv lineage export --url http://localhost:5000`; how far it is: `mrv lineage status`",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
ToFile = Annotated[
    Path | None, typer.Option("--file", metavar="PATH", dir_okay=False, help="Append one line of JSON for each event.")
]
ToUrl = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="Post to this endpoint; OPENLINEAGE_API_KEY and OPENLINEAGE_ENDPOINT are heeded."
    ),
]


@lineage.command(
    epilog="Example: `mrv lineage export --file lineage.jsonl`; as openlineage.yml says: `mrv lineage export`"
)
def export(
    file: ToFile = None,
    url: ToUrl = None,
    again: Annotated[
        bool, typer.Option("--again", help="From the first entry on, also what was delivered; ids stay the same.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Deliver every journal entry that the target has not taken yet, at least once, in order.

    Without --file and --url the standard configuration of OpenLineage names the target: its environment variables or
    openlineage.yml.
    """
    from mrv_assets.cli.lineage import run_export

    raise typer.Exit(run_export(file, url, from_the_first=again, as_json=as_json))


@lineage.command(epilog="Example: `mrv lineage status --json`")
def status(as_json: AsJson = False) -> None:
    """Show for each target up to which entry it was delivered, the last entry there is, and how many it is behind."""
    from mrv_assets.cli.lineage import show_status

    raise typer.Exit(show_status(as_json=as_json))
