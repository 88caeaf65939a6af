"""What an issuance and a retirement say must hold by itself, and reads back as it was written."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from mrv_assets.domain.errors import BrokenChain, ContractError, IdentityError
from mrv_assets.domain.registry import Ending, Entry
from mrv_assets.domain.registry_record import RegistryRecord
from mrv_assets_tests.registered import block, issuance, recorded, retirement
from mrv_assets_tests.tampering import rewritten

GOLD = block(1, 10, series="GS1", registry="gold-standard")


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(issuance(block(1, 10)), id="issuance"),
        pytest.param(replace(issuance(GOLD), superseded_by="d" * 64), id="superseded"),
        pytest.param(retirement(block(1, 10)), id="retirement"),
        pytest.param(retirement(GOLD, ending=Ending.CANCELLED, beneficiary=None), id="cancellation"),
    ],
)
def test_a_record_reads_back_as_it_was_written(entry: Entry) -> None:
    """Nothing is lost on the way to bytes and back."""
    record = recorded(entry, number=2, prev="a" * 64)
    assert RegistryRecord.from_bytes(record.to_bytes(), where="here") == record


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"vintage_last": date(2026, 1, 1)}, "one calendar year", id="two years"),
        pytest.param({"vintage_first": date(2025, 12, 31), "vintage_last": date(2025, 1, 1)}, "in order", id="order"),
        pytest.param({"period": "2025-Q1"}, "a vintage from 2025-01-01 to 2025-03-31", id="outside the period"),
        pytest.param({"issued_on": date(2025, 12, 31)}, "issued after 2025-12-31", id="before it was over"),
        pytest.param({"registry_project": "1"}, "that the serial number says", id="another project"),
        pytest.param({"vintage_first": date(2025, 1, 2)}, "that the serial number says", id="another vintage"),
        pytest.param({"certificate_sha256": "c" * 12}, "a sha256", id="half a digest"),
        pytest.param({"rule_set": "vm0047-area"}, "id@version", id="no version"),
        pytest.param({"block": GOLD, "registry_project": " "}, "the project at the registry", id="no project"),
    ],
)
def test_an_issuance_that_cannot_be_is_refused(changed: dict[str, Any], message: str) -> None:
    """Days in order, one calendar year, within the period, and as the serial number says."""
    with pytest.raises(ContractError, match=message):
        replace(issuance(block(1, 10)), **changed)


def test_an_issuance_is_of_a_project_and_a_period() -> None:
    """Both in canonical form."""
    with pytest.raises(IdentityError, match="project_id is not a canonical id"):
        issuance(GOLD, project_id="no id")
    with pytest.raises(IdentityError, match="period is not in canonical form"):
        issuance(GOLD, period="2025-13")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"reason": " "}, "does not say why it was retired", id="no reason"),
        pytest.param({"reason": "x\x1b[2K"}, "holds what cannot be shown", id="control code"),
        pytest.param({"beneficiary": None}, "on whose behalf", id="no beneficiary"),
        pytest.param({"beneficiary": "-", "ending": Ending.CANCELLED}, "on whose behalf", id="a dash"),
    ],
)
def test_a_retirement_says_why_and_for_whom(changed: dict[str, Any], message: str) -> None:
    """A cancellation needs no beneficiary; one that it has is a name."""
    with pytest.raises(ContractError, match=message):
        replace(retirement(GOLD), **changed)


@pytest.mark.parametrize("position", range(5, len(recorded(issuance(block(1, 10))).to_bytes()), 61))
def test_one_flipped_bit_is_noticed(position: int) -> None:
    """A record seals itself, also the last one, which no later one names."""
    data = bytearray(recorded(issuance(block(1, 10))).to_bytes())
    data[position] ^= 1
    with pytest.raises(BrokenChain, match="registry record cannot be read"):
        RegistryRecord.from_bytes(bytes(data), where="here")


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"quantity": 11}, id="quantity"),
        pytest.param({"serial": block(1, 11).text}, id="serial"),
        pytest.param({"last": 9}, id="block"),
        pytest.param({"vintage_last": "2026-12-31"}, id="vintage"),
        pytest.param({"note": "more"}, id="a member more"),
    ],
)
def test_a_record_that_contradicts_itself_is_none(changed: dict[str, Any]) -> None:
    """Sealed anew by somebody who knows the format, and still refused: size and text follow from the block."""
    data = recorded(issuance(block(1, 10))).to_bytes()
    said = json.loads(data)["issuance"] | changed
    with pytest.raises(BrokenChain, match="registry record cannot be read"):
        RegistryRecord.from_bytes(rewritten(data, issuance=said), where="here")
