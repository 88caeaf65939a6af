"""The file of what a registry shows: TOML and JSON say the same, and what is not understood is refused by name."""

from __future__ import annotations

import json
from datetime import date

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.registry import Ending, Retirement
from mrv_assets.domain.registry_file import StatedIssuance, parse_registry_file
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.registered import CREDITS, block

EXAMPLE = (forest.FOLDER / "registry.toml").read_bytes()
ISSUANCE = {
    "registry": "gold-standard",
    "series": "GS1",
    "first": 1,
    "last": 10,
    "quantity": 10,
    "certificate": "abcdef01",
    "rule_set": "gs-403@2.1",
    "project": "GS1",
    "vintage_first": "2025-01-01",
    "vintage_last": "2025-12-31",
    "issued_on": "2026-02-01",
}
RETIREMENT = {
    "registry": "gold-standard",
    "serial": "GS1-1-5",
    "retired_on": "2026-03-01",
    "beneficiary": "B",
    "reason": "R",
}


def as_json(**tables: object) -> bytes:
    """Return a file of these tables."""
    return json.dumps(tables).encode()


def test_the_example_is_read() -> None:
    """One issuance of all credits, whose serial number says project and vintage; a retirement and a cancellation."""
    issued, retired, cancelled = parse_registry_file(EXAMPLE, where="registry.toml")
    assert isinstance(issued, StatedIssuance)
    assert (issued.block.count, issued.registry_project) == (CREDITS, "99999")
    assert (issued.vintage_first, issued.vintage_last) == (date(2025, 1, 1), date(2025, 12, 31))
    assert isinstance(retired, Retirement)
    assert isinstance(cancelled, Retirement)
    assert (retired.ending, cancelled.ending) == (Ending.RETIRED, Ending.CANCELLED)
    assert cancelled.beneficiary is None


def test_fields_say_what_a_serial_number_says() -> None:
    """Series, first and last are the same block, and JSON the same entry."""
    issued, retired = parse_registry_file(as_json(retirement=[RETIREMENT], issuance=[ISSUANCE]), where="a.json")
    assert issued.block == block(1, 10, series="GS1", registry="gold-standard")
    assert retired.block == block(1, 5, series="GS1", registry="gold-standard")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"quantity": 11}, "10 in block GS1-1-10, both ends counted; found 11", id="quantity"),
        pytest.param({"quantity": 10.0}, "a whole number; found 10.0", id="float"),
        pytest.param({"first": True}, "a whole number; found True", id="boolean"),
        pytest.param({"serial": "GS1-1-10"}, "serial, or series, first and last", id="both forms"),
        pytest.param({"last": 0}, "serial block is none", id="backwards"),
        pytest.param({"issued_on": "2026-02-30"}, "issued_on.*a day such as", id="no day"),
        pytest.param({"issued_on": "20260201"}, "issued_on.*a day such as", id="another spelling"),
        pytest.param({"issued_on": 20260201}, "issued_on.*a day such as", id="number"),
        pytest.param({"project": " GS1"}, "without blanks around it", id="blank"),
        pytest.param({"registry": "Gold Standard"}, "lower-case name", id="registry"),
        pytest.param({"issued": "2026-02-01"}, "only the keys.*found 'issued'", id="unknown key"),
        *(
            pytest.param({name: ...}, f"the key {name}", id=f"no {name}")
            for name in ISSUANCE
            if name not in ("quantity", "series")
        ),
    ],
)
def test_an_issuance_that_is_not_understood_is_refused(changed: dict[str, object], message: str) -> None:
    """Nothing is guessed and no key passed over."""
    said = {name: value for name, value in (ISSUANCE | changed).items() if value is not ...}
    with pytest.raises(ContractError, match=message):
        parse_registry_file(as_json(issuance=[said]), where="a.json")


@pytest.mark.parametrize(
    ("data", "where", "message"),
    [
        pytest.param(b"", "a.toml", "at least one table", id="empty"),
        pytest.param(b"{}", "a.json", "at least one table", id="empty JSON"),
        pytest.param(b"[]", "a.json", "an object with lists", id="list"),
        pytest.param(b"{", "a.json", "TOML, or JSON", id="half"),
        pytest.param(b"\xff", "a.toml", "TOML, or JSON", id="not UTF-8"),
        pytest.param(b"[" * 100_000, "a.json", "TOML, or JSON", id="deep"),
        pytest.param(b'{"issuance": [], "issuance": []}', "a.json", "stands twice", id="key twice"),
        pytest.param(b"issuance = 1", "a.toml", "a list of tables issuance", id="no table"),
        pytest.param(b"[[issued]]", "a.toml", "only the tables", id="unknown table"),
        pytest.param(as_json(retirement=[RETIREMENT | {"beneficiary": 1}]), "a.json", "beneficiary", id="number"),
        pytest.param(as_json(cancellation=[RETIREMENT]), "a.json", "only the keys", id="another table's key"),
        pytest.param(
            b'[[retirement]]\nregistry="r"\nserial="s-1-2"\nretired_on=2026-01-01T00:00:00Z\nreason="x"',
            "a.toml",
            "a day such as",
            id="instant",
        ),
    ],
)
def test_a_file_that_is_not_understood_is_refused(data: bytes, where: str, message: str) -> None:
    """By name, with the table at fault."""
    with pytest.raises(ContractError, match=message):
        parse_registry_file(data, where=where)
