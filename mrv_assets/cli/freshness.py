"""`mrv freshness`: what each project has reported, what is missing by the calendar, since when and why."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, REFUSED, plain_table, print_json, stderr, stdout
from mrv_assets.pipeline.freshness import Freshness, freshness
from mrv_assets.pipeline.kept_memory import KeptMemory, every_round


def show_freshness(projects: Sequence[str], *, is_strict: bool, as_json: bool) -> int:
    """Print the freshness of these projects, of all when none is named.

    Return the exit code: 0, or 1 when it is strict and a figure is late. Raises what `ReferenceData.project` raises for
    a named project.
    """
    settings = enter()
    world = open_for_reading(settings)
    for project in projects:
        world.references.project(project)
    glance, today = world.at_a_glance(), world.clock().date()
    landing = every_round(glance, KeptMemory(settings.home))
    found = [one for one in freshness(glance, landing) if not projects or one.project_id in projects]
    if as_json:
        print_json({"today": today, "projects": [_json(one, today) for one in found], "notes": landing.notes})
    else:
        _print(found, today)
        for note in landing.notes if not projects else ():
            stderr().print(note, style="dim")
    return REFUSED if is_strict and any(one.late(today) for one in found) else DONE


def _print(found: Sequence[Freshness], today: date) -> None:
    if not found:
        stdout().print("There are no projects.")
        return
    table = plain_table(title=f"Reporting on {today}, UTC")
    table.add_column("project", overflow="fold")
    for name in ("reported", "next", "due"):
        table.add_column(name, no_wrap=True)
    table.add_column("days late", justify="right", no_wrap=True)
    table.add_column("why", overflow="fold")
    for one in found:
        days = max((missing.days_late(today) for missing in one.missing), default=0)
        table.add_row(
            one.project_id,
            one.last_reported or "nothing",
            one.next_period,
            str(one.next_due or "no date"),
            str(days) if days else "",
            _why(one),
            style="yellow" if days else None,
        )
    stdout().print(table)
    late = sum(len(one.late(today)) for one in found)
    stdout().print(f"{late} figures are late." if late else "No figure is late.")


def _why(one: Freshness) -> str:
    if not one.missing:
        return "still runs"
    [first, *others] = one.missing
    return f"{first.why}; {len(others)} more missing" if others else first.why.value


def _json(one: Freshness, today: date) -> dict[str, object]:
    return {
        "project_id": one.project_id,
        "last_reported": one.last_reported,
        "next_period": one.next_period,
        "next_due": one.next_due,
        "missing": [
            {
                "period": missing.period,
                "due": missing.due,
                "days_late": missing.days_late(today),
                "why": missing.why.value,
                "detail": missing.detail,
            }
            for missing in one.missing
        ],
    }
