"""Drawing waterfalls: one panel a rule set, all on one scale, from gross down to what is credited.

Tonnes become floats here, for pixels only. What does not belong here: choosing what is shown (waterfall_plot).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from decimal import Decimal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter

from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets.report.charts import DOWN, GRID, INK, LEDGER, MUTED, STYLE, UP
from mrv_assets.report.wording import signed_tonnes, tonnes

_BAR = 0.62
_LABEL = 56
_GROSS = "#7fa3b5"


def waterfall_chart(waterfalls: Sequence[Waterfall], *, title: str) -> Canvas:
    """Draw each waterfall from its gross line to what is credited, in the order given. Needs one or more, with lines.

    Every step is a bar from what was left before it to what is left after it, with the exact change rounded to 0.001 t.
    """
    with mpl.rc_context(STYLE):
        rows = [len(waterfall.lines) + 1 for waterfall in waterfalls]
        canvas = Canvas(figsize=(10.4, 0.9 + sum(0.9 + 0.3 * count for count in rows)), layout="constrained")
        panels = canvas.subplots(len(rows), 1, sharex=True, squeeze=False, height_ratios=rows)[:, 0]
        for axes, waterfall in zip(panels, waterfalls, strict=True):
            _draw(axes, waterfall)
        levels = [float(value) for waterfall in waterfalls for value in waterfall.running()]
        low, high = min(0.0, *levels), max(0.0, *levels)
        width = high - low or 1.0
        panels[-1].set_xlim(low - 0.02 * width if low else 0.0, high + 0.12 * width)
        panels[-1].set_xlabel("t CO2e")
        panels[-1].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, color=INK)
        return canvas


def _draw(axes: Axes, waterfall: Waterfall) -> None:
    gross, *steps = waterfall.lines
    left = [float(value) for value in waterfall.running()]
    _whole(axes, 0, gross.change_tco2e, colour=_GROSS, weight="normal")
    for place, (step, before, after) in enumerate(zip(steps, left[:-1], left[1:], strict=True), start=1):
        _step(axes, place, step, before, after)
    last = len(waterfall.lines)
    _whole(axes, last, waterfall.total_tco2e, colour=LEDGER, weight="bold")
    for place, level in enumerate(left):
        axes.vlines(level, place, place + 1, color=MUTED, linewidth=0.7, zorder=1)
    labels = [textwrap.shorten(line.name, _LABEL, placeholder=" …") for line in waterfall.lines]
    axes.set_yticks(range(last + 1), [*labels, "credited"])
    axes.get_yticklabels()[last].set(weight="bold", color=INK)
    axes.set_ylim(last + 0.6, -0.6)
    axes.set_title(waterfall.rule_set, loc="left", fontsize=10.5, weight="bold", color=INK)
    axes.axvline(0.0, color=MUTED, linewidth=1.0)
    axes.grid(axis="x", color=GRID, linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _whole(axes: Axes, place: int, amount: Decimal, *, colour: str, weight: str) -> None:
    axes.barh(place, float(amount), height=_BAR, color=colour, zorder=2)
    label = f"{int(amount):,}" if amount == int(amount) else tonnes(amount)
    axes.annotate(
        label, (max(float(amount), 0.0), place), (6, 0), textcoords="offset points", va="center", fontsize=8.5,
        weight=weight,
    )  # fmt: skip


def _step(axes: Axes, place: int, step: Line, before: float, after: float) -> None:
    colour = MUTED if after == before else UP if after < before else DOWN
    axes.barh(place, after - before, left=before, height=_BAR, color=colour, zorder=2)
    axes.annotate(
        signed_tonnes(step.change_tco2e) if step.change_tco2e else "0", (max(before, after, 0.0), place), (6, 0),
        textcoords="offset points", va="center", fontsize=8.5, color=colour,
    )  # fmt: skip
