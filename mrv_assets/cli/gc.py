"""`mrv gc`: what could be removed, published as a plan; with `--sweep PLAN` what is still garbage is removed.

What does not belong here: what garbage is (storage.gc).
"""

from __future__ import annotations

from datetime import timedelta

from rich.filesize import decimal

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, plain_table, print_json, stderr, stdout
from mrv_assets.pipeline.world import World
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.gc import Plan, Swept, collectable, load_plan, min_age, plan, sweep


def run_gc(*, plan_id: str | None, longest_run_h: int, as_json: bool) -> int:
    """Publish a plan and remove nothing, or sweep the plan of that id; return the exit code."""
    world = open_for_reading(enter())
    if plan_id is None:
        _plan(world, timedelta(hours=longest_run_h), as_json=as_json)
    else:
        _sweep(world, plan_id, as_json=as_json)
    return DONE


def _plan(world: World, longest_run: timedelta, *, as_json: bool) -> None:
    with stderr().status("Reading every record"):
        made = plan(collectable(world.store), world.clock, min_age=min_age(longest_run), wait=longest_run)
    if as_json:
        print_json(_plan_json(made))
        return
    console = stdout()
    console.print(world.store.uri, style="bold", soft_wrap=True)
    if not made.candidates:
        console.print(f"Nothing to collect: no garbage is older than {made.min_age.days} days.", style="green")
        return
    table = plain_table()
    for name in ("key", "size", "last change"):
        table.add_column(name, overflow="fold", justify="right" if name == "size" else "left")
    for c in made.candidates:
        table.add_row(c.key, decimal(c.size) if c.size is not None else "temporary", f"{c.modified:%Y-%m-%d}")
    console.print("", table, "", sep="\n")
    console.print(f"{len(made.candidates)} object(s), {decimal(_size(made))}. Nothing was removed.")
    console.print(f"From {made.due:%Y-%m-%d %H:%M} UTC on: mrv gc --sweep {made.id}")


def _sweep(world: World, plan_id: str, *, as_json: bool) -> None:
    store = collectable(world.store)
    with stderr().status("Reading every record again"):
        swept = sweep(store, world.clock, load_plan(store, plan_id))
    if as_json:
        print_json(_swept_json(plan_id, swept))
        return
    console = stdout()
    console.print(world.store.uri, style="bold", soft_wrap=True)
    for key, reason in swept.kept:
        console.print(f"kept {key}: {reason}", soft_wrap=True)
    console.print(f"{len(swept.removed)} object(s) removed, {decimal(swept.freed)} freed, {len(swept.kept)} kept.")


def _size(made: Plan) -> int:
    return sum(c.size or 0 for c in made.candidates)


def _plan_json(made: Plan) -> dict[str, object]:
    return {
        "plan": made.id if made.candidates else None,
        "planned_utc": utc_text(made.planned),
        "due_utc": utc_text(made.due),
        "min_age_days": made.min_age.days,
        "bytes": _size(made),
        "candidates": [{"key": c.key, "size": c.size, "modified_utc": utc_text(c.modified)} for c in made.candidates],
    }


def _swept_json(plan_id: str, swept: Swept) -> dict[str, object]:
    return {
        "plan": plan_id,
        "removed": list(swept.removed),
        "freed_bytes": swept.freed,
        "kept": [{"key": key, "reason": reason} for key, reason in swept.kept],
    }
