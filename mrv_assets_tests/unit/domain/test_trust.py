"""Trust files: what they say, and what is refused by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.trust import Trust, TrustedKey, key_id_of
from mrv_assets_tests.signing import DURING, FIRST, FROM, SECOND, STRANGER, TRUST, UNTIL, key_id, trusted

TEXT = TRUST.to_toml().decode()
ONE = Trust(keys=(trusted(FIRST),)).to_toml().decode()


def test_the_id_is_the_digest_of_the_key_as_the_library_writes_it() -> None:
    """sha256 of the DER SubjectPublicKeyInfo, which every other tool computes as well."""
    public = FIRST.public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert key_id_of(public.public_bytes_raw()) == sha256_hex(der)


@given(
    st.lists(
        st.tuples(
            st.binary(min_size=32, max_size=32),
            st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).map(lambda t: t + "a"),
            st.sampled_from([None, UNTIL, "2026-01-01T00:00:00.000001Z"]),
        ),
        unique_by=lambda row: row[0],
        max_size=4,
    )
)
def test_a_trust_file_reads_back_as_it_was_written(rows: list[tuple[bytes, str, str | None]]) -> None:
    """Nothing is lost on the way to TOML and back, and the same keys in another order give the same bytes."""
    keys = [
        TrustedKey.of(public, owner=owner, valid_from_utc=FROM, valid_until_utc=until, where="x")
        for public, owner, until in rows
    ]
    text = Trust(keys=keys).to_toml()
    assert text == Trust(keys=keys[::-1]).to_toml()
    read = Trust.parse(text, where="trust.toml")
    assert sorted(read.keys, key=str) == sorted(keys, key=str)
    assert read.to_toml() == text


def test_a_key_is_found_by_its_id() -> None:
    """And a stranger's is not."""
    assert TRUST.key(key_id(SECOND)) == trusted(SECOND)
    assert TRUST.key(key_id(STRANGER)) is None


def test_order_and_comments_are_free() -> None:
    """A person may write into the file."""
    text = TEXT.replace("[[key]]", "# ours\n[[key]]", 1)
    assert Trust.parse(text.encode(), where="x").to_toml() == TRUST.to_toml()


def test_an_empty_file_trusts_nobody() -> None:
    """There is no default."""
    assert Trust.parse(b"", where="x").keys == ()


@pytest.mark.parametrize(
    ("utc", "is_valid"),
    [
        pytest.param(FROM, True, id="the first instant"),
        pytest.param("2025-12-31T23:59:59.999999Z", False, id="a microsecond before"),
        pytest.param(DURING, True, id="during, as records write it"),
        pytest.param("2026-06-30T23:59:59.999999+00:00", True, id="the last microsecond"),
        pytest.param(UNTIL, False, id="the end"),
    ],
)
def test_validity_has_its_begin_and_not_its_end(utc: str, *, is_valid: bool) -> None:
    """So at the instant of a rotation exactly one key counts."""
    assert trusted(FIRST).is_valid_at(utc) is is_valid


def test_a_key_without_an_end_stays() -> None:
    """None is no end."""
    assert trusted(FIRST, until=None).is_valid_at("9999-12-31T23:59:59Z")


@pytest.mark.parametrize("utc", ["2026-03-01T00:00:00", "2026-03-01T00:00:00+02:00", "yesterday", ""])
def test_an_instant_that_is_not_in_utc_is_refused(utc: str) -> None:
    """A local time could be on either side of an end."""
    with pytest.raises(ContractError, match="an instant in UTC"):
        trusted(FIRST).is_valid_at(utc)


def _entry(old: str, new: str) -> bytes:
    assert old in ONE
    return ONE.replace(old, new, 1).encode()


_PUBLIC = ONE.partition('public = "')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(_entry(key_id(FIRST), key_id(SECOND)), "key 1.*the digest of this key", id="id of another key"),
        pytest.param(_entry(key_id(FIRST), key_id(FIRST).upper()), "the digest of this key", id="id in capitals"),
        pytest.param(_entry(f'"{key_id(FIRST)}"', "7"), "the digest of this key", id="id is a number"),
        pytest.param(_entry(_PUBLIC, "AAAA"), "public key of 32 bytes; found 3 bytes", id="short key"),
        pytest.param(_entry(_PUBLIC, _PUBLIC[:-1]), "no base64", id="no padding"),
        pytest.param(_entry(_PUBLIC, "-" + _PUBLIC[1:]), "URL-safe", id="URL-safe"),
        pytest.param(_entry(f'"{_PUBLIC}"', "1"), "no text", id="public is a number"),
        pytest.param(_entry("owner", "ownr"), "no 'owner'", id="misspelled"),
        pytest.param(_entry("owner", 'note = "x"\nowner'), "unknown 'note'", id="unknown member of a key"),
        pytest.param(ONE.replace("[[key]]", 'note = "x"\n[[key]]').encode(), "unknown 'note'", id="unknown member"),
        pytest.param(ONE.replace("[[key]]", "[key]").encode(), r"one \[key\] table", id="single table"),
        pytest.param(b"key = [1]", "key 1.*found int", id="no table"),
        pytest.param((ONE + ONE).encode(), "each key once", id="twice"),
        pytest.param(_entry('"Met Council"', '" - "'), "letter or a digit", id="nameless owner"),
        pytest.param(_entry('"Met Council"', '"Met\\u001b[2K"'), r"U\+001B", id="owner with an escape"),
        pytest.param(_entry('"Met Council"', '"Met\\nCouncil"'), r"U\+000A", id="owner of two lines"),
        pytest.param(_entry('"Met Council"', "1"), "letter or a digit", id="owner is a number"),
        pytest.param(_entry(UNTIL, FROM), "valid_until after valid_from", id="ends as it begins"),
        pytest.param(_entry(UNTIL, "2025-01-01T00:00:00Z"), "valid_until after valid_from", id="ends before"),
        pytest.param(_entry(FROM, FROM[:-1]), "an instant in UTC", id="begin without Z"),
        pytest.param(_entry(UNTIL, UNTIL[:-1] + "+00:00"), "an instant in UTC", id="end without Z"),
        pytest.param(_entry(f'"{FROM}"', FROM), "an instant in UTC.*as text", id="TOML date-time"),
        pytest.param(_entry(FROM, "2026-02-30T00:00:00Z"), "an instant in UTC", id="30 February"),
        pytest.param(_entry(FROM, "2026-W01-1T00:00:00Z"), "an instant in UTC", id="week date"),
        pytest.param(_entry(f'valid_until = "{UNTIL}"', 'valid_until = ""'), "an instant in UTC", id="empty end"),
        pytest.param(b"[[key", "TOML in UTF-8", id="no TOML"),
        pytest.param(b"\xff", "TOML in UTF-8", id="no UTF-8"),
    ],
)
def test_what_a_trust_file_cannot_mean_is_refused_by_name(data: bytes, words: str) -> None:
    """The message names the file and what is wrong with which entry."""
    with pytest.raises(ContractError, match=rf"(?s)trust in keys is malformed \[trust.toml.*{words}"):
        Trust.parse(data, where="trust.toml")


@given(st.integers(0, 32 * 8 - 1))
def test_a_flipped_bit_in_a_key_is_another_id(bit: int) -> None:
    """An entry whose key was altered does not pass under the old id."""
    public = bytearray(FIRST.public_key().public_bytes_raw())
    public[bit // 8] ^= 1 << bit % 8
    altered = Trust(keys=(replace(trusted(FIRST), public=bytes(public)),))
    with pytest.raises(ContractError, match="the digest of this key"):
        Trust.parse(altered.to_toml(), where="x")
