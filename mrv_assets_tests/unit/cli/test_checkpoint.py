"""`mrv checkpoint`: what the journal comes to, published outside and compared again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrv_assets.domain.consistency import ConsistencyProof
from mrv_assets.domain.merkle import verify_consistency
from mrv_assets.storage.journal import CHECKPOINT, Journal, entry_key
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.storage.drafts import clock, event


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A deployment whose journal tells of two runs."""
    monkeypatch.delenv("MRV_SIGNING_KEY", raising=False)
    append(tmp_path, "first", "second")
    return tmp_path


def append(home: Path, *runs: str) -> None:
    """Tell the journal of runs."""
    for run in runs:
        Journal(PosixStore(home / "home" / "store"), clock).append(run, [event(run)])


def roll_back(home: Path) -> None:
    """Take the last entry away, and the store's own checkpoint."""
    store = home / "home" / "store"
    (store / entry_key(2)).unlink()
    (store / CHECKPOINT).unlink()


def test_a_checkpoint_is_shown_with_its_root(mrv: Mrv, home: Path) -> None:
    """Unsigned ones say so, loudly."""
    shown = parsed(mrv(home, "checkpoint", "show", "--json"))
    assert (shown["size"], shown["signed_by"]) == (2, [])
    text = mrv(home, "checkpoint", "show").stdout
    assert f"root    {shown['root']}" in text
    assert "UNSIGNED: anybody could have written this" in text


def test_an_empty_journal_says_so(mrv: Mrv, tmp_path: Path) -> None:
    """There is nothing to publish."""
    (tmp_path / "home" / "store").mkdir(parents=True)
    assert "The journal is empty." in mrv(tmp_path, "checkpoint", "show").stdout
    refused = mrv(tmp_path, "checkpoint", "publish", str(tmp_path / "outside"))
    assert (refused.exit_code, "journal is empty" in refused.stderr) == (1, True)


def test_what_is_published_is_come_to_again(mrv: Mrv, home: Path) -> None:
    """Signed by a key of the trust file, kept once, and compared with a journal that has grown."""
    outside = str(home / "outside")
    assert mrv(home, "keys", "init", "--owner", "Met Council").exit_code == 0
    assert [parsed(mrv(home, "checkpoint", "publish", outside, "--json"))["is_new"] for _ in "ab"] == [True, False]
    append(home, "third")
    [found] = parsed(mrv(home, "checkpoint", "verify", outside, "--json"))
    assert (found["size"], found["signed_by"]) == (2, ["Met Council"])
    assert "The journal comes to all that is kept there: 1 of 1." in mrv(home, "checkpoint", "verify", outside).stdout


def test_a_journal_that_was_rolled_back_is_told_with_exit_code_70(mrv: Mrv, home: Path) -> None:
    """The message names the checkpoint that shows it."""
    outside = str(home / "outside")
    mrv(home, "checkpoint", "publish", outside)
    roll_back(home)
    for command in ("verify", "publish"):
        result = mrv(home, "checkpoint", command, outside)
        assert result.exit_code == 70
        assert "journal was rolled back" in result.stderr
        assert "expected  2 entries at least" in result.stderr


def test_a_place_where_nothing_is_kept_says_what_to_do(mrv: Mrv, home: Path) -> None:
    """It is no error, and nothing was compared."""
    (home / "outside").mkdir()
    assert "`mrv checkpoint publish` keeps one" in mrv(home, "checkpoint", "verify", str(home / "outside")).stdout


def test_a_proof_leads_from_one_checkpoint_to_another(mrv: Mrv, home: Path) -> None:
    """Whoever has the two roots needs nothing else."""
    first = parsed(mrv(home, "checkpoint", "show", "--json"))
    append(home, "third", "fourth")
    second = parsed(mrv(home, "checkpoint", "show", "--json"))
    out = home / "proof.json"
    assert mrv(home, "checkpoint", "prove", "2", "--out", str(out)).exit_code == 0
    proof = ConsistencyProof.from_bytes(out.read_bytes(), where="proof")
    verify_consistency(
        first=proof.first,
        second=proof.second,
        first_root=bytes.fromhex(first["root"]),
        second_root=bytes.fromhex(second["root"]),
        proof=proof.nodes,
        where="proof",
    )
    assert json.loads(mrv(home, "checkpoint", "prove", "2", "4").stdout) == json.loads(out.read_bytes())


@pytest.mark.parametrize(("first", "second"), [("3", "2"), ("1", "9")], ids=["the wrong way round", "not yet"])
def test_sizes_that_the_journal_has_not_had_are_refused(mrv: Mrv, home: Path, first: str, second: str) -> None:
    """The message says which it has had."""
    refused = mrv(home, "checkpoint", "prove", first, second)
    assert (refused.exit_code, "two sizes from 1 to 2" in refused.stderr) == (1, True)
