from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from decimal import Decimal

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure as Canvas

from mrv_assets.report.charts import ChainPoint, ImpactBar, chain_chart, impact_chart, map_chart, png, svg, years_chart
from mrv_assets.report.land import Land

NAMES = {"a": "Anoka", "b": "Carver <&>"}
SQUARE = [(0.0, 5_000_000.0), (9_000.0, 5_000_000.0), (9_000.0, 5_009_000.0), (0.0, 5_009_000.0)]
LANDS = [Land(project_id=p, rings=[SQUARE], inside=(4_500.0, 5_004_500.0), area_ha=8_100.0) for p in ("a", "b")]


def chain(*totals: str) -> Canvas:
    """Draw a chain of totals, each published as it is."""
    values = [Decimal(total) for total in totals]
    return chain_chart(
        [
            ChainPoint(
                label=f"2024-0{place + 1}-01\nstate",
                ledger_tco2e=value,
                published_tco2e=value,
                delta_tco2e=value - values[place - 1] if place else None,
            )
            for place, value in enumerate(values)
        ]
    )


BARS = [
    ImpactBar(label=name, delta_tco2e=Decimal(delta), threshold_tco2e=Decimal(60000))
    for name, delta in (("a", "124425.795"), ("b", "-18281.996"), ("c", "0"))
]
CHARTS: dict[str, Callable[[], Canvas]] = {
    "chain": lambda: chain("15305433.504", "16884649.479", "15305433.504"),
    "chain-of-one": lambda: chain("15305433.504"),
    "chain-that-stands-still": lambda: chain("0", "0"),
    "map": lambda: map_chart(LANDS, {"a": Decimal("1e6"), "b": Decimal("2e6")}, NAMES),
    "map-of-removals": lambda: map_chart(LANDS, {"a": Decimal("-1e6"), "b": Decimal(0)}, NAMES),
    "impact": lambda: impact_chart(BARS, title="a → b"),
    "impact-on-nothing": lambda: impact_chart([], title="a → b"),
    "years": lambda: years_chart({"a": {"2021": Decimal(5), "2022": Decimal(4)}, "b": {"2022": Decimal(-1)}}, NAMES),
}


@pytest.mark.parametrize("draw", CHARTS.values(), ids=CHARTS)
def test_a_chart_is_the_same_bytes_each_time(draw: Callable[[], Canvas]) -> None:
    """The same figures give the same drawing, which is well-formed and asks for nothing from elsewhere."""
    data = svg(draw())
    assert data == svg(draw())
    for element in ET.fromstring(data).iter():
        for name, value in element.attrib.items():
            assert not (name.endswith("href") and not value.startswith(("#", "data:"))), value


def test_drawing_leaves_other_charts_alone() -> None:
    """The style of the report is not left behind for other users of matplotlib in the process."""
    before = dict(mpl.rcParams)
    svg(chain("1", "2"))
    assert dict(mpl.rcParams) == before


def test_a_chart_is_a_png_as_well() -> None:
    """The same each time."""
    assert png(impact_chart(BARS, title="")) == png(impact_chart(BARS, title=""))
    assert png(impact_chart(BARS, title="")).startswith(b"\x89PNG")
