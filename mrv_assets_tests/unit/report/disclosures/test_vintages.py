"""Vintages of a submission are those of the last line, with the serials that the evidence gives to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from mrv_assets.compliance.controls.assess import assess
from mrv_assets.crediting.account import Account
from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import SerialBlock
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.report.disclosures.vintages import issued_vintages
from mrv_assets_tests.monitored import VCS, rule_set

PERIOD = Period.parse("2026-07-01_2027-06-30")
SHOWN = replace(
    VCS.monitoring,
    quantities={**VCS.quantities, "sequestration_share": "1"},
    facts={**VCS.facts, "gwp_set": "ar5"},
)


def assessed(name: str, *, removals: str = "10001.5") -> Assessment:
    """Return what a committed rule set makes of these removals, t CO2e, over two calendar years."""
    account = Account(
        period=PERIOD, canonical=Tonnes(emissions=Decimal(500), removals=Decimal(removals)), monitoring=SHOWN
    )
    [found] = assess([rule_set(name)], account, where="test")
    return found


def shown(*rows: tuple[str, str, str]) -> Monitoring:
    """Return evidence with these blocks."""
    blocks: Sequence[Mapping[str, str]] = [
        {"vintage": vintage, "first": first, "last": last} for vintage, first, last in rows
    ]
    return Monitoring(where="package", tables={"serial_blocks": blocks})


def counts(found: Assessment) -> tuple[int, int]:
    """Return the credits of 2026 and 2027."""
    assert found.waterfall is not None
    numbers = found.waterfall.lines[-1].numbers
    return int(numbers["vintage_2026_credits"]), int(numbers["vintage_2027_credits"])


@pytest.mark.parametrize("name", ["vcs-5.0", "gs-501-3.2"])
def test_each_programme_is_read_alike(name: str) -> None:
    """Days of the calendar, whole credits and buffer, and blocks that hold them, inclusive."""
    found = assessed(name)
    one, two = counts(found)
    vintages = issued_vintages(found, PERIOD, shown(("2026", "1", str(one)), ("2027", str(one + 1), str(one + two))))
    assert [(each.first, each.last) for each in vintages] == [
        (date(2026, 7, 1), date(2026, 12, 31)), (date(2027, 1, 1), date(2027, 6, 30)),
    ]  # fmt: skip
    assert [each.serials for each in vintages] == [
        SerialBlock(start=1, end=one), SerialBlock(start=one + 1, end=one + two),
    ]  # fmt: skip
    assert found.waterfall is not None
    assert sum(each.credits for each in vintages) == found.waterfall.total_tco2e > 0
    assert sum(each.buffer_credits for each in vintages) == found.waterfall.lines[-1].numbers["buffer_credits"] > 0


@pytest.mark.parametrize("name", ["vcs-5.0", "gs-501-3.2"])
def test_a_net_loss_is_told_alike_and_needs_no_serials(name: str) -> None:
    """0 credits in every programme, and what is to be made up by name."""
    found = assessed(name, removals="0")
    vintages = issued_vintages(found, PERIOD, Monitoring(where="package"))
    assert [(each.credits, each.buffer_credits, each.serials) for each in vintages] == [(0, 0, None)] * 2
    assert found.waterfall is not None
    assert found.waterfall.total_tco2e == 0
    # VCS takes 1000 t of baseline and 500 t of leakage off as well.
    lost = {"vcs-5.0": 2000, "gs-501-3.2": 500}[name]
    assert found.waterfall.lines[-1].numbers["deficit_carried_out_tco2e"] == lost


GS = assessed("gs-501-3.2")
ONE, TWO = counts(GS)


@pytest.mark.parametrize(
    ("evidence", "says"),
    [
        pytest.param(Monitoring(where="package"), "evidence is missing.*table serial_blocks", id="no table"),
        pytest.param(shown(("2026", "1", str(ONE))), "missing.*a row of vintage 2027", id="no block"),
        pytest.param(
            shown(("2026", "1", str(ONE - 1)), ("2027", "9001", str(9000 + TWO))),
            f"vintage 2026.*{ONE} serials, both ends counted.*1 to {ONE - 1}, {ONE - 1} serials", id="one too few",
        ),
        pytest.param(
            shown(("2026", "1", str(ONE)), ("2026", "1", str(ONE))), "vintage 2026.*each once", id="twice"
        ),
        pytest.param(shown(("2025", "1", "2")), "vintage 2025.*2026 and 2027, each once", id="another year"),
        pytest.param(shown(("2026", "1", "many")), "serials 1 to many.*whole numbers", id="no number"),
        pytest.param(
            shown(("2026", "1", str(ONE)), ("2027", "1", str(TWO))), "each serial number in one vintage", id="shared"
        ),
    ],
)  # fmt: skip
def test_credits_and_blocks_that_do_not_fit_are_refused_by_name(evidence: Monitoring, says: str) -> None:
    """Nothing is issued without serials, and no serial without a credit."""
    with pytest.raises(ContractError, match=says):
        issued_vintages(GS, PERIOD, evidence)


def test_a_block_of_a_vintage_without_credits_is_refused() -> None:
    """After a loss."""
    with pytest.raises(ContractError, match=r"vintage 2026.*no vintage, each once"):
        issued_vintages(assessed("gs-501-3.2", removals="0"), PERIOD, shown(("2026", "1", "5")))


NUMBERS = [
    pytest.param({"credits": None}, "whose last line comes to whole credits", id="none"),
    pytest.param({"vintage_2026_credits": None}, "vintage_2026_credits.*found None", id="a vintage missing"),
    pytest.param({"vintage_2027_credits": Decimal("0.5")}, "vintage_2027_credits.*found 0.5", id="not whole"),
    pytest.param({"vintage_2027_buffer_credits": Decimal(-1)}, "vintage_2027_buffer_credits", id="negative buffer"),
    pytest.param({"credits": Decimal(1)}, "as many credits in its vintages", id="another sum"),
]


@pytest.mark.parametrize(("changed", "says"), NUMBERS)
def test_numbers_that_name_no_vintages_are_refused(changed: dict[str, Decimal | None], says: str) -> None:
    """The last line has to say what it came to."""
    assert GS.waterfall is not None
    last = GS.waterfall.lines[-1]
    numbers = {name: value for name, value in (dict(last.numbers) | changed).items() if value is not None}
    waterfall = replace(GS.waterfall, lines=(*GS.waterfall.lines[:-1], replace(last, numbers=numbers)))
    blocks = shown(("2026", "1", str(ONE)), ("2027", str(ONE + 1), str(ONE + TWO)))
    with pytest.raises(ContractError, match=says):
        issued_vintages(replace(GS, waterfall=waterfall), PERIOD, blocks)


def test_a_rule_set_that_credits_nothing_has_no_vintages() -> None:
    """Methodology Requirements end before whole credits, and a rule set of controls has no lines."""
    with pytest.raises(ContractError, match="found last line VCS-UNC-01"):
        issued_vintages(assessed("vcs-methodology-requirements-5.0"), PERIOD, shown())
    with pytest.raises(ContractError, match="found no lines"):
        issued_vintages(replace(GS, waterfall=None), PERIOD, shown())
