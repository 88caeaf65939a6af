"""Seals: `seals/<sha256 of the statement>/<key id>.json`, a signed envelope for each key, created once.

They are apart from the statement, so a statement is the same bytes whoever signs it and when, and a second party may
sign later. What does not belong here: whether a signature holds (verify) and who signs (signing).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.dsse import IN_TOTO, Envelope, Signature, merged
from mrv_assets.domain.errors import BrokenChain, Unsigned
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause, settle

SEALS = "seals/"
_KEY = re.compile(r"seals/([0-9a-f]{64})/([0-9a-f]{64})\.json")


def seal_key(statement_sha256: str, key_id: str) -> str:
    """Return the key of the seal of a statement by a key, whether there is one or not."""
    return f"{SEALS}{statement_sha256}/{key_id}.json"


def is_seal_key(key: str) -> bool:
    """Tell whether an object of this key is meant to be a seal."""
    return _KEY.fullmatch(key) is not None


def keep_seal(store: ObjectStore, envelope: Envelope, *, pause: Pause = time.sleep) -> bool:
    """Create an object for each signature and return whether one of them was new; two that race may both be told so.

    Raises Unsigned for an envelope without a signature, BrokenChain when there is another seal by the same key or the
    payload is no statement, CommitStateUnknown and StoreUnavailable as `settle`.
    """
    sha256 = sha256_hex(envelope.payload)
    if not envelope.signatures:
        raise _unsigned(sha256)
    were_new = [_keep_one(store, envelope, one, sha256, pause) for one in envelope.signatures]
    return any(were_new)


def read_seals(store: ObjectStore, statement_sha256: str) -> Envelope | None:
    """Return the statement with all its signatures, in the order of their key ids, None when nobody has signed it.

    Raises BrokenChain for a seal that cannot be read or is of something else. It verifies no signature.
    """
    keys = [key for key in store.list(f"{SEALS}{statement_sha256}/") if is_seal_key(key)]
    return merged([_load(store, key) for key in keys]) if keys else None


def seals_in(store: ObjectStore) -> Iterator[tuple[str, Envelope] | BrokenChain]:
    """Yield every seal with its key, and in the place of one that cannot be read what is wrong with it."""
    for key in store.list(SEALS):
        if is_seal_key(key):
            try:
                yield key, _load(store, key)
            except BrokenChain as error:
                yield error


def _keep_one(store: ObjectStore, envelope: Envelope, one: Signature, sha256: str, pause: Pause) -> bool:
    key = seal_key(sha256, one.key_id)
    data = Envelope(payload_type=envelope.payload_type, payload=envelope.payload, signatures=(one,)).to_bytes()
    _read(key, data)
    is_new = store.head(key) is None
    if settle(store, key, data, pause=pause) != data:
        raise _broken(key, "the signature that this key gives, once", "another envelope, which was there before")
    return is_new


def _load(store: ObjectStore, key: str) -> Envelope:
    data = store.get(key)
    if data is None:
        raise _broken(key, "the seal that the store lists", "no object")
    return _read(key, data)


def _read(key: str, data: bytes) -> Envelope:
    envelope = Envelope.from_bytes(data, where=key)
    if envelope.payload_type != IN_TOTO:
        raise _broken(key, f"a statement, {IN_TOTO}", envelope.payload_type)
    found = [seal_key(sha256_hex(envelope.payload), one.key_id) for one in envelope.signatures]
    if found != [key]:
        raise _broken(key, "the one signature that its name tells, of that statement", ", ".join(found) or "none")
    return envelope


def _unsigned(sha256: str) -> Unsigned:
    return Unsigned(
        "nobody has signed this",
        where=f"statement {sha256}",
        expected="at least one signature to keep",
        found="none",
        remedy="sign it first; `mrv keys init` makes a key",
    )


def _broken(key: str, expected: str, found: str) -> BrokenChain:
    return BrokenChain(
        "seal is of something else",
        where=key,
        expected=expected,
        found=found,
        remedy="stop, keep the store as it is and restore the seal from a replica",
    )
