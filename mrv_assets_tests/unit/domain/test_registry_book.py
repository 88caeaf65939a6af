"""What may not be said beside what was said before: no credit is claimed twice, and none is retired unissued."""

from __future__ import annotations

from datetime import date

import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.registry import Ending, Entry
from mrv_assets.domain.registry_book import CLAIMED_ONCE, RETIRED_IS_ISSUED, Book
from mrv_assets_tests.registered import SERIES, block, issuance, retirement

GOLD = "gold-standard"
Q1 = (date(2025, 1, 1), date(2025, 3, 31))
Q2 = (date(2025, 4, 1), date(2025, 6, 30))
FIRST = issuance(block(1, 100))
SECOND = issuance(block(101, 200), issued_on=date(2026, 4, 1))
RETIRED = retirement(block(51, 60))


@pytest.mark.parametrize(
    ("before", "entry"),
    [
        pytest.param([], FIRST, id="the first"),
        pytest.param([FIRST], SECOND, id="adjacent block"),
        pytest.param([FIRST], RETIRED, id="part of a block"),
        pytest.param([FIRST, RETIRED], retirement(block(1, 50)), id="before a retired part"),
        pytest.param([FIRST, RETIRED], retirement(block(61, 100)), id="after a retired part"),
        pytest.param([FIRST, SECOND], retirement(block(90, 110), on=date(2026, 4, 1)), id="across adjacent blocks"),
        pytest.param([SECOND, FIRST], retirement(block(1, 200), on=date(2026, 4, 1)), id="whatever came first"),
        pytest.param(
            [issuance(block(1, 9, series="a", registry=GOLD), vintage=Q1)],
            issuance(block(1, 9, series="b", registry="else"), vintage=Q2),
            id="another registry for other days",
        ),
        pytest.param(
            [FIRST], issuance(block(101, 109), rule_set="vm0047-area@1.2"), id="another version of the rule set"
        ),
    ],
)
def test_what_may_be_said(before: list[Entry], entry: Entry) -> None:
    """It is taken, and found again."""
    book = Book(before)
    book.add(entry)
    assert book.same(entry) == entry


@pytest.mark.parametrize(
    ("before", "entry", "gate", "message"),
    [
        pytest.param([FIRST], issuance(block(100, 150)), CLAIMED_ONCE, "credits are claimed twice", id="end"),
        pytest.param([SECOND], issuance(block(50, 101)), CLAIMED_ONCE, "credits are claimed twice", id="start"),
        pytest.param([FIRST], issuance(block(40, 60)), CLAIMED_ONCE, "credits are claimed twice", id="inside"),
        pytest.param([issuance(block(40, 60))], FIRST, CLAIMED_ONCE, "credits are claimed twice", id="around"),
        pytest.param([FIRST], FIRST, CLAIMED_ONCE, "credits are claimed twice", id="the same"),
        pytest.param(
            [FIRST],
            issuance(block(1, 100), certificate="d" * 64),
            CLAIMED_ONCE,
            "on certificate cccccccccccc",
            id="on another certificate",
        ),
        pytest.param(
            [issuance(block(1, 9, series="a", registry=GOLD))],
            issuance(block(9, 9, series="A", registry=GOLD), project_id="another"),
            CLAIMED_ONCE,
            "credits are claimed twice",
            id="for another project, in capitals",
        ),
        pytest.param(
            [FIRST],
            issuance(block(1, 9, series="a", registry=GOLD)),
            CLAIMED_ONCE,
            "tonnes of a vintage are issued twice",
            id="another registry",
        ),
        pytest.param(
            [FIRST],
            issuance(block(101, 109), rule_set="vm0042@2.1"),
            CLAIMED_ONCE,
            "tonnes of a vintage are issued twice",
            id="another rule set",
        ),
        pytest.param(
            [issuance(block(1, 9, series="a", registry=GOLD), period="2025-Q1", vintage=Q1)],
            issuance(block(11, 19, series="a", registry=GOLD)),
            CLAIMED_ONCE,
            "period 2025-Q1",
            id="the year after its quarter",
        ),
        pytest.param(
            [issuance(block(1, 9, series="a", registry=GOLD))],
            issuance(block(11, 19, series="a", registry=GOLD), registry_project="two"),
            CLAIMED_ONCE,
            "tonnes of a vintage are issued twice",
            id="registered twice",
        ),
        pytest.param([], RETIRED, RETIRED_IS_ISSUED, "no issuance of serial number 51", id="nothing issued"),
        pytest.param(
            [FIRST], retirement(block(91, 101)), RETIRED_IS_ISSUED, "serial number 101", id="one credit too many"
        ),
        pytest.param(
            [FIRST, issuance(block(102, 110))],
            retirement(block(91, 110)),
            RETIRED_IS_ISSUED,
            "serial number 101",
            id="across a gap",
        ),
        pytest.param(
            [SECOND], retirement(block(100, 110)), RETIRED_IS_ISSUED, "serial number 100", id="from before the block"
        ),
        pytest.param(
            [FIRST],
            retirement(block(1, 9, series=SERIES.replace("99999", "99998", 1))),
            RETIRED_IS_ISSUED,
            "serial number 1",
            id="another series",
        ),
        pytest.param(
            [FIRST],
            retirement(block(1, 9), on=date(2026, 1, 31)),
            RETIRED_IS_ISSUED,
            "issued on 2026-02-01",
            id="before it was issued",
        ),
        pytest.param(
            [FIRST, SECOND], retirement(block(90, 110)), RETIRED_IS_ISSUED, "issued on 2026-04-01", id="half too early"
        ),
        pytest.param(
            [FIRST, RETIRED], retirement(block(60, 70)), CLAIMED_ONCE, "retired or cancelled: retired", id="retired"
        ),
        pytest.param(
            [FIRST, RETIRED],
            retirement(block(51, 60), ending=Ending.CANCELLED),
            CLAIMED_ONCE,
            "credits are claimed twice",
            id="cancelled after it was retired",
        ),
    ],
)
def test_what_may_not_be_said(before: list[Entry], entry: Entry, gate: str, message: str) -> None:
    """It is refused by name with both sides, and the book is as it was."""
    book = Book(before)
    with pytest.raises(GateError, match=message) as caught:
        book.add(entry)
    assert caught.value.gate == gate
    assert caught.value.remedy
    assert len(book.issued_within(block(1, 10_000))) + len(book.retired_within(block(1, 10_000))) == len(
        [one for one in before if one.block.line == block(1, 1).line]
    )
