"""Approvals as they are kept: under the name of the change that they are of, created once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.domain.approval import Approval, Certified, Proposal, share_text
from mrv_assets.domain.errors import BrokenChain, ContractError
from mrv_assets.domain.tonnes import Move, Tonnes
from mrv_assets.storage.approvals import (
    approval_key,
    find_approval,
    is_approval_key,
    keep_approval,
    load_approval,
    read_approvals,
)
from mrv_assets_tests.unit.storage.drafts import no_pause
from mrv_assets_tests.world import memory_store


def _figure(version: str, certificate: str, net: str) -> Certified:
    return Certified(factor_version=version, certificate_sha256=certificate * 64, tonnes=Tonnes(emissions=Decimal(net)))


PROPOSAL = Proposal(
    project_id="p",
    period="2021",
    generation=2,
    old=_figure("grid-1", "a", "12400"),
    agreed=_figure("grid-0", "b", "12000"),
    new=_figure("grid-2", "c", "13000"),
    materiality=Decimal("0.05"),
)
APPROVAL = Approval.of(
    PROPOSAL,
    causes=["factor release grid-1 → grid-2"],
    reason="the grid was updated",
    by="R. Reviewer",
    approved_utc="2026-01-01T00:00:00+00:00",
    write_id="w1",
)
KEY = f"approvals/project_id=p/period=2021/000000000002-{'c' * 64}.json"


def test_an_approval_reads_back_as_it_was_written() -> None:
    """Nothing is lost on the way to bytes and back, and the shares are there to be read."""
    data = APPROVAL.to_bytes()
    assert Approval.from_bytes(data, where="here") == APPROVAL
    assert b'"share":"0.048387097"' in data
    assert b'"share_since_agreed":"0.083333333"' in data


def test_an_approval_is_found_by_the_change_that_it_is_of() -> None:
    """Its key names project, period, the generation that is replaced, and the certificate."""
    store = memory_store()
    assert find_approval(store, PROPOSAL) is None
    assert keep_approval(store, APPROVAL, pause=no_pause) == APPROVAL
    assert approval_key(PROPOSAL) == KEY
    assert is_approval_key(KEY)
    assert find_approval(store, PROPOSAL) == load_approval(store, KEY) == APPROVAL
    assert find_approval(store, replace(PROPOSAL, generation=3)) is None


def test_the_first_approval_stays() -> None:
    """Whoever comes second is told of the first."""
    store = memory_store()
    keep_approval(store, APPROVAL, pause=no_pause)
    assert keep_approval(store, replace(APPROVAL, approved_by="Else", write_id="w2"), pause=no_pause) == APPROVAL


def test_a_materiality_that_changed_since_does_not_undo_an_approval() -> None:
    """It was given for the two figures."""
    store = memory_store({KEY: APPROVAL.to_bytes()})
    assert find_approval(store, replace(PROPOSAL, materiality=Decimal("0.01"), agreed=PROPOSAL.old)) == APPROVAL


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        pytest.param(lambda data: data.replace(b"Reviewer", b"Reviewed"), "approval cannot be read", id="name"),
        pytest.param(lambda data: data.replace(b'"12400"', b'"12500"'), "approval cannot be read", id="tonnes"),
        pytest.param(lambda data: data + b"\n", "approval cannot be read", id="line end"),
        pytest.param(lambda _: b"[]", "approval cannot be read", id="other JSON"),
        pytest.param(
            lambda _: replace(APPROVAL, proposal=replace(PROPOSAL, period="2022")).to_bytes(),
            "approval is of something else",
            id="of another period",
        ),
        pytest.param(
            lambda _: replace(APPROVAL, proposal=replace(PROPOSAL, old=PROPOSAL.agreed)).to_bytes(),
            "approval is of something else",
            id="of another old figure",
        ),
    ],
)
def test_what_is_not_the_approval_lets_nothing_through(damage: Callable[[bytes], bytes], words: str) -> None:
    """An altered approval, and that of another change in its place, are refused by name."""
    store = memory_store({KEY: damage(APPROVAL.to_bytes())})
    with pytest.raises(BrokenChain, match=words):
        find_approval(store, PROPOSAL)


def test_an_approval_that_is_gone_is_told() -> None:
    """A generation names it, so it must be there."""
    with pytest.raises(BrokenChain, match="approval is gone"):
        load_approval(memory_store(), KEY)


def test_all_approvals_are_read_and_a_broken_one_hides_no_other() -> None:
    """In the place of the broken one is what is wrong with it; foreign objects are passed over."""
    broken = KEY.replace("2021", "2020")
    store = memory_store({KEY: APPROVAL.to_bytes(), broken: b"", "approvals/notes.txt": b"x"})
    first, second = read_approvals(store)
    assert isinstance(first, BrokenChain)
    assert first.where == broken
    assert second == APPROVAL


@pytest.mark.parametrize(
    ("old", "agreed", "new", "materiality", "is_material"),
    [
        pytest.param("100", "100", "105", "0.05", False, id="exactly the share"),
        pytest.param("100", "100", "105.000000001", "0.05", True, id="a nanotonne more"),
        pytest.param("100", "100", "94.999999999", "0.05", True, id="down"),
        pytest.param("104", "100", "108", "0.05", True, id="small step, large since it was agreed"),
        pytest.param("106", "100", "100", "0.05", True, id="large step back"),
        pytest.param("0", "0", "0", "0.05", False, id="nothing moves"),
        pytest.param("0", "0", "0.000000001", "1", True, id="from nothing"),
        pytest.param("100", "0", "100.000000001", "1", True, id="agreed to nothing"),
    ],
)
def test_a_change_counts_against_both_figures(
    old: str, agreed: str, new: str, materiality: str, *, is_material: bool
) -> None:
    """Larger than the share of the reported or of the agreed figure is material, equal is not."""
    proposal = replace(
        PROPOSAL,
        old=_figure("grid", "a", old),
        agreed=_figure("grid", "b", agreed),
        new=_figure("grid", "c", new),
        materiality=Decimal(materiality),
    )
    assert proposal.is_material is is_material


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [("3", "4", "0.333333333"), ("3", "2", "-0.333333333"), ("7", "7", "0.000000000"), ("0", "7", None)],
)
def test_a_share_is_written_to_nine_digits(before: str, after: str, share: str | None) -> None:
    """With its sign, and none for a change from nothing."""
    move = Move(before=Tonnes(emissions=Decimal(before)), after=Tonnes(emissions=Decimal(after)))
    assert share_text(move) == share


@pytest.mark.parametrize("field", ["reason", "by"])
def test_who_and_why_are_said(field: str) -> None:
    """Blanks are not."""
    said = {"reason": "because", "by": "R. Reviewer"} | {field: " "}
    with pytest.raises(ContractError, match=rf"--{field}"):
        Approval.of(PROPOSAL, causes=[], approved_utc="", write_id="", **said)


@pytest.mark.parametrize("field", ["reason", "by"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("R. Reviewer\x1b[2K", id="escape"),
        pytest.param("R.\x00Reviewer", id="NUL"),
        pytest.param("R.\rReviewer", id="carriage return"),
        pytest.param("R.\x9bReviewer", id="control of Latin-1"),
        pytest.param("R. Reviewer \udcff", id="byte that is not UTF-8"),
    ],
)
def test_what_cannot_be_shown_is_not_kept(field: str, text: str) -> None:
    """A control code would write over the screen of whoever reads the approval, and a lone surrogate has no bytes."""
    said = {"reason": "because", "by": "R. Reviewer"} | {field: text}
    with pytest.raises(ContractError, match=rf"approval holds what cannot be shown.*--{field}"):
        Approval.of(PROPOSAL, causes=[], approved_utc="", write_id="", **said)


@pytest.mark.parametrize("text", ["", " \t", "\u200b", "\u2060 -"])
def test_a_name_has_a_letter_or_a_digit(text: str) -> None:
    """What nobody can see, or that names nobody, says nothing."""
    with pytest.raises(ContractError, match="does not say who approves or why"):
        Approval.of(PROPOSAL, causes=[], reason="because", by=text, approved_utc="", write_id="")


@pytest.mark.parametrize(
    "text",
    [
        "Ren\u00e9e",
        "Rene\u0301e",
        "\u5f20\u4f1f",
        "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
        "two\nlines\tand a tab",
    ],
)
def test_words_of_every_script_are_kept_as_they_are(text: str) -> None:
    """They read back as they were said; a reason may have more than one line."""
    said = Approval.of(PROPOSAL, causes=[], reason=text, by=text, approved_utc="", write_id="")
    read = Approval.from_bytes(said.to_bytes(), where="here")
    assert (read.reason, read.approved_by) == (text, text)
