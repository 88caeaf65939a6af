"""A certificate bears out the whole credits of its assessment, year by year, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from mrv_assets.domain.assessment import Assessment, ControlOutcome, Status
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.issuance_limits import CERTIFIED, require_allowed
from mrv_assets.domain.registry import Issuance
from mrv_assets.domain.rule_set import Tag
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.registered import block, forest_world, issuance

PERIOD = "2024-01-01_2025-12-31"
CREDITS = {"credits": Decimal(30), "vintage_2024_credits": Decimal(10), "vintage_2025_credits": Decimal(20)}
FAILED = ControlOutcome(
    rule="VM47-X",
    title="",
    clause="",
    tag=Tag("SRC"),
    formula="",
    status=Status.FAIL,
    observed="",
    limit="",
    evidence_sha256="0" * 64,
)


def assessed(numbers: dict[str, Decimal] | None = None, *, controls: Sequence[ControlOutcome] = ()) -> Assessment:
    """Return an assessment whose last line comes to these numbers."""
    last = Line(
        name="whole credits", rule="r", clause="", change_tco2e=Decimal(30), note="", numbers=numbers or CREDITS
    )
    waterfall = Waterfall(rule_set=forest.AREA, lines=(last,))
    return Assessment(rule_set=forest.AREA, rule_set_sha256="0" * 64, waterfall=waterfall, controls=controls)


def certificate(*assessments: Assessment) -> Certificate:
    """Return a certificate of two years with these assessments."""
    made = forest.certificate(forest_world())
    return replace(made, key=replace(made.key, period=PERIOD), assessments=assessments)


def issued(first: int, last: int, *, year: int = 2025) -> Issuance:
    """Return an issuance of one year's vintage."""
    return issuance(
        block(first, last, series=f"GS1-{year}", registry="gold-standard"),
        period=PERIOD,
        vintage=(date(year, 1, 1), date(year, 12, 31)),
    )


@pytest.mark.parametrize(
    ("before", "entry"),
    [
        pytest.param([], issued(1, 20), id="a year"),
        pytest.param([issued(1, 20)], issued(1, 10, year=2024), id="the other year"),
        pytest.param([issued(1, 5), issued(6, 15)], issued(16, 20), id="the rest of a year"),
        pytest.param([replace(issued(1, 20), period="2025")], issued(1, 20), id="another period"),
    ],
)
def test_what_is_allowed(before: Sequence[Issuance], entry: Issuance) -> None:
    """Up to the last whole credit of each year."""
    require_allowed(entry, certificate(assessed()), before=before)


@pytest.mark.parametrize(
    ("of", "before", "entry", "message"),
    [
        pytest.param([assessed()], [], issued(1, 21), "at most 20 credits for 2025", id="a year"),
        pytest.param([assessed()], [], issued(1, 11, year=2024), "at most 10 credits for 2024", id="the smaller year"),
        pytest.param([assessed()], [issued(1, 20)], issued(21, 21), "20 issued already and 1", id="one more"),
        pytest.param(
            [assessed(CREDITS | {"credits": Decimal(25)})],
            [issued(1, 20)],
            issued(1, 10, year=2024),
            "at most 25 credits in all",
            id="in all",
        ),
        pytest.param(
            [assessed({"credits": Decimal(30)})], [], issued(1, 1), "at most 0 credits for 2025", id="no year"
        ),
        pytest.param([assessed({"other": Decimal(30)})], [], issued(1, 1), "comes to whole credits", id="no credits"),
        pytest.param([replace(assessed(), waterfall=None)], [], issued(1, 1), "whole credits", id="no waterfall"),
        pytest.param([], [], issued(1, 1), "an assessment under vm0047-area@1.1; found none", id="not assessed"),
        pytest.param([assessed(controls=[FAILED])], [], issued(1, 1), "failed: VM47-X", id="failed control"),
        pytest.param([assessed()], [], replace(issued(1, 1), period="2025"), "a certificate of planted", id="period"),
        pytest.param([assessed()], [], replace(issued(1, 1), project_id="p"), "a certificate of p", id="project"),
    ],
)
def test_what_is_not_allowed(
    of: Sequence[Assessment], before: Sequence[Issuance], entry: Issuance, message: str
) -> None:
    """It is refused with what the certificate allows and what was issued already."""
    with pytest.raises(GateError, match=message) as caught:
        require_allowed(entry, certificate(*of), before=before)
    assert caught.value.gate == CERTIFIED
