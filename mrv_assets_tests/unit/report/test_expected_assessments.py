from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.domain.assessment import Assessment, ControlOutcome, Status
from mrv_assets.domain.certificate import Totals
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets.report.expected_assessments import Expected
from mrv_assets_tests.rule_sets import RuleText, rule_set

TEXT = """
partition = "p 2025 f-1"
emissions_tco2e = "1.0"
removals_tco2e = "30"
[rule_sets."pilot@1.0"]
credited = "29"
[rule_sets."pilot@1.0".lines]
L-1 = "30"
L-2 = "-1.00"
[rule_sets."pilot@1.0".controls]
R-1 = "pass"
"""
TOTALS = Totals(emissions_tco2e=Decimal(1), removals_tco2e=Decimal("30.000"), activity_rows=1)


def parse(text: str = TEXT) -> Expected:
    """Read an expected file."""
    return Expected.parse(text.encode(), where="expected.toml")


def assessment(*changes: str, status: Status = Status.PASS) -> Assessment:
    """Return an assessment with lines L-1, L-2, … of these changes, and the control R-1."""
    of = rule_set(controls=[RuleText(id="R-1")])
    lines = tuple(
        Line(name="x", rule=f"L-{number}", clause="x", change_tco2e=Decimal(change), note="")
        for number, change in enumerate(changes, start=1)
    )
    outcome = ControlOutcome.of(
        of.controls[0], status=status, observed="1", limit="2", evidence_sha256="0" * 64, remedy=""
    )
    return Assessment(
        rule_set="pilot@1.0",
        rule_set_sha256=of.digest,
        waterfall=Waterfall(rule_set="pilot@1.0", lines=lines) if lines else None,
        controls=(outcome,),
    )


SOUND = assessment("30.000", "-1")


def test_amounts_are_compared_by_value() -> None:
    """30, 30.000 and 3E+1 are one amount."""
    assert parse().differences("p 2025 f-1", TOTALS, [SOUND]) == {}


@pytest.mark.parametrize(
    ("partition", "totals", "found", "differences"),
    [
        pytest.param(
            "q 2025 f-1", TOTALS, [SOUND],
            {"partition": "p 2025 f-1 expected, q 2025 f-1 found"}, id="partition",
        ),
        pytest.param(
            "p 2025 f-1", replace(TOTALS, emissions_tco2e=Decimal(2)), [SOUND],
            {"emissions_tco2e": "1.0 expected, 2 found"}, id="canonical result",
        ),
        pytest.param(
            "p 2025 f-1", TOTALS, [assessment("30", "-1.000000001")],
            {
                "pilot@1.0 credited": "29 expected, 28.999999999 found",
                "pilot@1.0 line L-2": "-1.00 expected, -1.000000001 found",
            },
            id="a line, to the last digit",
        ),
        pytest.param(
            "p 2025 f-1", TOTALS, [assessment("30", "-1", "0")], {"pilot@1.0 line L-3": "nothing expected, 0 found"},
            id="a line more",
        ),
        pytest.param(
            "p 2025 f-1", TOTALS, [assessment("29")],
            {
                "pilot@1.0 line L-1": "30 expected, 29 found",
                "pilot@1.0 line L-2": "-1.00 expected, nothing found",
            },
            id="a line less",
        ),
        pytest.param(
            "p 2025 f-1", TOTALS, [assessment("30", "-1", status=Status.NOT_APPLICABLE)],
            {"pilot@1.0 control R-1": "pass expected, not applicable found"}, id="a control",
        ),
        pytest.param(
            "p 2025 f-1", TOTALS, [SOUND, replace(assessment(), rule_set="other@1", controls=())],
            {"other@1 credited": "nothing expected, 0 found"}, id="a rule set more",
        ),
        pytest.param(
            "p 2025 f-1", TOTALS, [],
            {
                "pilot@1.0 credited": "29 expected, nothing found",
                "pilot@1.0 line L-1": "30 expected, nothing found",
                "pilot@1.0 line L-2": "-1.00 expected, nothing found",
                "pilot@1.0 control R-1": "pass expected, nothing found",
            },
            id="a rule set less",
        ),
    ],
)  # fmt: skip
def test_each_difference_is_told_by_what_it_is(
    partition: str, totals: Totals, found: Sequence[Assessment], differences: dict[str, str]
) -> None:
    """What is missing and what is more differ as well; the rest is not told."""
    assert parse().differences(partition, totals, found) == differences


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param('credited = "29"', "credited = 29", "decimal text", id="a number of TOML"),
        pytest.param('"-1.00"', '"about 1"', "InvalidOperation", id="no number"),
        pytest.param('R-1 = "pass"', 'R-1 = "fine"', "fine", id="no status"),
        pytest.param('partition = "p 2025 f-1"', "", "KeyError: 'partition'", id="no partition"),
        pytest.param('emissions_tco2e = "1.0"', "emissions_tco2e", "TOMLDecodeError", id="no TOML"),
    ],
)
def test_a_malformed_file_is_refused(old: str, new: str, message: str) -> None:
    """By name, with what is wrong."""
    with pytest.raises(
        ContractError, match=rf"file of expected assessments is malformed \[expected\.toml\].*{message}"
    ):
        parse(TEXT.replace(old, new))
