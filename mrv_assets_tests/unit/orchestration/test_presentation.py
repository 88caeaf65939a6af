"""What a person reads on the page of a certificate in Dagit."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from mrv_assets.domain.assessment import Assessment, ControlOutcome, Status
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets.orchestration.presentation import assessment_metadata
from mrv_assets_tests.evidence import CERTIFICATE
from mrv_assets_tests.rule_sets import rule_set

PILOT = rule_set()


def test_evidence_that_is_quoted_breaks_no_table() -> None:
    """A bar or a line break in it begins neither a cell nor a row."""
    outcome = ControlOutcome.of(
        PILOT.controls[0],
        status=Status.FAIL,
        observed="found 'a|b\nc'",
        limit="one\r\n\r\nword",
        evidence_sha256="0" * 64,
    )
    line = Line(name="gross", rule="L", clause="1 | 2", change_tco2e=Decimal("1.5"), note="as\nshown")
    one = Assessment(
        rule_set=PILOT.name,
        rule_set_sha256=PILOT.digest,
        waterfall=Waterfall(rule_set=PILOT.name, lines=[line]),
        controls=[outcome],
    )
    [table] = assessment_metadata(replace(CERTIFICATE, assessments=[one])).values()
    rows = str(table.value).splitlines()  # type: ignore[union-attr]
    assert [row.count("|") for row in rows if row] == [6] * 6
    assert rows[2] == "| gross | +1.5 | 1.5 | 1 &#124; 2 | as shown |"
    assert rows[-1] == "| R-1 | **fail** | found 'a&#124;b c' | one word | section 1 [SRC] |"
