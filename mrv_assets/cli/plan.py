"""`mrv plan`: what a backfill would do with each partition of a window, and why. Nothing is run and nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, REFUSED, plain_table, print_json, stderr, stdout
from mrv_assets.domain.backfill import BackfillRequest
from mrv_assets.domain.run_manifest import Unresolved
from mrv_assets.pipeline.backfill_checks import diagnose
from mrv_assets.pipeline.backfill_plan import Action, PartitionPlan, plan_partitions
from mrv_assets.pipeline.backfill_window import resolve

_STYLES = {Action.RUN: "green", Action.SKIP: "cyan", Action.BLOCKED: "red"}


def show_plan(request: BackfillRequest, *, every: bool, as_json: bool) -> int:
    """Print the plan and return the exit code: 1 when a partition is blocked, else 0.

    Raises Refusal when the request is not canonical, or the preflight finds what the policy does not remedy.
    """
    settings = enter()
    with stderr().status("Looking at the store"):
        world = open_for_reading(settings).at_a_glance()
        resolved = resolve(world, request)
        found = diagnose(world, resolved)
        plans = list(
            plan_partitions(
                world, resolved.keys, assets=request.mode.assets, force=request.force, unhashed=found.unhashed
            )
        )
    if as_json:
        print_json(
            {
                "request": request.to_json(),
                "counts": dict(_counts(plans)),
                "partitions": [plan.to_json() for plan in plans],
                "unresolved": [one.to_json() for one in resolved.unresolved],
            }
        )
    else:
        _print(plans, resolved.unresolved, every=every)
    is_blocked = bool(resolved.unresolved) or any(plan.action is Action.BLOCKED for plan in plans)
    return REFUSED if is_blocked else DONE


def _counts(plans: Sequence[PartitionPlan]) -> Counter[str]:
    return Counter(plan.action.value for plan in plans)


def _print(plans: Sequence[PartitionPlan], unresolved: Sequence[Unresolved], *, every: bool) -> None:
    rows = [plan for plan in plans if every or plan.action is not Action.SKIP]
    if rows or unresolved:
        table = plain_table()
        for name in ("project", "period", "factors", "action"):
            table.add_column(name, no_wrap=True)
        table.add_column("why", overflow="fold")
        for plan in rows:
            table.add_row(
                plan.key.project_id, plan.key.period, plan.key.factor_version, _action(plan.action), _why(plan)
            )
        for one in unresolved:
            table.add_row(one.project_id, one.period or "", "", _action(Action.BLOCKED), one.trouble.what)
        stdout().print(table)
    counts = _counts(plans)
    blocked = counts[Action.BLOCKED.value] + len(unresolved)
    asked = len(plans) + len(unresolved)
    for causes, count in Counter(", ".join(plan.causes) for plan in plans if plan.action is Action.RUN).most_common():
        stdout().print(f"{count} to run: {causes}", style="dim")
    stdout().print(f"{asked} partitions: {counts['run']} to run, {counts['skip']} to skip, {blocked} blocked")


def _action(action: Action) -> Text:
    return Text(action.value, style=_STYLES[action])


def _why(plan: PartitionPlan) -> str:
    causes = ", ".join(plan.causes)
    return f"{causes}; {plan.reason}" if causes else plan.reason
