"""`mrv lineage export` and `mrv lineage status`: the journal to lineage catalogues, and how far they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, plain_table, print_error, print_json, stderr, stdout
from mrv_assets.domain.errors import ContractError, MrvError
from mrv_assets.openlineage.outbox import Catalogue
from mrv_assets.openlineage.targets import STANDARD, Target, file_target, standard_targets, url_target
from mrv_assets.pipeline.outbox import Delivery, Standing, deliver, standings
from mrv_assets.pipeline.world import World
from mrv_assets.storage.cursors import Cursors


def run_export(file: Path | None, url: str | None, *, from_the_first: bool, as_json: bool) -> int:
    """Deliver what is due to each target; return the exit code, which is that of the gravest failure."""
    settings = enter()
    targets = _targets(file, url)
    world = open_for_reading(settings)
    cursors = Cursors(settings.openlineage, store=world.store.uri)
    done: list[Delivery] = []
    code = DONE
    for target in targets:
        try:
            done.append(_delivered(world, target, cursors, from_the_first=from_the_first))
        except MrvError as error:  # a target that is away holds up no other one
            code = max(code, print_error(error))
    if as_json:
        print_json({"delivered": [_delivery_json(one) for one in done]})
    else:
        for one in done:
            _print_delivery(one)
    return code


def show_status(*, as_json: bool) -> int:
    """Print how far each target is; return the exit code."""
    settings = enter()
    world = open_for_reading(settings)
    names = [target.name for target in standard_targets()]
    found = standings(world, Cursors(settings.openlineage, store=world.store.uri), names)
    if as_json:
        print_json({"targets": [_standing_json(one) for one in found]})
    elif found:
        _print_standings(found)
    else:
        stdout().print("Nothing was exported yet, and OpenLineage names no transport.")
    return DONE


def _targets(file: Path | None, url: str | None) -> Sequence[Target]:
    if file is not None and url is not None:
        raise typer.BadParameter("--file and --url name two targets: export to one after the other")
    if file is not None:
        return (file_target(file),)
    if url is not None:
        return (url_target(url, os.environ),)
    targets = standard_targets()
    if not targets:
        raise ContractError(
            "nothing says where lineage goes",
            where="mrv lineage export",
            expected="--file, --url, or a transport in the standard configuration of OpenLineage",
            found="none of them",
            remedy=f"name one, or set {STANDARD}",
        )
    return targets


def _delivered(world: World, target: Target, cursors: Cursors, *, from_the_first: bool) -> Delivery:
    with _progress() as tell:
        return deliver(world, Catalogue(world, target), cursors, from_the_first=from_the_first, progress=tell)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    console = stderr()
    columns = (TextColumn("journal entries"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print_delivery(one: Delivery) -> None:
    now = one.standing
    told = f"{one.entries:,} entries, {one.messages:,} events" if one.entries else "nothing new"
    stdout().print(f"{now.target}: {told}; delivered up to {now.delivered:,} of {now.last:,}", soft_wrap=True)


def _print_standings(found: Sequence[Standing]) -> None:
    table = plain_table(title="Lineage, by journal entries")
    table.add_column("target", overflow="fold")
    for name in ("delivered up to", "last", "behind"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found:
        table.add_row(one.target, f"{one.delivered:,}", f"{one.last:,}", f"{one.behind:,}")
    stdout().print(table)


def _delivery_json(one: Delivery) -> dict[str, object]:
    return {**_standing_json(one.standing), "entries": one.entries, "events": one.messages}


def _standing_json(one: Standing) -> dict[str, object]:
    return {"target": one.target, "delivered": one.delivered, "last": one.last, "behind": one.behind}
