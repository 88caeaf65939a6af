"""Seals as they are kept: one object for each signature of a statement, created once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.dsse import CHECKPOINT, Envelope
from mrv_assets.domain.errors import BrokenChain, CommitStateUnknown, Unsigned
from mrv_assets.storage.breach import Findings
from mrv_assets.storage.census import take_census
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.seals import is_seal_key, keep_seal, read_seals, seal_key, seals_in
from mrv_assets_tests.signing import FIRST, PAYLOAD, SECOND, key_id, signed_by
from mrv_assets_tests.unit.storage.drafts import no_pause
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.world import memory_store

SHA256 = sha256_hex(PAYLOAD)
KEY = seal_key(SHA256, key_id(FIRST))


@pytest.fixture(params=["memory", "posix"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    """A store in memory and one on a disk."""
    return memory_store() if request.param == "memory" else PosixStore(tmp_path / "store")


def test_a_seal_is_kept_under_its_statement_and_key(either: ObjectStore) -> None:
    """It is the whole envelope, it is new once, and it reads back."""
    assert read_seals(either, SHA256) is None
    assert keep_seal(either, signed_by(FIRST), pause=no_pause) is True
    assert keep_seal(either, signed_by(FIRST), pause=no_pause) is False
    assert list(either.list("")) == [f"seals/{SHA256}/{key_id(FIRST)}.json"] == [KEY]
    assert either.get(KEY) == signed_by(FIRST).to_bytes()
    assert read_seals(either, SHA256) == signed_by(FIRST)


def test_a_second_party_may_sign_later(either: ObjectStore) -> None:
    """Each signature is an object of its own, and all are read as one envelope."""
    keep_seal(either, signed_by(FIRST), pause=no_pause)
    assert keep_seal(either, signed_by(FIRST, SECOND), pause=no_pause) is True
    assert len(list(either.list("seals/"))) == 2
    assert read_seals(either, SHA256) == signed_by(FIRST, SECOND)


def test_seals_of_another_statement_are_not_mixed_in(either: ObjectStore) -> None:
    """Each statement has a folder."""
    other = signed_by(FIRST, payload=b"{}")
    for envelope in (signed_by(FIRST), other):
        keep_seal(either, envelope, pause=no_pause)
    assert read_seals(either, sha256_hex(b"{}")) == other
    assert sorted(envelope.payload for _, envelope in _sound(either)) == sorted([PAYLOAD, b"{}"])


def _sound(store: ObjectStore) -> list[tuple[str, Envelope]]:
    return [seal for seal in seals_in(store) if not isinstance(seal, BrokenChain)]


def test_two_writers_of_one_seal_both_succeed(either: ObjectStore) -> None:
    """The signature of a key over a statement is one, so whoever comes second finds its own bytes."""
    start = threading.Barrier(4)

    def write(_: int) -> bool:
        start.wait()
        return keep_seal(either, signed_by(FIRST), pause=no_pause)

    with ThreadPoolExecutor(4) as threads:
        told = list(threads.map(write, range(4)))
    assert any(told)
    assert list(either.list("")) == [KEY]
    assert read_seals(either, SHA256) == signed_by(FIRST)


def test_another_envelope_under_the_same_key_is_tampering(either: ObjectStore) -> None:
    """It is never replaced."""
    [one] = signed_by(FIRST).signatures
    other = replace(signed_by(FIRST), signatures=(replace(one, value=b"x" * 64),))
    keep_seal(either, other, pause=no_pause)
    with pytest.raises(BrokenChain, match="another envelope, which was there before"):
        keep_seal(either, signed_by(FIRST), pause=no_pause)
    assert either.get(KEY) == other.to_bytes()


def test_nothing_is_kept_without_a_signature(either: ObjectStore) -> None:
    """An unsigned certificate has no seal."""
    with pytest.raises(Unsigned, match=f"nobody has signed this.*{SHA256}"):
        keep_seal(either, replace(signed_by(FIRST), signatures=()), pause=no_pause)
    assert list(either.list("")) == []


def test_a_checkpoint_is_no_seal(either: ObjectStore) -> None:
    """Nothing else than a statement is kept as one."""
    with pytest.raises(BrokenChain, match="expected a statement"):
        keep_seal(either, signed_by(FIRST, payload_type=CHECKPOINT), pause=no_pause)
    assert list(either.list("")) == []


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        pytest.param(lambda _: b"", "envelope cannot be read", id="emptied"),
        pytest.param(lambda data: data[:-1], "envelope cannot be read", id="cut"),
        pytest.param(lambda _: signed_by(SECOND).to_bytes(), "seal is of something else", id="by another key"),
        pytest.param(lambda _: signed_by(FIRST, SECOND).to_bytes(), "seal is of something else", id="by two"),
        pytest.param(
            lambda _: signed_by(FIRST, payload=b"{}").to_bytes(), "seal is of something else", id="of another statement"
        ),
        pytest.param(
            lambda _: signed_by(FIRST, payload_type=CHECKPOINT).to_bytes(), "expected a statement", id="of another kind"
        ),
        pytest.param(
            lambda _: replace(signed_by(FIRST), signatures=()).to_bytes(), "found none", id="without its signature"
        ),
    ],
)
def test_what_is_not_the_seal_is_told(damage: Callable[[bytes], bytes], words: str) -> None:
    """Reading refuses it by name, and going through all of them it hides no other."""
    store = memory_store({KEY: damage(signed_by(FIRST).to_bytes()), "seals/notes.txt": b"x"})
    keep_seal(store, signed_by(SECOND), pause=no_pause)
    with pytest.raises(BrokenChain, match=words):
        read_seals(store, SHA256)
    broken = [seal for seal in seals_in(store) if isinstance(seal, BrokenChain)]
    assert [error.where for error in broken] == [KEY]
    assert [key for key, _ in _sound(store)] == [seal_key(SHA256, key_id(SECOND))]


def test_an_answer_that_is_lost_is_settled(store: FaultyStore) -> None:
    """The put is asked again, and the seal is there once."""
    store.lose_answer("put_if_absent", prefix="seals/")
    assert keep_seal(store, signed_by(FIRST), pause=no_pause) is True
    assert read_seals(store, SHA256) == signed_by(FIRST)


def test_a_store_that_does_not_answer_is_told(store: FaultyStore) -> None:
    """Whether the seal landed is not known, and the next attempt finds out."""
    store.lose_answer("put_if_absent", prefix="seals/", times=4)
    with pytest.raises(CommitStateUnknown, match="seals/"):
        keep_seal(store, signed_by(FIRST), pause=no_pause)
    assert keep_seal(store, signed_by(FIRST), pause=no_pause) is False


@pytest.mark.parametrize(
    "key",
    [
        "seals/notes.txt",
        f"seals/{SHA256}.json",
        f"seals/{SHA256}/{'A' * 64}.json",
        f"seals/{SHA256}/{key_id(FIRST)}.json.bak",
        f"other/{SHA256}/{key_id(FIRST)}.json",
    ],
)
def test_other_keys_are_no_seals(key: str) -> None:
    """They are left to `mrv fsck`, which calls them stray."""
    assert is_seal_key(KEY)
    assert not is_seal_key(key)


def test_the_census_knows_seals_and_finds_strangers_among_them() -> None:
    """A seal is no stray object; something beside it is."""
    findings = Findings()
    take_census(memory_store({KEY: b"", "seals/notes.txt": b"x"}), findings)
    assert [breach.key for breach in findings.breaches()] == ["seals/notes.txt"]
