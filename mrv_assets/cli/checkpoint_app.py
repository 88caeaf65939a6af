"""The commands of `mrv checkpoint`: their names, arguments and help, and nothing that costs time to import.

What does not belong here: the work, which is in `cli.checkpoint`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mrv_assets.cli.options import AsJson

checkpoint = typer.Typer(
    name="checkpoint",
    help="How long the journal is and what its tree comes to, published where nobody can take it back.",
    epilog="Example: `mrv checkpoint publish git+/srv/witness`; later: `mrv checkpoint verify git+/srv/witness`",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Place = Annotated[
    str,
    typer.Argument(
        metavar="PLACE",
        help="A folder, s3://, gs:// or az:// with bucket and prefix, git+ and the folder of a repository, or a URL "
        "that answers GET and takes PUT.",
    ),
]


@checkpoint.command(epilog="Example: `mrv checkpoint show --json`")
def show(as_json: AsJson = False) -> None:
    """Show the checkpoint of the journal as it is now, and who signs it."""
    from mrv_assets.cli.checkpoint import show_checkpoint

    show_checkpoint(as_json=as_json)


@checkpoint.command(epilog="Example: `mrv checkpoint publish git+/srv/witness`, or a folder such as /mnt/elsewhere")
def publish(place: Place, as_json: AsJson = False) -> None:
    """Keep the present checkpoint at PLACE. First the journal is held against what is kept there already.

    The exit code is 70, and nothing is published, when the journal was cut, rewritten or exchanged.
    """
    from mrv_assets.cli.checkpoint import run_publish

    run_publish(place, as_json=as_json)


@checkpoint.command(epilog="Example: `mrv checkpoint verify git+/srv/witness`")
def verify(place: Place, as_json: AsJson = False) -> None:
    """Hold the journal against every checkpoint at PLACE, and their signatures against the trust file.

    The exit code is 70 when the journal was cut, rewritten or exchanged, or a signature does not hold.
    """
    from mrv_assets.cli.checkpoint import run_verify

    run_verify(place, as_json=as_json)


@checkpoint.command(epilog="Example: `mrv checkpoint prove 120 --out 120-to-now.json`, for a reader who keeps that one")
def prove(
    first: Annotated[int, typer.Argument(metavar="FIRST", min=1, help="The size of the checkpoint that a reader has.")],
    second: Annotated[
        int | None,
        typer.Argument(metavar="SECOND", min=1, help="Of the other one; left out: the journal as it is."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", dir_okay=False, help="Left out: print it.")
    ] = None,
) -> None:
    """Prove to a reader that the journal of one checkpoint is the beginning of that of another."""
    from mrv_assets.cli.checkpoint import run_prove

    run_prove(first, second, out=out)
