from __future__ import annotations

import xml.etree.ElementTree as ET
from decimal import Decimal

import pytest

from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets.report.waterfall_chart import waterfall_chart
from mrv_assets.report.waterfall_plot import waterfall_plot


def waterfall(name: str, *changes: str) -> Waterfall:
    """Return a waterfall of steps with these changes."""
    lines = tuple(
        Line(name=f"step {place} & more", rule=str(place), clause="x", change_tco2e=Decimal(change), note="")
        for place, change in enumerate(changes)
    )
    return Waterfall(rule_set=name, lines=lines)


def assessment(of: Waterfall | None) -> Assessment:
    """Return an assessment without controls."""
    return Assessment(rule_set=of.rule_set if of else "controls@1", rule_set_sha256="0", waterfall=of, controls=())


FALLING = waterfall("a@1", "6175.086775", "-300", "0", "-5875.086775")
RISING = waterfall("b@2", "100", "20.5", "-0.5")
LOSS = waterfall("c@3", "-40", "-2.5", "42.5")


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param([FALLING], id="down to nothing"),
        pytest.param([FALLING, RISING], id="side by side"),
        pytest.param([RISING, LOSS], id="a loss"),
        pytest.param([waterfall("d@4", "0")], id="nothing at all"),
    ],
)
def test_each_waterfall_has_its_panel(shown: list[Waterfall]) -> None:
    """Whatever falls or rises, in the order given."""
    canvas = waterfall_chart(shown, title="t")
    assert [axes.get_title(loc="left") for axes in canvas.axes] == [each.rule_set for each in shown]


def test_the_same_assessments_give_the_same_picture() -> None:
    """The SVG holds no date, and is well-formed whatever a step is called."""
    first, second = (waterfall_plot([assessment(FALLING)], ".svg", title="a & b") for _ in range(2))
    assert first == second
    ET.fromstring(first)


def test_the_amounts_are_those_of_the_lines() -> None:
    """Gross and credited amounts, and each change with its sign; whole credits are written without decimals."""
    [axes] = waterfall_chart([RISING], title="t").axes
    assert [text.get_text() for text in axes.texts] == ["100", "+20.500", "-0.500", "120"]
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == "credited"


def test_what_changes_no_tonnes_has_no_panel() -> None:
    """A risk rating and a rule set of controls are left out; the picture is that of the others alone."""
    alone = waterfall_plot([assessment(RISING)], ".svg", title="t")
    assert (
        waterfall_plot(
            [assessment(waterfall("npr@4", "0", "0")), assessment(RISING), assessment(None)], ".svg", title="t"
        )
        == alone
    )


def test_a_picture_of_nothing_is_refused() -> None:
    """By the rule sets that were asked for."""
    with pytest.raises(ContractError, match=r"nothing can be drawn.*found npr@4, controls@1"):
        waterfall_plot([assessment(waterfall("npr@4", "0")), assessment(None)], ".svg", title="t")
