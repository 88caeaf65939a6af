"""A submission that does not hold is refused as a whole; Verra rows and Gold Standard blocks count inclusively."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import IssuedVintage, SerialBlock
from mrv_assets.domain.verra_serial import VerraSerial
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets.report.disclosures.gold_standard import gold_standard_block
from mrv_assets.report.disclosures.verra import COLUMNS, verra_issuance
from mrv_assets_tests.evidence import CERTIFICATE, SUBMISSION, VINTAGES, evidence
from mrv_assets_tests.published_rules import has_float

PUBLISHED = "12629-421604735-421689507-VCS-VCU-576-VER-PY-14-2498-01012020-19112020-0"
ROWS = list(csv.DictReader(io.StringIO(verra_issuance(SUBMISSION).decode())))
BLOCKS = json.loads(gold_standard_block(SUBMISSION))


def left(tco2e: str) -> Waterfall:
    """Return a waterfall that leaves so much."""
    line = Line(name="gross", rule="a", clause="", change_tco2e=Decimal(tco2e), note="")
    return Waterfall(rule_set="vm0047@1.1", lines=(line,))


def test_more_credits_than_the_waterfall_leaves_are_refused() -> None:
    """84,783 whole credits need as many tonnes."""
    assert replace(SUBMISSION, waterfall=left("84783")).credits == 84783
    with pytest.raises(ContractError, match=r"at most the 84782.999 t CO2e"):
        replace(SUBMISSION, waterfall=left("84782.999"))


def test_a_loss_issues_nothing() -> None:
    """A negative result is recorded with vintages of 0 credits; one credit more is refused."""
    empty = IssuedVintage(first=date(2020, 1, 1), last=date(2020, 12, 31), credits=0, buffer_credits=0, serials=None)
    submission = replace(SUBMISSION, waterfall=left("-500"), vintages=(empty,))
    assert verra_issuance(submission).decode().splitlines() == [",".join(COLUMNS)]
    assert json.loads(gold_standard_block(submission))["credit_blocks"] == []
    one = replace(empty, credits=1, serials=SerialBlock(start=1, end=1))
    with pytest.raises(ContractError, match="at most the -500"):
        replace(submission, vintages=(one,))


def test_a_vintage_outside_the_period_of_the_certificate_is_refused() -> None:
    """The certificate says nothing about those days."""
    late = replace(VINTAGES[1], last=date(2021, 7, 1))
    with pytest.raises(ContractError, match="2021-01-01 to 2021-07-01"):
        replace(SUBMISSION, vintages=(VINTAGES[0], late))


def test_the_published_row_is_written_again() -> None:
    """Serial, count, vintage and total of a row that the registry shows."""
    row = ROWS[0]
    assert row["Serial Number"] == PUBLISHED
    assert (row["Quantity Issued"], row["Total Vintage Quantity"]) == ("84773", "99870")
    assert (row["Vintage Start"], row["Vintage End"]) == ("01/01/2020", "19/11/2020")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["Vintage Start"])
def test_an_outsider_counts_the_same_credits(row: dict[str, str]) -> None:
    """Taken apart by hand: last - first + 1 is the quantity, both days are in one year and those of the vintage."""
    parts = row["Serial Number"].split("-")
    assert int(parts[2]) - int(parts[1]) + 1 == int(row["Quantity Issued"])
    assert (parts[10][4:], parts[10][:4]) == (parts[11][4:], row["Vintage Start"].replace("/", "")[:4])
    assert row["Details"] == f"certificate sha256:{CERTIFICATE.sha256}"


def test_rows_have_the_columns_of_the_registry_in_their_order() -> None:
    """And text with a comma stays one cell."""
    assert tuple(ROWS[0]) == COLUMNS
    assert ROWS[0]["Name"] == "Yvyra, planting"


def test_a_serial_is_read_and_written_back() -> None:
    """The published one, part by part."""
    serial = VerraSerial.parse(PUBLISHED)
    assert (serial.text, serial.block.count) == (PUBLISHED, 84773)
    assert (serial.country, serial.project, serial.first) == ("PY", "2498", date(2020, 1, 1))


SERIALS = [
    pytest.param(PUBLISHED.replace("VCS", "GS"), "serial number is malformed", id="another-registry"),
    pytest.param(PUBLISHED + "-1", "serial number is malformed", id="a-part-too-many"),
    pytest.param(PUBLISHED.replace("19112020", "19112021"), "one calendar year", id="two-years"),
    pytest.param(PUBLISHED.replace("01012020", "20112020"), "one calendar year", id="backward-days"),
    pytest.param(PUBLISHED.replace("19112020", "31112020"), "days that exist", id="no-such-day"),
    pytest.param(PUBLISHED.replace("421689507", "421604734"), "serial block is none", id="backward-block"),
    pytest.param(PUBLISHED.replace("PY", "py"), "serial number is malformed", id="small-letters"),
]


@pytest.mark.parametrize(("text", "said"), SERIALS)
def test_what_is_no_serial_is_refused(text: str, said: str) -> None:
    """The form, the days and the block are checked."""
    with pytest.raises(ContractError, match=said):
        VerraSerial.parse(text)


@pytest.mark.parametrize(
    ("name", "text"), [("registry_account", "12-629"), ("country_code", "PRY"), ("registry_flag", "x")]
)
def test_a_fact_that_makes_no_serial_is_refused(name: str, text: str) -> None:
    """No part may hold a dash or anything else that would be read back as another part."""
    with pytest.raises(ContractError, match="serial number is malformed"):
        verra_issuance(replace(SUBMISSION, monitoring=evidence(facts={name: text})))


@pytest.mark.parametrize("name", ["issuance_date", "registry_batch", "country", "methodology"])
def test_a_missing_fact_of_a_row_is_named(name: str) -> None:
    """No column that the registry fills is left blank."""
    with pytest.raises(ContractError, match=f"fact {name}"):
        verra_issuance(replace(SUBMISSION, monitoring=evidence(without=name)))


def test_a_gold_standard_block_counts_its_credits() -> None:
    """Every block holds what its ends say, and its serial names both."""
    for block, vintage in zip(BLOCKS["credit_blocks"], VINTAGES, strict=True):
        held = block["ending_credit_number"] - block["starting_credit_number"] + 1
        assert block["number_of_credits"] == held == vintage.credits
        assert re.search(r"-(\d+)-(\d+)$", block["serial_number"])
        assert block["created_at"] == "2021-11-30"


def test_a_gold_standard_block_names_certificate_and_rule_set() -> None:
    """With the tonnes apart, decimals as text, and null for what is not shown."""
    assert BLOCKS["certificate"]["sha256"] == CERTIFICATE.sha256
    assert BLOCKS["rule_set"] == "vm0047@1.1"
    assert (BLOCKS["project"]["latitude"], BLOCKS["project"]["longitude"]) == ("-22.5", None)
    assert not has_float(gold_standard_block(SUBMISSION))


@pytest.mark.parametrize("name", ["gsf_standards_version", "crediting_period_last_day", "registry_serial_prefix"])
def test_a_missing_fact_of_a_block_is_named(name: str) -> None:
    """What the form needs is asked for."""
    with pytest.raises(ContractError, match=f"fact {name}"):
        gold_standard_block(replace(SUBMISSION, monitoring=evidence(without=name)))


def test_registry_documents_are_the_same_each_time() -> None:
    """Also when the vintages come in another order."""
    turned = replace(SUBMISSION, vintages=VINTAGES[::-1])
    assert verra_issuance(turned) == verra_issuance(SUBMISSION)
    assert gold_standard_block(turned) == gold_standard_block(SUBMISSION)
