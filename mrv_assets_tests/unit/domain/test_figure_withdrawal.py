"""Withdrawals and reinstatements as documents: what is written reads back, and nothing else does."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.domain.approval import Certified
from mrv_assets.domain.errors import BrokenChain, ContractError
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal, Reinstatement
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.storage.withdrawals import (
    ever_withdrawn,
    find_reinstatement,
    find_withdrawal,
    is_withdrawal_key,
    keep_reinstatement,
    keep_withdrawal,
    key_of,
    load_withdrawal,
    read_words,
)
from mrv_assets_tests.unit.storage.drafts import no_pause
from mrv_assets_tests.world import memory_store

WITHDRAWAL = FigureWithdrawal(
    project_id="p",
    period="2021",
    generation=2,
    withdrawn=Certified(factor_version="grid-1", certificate_sha256="a" * 64, tonnes=Tonnes(emissions=Decimal("1.5"))),
    reason=" read twice ",
    in_favour_of="2021-Q1",
    withdrawn_by="R. Reviewer",
    withdrawn_utc="2026-01-01T00:00:00+00:00",
    write_id="w1",
)
REINSTATEMENT = Reinstatement(
    project_id="p",
    period="2021",
    generation=2,
    withdrawal_sha256=WITHDRAWAL.sha256,
    reason="it was sound",
    reinstated_by="A. Auditor",
    reinstated_utc="2026-01-02T00:00:00+00:00",
    write_id="w2",
)
KEY = "withdrawals/project_id=p/period=2021/000000000002.json"
BACK = "withdrawals/project_id=p/period=2021/000000000002-reinstated.json"


def test_a_withdrawal_and_its_end_read_back_as_they_were_written() -> None:
    """Nothing is lost on the way to bytes and back, and each says itself in one line."""
    assert FigureWithdrawal.from_bytes(WITHDRAWAL.to_bytes(), where="here") == WITHDRAWAL
    assert Reinstatement.from_bytes(REINSTATEMENT.to_bytes(), where="here") == REINSTATEMENT
    assert str(WITHDRAWAL) == "withdrawn on 2026-01-01 by R. Reviewer: read twice, in favour of 2021-Q1"
    assert str(REINSTATEMENT) == "reinstated on 2026-01-02 by A. Auditor: it was sound"


def test_both_are_found_by_the_generation_that_they_are_of() -> None:
    """Their names say project, period and generation; the first one of a name stays."""
    store = memory_store()
    [*_] = keep_withdrawal(store, WITHDRAWAL, pause=no_pause), keep_reinstatement(store, REINSTATEMENT, pause=no_pause)
    assert (key_of(WITHDRAWAL), key_of(REINSTATEMENT)) == (KEY, BACK)
    assert is_withdrawal_key(KEY)
    assert is_withdrawal_key(BACK)
    [slot] = ever_withdrawn(store)
    assert (slot.project_id, slot.period) == ("p", "2021")
    assert find_withdrawal(store, slot, 2) == load_withdrawal(store, KEY) == WITHDRAWAL
    assert find_withdrawal(store, slot, 3) is None
    assert find_reinstatement(store, WITHDRAWAL) == REINSTATEMENT
    second = keep_withdrawal(store, replace(WITHDRAWAL, withdrawn_by="Else", write_id="w3"), pause=no_pause)
    assert second == WITHDRAWAL
    assert sorted(map(str, read_words(store))) == sorted(map(str, (WITHDRAWAL, REINSTATEMENT)))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        pytest.param(b"{", "JSONDecodeError", id="no JSON"),
        pytest.param(REINSTATEMENT.to_bytes(), "schema", id="other kind"),
        pytest.param(WITHDRAWAL.to_bytes() + b" ", "another spelling", id="a blank more"),
        pytest.param(WITHDRAWAL.to_bytes().replace(b"twice", b"never"), "altered", id="another reason"),
    ],
)
def test_what_is_no_withdrawal_is_tampering(data: bytes, found: str) -> None:
    """The error names the document and what is wrong with it."""
    store = memory_store({KEY: data})
    with pytest.raises(BrokenChain, match=found):
        load_withdrawal(store, KEY)
    [error] = read_words(store)
    assert isinstance(error, BrokenChain)


def test_a_withdrawal_under_another_name_is_tampering() -> None:
    """It takes back the generation that it names and no other."""
    other = KEY.replace("2.json", "3.json")
    with pytest.raises(BrokenChain, match="withdrawal is of something else"):
        load_withdrawal(memory_store({other: WITHDRAWAL.to_bytes()}), other)
    with pytest.raises(BrokenChain, match="withdrawal is gone"):
        load_withdrawal(memory_store(), KEY)


@pytest.mark.parametrize("text", [pytest.param("", id="nothing"), pytest.param("a\x00", id="control code")])
def test_nobody_takes_a_figure_back_without_saying_who_and_why(text: str) -> None:
    """Name, reason and what comes instead are shown for good."""
    for name in ("reason", "withdrawn_by", "in_favour_of"):
        with pytest.raises(ContractError, match="withdrawal"):
            replace(WITHDRAWAL, **{name: text})  # type: ignore[arg-type]
    for name in ("reason", "reinstated_by"):
        with pytest.raises(ContractError, match="withdrawal"):
            replace(REINSTATEMENT, **{name: text})  # type: ignore[arg-type]


def test_names_that_no_writer_of_ours_makes_are_passed_over() -> None:
    """A listing of what was ever withdrawn does not fail over somebody's file."""
    store = memory_store({"withdrawals/project_id=p/period=20-21/000000000001.json": b"", "withdrawals/notes": b""})
    assert ever_withdrawn(store) == frozenset()
