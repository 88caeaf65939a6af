"""The commands of `mrv registry`: their names, arguments and help, and nothing that costs time to import.

What does not belong here: the work, which is in a module for each command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mrv_assets.cli.options import AsJson

registry = typer.Typer(
    name="registry",
    help="Attach what a registry issued and retired to the certificates behind it, and look at it.",
    epilog="Example: `mrv registry attach issued.toml --dry-run`; who issued a credit: `mrv registry show SERIAL`",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@registry.command(epilog="Example: `mrv registry attach examples/planted-forest/registry.toml --dry-run`")
def attach(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .toml or .json file; see docs/runbooks/registry-records.md.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything and record nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Record issuances, retirements and cancellations, each once. All are checked before the first is recorded.

    Refused: credits claimed twice, more than a certificate allows, a retirement of what was not issued.
    """
    from mrv_assets.cli.registry_attach import run_attach

    raise typer.Exit(run_attach(file, is_dry_run=dry_run, as_json=as_json))


@registry.command(name="list", epilog="Example: `mrv registry list planted-forest --json`")
def list_(
    project: Annotated[str | None, typer.Argument(metavar="PROJECT", help="Only this project.")] = None,
    as_json: AsJson = False,
) -> None:
    """List every record, oldest first, and whether the certificate of an issuance is the one that is reported now."""
    from mrv_assets.cli.registry_list import show_records

    show_records(project, as_json=as_json)


@registry.command(
    epilog="Example: `mrv registry show 12629-421604735-421689507-VCS-VCU-576-VER-PY-14-2498-01012020-19112020-0`"
)
def show(
    serial: Annotated[
        str, typer.Argument(metavar="SERIAL", help="As the registry shows it; also a part of an issued block.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show who issued the credits of a serial number, on which certificate, and whether they are retired."""
    from mrv_assets.cli.registry_show import show_serial

    show_serial(serial, as_json=as_json)
