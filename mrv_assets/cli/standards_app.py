"""The commands of `mrv standards`: their names, arguments and help, and nothing that costs time to import.

What does not belong here: the work, which is in a module for each command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from mrv_assets.cli.options import AsJson, PeriodText, ProjectId, ShownVersion

standards = typer.Typer(
    name="standards",
    help="Look at rule sets, and at what they make of a figure: deductions, credits and controls.",
    epilog="Example: `mrv standards list`; one figure under its rule sets: `mrv standards assess PROJECT PERIOD`",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@standards.command(name="list", epilog="Example: `mrv standards list --json`")
def list_(as_json: AsJson = False) -> None:
    """List every rule set: when it is in force, how many rules it has, and which projects declare it."""
    from mrv_assets.cli.standards_list import show_list

    raise typer.Exit(show_list(as_json=as_json))


@standards.command(epilog="Example: `mrv standards show vm0047-area@1.1`")
def show(
    name: Annotated[str, typer.Argument(metavar="ID@VERSION", help="One version of a rule set.")],
    as_json: AsJson = False,
) -> None:
    """Show one rule set: each rule with its clause, how it is known, its formula and its numbers."""
    from mrv_assets.cli.standards_show import show_rule_set

    show_rule_set(name, as_json=as_json)


@standards.command(
    epilog="Example: `mrv standards assess planted-forest 2025`; under other rules, to compare: "
    "`mrv standards assess planted-forest 2025 --rule-set gs-403@2.1`"
)
def assess(
    project: ProjectId,
    period: PeriodText,
    factor_version: ShownVersion = None,
    rule_set: Annotated[
        list[str] | None,
        typer.Option("--rule-set", metavar="ID@VERSION", help="These instead of the declared ones; may be repeated."),
    ] = None,
    expect: Annotated[
        Path | None,
        typer.Option("--expect", metavar="FILE", dir_okay=False, help="Compare every line and control with this file."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", dir_okay=False, help="Draw the waterfalls: .svg or .png.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Assess the certified totals of a partition under its declared rule sets, or under others. Nothing is kept.

    The exit code is 1 when a control does not hold, or something is not as the file of --expect says.
    """
    from mrv_assets.cli.standards_assess import show_assessment

    code = show_assessment(
        project, period, factor_version, rule_sets=rule_set, expect=expect, plot=plot, as_json=as_json
    )
    raise typer.Exit(code)


@standards.command(
    epilog="Example: `mrv standards disclose cad-trust PROJECT PERIOD --rule-set vm0047-area@1.1 --out units.json`"
)
def disclose(
    form: Annotated[
        Literal["esrs-e1", "cad-trust", "verra", "gold-standard", "pact"],
        typer.Argument(metavar="FORM", help="esrs-e1, cad-trust, verra, gold-standard or pact."),
    ],
    project: ProjectId,
    period: PeriodText,
    factor_version: ShownVersion = None,
    rule_set: Annotated[
        str | None, typer.Option("--rule-set", metavar="ID@VERSION", help="Whose credits, where there are several.")
    ] = None,
    supersedes: Annotated[
        list[str] | None,
        typer.Option("--supersedes", metavar="SHA256", help="pact: an earlier certificate that this one replaces."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", dir_okay=False, help="A new file; left out: the terminal.")
    ] = None,
) -> None:
    """Render what a report or a registry asks for from one sealed certificate, with its digest.

    Refused when it would break the published rules of the form, and when the evidence has changed since.
    """
    from mrv_assets.cli.standards_disclose import write_disclosure

    write_disclosure(form, project, period, factor_version, rule_set=rule_set, supersedes=supersedes or (), out=out)
