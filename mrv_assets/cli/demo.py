"""`mrv demo`: replay a published inventory, compare every total, re-check every certificate, and write a page.

What does not belong here: deciding what is run (replay), words and tables (demo_text), causes and page (report).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mrv_assets.cli.demo_text import (
    Demonstrated,
    demonstrated_json,
    mismatches,
    print_introduction,
    print_result,
    print_step,
)
from mrv_assets.cli.deployment import enter, log_file, open_for_reading
from mrv_assets.cli.replay import Notice, Replayed, Runner, Scenario, replay_step
from mrv_assets.cli.terminal import DONE, REFUSED, print_json, print_panel, stderr, stdout
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.domain.project import Inventory
from mrv_assets.pipeline.figures import Figure, live_figures
from mrv_assets.pipeline.world import World
from mrv_assets.report.aside import rows_aside
from mrv_assets.report.audit import Audit, audit
from mrv_assets.report.land import land_of
from mrv_assets.report.page import Page, most_restated, render
from mrv_assets.report.published import PublishedStep
from mrv_assets.report.replayed import ReplayedTotal, replayed_totals
from mrv_assets.settings import Settings
from mrv_assets.storage.opening import open_store

_PROCESSES = 2
"""Runs side by side: what `dagster.yaml` lets the queue do."""

_TWIN_CITIES = Path(__file__).resolve().parents[2] / "examples" / "twin-cities"


def run_demo(folder: Path | None, *, as_json: bool) -> int:
    """Replay, print and write the page; return 0 when every total equals the published one, else 1.

    Raises Refusal when a partition does not come through or the replay cannot go on from what is in the store.
    """
    settings = enter()
    scenario = Scenario.read(folder or _TWIN_CITIES)
    console = stderr() if as_json else stdout()
    if not as_json:
        print_introduction(console, scenario.replay, open_for_reading(settings).references, settings)
    partitions = sum(len(step.keys) for step in scenario.replay.steps)
    with _progress(console, partitions) as notice, _dagster(settings) as run:
        told = None if as_json else console
        demonstrated = demonstrate(settings, scenario, run=run, notice=notice, told=told)
    if as_json:
        print_json(demonstrated_json(demonstrated))
    else:
        print_result(console, demonstrated)
    wrong = mismatches(demonstrated.totals)
    if wrong:
        print_panel("The ledger does not report the published total", wrong)
    return REFUSED if wrong else DONE


def demonstrate(
    settings: Settings, scenario: Scenario, *, run: Runner, notice: Notice, told: Console | None
) -> Demonstrated:
    """Replay every step with `run`, re-check all certificates, and write the page.

    `told` hears of each step as it ends.
    """
    world = open_for_reading(settings)
    inventory = world.references.inventory(scenario.replay.inventory)
    landing = open_store(settings.landing, allow_network_fs=settings.allow_network_fs)
    states: list[tuple[PublishedStep, dict[str, dict[str, Figure]]]] = []
    steps: list[Sequence[Replayed]] = []
    totals: tuple[ReplayedTotal, ...] = ()
    for number, step in enumerate(scenario.replay.steps, start=1):
        replayed = replay_step(world, landing, scenario, number, run=run, notice=notice)
        steps.append(replayed)
        states.append((step, _by_period(replayed)))
        totals = replayed_totals(states)
        if told is not None:
            print_step(told, number, scenario.replay, replayed, [row for row in totals if row.number == number])
    checked = audit(world.slots, inventory.projects)
    return Demonstrated(
        replay=scenario.replay,
        inventory=inventory,
        replayed=steps,
        totals=totals,
        live=_live(world, inventory),
        audit=checked,
        page=_write_page(settings, world, inventory, totals, checked),
    )


def _dagster(settings: Settings) -> AbstractContextManager[Runner]:
    # Dagster costs seconds to import, and a replay that cannot start should say so before.
    from mrv_assets.orchestration.launch import launcher

    return launcher(settings, processes=_PROCESSES, log=log_file(settings), force=False)


def _by_period(replayed: Sequence[Replayed]) -> dict[str, dict[str, Figure]]:
    figures: dict[str, dict[str, Figure]] = {}
    for one in replayed:
        figures.setdefault(one.key.period, {})[one.key.project_id] = one.figure
    return figures


def _live(world: World, inventory: Inventory) -> tuple[Figure, ...]:
    figures = live_figures(world.slots, project_id=None, period=None)
    return tuple(f for f in figures if f.project_id in inventory.projects and f.period in inventory.periods)


def _write_page(
    settings: Settings, world: World, inventory: Inventory, totals: Sequence[ReplayedTotal], checked: Audit
) -> Path:
    live = _live(world, inventory)
    page = Page(
        inventory=inventory,
        names={project: world.references.project(project).name for project in inventory.projects},
        totals=totals,
        live=live,
        lands=[land_of(world.slots, figure) for figure in live if figure.period == most_restated(totals)],
        audit=checked,
        aside=[aside for figure in live for aside in rows_aside(world.slots, figure)],
    )
    path = settings.home / "reports" / f"{inventory.id}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(page), encoding="utf-8")
    return path


@contextmanager
def _progress(console: Console, partitions: int) -> Iterator[Notice]:
    """Show a bar over all partitions with the present one named; without a terminal show nothing."""
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting Dagster", total=partitions)
        seen = -1

        def notice(key: PartitionKey) -> None:
            nonlocal seen
            seen += 1
            progress.update(task, completed=seen, description=str(key))

        yield notice
