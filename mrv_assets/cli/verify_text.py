"""How the outcome of `mrv verify` looks: green what held, yellow what could not be checked, red what nobody signed.

What does not belong here: checking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from mrv_assets.cli.terminal import parts, plain_table, print_json, stderr, stdout
from mrv_assets.domain.errors import MrvError
from mrv_assets.pipeline.verifying import Judgement
from mrv_assets.verify.verification import State, Verification

_STYLES = {State.HELD: "green", State.UNSIGNED: "bold red", State.NOT_CHECKED: "yellow", State.WITHDRAWN: "bold red"}


def print_outcome(console: Console, outcome: Verification) -> None:
    """Print whose figure it is, each check, and in one line what the whole is worth."""
    key, totals = outcome.certificate.key, outcome.certificate.totals
    console.print(f"{key}: {totals.tonnes['net_tco2e']} t CO2e net", style="bold")
    console.print(f"certificate {outcome.certificate.sha256}", "", sep="\n")
    table = plain_table()
    table.add_column("check", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("what", overflow="fold")
    for check in outcome.checks:
        table.add_row(check.name, Text(check.state.value, style=_STYLES[check.state]), check.said)
    console.print(table, "", sep="\n")
    if outcome.withdrawn:
        console.print("WITHDRAWN: whole as it was made, and its figure is not reported any more.", style="bold red")
    if outcome.unsigned:
        console.print("Whole, but UNSIGNED: digests hold, and nobody vouches for them.", style="bold red")
    else:
        console.print("Everything that could be checked holds.", style="green")


def print_judgements(judged: Sequence[Judgement], *, as_json: bool) -> None:
    """Print how many certificates hold, and each one that does not."""
    if as_json:
        print_json({"certificates": [_json(one) for one in judged]})
        return
    console = stdout()
    failed = [one for one in judged if isinstance(one.outcome, MrvError)]
    if failed:
        console.print(_failures(failed), "", sep="\n")
    bare = [one for one in judged if isinstance(one.outcome, Verification) and one.outcome.unsigned]
    if bare:
        console.print(f"{len(bare):,} certificates are UNSIGNED: nobody vouches for them.", style="bold red")
    back = [one for one in judged if isinstance(one.outcome, Verification) and one.outcome.withdrawn]
    if back:
        console.print(f"{len(back):,} certificates are of figures that were WITHDRAWN.", style="bold red")
    text = f"{len(judged) - len(failed):,} of {len(judged):,} certificates hold."
    console.print(text, style="bold red" if failed else "green")


def error_json(error: MrvError) -> dict[str, object]:
    """Return a breach as plain values."""
    return {"is_held": False, "error": type(error).__name__, **parts(error)}


@contextmanager
def progress(total: int) -> Iterator[Callable[[int], None]]:
    """Show on stderr how many certificates were checked."""
    columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr(), transient=True) as bar:
        task = bar.add_task("verifying", total=total)
        yield lambda done: bar.update(task, completed=done)


def _failures(failed: Sequence[Judgement]) -> object:
    table = plain_table()
    for name in ("certificate", "breach", "expected", "found"):
        table.add_column(name, overflow="fold")
    for one in failed:
        if isinstance(one.outcome, MrvError):
            name = f"{one.record.slot}, generation {one.record.generation}"
            table.add_row(name, one.outcome.what, one.outcome.expected, one.outcome.found)
    return table


def _json(one: Judgement) -> dict[str, object]:
    slot = one.record.slot
    outcome = one.outcome
    said = error_json(outcome) if isinstance(outcome, MrvError) else {"is_held": True, **outcome.to_json()}
    return {
        "project_id": slot.project_id,
        "period": slot.period,
        "factor_version": slot.factor_version,
        "generation": one.record.generation,
        **said,
    }
