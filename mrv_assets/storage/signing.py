"""Who signs: the private key of the environment or of the folder of keys, as long as its public half counts.

What does not belong here: files of keys (key_folder, private_keys) and what is signed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn, SupportsIndex

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from mrv_assets.domain.dsse import Envelope, Signature, Signer, pae
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.trust import TrustedKey, key_id_of
from mrv_assets.storage.clock import Clock
from mrv_assets.storage.key_folder import TRUST, KeyFolder, instant_text
from mrv_assets.storage.private_keys import private_key_of, public_bytes

__all__ = ["SIGNING_KEY", "KeyFolder", "signer_from"]

SIGNING_KEY = "MRV_SIGNING_KEY"


def _utc_now() -> datetime:
    return datetime.now(UTC)


def signer_from(env: Mapping[str, str], folder: Path, *, clock: Clock = _utc_now) -> Signer | None:
    """Return who signs, None where no key is configured.

    The key in `MRV_SIGNING_KEY` (PEM text; empty is none) comes before those in `folder`. Either way `trust.toml` in
    `folder` must list it, so that nothing is sealed that nobody can verify. Raises ContractError for a key that cannot
    be read, is not private, is not listed, or does not count now; and when keys are listed and none can sign.
    """
    keys = KeyFolder(folder)
    if env.get(SIGNING_KEY):
        private: Ed25519PrivateKey | None = private_key_of(env[SIGNING_KEY].encode(errors="replace"), where=SIGNING_KEY)
    else:
        private = keys.private_key(clock())
    if private is None:
        return None
    signer = _ListedSigner(private, keys, clock)
    signer.require_counts()
    return signer


class _ListedSigner:
    """A private key that signs while `trust.toml` lists it as valid; asked anew each time, as it may end meanwhile."""

    __slots__ = ("_clock", "_key_id", "_keys", "_private")

    def __init__(self, private: Ed25519PrivateKey, keys: KeyFolder, clock: Clock) -> None:
        self._key_id = key_id_of(public_bytes(private))
        self._private = private
        self._keys = keys
        self._clock = clock

    @property
    def key_id(self) -> str:
        """The id of the public key."""
        return self._key_id

    def sign(self, payload_type: str, payload: bytes) -> Envelope:
        """Return an envelope with one signature. Raises ContractError when the key does not count any more."""
        self.require_counts()
        signature = Signature(key_id=self._key_id, value=self._private.sign(pae(payload_type, payload)))
        return Envelope(payload_type=payload_type, payload=payload, signatures=(signature,))

    def require_counts(self) -> None:
        """Raise ContractError unless the trust file lists the key as valid now."""
        now = instant_text(self._clock())
        key = self._keys.trust().key(self._key_id)
        if key is None or not key.is_valid_at(now):
            raise _does_not_count(self._key_id, key, now, self._keys.path / TRUST)

    def __repr__(self) -> str:
        return f"<signer with key {self._key_id[:16]}>"

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise TypeError("a signer holds a private key and does not leave its process; open one where it is needed")


def _does_not_count(key_id: str, key: TrustedKey | None, now: str, where: Path) -> ContractError:
    if key is None:
        what, found = "signing key is not in the trust file", f"no entry for key {key_id}"
        remedy = f"`mrv keys init` (the first key) or `mrv keys rotate` lists it; restore {TRUST} if it was lost"
    elif key.is_before(now):
        what, found = "signing key does not count yet", f"{key}, and it is {now}"
        remedy = "set the clock of this machine right, or wait"
    else:
        what, found = "signing key has ended", f"{key}, and it is {now}"
        remedy = "`mrv keys rotate` makes another one; with MRV_SIGNING_KEY, set it to the new key"
    return ContractError(
        what, where=str(where), expected="an entry for the key that counts now", found=found, remedy=remedy
    )
