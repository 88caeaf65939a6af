"""The words, tables and JSON of `mrv demo`.

What does not belong here: running anything (demo, replay) and the page (report).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mrv_assets.cli.ledger import figure_json
from mrv_assets.cli.replay import Replayed
from mrv_assets.cli.terminal import plain_table
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.project import Inventory
from mrv_assets.pipeline.figures import Figure
from mrv_assets.report.audit import Audit
from mrv_assets.report.published import Replay
from mrv_assets.report.replayed import ReplayedTotal
from mrv_assets.report.wording import exact_difference, exact_sum, signed_tonnes, tonnes
from mrv_assets.settings import Settings
from mrv_assets.storage.references import ReferenceData


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstrated:
    """Everything that a replay came to; `replayed` is step by step."""

    replay: Replay
    inventory: Inventory
    replayed: Sequence[Sequence[Replayed]]
    totals: Sequence[ReplayedTotal]
    live: Sequence[Figure]
    audit: Audit
    page: Path


def mismatches(totals: Sequence[ReplayedTotal]) -> dict[str, str]:
    """Return each total that is not the published one, in words, by step and period."""
    return {
        f"step {row.number}, {row.period}": f"expected {tonnes(row.published_tco2e)} t; "
        f"found {tonnes(row.ledger_tco2e)} t, {signed_tonnes(exact_difference(row.ledger_tco2e, row.published_tco2e))}"
        for row in totals
        if not row.is_equal
    }


def print_introduction(console: Console, replay: Replay, references: ReferenceData, settings: Settings) -> None:
    """Say what is about to happen, to somebody who has never seen the project."""
    steps = replay.steps
    console.print(references.inventory(replay.inventory).title, style="bold")
    console.print(
        f"Replays {len(steps)} states of this inventory as they were published from {steps[0].date} to "
        f"{steps[-1].date}. Dagster carries each partition (project, period, factor version) from the source file "
        "through gates into the ledger. What is in the store already is skipped; what is new is added and overwrites "
        "nothing."
    )
    console.print(f"Home: {settings.home}\n", soft_wrap=True)


def print_step(
    console: Console, number: int, replay: Replay, replayed: Sequence[Replayed], totals: Sequence[ReplayedTotal]
) -> None:
    """Say what a step did with its partitions, and how its totals compare with the published ones."""
    step = replay.steps[number - 1]
    console.print(f"{number}/{len(replay.steps)}  {step.date}  {step.title}", style="bold")
    console.print(
        Padding(Text(f"factors {step.factor_version}, source files of {step.landing}", style="dim"), (0, 0, 0, 5))
    )
    for (outcome, words), projects in _groups(replayed).items():
        line = Text(f"{outcome.value:<9}", style="green" if outcome is Outcome.COMMITTED else "cyan")
        line.append(f"  {words}: {', '.join(projects)}", style="default")
        console.print(Padding(line, (0, 0, 0, 5)))
    for row in totals:
        verdict = "equals" if row.is_equal else "IS NOT"
        words = f"{row.period}  ledger {tonnes(row.ledger_tco2e)} t {verdict} published {tonnes(row.published_tco2e)} t"
        console.print(Padding(words, (0, 0, 0, 5)), style="default" if row.is_equal else "bold red")
    console.print()


def _groups(replayed: Sequence[Replayed]) -> dict[tuple[Outcome, str], list[str]]:
    """Return the projects by what became of them and by the generation of their figure."""
    groups: dict[tuple[Outcome, str], list[str]] = {}
    for one in replayed:
        stays = "stays " if one.outcome is Outcome.COMMITTED and not one.has_moved else ""
        words = f"{one.key.period} {stays}generation {one.figure.generation}"
        groups.setdefault((one.outcome, words), []).append(one.key.project_id)
    return groups


def print_result(console: Console, demonstrated: Demonstrated) -> None:
    """Print the restatements, the final ledger, what was re-checked, and what to do next."""
    console.print(_restatements(demonstrated.totals))
    console.print(_final_ledger(demonstrated), "", sep="\n")
    outcomes = [one.outcome for step in demonstrated.replayed for one in step]
    counts = ", ".join(f"{outcomes.count(o)} {o.value}" for o in (Outcome.COMMITTED, Outcome.SKIPPED))
    console.print(f"{len(outcomes)} partitions: {counts}.")
    console.print(
        f"All {demonstrated.audit.certificates} certificates and {demonstrated.audit.figures} ledger generations "
        "ever made still resolve and verify."
    )
    last = demonstrated.replayed[-1][0].figure
    focus = demonstrated.totals[0]
    console.print("\nThe page with the pictures:", style="bold")
    console.print(f"  {demonstrated.page}", soft_wrap=True)
    console.print("\nNext:", style="bold")
    console.print("  make ui       the same runs, assets and checks in Dagster's web interface")
    console.print("  mrv ledger    what is reported; with --history what moved it")
    console.print(f"  mrv show certificate {last.project_id} {focus.period} {last.factor_version}")
    console.print(f"  mrv trace {last.project_id} {focus.period}    what it rests on, down to source and code")
    console.print(f"  mrv reperform {last.project_id} {focus.period}    the figure made again and compared")
    console.print("  mrv verify --all --allow-unsigned    every certificate checked; `mrv keys init` has them signed")


def demonstrated_json(demonstrated: Demonstrated) -> dict[str, object]:
    """Return everything in JSON-ready values."""
    return {
        "inventory": demonstrated.inventory.id,
        "steps": [
            {
                "number": number,
                "date": step.date,
                "title": step.title,
                "factor_version": step.factor_version,
                "landing": step.landing,
                "partitions": [_partition_json(one) for one in replayed],
                "totals": [_total_json(row) for row in demonstrated.totals if row.number == number],
            }
            for number, (step, replayed) in enumerate(
                zip(demonstrated.replay.steps, demonstrated.replayed, strict=True), start=1
            )
        ],
        "ledger": [figure_json(figure) for figure in demonstrated.live],
        "verified": {
            "certificates": demonstrated.audit.certificates,
            "ledger_generations": demonstrated.audit.figures,
        },
        "is_equal": not mismatches(demonstrated.totals),
        "page": demonstrated.page,
    }


def _partition_json(one: Replayed) -> dict[str, object]:
    return {
        "project_id": one.key.project_id,
        "period": one.key.period,
        "factor_version": one.key.factor_version,
        "outcome": one.outcome.value,
        "has_moved": one.has_moved,
        "generation": one.figure.generation,
        "certificate_sha256": one.figure.certificate.sha256,
    }


def _total_json(row: ReplayedTotal) -> dict[str, object]:
    return {
        "period": row.period,
        "before_tco2e": row.restatement.before_tco2e,
        "ledger_tco2e": row.ledger_tco2e,
        "published_tco2e": row.published_tco2e,
        "is_equal": row.is_equal,
        "delta_tco2e": row.restatement.delta_tco2e,
        "causes": row.restatement.causes,
    }


def _restatements(totals: Sequence[ReplayedTotal]) -> Group:
    """Lay out the restatements so that they can be read in 60 columns: numbers in a line, below them the cause."""
    lines: list[RenderableType] = [
        Text("Restatements, t CO2e. Causes are computed from the certificates of both sides.\n", style="bold"),
        Text(_figures_line("step", "old total", "new total", "change"), style="bold"),
    ]
    for row in totals:
        moved = row.restatement
        lines.append(
            Text(
                _figures_line(
                    row.step.date.isoformat(),
                    "-" if moved.before_tco2e is None else tonnes(moved.before_tco2e),
                    tonnes(moved.after_tco2e),
                    "-" if moved.delta_tco2e is None else signed_tonnes(moved.delta_tco2e),
                )
            )
        )
        cause = Table.grid(padding=(0, 2, 0, 0))
        cause.add_column(width=10, no_wrap=True)
        cause.add_column(overflow="fold")
        cause.add_row(row.period, Text(row.step.title, style="bold"))
        cause.add_row("", "; ".join(moved.causes))
        lines.append(cause)
    return Group(*lines, "")


def _figures_line(step: str, old: str, new: str, change: str) -> str:
    return f"{step:<10}  {old:>14}  {new:>14}  {change:>14}"


def _final_ledger(demonstrated: Demonstrated) -> Table:
    """Lay out the live figures, projects downwards and periods across; a gap is a figure that is missing."""
    inventory = demonstrated.inventory
    net = {(f.project_id, f.period): f.totals.net_tco2e for f in demonstrated.live}
    table = plain_table(title="The ledger now, net t CO2e")
    table.add_column("project", overflow="fold")
    for period in inventory.periods:
        table.add_column(period, justify="right", no_wrap=True)
    for project in inventory.projects:
        cells = (net.get((project, period)) for period in inventory.periods)
        table.add_row(
            project,
            *("missing" if value is None else tonnes(value) for value in cells),
            end_section=project == inventory.projects[-1],
        )
    sums = (exact_sum(v for (_, p), v in net.items() if p == period) for period in inventory.periods)
    table.add_row("total", *map(tonnes, sums), style="bold")
    present = {period: sum(p == period for _, p in net) for period in inventory.periods}
    table.add_row(
        "projects", *(f"{present[period]} of {len(inventory.projects)}" for period in inventory.periods), style="dim"
    )
    return table
