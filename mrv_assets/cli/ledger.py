"""`mrv ledger`: what is reported, what it adds up to, what is missing, and with `--history` what moved each figure.

Read through the slot store, never by listing files. What does not belong here: the causes (report.restatement).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from rich.text import Text

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import plain_table, print_json, stdout
from mrv_assets.compliance.completeness import completeness
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Period, Slot
from mrv_assets.domain.project import Inventory
from mrv_assets.pipeline.figures import Figure, ledger_history, ledger_slots, live_figures
from mrv_assets.pipeline.world import World
from mrv_assets.report.restatement import Restatement, restatements_of
from mrv_assets.report.wording import exact_sum, signed_tonnes, tonnes

_WITHDRAWAL = (
    "withdrawn_by",
    "withdrawn_because",
    "withdrawn_utc",
    "withdrawn_in_favour_of",
    "withdrawn_generation",
    "withdrawn_certificate_sha256",
)
EMPTY = (
    "Nothing is reported yet. `mrv demo` replays a published inventory; `mrv run PROJECT PERIOD` runs one partition."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InventoryTotal:
    """What one inventory reports for one period, and whether every project is in it."""

    inventory: Inventory
    period: str
    figures: Sequence[Figure]
    completeness: GateOutcome

    @property
    def state(self) -> str:
        """Say `complete`, or what is there and who is missing."""
        word = "complete" if self.completeness.passed else "INCOMPLETE"
        return f"{word}: {self.completeness.observed}"


def inventory_totals(
    world: World, live: Sequence[Figure], *, project: str | None, period: str | None
) -> Iterator[InventoryTotal]:
    """Yield a total for each inventory and each of its periods, limited to a project and a period where they are given.

    `live` are all live figures: a total is over the whole inventory, whatever the limits.
    """
    reported = {(figure.project_id, figure.period) for figure in live}
    for inventory_id in world.references.inventory_ids():
        inventory = world.references.inventory(inventory_id)
        if project is not None and project not in inventory.projects:
            continue
        for asked in inventory.periods:
            if period in (None, asked):
                yield InventoryTotal(
                    inventory=inventory,
                    period=asked,
                    figures=[f for f in live if f.period == asked and f.project_id in inventory.projects],
                    completeness=completeness(inventory, asked, reported),
                )


def show_ledger(project: str | None, period: str | None, *, as_json: bool) -> None:
    """Print the live figures, their totals, and the state of each inventory."""
    world = open_for_reading(enter())
    if period is not None:
        Period.parse(period)
    everything = live_figures(world.slots, project_id=None, period=None)
    figures = [f for f in everything if project in (None, f.project_id) and period in (None, f.period)]
    totals = list(inventory_totals(world, everything, project=project, period=period))
    if as_json:
        print_json({"figures": [figure_json(f) for f in figures], "inventories": [_total_json(t) for t in totals]})
        return
    console = stdout()
    if not figures:
        console.print(_nothing(world, project, period))
        return
    console.print(_figures_table(figures), "", sep="\n")
    console.print(inventories_table(totals))


def show_history(project: str | None, period: str | None, *, as_json: bool) -> None:
    """Print every generation of each figure: what it was, what it became, and the cause."""
    world = open_for_reading(enter())
    if period is not None:
        Period.parse(period)
    slots = ledger_slots(world.slots, project_id=project, period=period)
    histories = [ledger_history(world.slots, slot) for slot in slots]
    if as_json:
        print_json({"figures": [_history_json(history) for history in histories]})
        return
    console = stdout()
    if not histories:
        console.print(_nothing(world, project, period))
        return
    for history in histories:
        console.print(_history_table(history), "", sep="\n")


def _nothing(world: World, project: str | None, period: str | None) -> str:
    """Say that nothing was found. Raises ContractError for a project that does not exist, rather than find nothing."""
    if project is None and period is None:
        return EMPTY
    if project is not None:
        world.references.project(project)
    asked = " in ".join(name for name in (project or "any project", period) if name)
    return f"No figure of {asked} is reported yet. `mrv run {project or 'PROJECT'} {period or 'PERIOD'}` makes one."


def figure_json(figure: Figure) -> dict[str, object]:
    """Return one figure in JSON-ready values, tonnes exact."""
    return {
        "project_id": figure.project_id,
        "period": figure.period,
        "factor_version": figure.factor_version,
        "emissions_tco2e": figure.totals.emissions_tco2e,
        "removals_tco2e": figure.totals.removals_tco2e,
        "net_tco2e": figure.totals.net_tco2e,
        "activity_rows": figure.totals.activity_rows,
        "generation": figure.generation,
        "certificate_sha256": figure.certificate.sha256,
        "written_utc": figure.record.written_utc,
        "run_id": figure.record.run_id,
    }


def inventories_table(totals: Sequence[InventoryTotal]) -> object:
    """Return a table of inventory totals; a total that misses a project is shown as incomplete, with the names."""
    table = plain_table(title="Inventories")
    for name in ("inventory", "period"):
        table.add_column(name, overflow="fold")
    table.add_column("net t CO2e", justify="right", no_wrap=True)
    table.add_column("state", overflow="fold")
    for row in totals:
        net = exact_sum(figure.totals.net_tco2e for figure in row.figures)
        style = "green" if row.completeness.passed else "yellow"
        table.add_row(row.inventory.id, row.period, tonnes(net), Text(row.state, style=style))
    return table


def _figures_table(figures: Sequence[Figure]) -> object:
    table = plain_table(title="Reported now, t CO2e")
    for name in ("project", "period"):
        table.add_column(name, overflow="fold")
    for name in ("emissions", "removals", "net"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("factors", overflow="fold")
    table.add_column("gen", justify="right")
    for figure in figures:
        t = figure.totals
        table.add_row(
            figure.project_id,
            figure.period,
            *(tonnes(value) for value in (t.emissions_tco2e, t.removals_tco2e, t.net_tco2e)),
            figure.factor_version,
            str(figure.generation),
            end_section=figure is figures[-1],
        )
    sums = (
        exact_sum(f.totals.emissions_tco2e for f in figures),
        exact_sum(f.totals.removals_tco2e for f in figures),
        exact_sum(f.totals.net_tco2e for f in figures),
    )
    table.add_row("total", f"{len(figures)}", *map(tonnes, sums), "", "", style="bold")
    return table


_History: TypeAlias = Sequence[Figure | GenerationRecord]
"""Every generation of a ledger slot, oldest first: a figure, or the record by which one was withdrawn."""


def _rows(history: _History) -> Iterator[tuple[Figure, Restatement] | GenerationRecord]:
    """Yield each figure with what moved it from the figure before, and each withdrawal in its place."""
    rows = iter(restatements_of([one for one in history if isinstance(one, Figure)]))
    for one in history:
        yield (one, next(rows)) if isinstance(one, Figure) else one


def _slot(history: _History) -> Slot:
    first = history[0]
    return first.record.slot if isinstance(first, Figure) else first.slot


def _history_table(history: _History) -> object:
    slot = _slot(history)
    table = plain_table(title=f"{slot.project_id} {slot.period}, net t CO2e")
    table.add_column("gen", justify="right", no_wrap=True, width=3)
    for name in ("old", "new", "change"):
        table.add_column(name, justify="right", no_wrap=True, min_width=14)
    table.add_column("cause", overflow="fold")
    for one in _rows(history):
        if isinstance(one, GenerationRecord):
            before = tonnes(Decimal(one.evidence["withdrawn_net_tco2e"]))
            table.add_row(str(one.generation), before, "none", "-", one.reason, style="yellow")
            continue
        figure, row = one
        table.add_row(
            str(figure.generation),
            "-" if row.before_tco2e is None else tonnes(row.before_tco2e),
            tonnes(row.after_tco2e),
            "-" if row.delta_tco2e is None else signed_tonnes(row.delta_tco2e),
            "; ".join([*_return(figure), *row.causes, *_approval(figure)]),
        )
    return table


def _return(figure: Figure) -> list[str]:
    """Say who let the figure return after a withdrawal, where it was withdrawn."""
    return [figure.record.reason] if figure.record.reinstatement is not None else []


def _approval(figure: Figure) -> list[str]:
    """Say who approved the figure, where somebody had to."""
    said = figure.record.evidence
    return [f"approved by {said['approved_by']}: {said['approved_because']}"] if "approved_by" in said else []


def _total_json(row: InventoryTotal) -> dict[str, object]:
    return {
        "inventory": row.inventory.id,
        "period": row.period,
        "emissions_tco2e": exact_sum(f.totals.emissions_tco2e for f in row.figures),
        "removals_tco2e": exact_sum(f.totals.removals_tco2e for f in row.figures),
        "net_tco2e": exact_sum(f.totals.net_tco2e for f in row.figures),
        "is_complete": row.completeness.passed,
        "missing": [
            project
            for project in row.inventory.projects
            if project not in {figure.project_id for figure in row.figures}
        ],
    }


def _history_json(history: _History) -> dict[str, object]:
    slot = _slot(history)
    return {
        "project_id": slot.project_id,
        "period": slot.period,
        "generations": [
            _withdrawal_json(one) if isinstance(one, GenerationRecord) else _generation_json(*one)
            for one in _rows(history)
        ],
    }


def _generation_json(figure: Figure, row: Restatement) -> dict[str, object]:
    return {
        **figure_json(figure),
        "before_tco2e": row.before_tco2e,
        "delta_tco2e": row.delta_tco2e,
        "causes": row.causes,
        "approved_by": figure.record.evidence.get("approved_by"),
        "approved_because": figure.record.evidence.get("approved_because"),
        "reinstated": figure.record.reason if figure.record.reinstatement is not None else None,
    }


def _withdrawal_json(record: GenerationRecord) -> dict[str, object]:
    """Return a generation by which a figure was withdrawn; it has no tonnes of its own, and not zero."""
    return {
        "project_id": record.slot.project_id,
        "period": record.slot.period,
        "generation": record.generation,
        "written_utc": record.written_utc,
        "run_id": record.run_id,
        "net_tco2e": None,
        "before_tco2e": record.evidence["withdrawn_net_tco2e"],
        **{name: record.evidence.get(name) for name in _WITHDRAWAL},
    }
