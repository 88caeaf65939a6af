"""The picture of a previewed bump: what it changes for each project, beside what the project calls a restatement.

What does not belong here: the totals (impact) and drawing (charts).
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.domain.exact import EXACT
from mrv_assets.pipeline.impact import Impact
from mrv_assets.report.charts import ImpactBar, impact_chart, png, svg
from mrv_assets.report.impact import ImpactTotals, totals_of
from mrv_assets.report.impact_markdown import impact_markdown

BARS = 25
"""More projects than this cannot be told apart in one picture."""


DRAWN = {".svg": svg, ".png": png}


def shown(impact: Impact) -> tuple[str, bytes]:
    """Return a preview as Markdown and as a PNG."""
    totals = totals_of(impact)
    return impact_markdown(impact, totals), impact_plot(impact, totals, ".png")


def impact_plot(impact: Impact, totals: ImpactTotals, kind: str) -> bytes:
    """Draw the projects whose figures change most, as `.svg` or `.png`."""
    moving = [(name, total) for name, total in totals.by_project.items() if total.moving]
    bars = [
        ImpactBar(
            label=name,
            delta_tco2e=total.move.delta,
            threshold_tco2e=EXACT.multiply(total.materiality or Decimal(0), abs(total.move.before.net)),
        )
        for name, total in moving[:BARS]
    ]
    more = f", the {BARS} largest of {len(moving):,} projects" if len(moving) > BARS else ""
    return DRAWN[kind](impact_chart(bars, title=f"{impact.before or 'what is live'} → {impact.after}{more}"))
