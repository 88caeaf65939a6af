"""Arguments and options that several commands share.

What does not belong here: those of one command or group.
"""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, decimals as text.")]
CertificateWords = Annotated[
    list[str],
    typer.Argument(
        metavar="PROJECT PERIOD [FACTOR_VERSION] | SHA256",
        help="The one that is reported, that of a factor release, or 8 or more first digits of its sha256.",
    ),
]
ProjectId = Annotated[str, typer.Argument(metavar="PROJECT", help="Project id, such as metc-anoka.")]
PeriodText = Annotated[
    str, typer.Argument(metavar="PERIOD", help="2024, 2024-Q1, 2024-03 or 2021-04-01_2022-12-31 (inclusive days).")
]
FactorVersion = Annotated[
    str | None,
    typer.Argument(
        metavar="FACTOR_VERSION",
        help="Factor release; left out: the project's pin for the period, else the newest release of its line.",
    ),
]
ShownVersion = Annotated[
    str | None,
    typer.Argument(
        metavar="FACTOR_VERSION",
        help="Factor release; left out: the one that is reported, else the one that `mrv run` would take.",
    ),
]
