"""The commands of `mrv keys`: their names, arguments and help, and nothing that costs time to import.

What does not belong here: the work, which is in `cli.keys`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mrv_assets.cli.options import AsJson

keys = typer.Typer(
    name="keys",
    help="The keys that sign certificates: make the first one, replace it, list them, hand the public ones out.",
    epilog="Example: `mrv keys init --owner 'Metropolitan Council'`, then `mrv keys list`. A private key is in "
    "the folder MRV_KEYS or in MRV_SIGNING_KEY, and is never shown.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@keys.command(epilog="Example: `mrv keys init --owner 'Metropolitan Council'`")
def init(
    owner: Annotated[
        str | None,
        typer.Option(
            "--owner", metavar="NAME", help="Whose key it is, as outsiders read it; left out: this machine's name."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make the first key; from then on certificates are signed. Doing it again changes nothing."""
    from mrv_assets.cli.keys import init_keys

    init_keys(owner, as_json=as_json)


@keys.command(epilog="Example: `mrv keys rotate`; under a new name: `mrv keys rotate --owner 'Met Council'`")
def rotate(
    owner: Annotated[
        str | None, typer.Option("--owner", metavar="NAME", help="Whose key it is; left out: as before.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make another key that signs from now on, and end the one before. What that has signed stays valid."""
    from mrv_assets.cli.keys import rotate_keys

    rotate_keys(owner, as_json=as_json)


@keys.command(name="list", epilog="Example: `mrv keys list --json`")
def list_(as_json: AsJson = False) -> None:
    """Show each key: its id, whose it is, from when until when it counts, and whether it can sign here."""
    from mrv_assets.cli.keys import list_keys

    list_keys(as_json=as_json)


@keys.command(epilog="Example: `mrv keys trust --out trust.toml`, to hand to a verifier")
def trust(
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", dir_okay=False, help="Write it here; left out: on stdout."),
    ] = None,
) -> None:
    """Give out the public keys, checked: what an outsider needs to verify, out of the folder with the private ones."""
    from mrv_assets.cli.keys import give_trust

    give_trust(out)
