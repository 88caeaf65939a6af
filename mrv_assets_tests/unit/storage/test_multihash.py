from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.storage.multihash import Multihash

DATA = b"hello world\n"


@pytest.mark.parametrize(
    ("prefix", "algorithm", "ours"),
    [
        pytest.param("1114", "sha1", "sha1", id="sha1"),
        pytest.param("1220", "sha2-256", "sha256", id="sha2-256"),
        pytest.param("1340", "sha2-512", "sha512", id="sha2-512"),
        pytest.param("2030", "sha2-384", "sha384", id="sha2-384"),
        pytest.param("1620", "sha3-256", "sha3_256", id="sha3-256"),
    ],
)
def test_a_multihash_names_its_algorithm(prefix: str, algorithm: str, ours: str) -> None:
    """The two numbers before the digest are those of the multiformats table."""
    digest = hashlib.new(ours, DATA).hexdigest()
    assert Multihash.parse(prefix + digest) == Multihash(algorithm=algorithm, digest=digest)
    assert Multihash.of(DATA, algorithm).digest == digest


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("", "not lower-case hex", id="nothing"),
        pytest.param("12 20", "not lower-case hex", id="a space"),
        pytest.param("1220" + "A" * 64, "not lower-case hex", id="upper case"),
        pytest.param("122", "not lower-case hex", id="half a byte"),
        pytest.param("ff" * 10, "cut off", id="a number without end"),
        pytest.param("12", "cut off", id="only an algorithm"),
        pytest.param("1220" + "ab" * 31, "sha2-256 of 31 bytes, said to be 32", id="too short"),
        pytest.param("121f" + "ab" * 31, "sha2-256 of 31 bytes, said to be 31", id="truncated on purpose"),
        pytest.param("d50110" + "ab" * 16, "the algorithm md5", id="md5"),
        pytest.param("1e20" + "ab" * 32, "the algorithm blake3", id="blake3"),
        pytest.param("9920" + "ab" * 8, "the algorithm 0x1019", id="unknown"),
        pytest.param("ab" * 32, "64 hex digits without the name of an algorithm", id="a plain sha256"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(text: str, says: str) -> None:
    """A checksum that we do not compute is never taken for one that agrees."""
    with pytest.raises(ValueError, match=says):
        Multihash.parse(text)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_multihash_or_a_value_error(data: bytes) -> None:
    """Whatever stands in an item, reading it ends in one of the two."""
    try:
        read = Multihash.parse(data.hex())
    except ValueError:
        return
    assert bytes.fromhex(read.digest) == data[-len(read.digest) // 2 :]
