"""The commands around backfills: their arguments and help, and nothing that costs time to import.

What does not belong here: the work, which is in a module for each command.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mrv_assets.cli.options import AsJson

if TYPE_CHECKING:
    from mrv_assets.domain.backfill import BackfillRequest

WindowText = Annotated[
    str,
    typer.Argument(metavar="WINDOW", help="2021, 2019..2022, 2024-Q1..2024-Q3, or several of these with commas."),
]
Projects = Annotated[
    list[str] | None,
    typer.Option("--project", "-p", metavar="PROJECT", help="Project id; may be repeated. Left out: all projects."),
]
Factors = Annotated[
    str,
    typer.Option("--factors", metavar="RELEASE", help="A factor release; follow: pins, else each line's newest."),
]
HowFar = Annotated[
    Literal["report", "certify"], typer.Option("--mode", help="report: to the ledger; certify: no figure moves.")
]
Remedy = Annotated[
    Literal["abort", "recompute"],
    typer.Option("--policy", help="When the preflight finds something: abort, or recompute what is unhashed."),
]
Force = Annotated[bool, typer.Option("--force", help="Compute again what is unchanged; equal content adds nothing.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to `mrv`."""
    app.command(epilog="Example: `mrv plan 2019..2022`; one project: `mrv plan 2019..2022 -p metc-anoka`")(plan)
    app.command(
        epilog="Example: `mrv backfill 2019..2022`; try a release without moving a figure: "
        "`mrv backfill 2022 --factors mrow-2025.05.20 --mode certify`"
    )(backfill)
    app.command(epilog="Example: `mrv manifest` lists them; one: `mrv manifest 1f3c --plot backfill.svg`")(manifest)


def plan(
    window: WindowText,
    projects: Projects = None,
    factors: Factors = "follow",
    mode: HowFar = "report",
    policy: Remedy = "abort",
    force: Force = False,
    every: Annotated[bool, typer.Option("--all", help="Also list what would be skipped.")] = False,
    as_json: AsJson = False,
) -> None:
    """Tell what a backfill would do with each partition, and why: run, skip or blocked. Nothing is written.

    The exit code is 1 when a partition is blocked.
    """
    from mrv_assets.cli.plan import show_plan

    request = _request(window, projects=projects, factors=factors, mode=mode, policy=policy, force=force)
    raise typer.Exit(show_plan(request, every=every, as_json=as_json))


def backfill(
    window: WindowText,
    projects: Projects = None,
    factors: Factors = "follow",
    mode: HowFar = "report",
    policy: Remedy = "abort",
    force: Force = False,
    chunk_size: Annotated[int, typer.Option("--chunk-size", min=1, help="Partitions of one step.")] = 200,
    summary: Annotated[
        bool, typer.Option("--summary", help="Tell Dagster of passed gates in one check a partition; faster.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Carry all partitions of a window in one Dagster run, and print its manifest. What has not changed is skipped.

    A refused partition stops no other. The exit code is 1 when one was refused.
    """
    from mrv_assets.cli.backfill import run_backfill

    request = _request(window, projects=projects, factors=factors, mode=mode, policy=policy, force=force)
    raise typer.Exit(run_backfill(request, chunk_size=chunk_size, summary=summary, as_json=as_json))


def manifest(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Run id of a backfill, or how it begins. Left out: list all.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", dir_okay=False, help="Write it as Markdown.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", dir_okay=False, help="Draw its tonnes: .svg or .png.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a backfill committed, skipped and refused, and the tonnes before and after."""
    from mrv_assets.cli.manifest import list_manifests, show_manifest

    if run is None:
        raise typer.Exit(list_manifests(as_json=as_json))
    raise typer.Exit(show_manifest(run, markdown=markdown, plot=plot, as_json=as_json))


def _request(
    window: str, *, projects: list[str] | None, factors: str, mode: str, policy: str, force: bool
) -> BackfillRequest:
    """Return the request. Raises what `BackfillRequest.of` raises."""
    from mrv_assets.domain.backfill import BackfillRequest

    return BackfillRequest.of(
        projects=projects or [], window=window, factor_version=factors, mode=mode, policy=policy, force=force
    )
