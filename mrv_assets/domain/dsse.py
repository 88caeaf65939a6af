"""What is signed, and how it travels: DSSE envelopes (Dead Simple Signing Envelope, protocol version 1).

Signed are not the bytes of the payload alone but also what they are (`pae`), so a signature of a certificate is never
one of a checkpoint. An envelope has one spelling. What does not belong here: keys and how they sign and verify.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from mrv_assets.domain.errors import BrokenChain, listed

IN_TOTO = "application/vnd.in-toto+json"
CHECKPOINT = "application/vnd.mrv.checkpoint+json"

_KEY_ID = re.compile(r"[0-9a-f]{64}")
_MEMBERS = {"payload", "payloadType", "signatures"}
_SIGNATURE_MEMBERS = {"keyid", "sig"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A signature and the id of the key that is said to have made it: 64 hex digits (`trust.key_id_of`)."""

    key_id: str
    value: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A payload, its media type, and the signatures over both; none is an envelope that nobody has signed."""

    payload_type: str
    payload: bytes
    signatures: Sequence[Signature]

    def to_bytes(self) -> bytes:
        """Return the envelope as canonical JSON: members and signatures in order, binary parts in standard base64.

        Raises ValueError for two signatures under one key id.
        """
        ordered = sorted(self.signatures, key=lambda signature: signature.key_id)
        if len({signature.key_id for signature in ordered}) != len(ordered):
            raise ValueError("two signatures under one key id")
        document = {
            "payload": _base64(self.payload),
            "payloadType": self.payload_type,
            "signatures": [{"keyid": one.key_id, "sig": _base64(one.value)} for one in ordered],
        }
        return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> Envelope:
        """Read an envelope, without verifying anything that it says.

        Raises BrokenChain naming `where` and what is wrong unless these are exactly the bytes that `to_bytes` writes.
        """
        try:
            envelope = _envelope(json.loads(data.decode()))
            is_exact = envelope.to_bytes() == data
        except (ValueError, TypeError, RecursionError) as error:
            raise _unreadable(where, str(error)) from error
        if not is_exact:
            raise _unreadable(where, "the same in another spelling: white space, order or escapes")
        return envelope


class Signer(Protocol):
    """Whoever holds a private key. It never shows it."""

    @property
    def key_id(self) -> str:
        """The id of the public key."""
        ...

    def sign(self, payload_type: str, payload: bytes) -> Envelope:
        """Return an envelope with one signature, by this key. Raises Refusal when the key may not sign any more."""
        ...


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return what is signed in the place of a payload: the pre-authentication encoding of DSSE v1.

    The length of each part stands before it, so two different pairs never give the same bytes.
    """
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def merged(envelopes: Iterable[Envelope]) -> Envelope:
    """Return the one envelope with the signatures of all, in the order of their key ids.

    Raises ValueError for no envelope, BrokenChain for other payloads, and for two signatures by one key: Ed25519 gives
    one signature for one payload.
    """
    first, *others = envelopes
    by_key: dict[str, Signature] = {}
    for envelope in (first, *others):
        if (envelope.payload_type, envelope.payload) != (first.payload_type, first.payload):
            raise _not_one("envelopes of one statement", "envelopes of different payloads")
        for signature in envelope.signatures:
            if by_key.setdefault(signature.key_id, signature) != signature:
                raise _not_one("one signature by each key", f"two by key {signature.key_id}")
    return Envelope(
        payload_type=first.payload_type,
        payload=first.payload,
        signatures=tuple(by_key[key_id] for key_id in sorted(by_key)),
    )


def bytes_of_base64(text: object, what: str) -> bytes:
    """Read standard base64 with its padding. Raises ValueError naming `what` for every other spelling."""
    if not isinstance(text, str):
        raise TypeError(f"{what} that is no text")
    if {"-", "_"} & set(text):
        raise ValueError(f"{what} in the URL-safe alphabet of base64")
    try:
        data = b64decode(text, validate=True)
    except ValueError as error:
        raise ValueError(f"{what} that is no base64: {error}") from error
    if _base64(data) != text:
        raise ValueError(f"{what} in a spelling of base64 that leaves bits over")
    return data


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _envelope(document: object) -> Envelope:
    d = _members(document, _MEMBERS, "envelope")
    if not isinstance(d["payloadType"], str) or not d["payloadType"]:
        raise ValueError("a payloadType that is no text")
    if not isinstance(d["signatures"], list):
        raise TypeError("signatures that are no list")
    signatures = tuple(map(_signature, d["signatures"]))
    ids = [signature.key_id for signature in signatures]
    if len(set(ids)) != len(ids):
        raise ValueError("two signatures under one key id")
    if ids != sorted(ids):
        raise ValueError("signatures that are not in the order of their key ids")
    return Envelope(
        payload_type=d["payloadType"], payload=bytes_of_base64(d["payload"], "a payload"), signatures=signatures
    )


def _signature(document: object) -> Signature:
    d = _members(document, _SIGNATURE_MEMBERS, "signature")
    if not isinstance(d["keyid"], str) or not _KEY_ID.fullmatch(d["keyid"]):
        raise ValueError(f"a key id that is not 64 hex digits: {d['keyid']!r}"[:120])
    return Signature(key_id=d["keyid"], value=bytes_of_base64(d["sig"], "a signature"))


def _members(document: object, expected: set[str], what: str) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise TypeError(f"{what} that is no object")
    found = cast(dict[str, Any], document)
    if missing := sorted(expected - found.keys()):
        raise ValueError(f"{what} without {listed(missing)}")
    if unknown := sorted(found.keys() - expected):
        raise ValueError(f"{what} with the unknown member {listed(unknown)}"[:200])
    return found


def _unreadable(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "envelope cannot be read",
        where=where,
        expected="a DSSE envelope, byte for byte as the platform writes it",
        found=found,
        remedy="do not rely on it; compare it with the copy that was handed out, or with a replica of the store",
    )


def _not_one(expected: str, found: str) -> BrokenChain:
    return BrokenChain(
        "envelopes do not belong together",
        where="signatures of one payload",
        expected=expected,
        found=found,
        remedy="stop, keep the store as it is and compare it with a replica",
    )
