"""The pictures of the report, drawn without a display: a restatement chain, a map, years side by side, a bump ahead.

Each chart is an SVG that says nothing but what its arguments say: the same arguments give the same bytes. Tonnes
become floats here, for pixels only. What does not belong here: choosing what is shown (page).
"""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Polygon
from matplotlib.ticker import FuncFormatter

from mrv_assets.report.land import Land
from mrv_assets.report.wording import signed_tonnes, tonnes

INK, MUTED, GRID = "#1b2733", "#5a6875", "#dfe5ea"
LEDGER, UP, DOWN = "#14506b", "#b5442e", "#2f7d4f"
_PNG_DPI = 90
_TRUE_LATITUDE = math.radians(30.0)
_EARTH_RADIUS_M = 6_371_007.2
_YEARS = ("#a9c7d6", "#6d9fb8", "#3a7896", "#14506b", "#0b3346")
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "svg.hashsalt": "mrv",
    "svg.fonttype": "path",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainPoint:
    """One step of a restatement chain: its label, the ledger's total, the published total and the change, t CO2e."""

    label: str
    ledger_tco2e: Decimal
    published_tco2e: Decimal
    delta_tco2e: Decimal | None


def chain_chart(points: Sequence[ChainPoint]) -> Canvas:
    """Draw the totals of one period step by step, the published total marked on each. Needs at least one point."""
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(10.4, 4.5), layout="constrained")
        axes = canvas.add_subplot()
        levels = [_millions(point.ledger_tco2e) for point in points]
        span = max(levels) - min(levels) or 1.0
        for x, (point, level) in enumerate(zip(points, levels, strict=True)):
            if x:
                _connect(axes, x, levels[x - 1], level, point.delta_tco2e, span)
            axes.hlines(level, x - 0.34, x + 0.34, color=LEDGER, linewidth=7, capstyle="round")
            axes.annotate(
                tonnes(point.ledger_tco2e), (x, level), (0, 11), textcoords="offset points", ha="center", weight="bold"
            )
        axes.plot(
            range(len(points)),
            [_millions(point.published_tco2e) for point in points],
            linestyle="none", marker="D", markersize=5.5, color="white", markeredgecolor=INK, markeredgewidth=1.1,
            label="published total", zorder=5,
        )  # fmt: skip
        axes.plot([], [], color=LEDGER, linewidth=7, solid_capstyle="round", label="ledger total")
        _frame(axes, "million t CO2e (axis does not start at 0)")
        axes.set_xticks(range(len(points)), [_wrapped(point.label) for point in points])
        axes.set_ylim(min(levels) - 0.22 * span, max(levels) + 0.24 * span)
        axes.set_xlim(-0.6, len(points) - 0.4)
        axes.legend(loc="upper right", frameon=False, ncols=2)
        return canvas


def _connect(axes: Axes, x: int, before: float, after: float, delta: Decimal | None, span: float) -> None:
    """Draw the step between two totals and write the change beside it."""
    if abs(after - before) > 0.01 * span:
        colour = UP if after > before else DOWN
        axes.annotate(
            "", (x - 0.5, after), (x - 0.5, before), arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.6}
        )
    else:
        colour = MUTED
    axes.hlines(before, x - 0.66, x - 0.44, color=GRID, linewidth=1.2, zorder=0)
    axes.hlines(after, x - 0.56, x - 0.34, color=GRID, linewidth=1.2, zorder=0)
    is_flat = colour == MUTED
    axes.annotate(
        "" if delta is None else signed_tonnes(delta),
        (x - 0.5, before + (after - before) * 0.4),
        (0, -16) if is_flat else (6, -3),
        textcoords="offset points",
        ha="center" if is_flat else "left",
        color=colour,
        fontsize=8.5,
    )


def map_chart(lands: Sequence[Land], tco2e: Mapping[str, Decimal], names: Mapping[str, str]) -> Canvas:
    """Draw the projects' land twice: shaded by t CO2e, and by t CO2e per hectare.

    `tco2e` and `names` are by project.
    """
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(10.4, 4.7), layout="constrained")
        left, right = canvas.subplots(1, 2)
        totals = {land.project_id: float(tco2e[land.project_id]) for land in lands}
        density = {land.project_id: totals[land.project_id] / land.area_ha for land in lands}
        _shade(canvas, left, lands, {p: v / 1e6 for p, v in totals.items()}, names)
        left.set_title("million t CO2e", color=INK, fontsize=10.5)
        _shade(canvas, right, lands, density, names)
        right.set_title("t CO2e per hectare", color=INK, fontsize=10.5)
        return canvas


def _shade(
    canvas: Canvas, axes: Axes, lands: Sequence[Land], values: Mapping[str, float], names: Mapping[str, str]
) -> None:
    colours = mpl.colormaps["YlGnBu"]
    low, high = min(0.0, *values.values()), max(0.0, *values.values())
    norm = mpl.colors.Normalize(low, high if high > low else low + 1.0)
    for land in lands:
        value = values[land.project_id]
        for ring in land.rings:
            axes.add_patch(Polygon(ring, facecolor=colours(norm(value)), edgecolor="#7d8f9b", linewidth=0.7))
        axes.text(
            *land.inside, f"{names[land.project_id]}\n{value:,.2f}", ha="center", va="center", fontsize=7.4,
            color="white" if norm(value) > 0.5 else INK, linespacing=1.25,
        )  # fmt: skip
    axes.set_aspect(_true_shape(sum(land.inside[1] for land in lands) / len(lands)))
    axes.autoscale_view()
    axes.set_axis_off()
    bar = canvas.colorbar(mpl.cm.ScalarMappable(norm, colours), ax=axes, shrink=0.62, pad=0.01, aspect=28)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize=8)


