"""Looking again at what is kept: a partition's histories, stored bytes, certificate and figure, and its inventories.

Reads only. What does not belong here: the gates that judge content before it is kept (compliance), and repair.
"""

from __future__ import annotations

from mrv_assets.compliance.completeness import completeness
from mrv_assets.compliance.gates import GATE_NAMES
from mrv_assets.domain.errors import GateError, Tampering
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.pipeline.figures import read_figure, read_nothing
from mrv_assets.pipeline.withdrawn import live_slots
from mrv_assets.pipeline.world import World
from mrv_assets.storage.approvals import approvals_of
from mrv_assets.storage.withdrawals import words_of
from mrv_assets.verify import verify_approvals, verify_history, verify_withdrawals

STORED_INTACT = "stored_intact"
INVENTORY_COMPLETE = "inventory_complete"
EVERY_GATE_PASSED = "every_gate_passed"
REPORTED_IN_TIME = "reported_in_time"


def stored_intact(world: World, key: PartitionKey) -> GateOutcome:
    """Judge `stored_intact`: is every generation of the partition whole, and every figure the certified one?"""
    generations = figures = 0
    try:
        for asset in Asset:
            history = world.slots.history(Slot.of(asset, key))
            verify_history(history)
            if asset is Asset.LEDGER:
                verify_approvals(history, approvals_of(world.store, history))
                verify_withdrawals(history, words_of(world.store, history))
            for record in history:
                world.slots.load_bytes(record)
                world.slots.load_quarantine(record)
                generations += 1
                if record.withdrawal is not None:
                    read_nothing(world.slots, record)
                elif asset is Asset.LEDGER:
                    read_figure(world.slots, record)
                    figures += 1
    except (Tampering, GateError) as error:
        return GateOutcome(
            gate=STORED_INTACT,
            passed=False,
            observed=f"{error.what}: {error.where}: {error.found}",
            limit=error.expected,
            remedy=error.remedy,
        )
    return GateOutcome(
        gate=STORED_INTACT,
        passed=generations > 0,
        observed=f"{generations} generations whole, {figures} figures equal to their certificates",
        limit="at least one generation; unbroken chains, stored bytes as sealed, figures as certified and approved",
        metrics={"generations": generations, "figures": figures},
        remedy="" if generations else "materialise the partition first",
    )


def every_gate_passed(world: World, key: PartitionKey) -> GateOutcome:
    """Judge `every_gate_passed`: has what the certificate rests on passed every gate that there is for it?"""
    passed: list[str] = []
    red: list[str] = []
    for asset in Asset:
        if asset is Asset.LEDGER:
            continue  # its figure may rest on the certificate of another factor version
        record = world.slots.current(Slot.of(asset, key))
        green = {gate.gate for gate in record.gates if gate.passed} if record else set()
        passed += [name for name in GATE_NAMES[asset] if name in green]
        red += [f"{name} of {asset}" for name in GATE_NAMES[asset] if name not in green]
    return GateOutcome(
        gate=EVERY_GATE_PASSED,
        passed=not red,
        observed=f"{len(passed)} gates passed" + (f", not {', '.join(red)}" if red else ""),
        limit="every gate of every asset up to the certificate, on the contents that are current",
        metrics={"passed": len(passed), "not_passed": len(red)},
        remedy="materialise the partition again, and see which gate is red" if red else "",
    )


def reported_figures(world: World) -> set[tuple[str, str]]:
    """Return (project_id, period) of every figure that the ledger reports; one that was withdrawn is none."""
    return {(slot.project_id, slot.period) for slot in live_slots(world)}


def inventory_complete(world: World, key: PartitionKey) -> GateOutcome:
    """Judge `inventory_complete`: do all projects of the inventories that this partition is in report its period?"""
    references = world.references
    inventories = [references.inventory(name) for name in references.inventory_ids()]
    asked = [i for i in inventories if key.project_id in i.projects and key.period in i.periods]
    reported = reported_figures(world)
    judged = [completeness(inventory, key.period, reported) for inventory in asked]
    red = [outcome for outcome in judged if not outcome.passed]
    observed = "; ".join(outcome.observed for outcome in judged)
    return GateOutcome(
        gate=INVENTORY_COMPLETE,
        passed=not red,
        observed=observed or f"no inventory asks for {key.project_id} in {key.period}",
        limit="a reported figure of the period for each project of the inventory",
        metrics={"inventories": len(asked), "incomplete": len(red)},
        remedy=red[0].remedy if red else "",
    )


def reported_in_time(world: World, key: PartitionKey) -> GateOutcome:
    """Judge `reported_in_time`: is the figure of the period there, or its day not over yet?

    A figure that came late is there: then this is green, and says when it came.
    """
    said = world.references.project(key.project_id).reporting_due
    due = None if said is None else said.day_for(Period.parse(key.period))
    history = world.slots.history(Slot.of(Asset.LEDGER, key))
    late = 0 if due is None else max((world.clock().date() - due).days, 0)
    passed = bool(history) or not late
    found = f"first reported {history[0].written_utc[:10]}" if history else "not reported"
    return GateOutcome(
        gate=REPORTED_IN_TIME,
        passed=passed,
        observed=f"{found}; due {due}" if due else f"{found}; the project names no day",
        limit=f"a figure of {key.period} by {due}" if due else "none",
        metrics={"days_late": 0 if history else late},
        remedy="" if passed else "`mrv freshness` says why; deliver the period, or run it",
    )
