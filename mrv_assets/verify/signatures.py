"""Checks of signatures: by whom, over what, and with a key that counted at the time.

What does not belong here: where envelopes and trust files come from, and what the payload says.
"""

from __future__ import annotations

from collections.abc import Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from mrv_assets.domain.dsse import Envelope, Signature, pae
from mrv_assets.domain.errors import SignatureInvalid, Unsigned, Untrusted, listed
from mrv_assets.domain.trust import Trust, TrustedKey

_STOP = "stop, do not rely on it, and ask its owner, by a way that you trust, which keys are whose and since when"


def verify_signatures(
    envelope: Envelope, trust: Trust, *, since_utc: str, until_utc: str | None, where: str
) -> tuple[TrustedKey, ...]:
    """Check every signature that `trust` has the key of, and return those keys, in the order of the envelope.

    The payload was signed between `since_utc`, when it was written, and `until_utc`, when somebody told of its
    signatures; None where nobody is known to have. A key has to count at some time between the two.

    There must be at least one signature by a trusted key, and all by trusted keys must hold (DSSE v1 with a threshold
    of one). A further signature by a key that the reader does not know, such as a second party's, cannot be checked: it
    neither helps nor harms, is not among what is returned, and is told by `unknown_key_ids`. Otherwise whoever may add
    an object to the store could make every certificate unreadable to those who have not heard of the second party.

    Raises Unsigned for no signature at all; Untrusted when no signature is by a known key; SignatureInvalid for a
    trusted key that did not count yet or any more, a signature that does not hold, and one by a trusted key that is
    filed under the id of another.
    """
    if not envelope.signatures:
        raise _unsigned(where)
    signed = pae(envelope.payload_type, envelope.payload)
    known = [(one, key) for one in envelope.signatures if (key := trust.key(one.key_id)) is not None]
    for one, key in known:
        _require_holds(one, key, signed, where)
        _require_counts(key, since_utc, until_utc, where)
    unknown = [one for one in envelope.signatures if trust.key(one.key_id) is None]
    for one in unknown:
        _require_not_misfiled(one, trust, signed, where)
    if not known:
        raise _untrusted(unknown, trust, where)
    return tuple(key for _, key in known)


def unknown_key_ids(envelope: Envelope, trust: Trust) -> tuple[str, ...]:
    """Return the ids of the keys that are said to have signed and that `trust` does not know."""
    return tuple(one.key_id for one in envelope.signatures if trust.key(one.key_id) is None)


def _require_holds(one: Signature, key: TrustedKey, signed: bytes, where: str) -> None:
    if not _holds(one, key, signed):
        raise SignatureInvalid(
            "signature does not hold",
            where=where,
            expected=f"a signature of exactly these bytes by {key}",
            found="a signature of other bytes, by another key, or an altered one",
            remedy=_STOP,
        )


def _require_counts(key: TrustedKey, since_utc: str, until_utc: str | None, where: str) -> None:
    if key.is_ended(since_utc):
        what, found = "key had ended when it signed", f"a signature of {since_utc} or later, after its end"
    elif until_utc is not None and key.is_before(until_utc):
        what, found = (
            "key did not count yet when it signed",
            f"a signature of {until_utc} or before, before its validity",
        )
    else:
        return
    raise SignatureInvalid(what, where=where, expected=f"{key}", found=found, remedy=_STOP)


def _require_not_misfiled(one: Signature, trust: Trust, signed: bytes, where: str) -> None:
    maker = next((key for key in trust.keys if _holds(one, key, signed)), None)
    if maker is not None:
        raise SignatureInvalid(
            "signature is filed under the id of another key",
            where=where,
            expected=f"the id of the key that made it, {maker.key_id}",
            found=one.key_id,
            remedy=_STOP,
        )


def _holds(one: Signature, key: TrustedKey, signed: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(one.value, signed)
    except InvalidSignature:
        return False
    return True


def _unsigned(where: str) -> Unsigned:
    return Unsigned(
        "nobody has signed this",
        where=where,
        expected="at least one signature",
        found="none",
        remedy="ask the owner to sign it (`mrv keys init`, then run again); its digests may hold all the same",
    )


def _untrusted(unknown: Sequence[Signature], trust: Trust, where: str) -> Untrusted:
    return Untrusted(
        "signed by nobody whom this trust file knows",
        where=where,
        expected=f"a signature by {listed([key.key_id for key in trust.keys])}" if trust.keys else "a key to trust",
        found=f"by key {listed([one.key_id for one in unknown])}, which may be forged",
        remedy="get the trust file from the owner by a way that you trust; if it is the right one, do not rely on this",
    )
