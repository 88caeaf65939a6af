"""The commands by which a figure is made again: their arguments and help, and nothing that costs time to import.

What does not belong here: the work, which is in a module for each command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mrv_assets.cli.options import AsJson

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="CERTIFICATE", help="First digits of its sha256, 8 or more; or PROJECT PERIOD [FACTOR_VERSION]."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands to `mrv`."""
    app.command(epilog="Example: `mrv reperform metc-anoka 2021`; a certificate: `mrv reperform 0f3c5a7d`")(reperform)
    app.command(epilog="Example: `mrv kit metc-anoka 2021`; with a name: `mrv kit 0f3c5a7d --out anoka.zip`")(kit)


def reperform(
    certificate: Words,
    reference: Annotated[
        str | None,
        typer.Option("--reference", metavar="URI", help="Other reference data, such as a checkout of that time."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a certified figure again from what its certificate pins, and compare asset by asset. Nothing is written.

    Exit codes: 0 all that was made again is equal; 70 it differs though all that is pinned is the same; 1 it cannot be
    made again here, or differs under other code, libraries or reference data.
    """
    from mrv_assets.cli.reperform import run_reperform

    raise typer.Exit(run_reperform(certificate, reference=reference, as_json=as_json))


def kit(
    certificate: Words,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", dir_okay=False, help="Left out: a name that says whose figure it is."),
    ] = None,
    without_inputs: Annotated[
        bool, typer.Option("--without-inputs", help="Name deliveries by URI and digest; they do not travel.")
    ] = False,
    without_geometry: Annotated[
        bool, typer.Option("--without-geometry", help="Show tables without footprints; areas and totals stay proven.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a zip file by which a stranger makes a certified figure again, offline, and sees each row that differs.

    It holds evidence, pinned inputs, code and lock file, and a script. The same certificate gives the same bytes.
    """
    from mrv_assets.cli.kit import write_kit

    asked = {"inputs": without_inputs, "geometry": without_geometry}
    write_kit(certificate, out=out, without=[name for name, is_out in asked.items() if is_out], as_json=as_json)
