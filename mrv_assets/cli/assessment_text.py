"""How an assessment looks in a terminal: the waterfall line by line, and every control with what it came to.

What does not belong here: choosing what is assessed (standards_assess, show).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.console import Group, RenderableType
from rich.text import Text

from mrv_assets.cli.terminal import plain_table
from mrv_assets.domain.assessment import Assessment, Status
from mrv_assets.domain.waterfall import Waterfall
from mrv_assets.report.wording import signed_tonnes, tonnes

_STYLES = {Status.PASS: "green", Status.FAIL: "bold red", Status.NOT_APPLICABLE: "dim"}


def assessments_text(assessments: Sequence[Assessment]) -> RenderableType:
    """Return the tables of every assessment, one after the other."""
    parts: list[RenderableType] = []
    for assessment in assessments:
        parts += [Text(f"\n{assessment.rule_set}", style="bold")]
        if assessment.waterfall is not None:
            parts.append(_waterfall_table(assessment.waterfall))
        if assessment.controls:
            parts.append(_controls_table(assessment))
    return Group(*parts)


def side_by_side(assessments: Sequence[Assessment]) -> RenderableType:
    """Return one table of the waterfalls that change tonnes, beside one another; nothing where there are not two."""
    waterfalls = [one.waterfall for one in assessments if one.waterfall and one.waterfall.changes_tonnes]
    if len(waterfalls) < 2:
        return Group()
    table = plain_table(title="\nSide by side, t CO2e")
    for waterfall in waterfalls:
        table.add_column(waterfall.rule_set, overflow="fold")
        table.add_column("change", justify="right", no_wrap=True)
    for steps in zip_longest(*(waterfall.lines for waterfall in waterfalls)):
        cells = [("", "") if step is None else (step.name, signed_tonnes(step.change_tco2e)) for step in steps]
        table.add_row(*(cell for pair in cells for cell in pair))
    credited = [("credited", tonnes(waterfall.total_tco2e)) for waterfall in waterfalls]
    table.add_row(*(cell for pair in credited for cell in pair), style="bold")
    return table


def _waterfall_table(waterfall: Waterfall) -> RenderableType:
    table = plain_table(title="From gross to credited, t CO2e")
    table.add_column("step", overflow="fold")
    table.add_column("change", justify="right", no_wrap=True)
    table.add_column("left", justify="right", no_wrap=True)
    table.add_column("clause", overflow="fold")
    table.add_column("what it did", overflow="fold")
    for line, left in zip(waterfall.lines, waterfall.running(), strict=True):
        table.add_row(line.name, signed_tonnes(line.change_tco2e), tonnes(left), line.clause, line.note)
    return table


def _controls_table(assessment: Assessment) -> RenderableType:
    counts = {status: sum(c.status is status for c in assessment.controls) for status in Status}
    table = plain_table(title=f"Controls: {', '.join(f'{count} {status}' for status, count in counts.items())}")
    table.add_column("control", overflow="fold")
    table.add_column("", no_wrap=True)
    table.add_column("observed", overflow="fold", ratio=2)
    table.add_column("limit", overflow="fold", ratio=2)
    table.add_column("clause", overflow="fold", ratio=1)
    for control in assessment.controls:
        word = Text("n/a" if control.status is Status.NOT_APPLICABLE else control.status, style=_STYLES[control.status])
        table.add_row(control.rule, word, control.observed, control.limit, f"{control.clause} [{control.tag}]")
    return table
