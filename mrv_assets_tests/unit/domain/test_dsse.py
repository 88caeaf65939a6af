"""Envelopes: what is signed, the one spelling, and what is refused by name."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.dsse import IN_TOTO, Envelope, Signature, merged, pae
from mrv_assets.domain.errors import BrokenChain
from mrv_assets_tests.signing import FIRST, PAYLOAD, SECOND, key_id, signed_by

ENVELOPE = signed_by(FIRST, SECOND)
DOCUMENT: dict[str, Any] = json.loads(ENVELOPE.to_bytes())
_pairs = st.tuples(st.text(st.characters(codec="utf-8"), max_size=8), st.binary(max_size=8))


def test_the_encoding_is_that_of_the_specification() -> None:
    """The example of DSSE protocol v1, byte for byte."""
    signed = pae("http://example.com/HelloWorld", b"hello world")
    assert signed == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_lengths_are_of_bytes() -> None:
    """A type beyond ASCII is counted in UTF-8, an empty part is 0."""
    assert pae("\u00e9", b"") == b"DSSEv1 2 \xc3\xa9 0 "


@given(_pairs, _pairs)
def test_two_pairs_never_give_the_same_bytes_to_sign(one: tuple[str, bytes], other: tuple[str, bytes]) -> None:
    """The encoding is injective: equal bytes mean equal type and payload."""
    assert (pae(*one) == pae(*other)) == (one == other)


@pytest.mark.parametrize("texts", [(("a 1 b", b""), ("a", b"b 0 ")), (("", b"1 x"), ("1 x", b""))])
def test_nothing_moves_between_type_and_payload(texts: tuple[tuple[str, bytes], tuple[str, bytes]]) -> None:
    """Spaces and digits in one part are not read as the frame."""
    assert pae(*texts[0]) != pae(*texts[1])


@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=20),
    st.binary(max_size=200),
    st.dictionaries(st.binary(min_size=32, max_size=32), st.binary(max_size=70), max_size=3),
)
def test_an_envelope_reads_back_as_it_was_written(kind: str, payload: bytes, signatures: dict[bytes, bytes]) -> None:
    """Nothing is lost on the way to bytes and back, whatever the parts."""
    ordered = tuple(Signature(key_id=key.hex(), value=signatures[key]) for key in sorted(signatures))
    envelope = Envelope(payload_type=kind, payload=payload, signatures=ordered)
    assert Envelope.from_bytes(envelope.to_bytes(), where="here") == envelope


def test_the_bytes_are_canonical_json() -> None:
    """The envelope is written as every document of the platform, its signatures in the order of their keys."""
    assert ENVELOPE.to_bytes() == canonical_json(DOCUMENT)
    turned = replace(ENVELOPE, signatures=tuple(reversed(ENVELOPE.signatures)))
    assert turned.to_bytes() == ENVELOPE.to_bytes()


def _with(**members: Any) -> bytes:
    return canonical_json({**DOCUMENT, **members})


def _signature(**members: Any) -> bytes:
    return _with(signatures=[{**DOCUMENT["signatures"][0], **members}])


def _without(name: str) -> bytes:
    return canonical_json({key: value for key, value in DOCUMENT.items() if key != name})


_DARK = b"\xfb\xff\xfe"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"", "Expecting value", id="nothing"),
        pytest.param(b"[]", "envelope that is no object", id="a list"),
        pytest.param(b"\xff", "decode", id="no UTF-8"),
        pytest.param(b"[" * 100_000, "recursion", id="deep"),
        pytest.param(_without("payload"), "envelope without 'payload'", id="no payload"),
        pytest.param(_without("payloadType"), "envelope without 'payloadType'", id="no type"),
        pytest.param(_without("signatures"), "envelope without 'signatures'", id="no list of signatures"),
        pytest.param(_with(extra=1), "unknown member 'extra'", id="unknown member"),
        pytest.param(_with(payloadType=1), "payloadType that is no text", id="type is a number"),
        pytest.param(_with(payloadType=""), "payloadType that is no text", id="empty type"),
        pytest.param(_with(payload=None), "payload that is no text", id="payload is null"),
        pytest.param(_with(payload="e30"), "payload that is no base64: .*padding", id="no padding"),
        pytest.param(_with(payload="e30=\n"), "payload that is no base64", id="line end in base64"),
        pytest.param(_with(payload="e31="), "leaves bits over", id="bits left over"),
        pytest.param(_with(payload=urlsafe_b64encode(_DARK).decode()), "URL-safe alphabet", id="URL-safe payload"),
        pytest.param(_signature(sig=urlsafe_b64encode(_DARK).decode()), "signature in the URL-safe", id="URL-safe sig"),
        pytest.param(_signature(sig=7), "signature that is no text", id="sig is a number"),
        pytest.param(_signature(keyid="A" * 64), "key id that is not 64 hex digits", id="capital hex"),
        pytest.param(_signature(keyid="../../x"), "key id that is not 64 hex digits", id="a path"),
        pytest.param(_signature(cert="x"), "signature with the unknown member 'cert'", id="unknown in a signature"),
        pytest.param(_with(signatures={}), "signatures that are no list", id="signatures are an object"),
        pytest.param(_with(signatures=["x"]), "signature that is no object", id="signature is text"),
        pytest.param(_with(signatures=DOCUMENT["signatures"][::-1]), "not in the order of their key ids", id="order"),
        pytest.param(_with(signatures=DOCUMENT["signatures"][:1] * 2), "two signatures under one key id", id="twice"),
        pytest.param(json.dumps(DOCUMENT).encode(), "another spelling", id="spaces"),
        pytest.param(ENVELOPE.to_bytes() + b"\n", "another spelling", id="line end"),
        pytest.param(ENVELOPE.to_bytes().replace(b'"sig"', b'"\\u0073ig"'), "another spelling", id="escape"),
        pytest.param(ENVELOPE.to_bytes().replace(b"{", b'{"payload":"",', 1), "another spelling", id="member twice"),
        pytest.param(_with(payloadType="x").replace(b'"x"', b'"\\ud800"'), "surrogates", id="half a surrogate"),
    ],
)
def test_any_other_bytes_are_refused_by_name(data: bytes, words: str) -> None:
    """What we would not write is no envelope of ours, and the message says why and where."""
    with pytest.raises(BrokenChain, match=rf"(?s)envelope cannot be read \[here\].*{words}"):
        Envelope.from_bytes(data, where="here")


def test_envelopes_of_one_payload_are_merged_in_the_order_of_their_keys() -> None:
    """Whoever comes first, the result is the same, and a signature that is there twice is one."""
    one, other = signed_by(FIRST), signed_by(SECOND)
    assert merged([one, other]) == merged([other, one, other]) == ENVELOPE
    assert [s.key_id for s in ENVELOPE.signatures] == sorted([key_id(FIRST), key_id(SECOND)])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(lambda e: replace(e, payload=b"other"), "different payloads", id="payload"),
        pytest.param(lambda e: replace(e, payload_type="other"), "different payloads", id="type"),
        pytest.param(
            lambda e: replace(e, signatures=(replace(e.signatures[0], value=b"x"),)), "two by key", id="signature"
        ),
    ],
)
def test_envelopes_that_contradict_one_another_are_not_merged(
    change: Callable[[Envelope], Envelope], words: str
) -> None:
    """Another payload, and another signature by the same key, are tampering."""
    with pytest.raises(BrokenChain, match=words):
        merged([signed_by(FIRST), change(signed_by(FIRST))])


def test_nothing_cannot_be_merged() -> None:
    """There is no payload without an envelope."""
    with pytest.raises(ValueError, match="not enough values"):
        merged([])


def test_two_signatures_under_one_key_are_not_written() -> None:
    """A reader would refuse them."""
    [one] = signed_by(FIRST).signatures
    envelope = Envelope(payload_type=IN_TOTO, payload=PAYLOAD, signatures=(one, one))
    with pytest.raises(ValueError, match="two signatures under one key id"):
        envelope.to_bytes()


def test_base64_is_the_standard_one() -> None:
    """The alphabet with + and /, and padding."""
    text = b64encode(_DARK).decode()
    assert f'"payload":"{text}"' in Envelope(payload_type="x", payload=_DARK, signatures=()).to_bytes().decode()


def test_envelopes_and_trust_need_the_standard_library_only() -> None:
    """An outsider can read both without numpy, pyarrow or cryptography."""
    heavy = ("cryptography", "numpy", "pyarrow", "pint")
    program = (
        f"import sys, mrv_assets.domain.dsse, mrv_assets.domain.trust; print(sorted(set({heavy!r}) & set(sys.modules)))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