def _true_shape(northing_m: float) -> float:
    """Return the height over width that gives shapes in EPSG:6933 back their proportions around a northing.

    The projection is true to area and shape at 30° only; towards the poles it squashes. Good to 1 %, for
    looking at.
    """
    sine = northing_m * math.cos(_TRUE_LATITUDE) / _EARTH_RADIUS_M
    return math.cos(_TRUE_LATITUDE) ** 2 / max(1e-3, 1.0 - sine**2)


def years_chart(tco2e: Mapping[str, Mapping[str, Decimal]], names: Mapping[str, str]) -> Canvas:
    """Draw each project's net tonnes in each period as bars side by side, the largest project first.

    `tco2e` is by project and period; a period that a project does not report leaves a gap.
    """
    with mpl.rc_context(STYLE):
        periods = sorted({period for figures in tco2e.values() for period in figures})
        projects = sorted(tco2e, key=lambda project: -max(tco2e[project].values()))
        canvas = Canvas(figsize=(10.4, 4.3), layout="constrained")
        axes = canvas.add_subplot()
        width = 0.82 / max(1, len(periods))
        for place, period in enumerate(periods):
            shown = [(x, tco2e[p][period]) for x, p in enumerate(projects) if period in tco2e[p]]
            axes.bar(
                [x + (place - (len(periods) - 1) / 2) * width for x, _ in shown],
                [_millions(value) for _, value in shown],
                width=width * 0.92,
                color=_YEARS[place % len(_YEARS)],
                label=period,
                zorder=2,
            )
        _frame(axes, "million t CO2e")
        axes.set_xticks(range(len(projects)), [names[project] for project in projects])
        axes.margins(x=0.01, y=0.12)
        axes.legend(loc="upper right", frameon=False, ncols=len(periods))
        return canvas


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactBar:
    """What a bump would change for one project, t CO2e, and the change from which on it is a restatement."""

    label: str
    delta_tco2e: Decimal
    threshold_tco2e: Decimal


def impact_chart(bars: Sequence[ImpactBar], *, title: str) -> Canvas:
    """Draw the change of each project as a bar, the first on top, its threshold marked on both sides of 0."""
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(10.4, 1.6 + 0.34 * max(1, len(bars))), layout="constrained")
        axes = canvas.add_subplot()
        deltas = [float(bar.delta_tco2e) for bar in bars]
        limits = [float(bar.threshold_tco2e) for bar in bars]
        axes.barh(range(len(bars)), deltas, height=0.62, color=[UP if d > 0 else DOWN for d in deltas], zorder=2)
        for sign in (-1.0, 1.0):
            axes.plot(
                [sign * limit for limit in limits], range(len(bars)),
                linestyle="none", marker="|", markersize=15, markeredgewidth=1.6, color=INK, zorder=3,
                label="restatement threshold" if sign > 0 else None,
            )  # fmt: skip
        for place, (bar, delta) in enumerate(zip(bars, deltas, strict=True)):
            axes.annotate(
                signed_tonnes(bar.delta_tco2e), (delta, place), (6 if delta >= 0 else -6, 0),
                textcoords="offset points", va="center", ha="left" if delta >= 0 else "right", fontsize=8.5,
            )  # fmt: skip
        axes.axvline(0.0, color=MUTED, linewidth=1.0)
        axes.set_yticks(range(len(bars)), [bar.label for bar in bars])
        axes.invert_yaxis()
        axes.margins(x=0.22)
        axes.set_xlabel("change of the reported net figure, t CO2e")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:+,.0f}" if value else "0"))
        axes.grid(axis="x", color=GRID, linewidth=0.8, zorder=0)
        axes.set_axisbelow(True)
        axes.tick_params(length=0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.set_title(title, color=INK, fontsize=10.5, loc="left")
        if bars:
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), frameon=False, borderaxespad=0.0)
        return canvas


def png(canvas: Canvas) -> bytes:
    """Return the drawing as a PNG, no wider than Dagit shows: it cuts off what is wider than its dialog."""
    sink = io.BytesIO()
    with mpl.rc_context(STYLE):
        canvas.savefig(sink, format="png", dpi=_PNG_DPI, metadata={"Software": None})
    return sink.getvalue()


def svg(canvas: Canvas) -> bytes:
    """Return the drawing as a standalone SVG document without date, so that it is the same every time."""
    sink = io.BytesIO()
    with mpl.rc_context(STYLE):
        canvas.savefig(sink, format="svg", metadata={"Date": None, "Creator": None})
    return sink.getvalue()


def _frame(axes: Axes, unit: str) -> None:
    axes.set_ylabel(unit)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.1f}"))
    axes.grid(axis="y", color=GRID, linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _wrapped(label: str) -> str:
    first, *rest = label.split("\n")
    return "\n".join([first, *textwrap.wrap(" ".join(rest), 20)])


def _millions(value: Decimal) -> float:
    return float(value) / 1e6
