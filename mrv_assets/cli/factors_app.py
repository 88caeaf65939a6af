"""The commands of `mrv factors`: their names, arguments and help, and nothing that costs time to import.

What does not belong here: the work, which is in a module for each command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from mrv_assets.cli.options import AsJson

factors = typer.Typer(
    name="factors",
    help="Look at factor releases, compare them, and make new ones of published files.",
    epilog="Example: `mrv factors list`; what a new release would change: `mrv factors diff OLD NEW`",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Format = Literal["epa-hub", "uk-conversion", "csv"]
Version = Annotated[str, typer.Argument(metavar="VERSION", help="Factor release, such as mrow-2025.05.20.")]
GwpSetName = Annotated[
    str | None,
    typer.Option("--gwp-set", metavar="SET", help="ar4, ar5 or ar6; left out: the set that the file itself names."),
]
All = Annotated[bool, typer.Option("--all", help="Every row instead of the first ones.")]


@factors.command(
    name="import",
    epilog="Example: `mrv factors import 2022_flat_file.xlsx --format uk-conversion --version uk-2022 --line uk "
    "--supersedes uk-2021 --reason 'the edition of 2022' --dry-run`, which writes nothing; then without `--dry-run`",
)
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="The publisher's file.")],
    form: Annotated[Format, typer.Option("--format", help="Who made the file, or csv: the columns of factors.csv.")],
    version: Annotated[str, typer.Option("--version", metavar="VERSION", help="The name of the new release.")],
    line: Annotated[str, typer.Option("--line", metavar="LINE", help="The series of releases that it belongs to.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why there is a new release.")],
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="What it is; left out: the file's own title.")
    ] = None,
    published: Annotated[
        str | None,
        typer.Option("--published", metavar="DATE", help="YYYY-MM-DD; left out: the day that the file names."),
    ] = None,
    gwp_set: GwpSetName = None,
    supersedes: Annotated[
        str | None,
        typer.Option("--supersedes", metavar="VERSION", help="The newest release of the line; none for its first."),
    ] = None,
    valid: Annotated[
        str | None,
        typer.Option("--valid", metavar="DAYS", help="2021-01-01..2021-12-31; left out: the year that the file names."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show everything and write nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a factor release of a published file: what is taken, what is left out and why, and what it changes.

    Writes a new folder of the reference data, and prints the changelog entry to complete.

    A version that is there is never written again.
    """
    from mrv_assets.cli.factors_import import Asked, run_import

    asked = Asked(
        file=file,
        form=form,
        version=version,
        line=line,
        reason=reason,
        title=title,
        published=published,
        gwp_set=gwp_set,
        supersedes=supersedes,
        valid=valid,
    )
    run_import(asked, is_dry_run=dry_run, as_json=as_json)


@factors.command(name="list", epilog="Example: `mrv factors list`; one line: `mrv factors list --line mrow`")
def list_(
    line: Annotated[str | None, typer.Option("--line", metavar="LINE", help="Only this series of releases.")] = None,
    as_json: AsJson = False,
) -> None:
    """List every release and who uses it.

    One that cannot be read is shown with what is wrong, beside the others; the exit code is then not 0.
    """
    from mrv_assets.cli.factors_list import show_list

    raise typer.Exit(show_list(line, as_json=as_json))


@factors.command(
    epilog="Example: `mrv factors show mrow-2025.05.20`; some of a large one: `mrv factors show uk-2022 --activity hgv`"
)
def show(
    version: Version,
    activity: Annotated[
        str | None, typer.Option("--activity", metavar="TEXT", help="Only activities whose id holds this text.")
    ] = None,
    region: Annotated[str | None, typer.Option("--region", metavar="REGION", help="Only this region.")] = None,
    all_: All = False,
    as_json: AsJson = False,
) -> None:
    """Show one release: what it is, and its factors in t CO2e per unit and by gas."""
    from mrv_assets.cli.factors_show import show_release

    show_release(version, activity=activity, region=region, is_all=all_, as_json=as_json)


@factors.command(
    epilog="Example: `mrv factors diff mrow-2024.06.24 mrow-2025.05.20`; two published files, also by the publisher's "
    "own keys: `mrv factors diff 2021.xlsx 2022.xlsx --format uk-conversion`"
)
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="The older release, or file with --format.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The newer release, or file with --format.")],
    form: Annotated[
        Format | None, typer.Option("--format", help="A and B are published files of this kind, not releases.")
    ] = None,
    gwp_set: GwpSetName = None,
    all_: All = False,
    as_json: AsJson = False,
) -> None:
    """Show what changes from A to B: factors removed, added, changed by how much, and perhaps only renamed.

    The largest changes come first. Factors are compared by activity, region and unit.
    """
    from mrv_assets.cli.factors_diff import show_diff

    show_diff(before, after, form=form, gwp_set=gwp_set, is_all=all_, as_json=as_json)


@factors.command(
    epilog="Example: `mrv factors impact mrow-2024.06.24 mrow-2025.05.20`; from whatever is live, drawn: "
    "`mrv factors impact mrow-2025.05.20 --plot impact.svg`"
)
def impact(
    releases: Annotated[
        list[str], typer.Argument(metavar="[A] B", help="From release A, or whatever is live, to release B.")
    ],
    project: Annotated[str | None, typer.Option("--project", metavar="PROJECT", help="Only this project.")] = None,
    period: Annotated[str | None, typer.Option("--period", metavar="PERIOD", help="Only this period.")] = None,
    top: Annotated[int, typer.Option("--top", metavar="N", min=1, help="Rows of each table.")] = 10,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", dir_okay=False, help="Draw it: .svg or .png.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show which figures a bump from A to B would touch and how many tonnes it would move, before it is run.

    Computed by the stages from what is stored. Nothing is written.
    """
    from mrv_assets.cli.factors_impact import show_impact

    show_impact(releases, project=project, period=period, top=top, plot=plot, as_json=as_json)
