"""`mrv trace`: everything upstream of a figure, certificate, credit or retirement, as a tree, as JSON and as a picture.

What does not belong here: walking the store (pipeline.trace) and how the tree looks (trace_text).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.factors_files import asked_wrongly
from mrv_assets.cli.terminal import DONE, TAMPERED, print_json, print_panel, stderr, stdout
from mrv_assets.cli.trace_text import print_trace
from mrv_assets.pipeline.trace import trace
from mrv_assets.pipeline.trace_graph import Trace

_PICTURES = (".svg", ".png")


def show_trace(words: Sequence[str], *, plot: Path | None, as_json: bool) -> int:
    """Print the trace of what the words name, draw it into `plot` where one is named, and return the exit code.

    It is 70 when something on the way is not as it was sealed. Raises as `pipeline.trace.trace`, and ContractError for
    a picture of no known kind.
    """
    if plot is not None and plot.suffix not in _PICTURES:
        kinds = " or ".join(_PICTURES)
        raise asked_wrongly("picture is of no known kind", where="--plot", expected=kinds, found=str(plot))
    world = open_for_reading(enter())
    with _progress() as tell:
        found = trace(world, " ".join(words), progress=tell)
    if plot is not None:
        plot.write_bytes(_drawn(found, plot.suffix))
    if as_json:
        print_json(found.to_json())
    else:
        print_trace(found)
        if plot is not None:
            stdout().print(f"\ndrawn: {plot}", soft_wrap=True)
    for one in found.breaks:
        lines = {name: getattr(one, name) for name in ("what", "where", "expected", "found", "remedy")}
        print_panel("Stop: what is stored contradicts its own record", lines)
    return TAMPERED if found.breaks else DONE


def _drawn(found: Trace, kind: str) -> bytes:
    # matplotlib costs a second, which only who draws should wait for.
    from mrv_assets.report.trace_plot import trace_plot

    return trace_plot(found, kind)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    columns = (TextColumn("reading the journal"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr(), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
