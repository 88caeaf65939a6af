"""The report of one inventory as a single standalone HTML page: what was restated and why, what is reported now.

The page asks nothing of the network, holds no time of making, and is the same bytes for the same ledger. What
does not belong here: finding the figures (reported, cli) and drawing (charts).
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import jinja2

from mrv_assets.compliance.completeness import completeness
from mrv_assets.domain.project import Inventory
from mrv_assets.pipeline.figures import Figure
from mrv_assets.report.aside import RowsAside
from mrv_assets.report.audit import Audit
from mrv_assets.report.land import Land
from mrv_assets.report.replayed import ReplayedTotal
from mrv_assets.report.wording import exact_sum, short, signed_tonnes, tonnes


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything the page shows.

    `names` are the projects' names by id, `totals` the steps of the replay, `live` what the ledger reports for
    the inventory, `lands` the land of every project that is on the map, `audit` how much was checked, `aside` the rows
    that were set aside on the way to the live figures.
    """

    inventory: Inventory
    names: Mapping[str, str]
    totals: Sequence[ReplayedTotal]
    live: Sequence[Figure]
    lands: Sequence[Land]
    audit: Audit
    aside: Sequence[RowsAside] = ()

    @property
    def focus(self) -> str:
        """The period that the chain and the map show."""
        return most_restated(self.totals)


def most_restated(totals: Sequence[ReplayedTotal]) -> str:
    """Return the period that appears in most steps, of several the first."""
    return Counter(row.period for row in totals).most_common(1)[0][0]


def render(page: Page) -> str:
    """Return the HTML text. Needs at least one total, and the land of each project with a live figure in `focus`."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("mrv_assets.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(tonnes=tonnes, signed=signed_tonnes, short=short, label=label)
    return environment.get_template("inventory.html.j2").render(
        page=page,
        chain=[row for row in page.totals if row.period == page.focus],
        last=[row for row in page.totals if row.period == page.focus][-1],
        periods=_periods(page),
        table=_table(page),
        images=_images(page),
    )


def label(name: str) -> str:
    """Shorten a project's name for a map: `Anoka County, Minnesota` is `Anoka`."""
    return name.partition(",")[0].removesuffix(" County")


def _periods(page: Page) -> list[dict[str, Any]]:
    """Return for each period of the inventory its total and whether every project is in it."""
    reported = {(figure.project_id, figure.period) for figure in page.live}
    rows = []
    for period in page.inventory.periods:
        outcome = completeness(page.inventory, period, reported)
        total = exact_sum(f.totals.net_tco2e for f in page.live if f.period == period)
        rows.append({"period": period, "total": total, "complete": outcome.passed, "observed": outcome.observed})
    return rows


def _table(page: Page) -> list[dict[str, Any]]:
    """Return the live figures project by project, in the order of the inventory."""
    by_project: dict[str, list[Figure]] = {project: [] for project in page.inventory.projects}
    for figure in page.live:
        by_project[figure.project_id].append(figure)
    return [
        {"id": project, "name": page.names[project], "figures": sorted(figures, key=lambda figure: figure.period)}
        for project, figures in by_project.items()
    ]


def _images(page: Page) -> dict[str, str]:
    # matplotlib costs a second to import, and only a page needs it.
    from mrv_assets.report import charts  # noqa: PLC0415

    names = {project: label(name) for project, name in page.names.items()}
    by_project: dict[str, dict[str, Decimal]] = {}
    for figure in page.live:
        by_project.setdefault(figure.project_id, {})[figure.period] = figure.totals.net_tco2e
    focus = {project: figures[page.focus] for project, figures in by_project.items() if page.focus in figures}
    points = [
        charts.ChainPoint(
            label=f"{row.step.date}\n{row.step.title}",
            ledger_tco2e=row.ledger_tco2e,
            published_tco2e=row.published_tco2e,
            delta_tco2e=row.restatement.delta_tco2e,
        )
        for row in page.totals
        if row.period == page.focus
    ]
    return {
        "chain": _data_uri(charts.svg(charts.chain_chart(points))),
        "map": _data_uri(charts.svg(charts.map_chart(page.lands, focus, names))),
        "years": _data_uri(charts.svg(charts.years_chart(by_project, names))),
    }


def _data_uri(svg: bytes) -> str:
    """Embed a drawing as an image of its own, so that ids inside the drawings cannot meet on the page."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
