"""The picture of a backfill: from the tonnes that were reported before to those after, step by step.

Tonnes become floats here, for pixels only. What does not belong here: the tables (backfill_markdown).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter

from mrv_assets.domain.exact import EXACT, exact_sum
from mrv_assets.domain.run_manifest import RunManifest, Total
from mrv_assets.report.backfill_markdown import manifest_markdown
from mrv_assets.report.charts import DOWN, GRID, INK, LEDGER, MUTED, STYLE, UP, png, svg
from mrv_assets.report.wording import signed_tonnes, tonnes

STEPS = 12
"""More steps than this cannot be told apart in one picture; the smaller ones are drawn as one."""

DRAWN = {".svg": svg, ".png": png}
_BAR = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: what changed the total, and by how much, t CO2e."""

    label: str
    change_tco2e: Decimal


def shown(manifest: RunManifest) -> tuple[str, bytes | None]:
    """Return a manifest as Markdown and, where a figure moved, as a PNG."""
    return manifest_markdown(manifest), backfill_plot(manifest, ".png") if manifest.total.moved else None


def backfill_plot(manifest: RunManifest, kind: str) -> bytes:
    """Draw the tonnes before and after as `.svg` or `.png`: by cause, or by project where there is one cause only."""
    by_cause = manifest.by_cause
    name, totals = ("cause", by_cause) if len(by_cause) > 1 else ("project", manifest.by_project)
    steps = steps_of([one for one in totals if one.moved])
    why = f", {by_cause[0].name}" if len(by_cause) == 1 else ""
    title = f"Reported net figures of {manifest.request.window}, by {name}{why}"
    return DRAWN[kind](_chart(manifest.total, steps, title=title))


def steps_of(totals: Sequence[Total]) -> tuple[Step, ...]:
    """Return the largest changes as steps, and all others together as the last one."""
    ordered = sorted(totals, key=lambda one: -abs(one.delta_tco2e))
    steps = [Step(label=one.name, change_tco2e=one.delta_tco2e) for one in ordered[:STEPS]]
    rest = ordered[STEPS:]
    if rest:
        change = exact_sum(one.delta_tco2e for one in rest)
        steps.append(Step(label=f"{len(rest)} others", change_tco2e=change))
    return tuple(steps)


def _chart(total: Total, steps: Sequence[Step], *, title: str) -> Canvas:
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(10.4, 1.7 + 0.36 * (len(steps) + 2)), layout="constrained")
        axes = canvas.add_subplot()
        levels = list(accumulate((step.change_tco2e for step in steps), EXACT.add, initial=total.before_tco2e))
        for place, (step, before, after) in enumerate(zip(steps, levels[:-1], levels[1:], strict=True), start=1):
            _draw(axes, place, step, float(before), float(after))
        _end(axes, 0, total.before_tco2e, colour=MUTED)
        _end(axes, len(steps) + 1, total.after_tco2e, colour=LEDGER)
        low, high = float(min(levels)), float(max(levels))
        width = high - low or abs(high) or 1.0
        axes.set_xlim(low - 0.25 * width, high + 0.25 * width)
        axes.set_yticks(range(len(steps) + 2), ["before", *(step.label for step in steps), "after"])
        axes.set_ylim(len(steps) + 1.7, -0.7)
        axes.set_xlabel("reported net figure, t CO2e (the axis does not begin at 0)")
        axes.xaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:,.0f}" if width > 10 else f"{value:,.3f}")
        )
        axes.grid(axis="x", color=GRID, linewidth=0.8, zorder=0)
        axes.set_axisbelow(True)
        axes.tick_params(length=0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.set_title(f"{title}: {signed_tonnes(total.delta_tco2e)} t", color=INK, fontsize=10.5, loc="left")
        return canvas


def _draw(axes: Axes, place: int, step: Step, before: float, after: float) -> None:
    colour = MUTED if after == before else UP if after > before else DOWN
    axes.barh(place, after - before, left=before, height=_BAR, color=colour, zorder=2)
    axes.vlines([before], place - 1, place, color=MUTED, linewidth=0.7, zorder=1)
    axes.vlines([after], place, place + 1, color=MUTED, linewidth=0.7, zorder=1)
    axes.annotate(
        signed_tonnes(step.change_tco2e), (max(before, after), place), (6, 0), textcoords="offset points",
        va="center", fontsize=8.5, color=colour,
    )  # fmt: skip


def _end(axes: Axes, place: int, amount: Decimal, *, colour: str) -> None:
    axes.plot([float(amount)], [place], marker="D", markersize=7, color=colour, zorder=3)
    axes.annotate(
        tonnes(amount), (float(amount), place), (9, 0), textcoords="offset points", va="center", fontsize=8.5,
        weight="bold", color=INK,
    )  # fmt: skip
