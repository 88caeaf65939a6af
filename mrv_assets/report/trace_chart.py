"""Drawing a trace: boxes in layers from source file on the left to retirement on the right, arrows the way data went.

What does not belong here: which boxes there are and where they stand (trace_plot).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from mrv_assets.report.charts import INK, LEDGER, MUTED, STYLE

_WIDTH, _HEIGHT = 1.0, 0.78
_COLUMN, _ROW = 1.34, 1.0
_INCH = 1.62
_LINE = 0.15


class Look(StrEnum):
    """How a box looks: what the platform made, what it was given, what a registry says; and what is not as it was."""

    MADE = "made"
    CERTIFICATE = "certificate"
    GIVEN = "given"
    REGISTRY = "registry"
    GONE = "gone"
    BROKEN = "broken"


_FILLS: Mapping[Look, tuple[str, str, str]] = {
    Look.MADE: ("#e4eef3", LEDGER, INK),
    Look.CERTIFICATE: (LEDGER, LEDGER, "white"),
    Look.GIVEN: ("white", "#9fb0bb", INK),
    Look.REGISTRY: ("#e3f1e8", "#2f7d4f", INK),
    Look.GONE: ("#fff3c4", "#c29a1d", INK),
    Look.BROKEN: ("#f9ddd8", "#b5442e", INK),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One box: its place as column and row (0 the spine, upwards positive), the first line and those below it."""

    column: int
    row: int
    title: str
    lines: Sequence[str]
    look: Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """An arrow from one box to another, by their places in the list; `label` stands beside one within a column."""

    source: int
    target: int
    label: str = ""


def trace_chart(boxes: Sequence[Box], arrows: Sequence[Arrow], *, title: str) -> Canvas:
    """Draw boxes and arrows. Needs at least one box."""
    columns, rows = [box.column for box in boxes], [box.row for box in boxes]
    wide = (max(columns) - min(columns)) * _COLUMN + _WIDTH + 0.2
    high = (max(rows) - min(rows)) * _ROW + _HEIGHT + 0.2
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(wide * _INCH, high * _INCH * 0.86 + 0.5), layout="constrained")
        axes = canvas.add_subplot()
        for arrow in arrows:
            _arrow(axes, boxes[arrow.source], boxes[arrow.target], arrow.label)
        for box in boxes:
            _box(axes, box)
        axes.set_xlim(min(columns) * _COLUMN - 0.1, max(columns) * _COLUMN + _WIDTH + 0.1)
        axes.set_ylim(min(rows) * _ROW - _HEIGHT / 2 - 0.1, max(rows) * _ROW + _HEIGHT / 2 + 0.1)
        axes.set_axis_off()
        axes.set_title(title, loc="left", fontsize=11, color=INK)
        return canvas


def _box(axes: Axes, box: Box) -> None:
    fill, edge, ink = _FILLS[box.look]
    left, middle = box.column * _COLUMN, box.row * _ROW
    shape = "round,pad=0,rounding_size=0.06"
    axes.add_patch(
        FancyBboxPatch(
            (left, middle - _HEIGHT / 2), _WIDTH, _HEIGHT,
            boxstyle=shape, facecolor=fill, edgecolor=edge, linewidth=1.2, zorder=2,
        )
    )  # fmt: skip
    top = middle + _LINE * len(box.lines) / 2
    axes.text(left + 0.06, top, box.title, va="center", fontsize=9, weight="bold", color=ink, zorder=3)
    for place, line in enumerate(box.lines, start=1):
        axes.text(left + 0.06, top - place * _LINE, line, va="center", fontsize=7.2, color=ink, zorder=3)


def _arrow(axes: Axes, source: Box, target: Box, label: str) -> None:
    if source.column == target.column:
        _upright(axes, source, target, label)
        return
    start = (source.column * _COLUMN + _WIDTH, source.row * _ROW)
    end = (target.column * _COLUMN, target.row * _ROW)
    half = (start[0] + end[0]) / 2
    path = mpl.path.Path([start, (half, start[1]), (half, end[1]), end], [1, 4, 4, 4])
    _draw(axes, path)


def _upright(axes: Axes, source: Box, target: Box, label: str) -> None:
    is_up = target.row > source.row
    lift = _HEIGHT / 2 if is_up else -_HEIGHT / 2
    x = source.column * _COLUMN + _WIDTH / 2
    path = mpl.path.Path([(x, source.row * _ROW + lift), (x, target.row * _ROW - lift)], [1, 2])
    _draw(axes, path)
    middle = (source.row + target.row) * _ROW / 2
    axes.text(x + 0.05, middle, label, va="center", fontsize=7.2, color=MUTED)


def _draw(axes: Axes, path: mpl.path.Path) -> None:
    style = "-|>,head_length=4,head_width=2"
    axes.add_patch(FancyArrowPatch(path=path, arrowstyle=style, color=MUTED, linewidth=1.1, zorder=1))
