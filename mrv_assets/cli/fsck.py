"""`mrv fsck`: every breach of the store as a table, and with `--repair` what a crash left completed.

What does not belong here: finding breaches and healing them (storage, pipeline.fsck).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mrv_assets.cli.deployment import enter, open_for_reading, open_for_writing
from mrv_assets.cli.terminal import DONE, TAMPERED, plain_table, print_json, stderr, stdout
from mrv_assets.pipeline.fsck import check_store, repair_store
from mrv_assets.pipeline.world import World
from mrv_assets.storage.breach import Breach, BreachKind, Report
from mrv_assets.storage.repair import Repaired


def run_fsck(*, is_repairing: bool, as_json: bool) -> int:
    """Check the store, complete what is repairable if asked, and return the exit code: 0 when no breach is left."""
    settings = enter()
    world = open_for_writing(settings) if is_repairing else open_for_reading(settings)
    report = _checked(world)
    repaired = None
    if is_repairing and report.repairable:
        repaired = repair_store(world, report)
        report = _checked(world)
    if as_json:
        print_json(report_json(report, repaired))
    else:
        _print(stdout(), world, report, repaired)
    return TAMPERED if report.breaches else DONE


def report_json(report: Report, repaired: Repaired | None) -> dict[str, object]:
    """Return the report as one document; `repaired` is null when nothing was repaired."""
    return {
        "is_clean": not report.breaches,
        "read": _counts(report),
        "breaches": [_breach_json(breach) for breach in report.breaches],
        "repaired": None
        if repaired is None
        else {
            "published": list(repaired.published),
            "told": list(repaired.told),
            "journal_entry": repaired.entry or None,
            "has_moved_checkpoint": repaired.has_moved_checkpoint,
        },
    }


def _counts(report: Report) -> dict[str, int]:
    return {
        "generations": report.generations,
        "journal_entries": report.entries,
        "blobs": report.blobs,
        "published_figures": report.views,
        "unreferenced_blobs": report.unreferenced,
    }


def _breach_json(breach: Breach) -> dict[str, object]:
    return {
        "kind": breach.kind.value,
        "meaning": breach.kind.meaning,
        "key": breach.key,
        "expected": breach.expected,
        "found": breach.found,
        "remedy": breach.remedy,
        "is_repairable": breach.is_repairable,
    }


def _checked(world: World) -> Report:
    with reading() as tell:
        return check_store(world, progress=tell)


@contextmanager
def reading() -> Iterator[Callable[[int, int], None]]:
    """Show on stderr how far the reading of a store is, and take it away in the end."""
    columns = (TextColumn("reading"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr(), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print(console: Console, world: World, report: Report, repaired: Repaired | None) -> None:
    console.print(f"{world.store.uri}", style="bold", soft_wrap=True)
    console.print(
        f"{report.generations:,} generations, {report.blobs:,} blobs, {report.entries:,} journal entries, "
        f"{report.views:,} published figures"
    )
    if report.unreferenced:
        console.print(
            f"{report.unreferenced:,} blobs that no record names: garbage of a crash, see `mrv gc`", style="dim"
        )
    if repaired is not None:
        _print_repaired(console, repaired)
    if not report.breaches:
        console.print("Whole: every chain, content, figure, view and journal entry is what was sealed.", style="green")
        return
    console.print("", _table(report), "", sep="\n")
    for kind, count in sorted(Counter(breach.kind for breach in report.breaches).items()):
        console.print(f"{kind} ({count}): {kind.meaning}")
        console.print(f"  {_remedy(report, kind)}", style="dim")
    console.print(f"\n{len(report.breaches)} breach(es), {len(report.repairable)} repairable.", style="bold red")


def _print_repaired(console: Console, repaired: Repaired) -> None:
    if repaired.published:
        console.print(f"Published {len(repaired.published)} figure(s) anew.")
    if repaired.told:
        console.print(f"Told of {len(repaired.told)} commit(s) and document(s) in journal entry {repaired.entry}.")
        console.print(
            "What only lost entries told cannot be made again: skipped and refused stages, and what started a run.",
            style="yellow",
        )
    if repaired.has_moved_checkpoint:
        console.print("Moved the journal's checkpoint to its last entry.")


def _remedy(report: Report, kind: BreachKind) -> str:
    return "; ".join(sorted({breach.remedy for breach in report.breaches if breach.kind is kind}))


def _table(report: Report) -> object:
    table = plain_table()
    for name in ("breach", "key", "expected", "found"):
        table.add_column(name, overflow="fold")
    for breach in report.breaches:
        table.add_row(breach.kind.value, breach.key, breach.expected, breach.found)
    return table
