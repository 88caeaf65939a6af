"""`mrv factors impact`: the figures that a bump would touch and the tonnes it would move, before anything is written.

What does not belong here: the preview (pipeline), its totals (report.impact) and its looks (factors_impact_text).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.factors_files import asked_wrongly
from mrv_assets.cli.factors_impact_text import impact_json, print_impact
from mrv_assets.cli.terminal import print_json, stderr, stdout
from mrv_assets.pipeline.impact import Impact, Notice, factor_impact
from mrv_assets.report.impact import ImpactTotals, totals_of

_PICTURES = (".svg", ".png")


def show_impact(
    releases: Sequence[str],
    *,
    project: str | None,
    period: str | None,
    top: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Print the preview of a bump, and draw it into `plot` where one is named.

    Raises what `factor_impact` raises, and ContractError for options that say nothing.
    """
    if not 1 <= len(releases) <= 2:
        found = f"{len(releases)} releases"
        raise asked_wrongly("a bump has two ends", where="A B", expected="B, or A and B", found=found)
    if plot is not None and plot.suffix not in _PICTURES:
        expected = " or ".join(_PICTURES)
        raise asked_wrongly("picture is of no known kind", where="--plot", expected=expected, found=str(plot))
    world = open_for_reading(enter())
    *before, after = releases
    with _progress() as notice:
        impact = factor_impact(
            world,
            after,
            before=before[0] if before else None,
            project_id=project,
            period=period,
            notice=notice,
        )
    totals = totals_of(impact)
    if plot is not None:
        plot.write_bytes(_drawn(impact, totals, plot.suffix))
    if as_json:
        print_json(impact_json(impact, totals))
        return
    print_impact(impact, totals, top=top)
    if plot is not None:
        stdout().print(f"\ndrawn: {plot}", soft_wrap=True)


def _drawn(impact: Impact, totals: ImpactTotals, kind: str) -> bytes:
    # matplotlib costs a second, which only who draws should wait for.
    from mrv_assets.report.impact_plot import impact_plot

    return impact_plot(impact, totals, kind)


@contextmanager
def _progress() -> Iterator[Notice]:
    """Show a bar on standard error; without a terminal show nothing."""
    console = stderr()
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)

        def notice(what: str, done: int, of: int) -> None:
            progress.update(task, completed=done, total=of, description=what)

        yield notice
