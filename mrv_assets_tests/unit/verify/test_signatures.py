"""Signatures: whose hold, and by which name everything else is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from securesystemslib.dsse import Envelope as OtherEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer._crypto_signer import CryptoSigner
from securesystemslib.signer._key import SSlibKey

from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.dsse import CHECKPOINT, IN_TOTO, Envelope, Signature, pae
from mrv_assets.domain.errors import BrokenChain, MrvError, SignatureInvalid, Unsigned, Untrusted
from mrv_assets.domain.trust import Trust
from mrv_assets.verify.signatures import unknown_key_ids, verify_signatures
from mrv_assets_tests.signing import (
    DURING,
    FIRST,
    FROM,
    PAYLOAD,
    SECOND,
    STRANGER,
    TRUST,
    UNTIL,
    key_id,
    signed_by,
    trusted,
)

# RFC 8032, 7.1: secret key, public key, message, signature.
RFC_8032 = [
    pytest.param(
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
        "655141438e7a100b",
        id="TEST 1",
    ),
    pytest.param(
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
        "b00d291612bb0c00",
        id="TEST 2",
    ),
    pytest.param(
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
        "c027beceea1ec40a",
        id="TEST 3",
    ),
]


def verified(envelope: Envelope, trust: Trust = TRUST, at: str = DURING) -> list[str]:
    """Return the ids of the keys that hold."""
    return [key.key_id for key in verify_signatures(envelope, trust, since_utc=at, until_utc=at, where="here")]


def test_every_key_that_holds_is_returned() -> None:
    """The untouched control passes, with one signature and with two."""
    assert verified(signed_by(FIRST)) == [key_id(FIRST)]
    assert verified(signed_by(FIRST, SECOND)) == sorted([key_id(FIRST), key_id(SECOND)])


def test_a_further_signature_by_a_stranger_neither_helps_nor_harms() -> None:
    """It is not among those that hold, and the reader is told of it."""
    envelope = signed_by(FIRST, STRANGER)
    assert verified(envelope) == [key_id(FIRST)]
    assert unknown_key_ids(envelope, TRUST) == (key_id(STRANGER),)
    assert unknown_key_ids(signed_by(FIRST), TRUST) == ()


def _value(envelope: Envelope, value: bytes) -> Envelope:
    return replace(envelope, signatures=(replace(envelope.signatures[0], value=value),))


def _under(envelope: Envelope, name: str) -> Envelope:
    return replace(envelope, signatures=(replace(envelope.signatures[0], key_id=name),))


ONE = signed_by(FIRST)
GOOD = ONE.signatures[0].value
_ORDER = 2**252 + 27742317777372353535851937790883648493
_MALLEABLE = GOOD[:32] + (int.from_bytes(GOOD[32:], "little") + _ORDER).to_bytes(32, "little")


@pytest.mark.parametrize(
    ("envelope", "kind", "words"),
    [
        pytest.param(replace(ONE, signatures=()), Unsigned, "nobody has signed", id="unsigned"),
        pytest.param(signed_by(STRANGER), Untrusted, "nobody whom this trust file knows", id="stranger"),
        pytest.param(_under(signed_by(STRANGER), key_id(FIRST)), SignatureInvalid, "does not hold", id="forged key id"),
        pytest.param(_under(ONE, key_id(SECOND)), SignatureInvalid, "does not hold", id="another trusted id"),
        pytest.param(_under(ONE, "0" * 64), SignatureInvalid, "filed under the id of another key", id="misfiled"),
        pytest.param(replace(ONE, payload=PAYLOAD + b" "), SignatureInvalid, "does not hold", id="payload"),
        pytest.param(replace(ONE, payload_type=CHECKPOINT), SignatureInvalid, "does not hold", id="another kind"),
        pytest.param(_value(ONE, b""), SignatureInvalid, "does not hold", id="no bytes"),
        pytest.param(_value(ONE, GOOD[:-1]), SignatureInvalid, "does not hold", id="short"),
        pytest.param(_value(ONE, GOOD + b"\0"), SignatureInvalid, "does not hold", id="long"),
        pytest.param(_value(ONE, bytes(64)), SignatureInvalid, "does not hold", id="zeros"),
        pytest.param(_value(ONE, _MALLEABLE), SignatureInvalid, "does not hold", id="other S of the same R"),
        pytest.param(
            _value(ONE, FIRST.sign(PAYLOAD)), SignatureInvalid, "does not hold", id="of the payload without its kind"
        ),
        pytest.param(
            replace(ONE, signatures=(*ONE.signatures, Signature(key_id=key_id(SECOND), value=GOOD))),
            SignatureInvalid,
            "does not hold",
            id="one of two trusted ones",
        ),
    ],
)
def test_what_does_not_hold_is_refused_by_name(envelope: Envelope, kind: type[MrvError], words: str) -> None:
    """Each fault has its own error and words."""
    with pytest.raises(kind, match=rf"{words}.*\[here\]|{words} \[here\]"):
        verified(envelope)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        pytest.param("2025-12-31T23:59:59Z", "key did not count yet when it signed", id="not yet"),
        pytest.param(UNTIL, "key had ended when it signed", id="ended"),
        pytest.param("2030-01-01T00:00:00Z", "key had ended when it signed", id="long ended"),
    ],
)
@pytest.mark.parametrize("keys", [(FIRST,), (FIRST, STRANGER)], ids=["alone", "with a stranger"])
def test_a_key_counts_at_its_time_only(keys: tuple[Ed25519PrivateKey, ...], at: str, words: str) -> None:
    """A signature that holds is refused when its key did not count at the time that is said."""
    with pytest.raises(SignatureInvalid, match=words):
        verified(signed_by(*keys), at=at)


def test_all_trusted_keys_must_count() -> None:
    """One that had ended is not made good by another."""
    trust = Trust(keys=(trusted(FIRST), trusted(SECOND, until="2026-02-01T00:00:00Z")))
    with pytest.raises(SignatureInvalid, match="key had ended"):
        verified(signed_by(FIRST, SECOND), trust)


def test_nobody_is_trusted_by_an_empty_file() -> None:
    """And the message says that there is no key."""
    with pytest.raises(Untrusted, match="a key to trust"):
        verified(ONE, Trust())


def test_the_begin_of_a_key_counts() -> None:
    """What was sealed at the instant of a rotation is by the new key."""
    assert verified(ONE, at=FROM) == [key_id(FIRST)]


WHOLE = signed_by(FIRST, SECOND).to_bytes()


@given(st.integers(0, len(WHOLE) * 8 - 1))
def test_any_flipped_bit_of_an_envelope_is_caught(bit: int) -> None:
    """Wherever it is: in the frame, the payload, its kind, a key id or a signature."""
    data = bytearray(WHOLE)
    data[bit // 8] ^= 1 << bit % 8
    with pytest.raises((BrokenChain, SignatureInvalid), match="here"):
        verified(Envelope.from_bytes(bytes(data), where="here"))


@given(st.integers(0, len(PAYLOAD) * 8 - 1), st.integers(0, 511))
def test_any_flipped_bit_of_payload_and_signature_is_caught(payload_bit: int, signature_bit: int) -> None:
    """Also by somebody who writes the frame anew."""
    for changed in (
        replace(ONE, payload=_flipped(PAYLOAD, payload_bit)),
        _value(ONE, _flipped(GOOD, signature_bit)),
    ):
        with pytest.raises(SignatureInvalid, match="does not hold"):
            verified(changed)


def _flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize(("secret", "public", "message", "signature"), RFC_8032)
def test_the_vectors_of_rfc_8032(secret: str, public: str, message: str, signature: str) -> None:
    """The keys that we list and sign with are the Ed25519 of the RFC."""
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
    assert key.public_key().public_bytes_raw().hex() == public
    assert key.sign(bytes.fromhex(message)).hex() == signature
    [one] = signed_by(key, payload=bytes.fromhex(message)).signatures
    assert one.value == key.sign(pae(IN_TOTO, bytes.fromhex(message)))
    assert verified(signed_by(key, payload=bytes.fromhex(message)), Trust(keys=(trusted(key),))) == [key_id(key)]


def _other_key(key: Ed25519PrivateKey) -> SSlibKey:
    return SSlibKey.from_crypto(key.public_key(), keyid=key_id(key))


@pytest.mark.parametrize("keys", [(FIRST,), (FIRST, SECOND)], ids=["one", "two"])
def test_securesystemslib_verifies_ours(keys: tuple[Ed25519PrivateKey, ...]) -> None:
    """An independent implementation reads our bytes and finds every signature good."""
    envelope = OtherEnvelope.from_dict(json.loads(signed_by(*keys).to_bytes()))
    accepted = envelope.verify([_other_key(key) for key in keys], threshold=len(keys))
    assert set(accepted) == {key_id(key) for key in keys}


def test_securesystemslib_refuses_what_we_refuse() -> None:
    """So the check above can fail."""
    envelope = OtherEnvelope.from_dict(json.loads(replace(ONE, payload=b"{}").to_bytes()))
    with pytest.raises(VerificationError, match="do not match threshold"):
        envelope.verify([_other_key(FIRST)], threshold=1)


@pytest.mark.parametrize(
    "make", [lambda: PAYLOAD, lambda: b"", lambda: bytes(range(256))], ids=["json", "empty", "raw"]
)
def test_ours_verifies_securesystemslib(make: Callable[[], bytes]) -> None:
    """We read an envelope that the independent implementation has signed; theirs is written canonically first."""
    other = OtherEnvelope(make(), IN_TOTO, {})
    other.sign(CryptoSigner(FIRST, _other_key(FIRST)))
    envelope = Envelope.from_bytes(canonical_json(other.to_dict()), where="theirs")
    assert envelope == signed_by(FIRST, payload=make())
    assert other.pae() == pae(IN_TOTO, make())
    assert verified(envelope) == [key_id(FIRST)]
