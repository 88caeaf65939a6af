"""Keys and envelopes for tests: three keys of fixed seeds, and what they sign. No key of these is a secret."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from mrv_assets.domain.dsse import IN_TOTO, Envelope, Signature, merged, pae
from mrv_assets.domain.trust import Trust, TrustedKey, key_id_of

FROM, UNTIL = "2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z"
DURING = "2026-03-01T00:00:00.000000+00:00"
FIRST, SECOND, STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2, 3))
PAYLOAD = b'{"_type":"https://in-toto.io/Statement/v1"}'


def trusted(key: Ed25519PrivateKey, *, until: str | None = UNTIL, owner: str = "Met Council") -> TrustedKey:
    """Return the public half, valid for half a year unless told otherwise."""
    public = key.public_key().public_bytes_raw()
    return TrustedKey.of(public, owner=owner, valid_from_utc=FROM, valid_until_utc=until, where="test")


def key_id(key: Ed25519PrivateKey) -> str:
    """Return the id of the public half."""
    return key_id_of(key.public_key().public_bytes_raw())


def signed_by(*keys: Ed25519PrivateKey, payload: bytes = PAYLOAD, payload_type: str = IN_TOTO) -> Envelope:
    """Return the payload signed by these keys, one at least."""
    value = pae(payload_type, payload)
    return merged(
        Envelope(
            payload_type=payload_type,
            payload=payload,
            signatures=(Signature(key_id=key_id(key), value=key.sign(value)),),
        )
        for key in keys
    )


def pem_of(key: Ed25519PrivateKey) -> str:
    """Return the private key as text."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def key_folder_of(path: Path, *keys: Ed25519PrivateKey, trust: Trust) -> Path:
    """Make a folder of keys with these private keys and this trust file."""
    path.mkdir(mode=0o700)
    for key in keys:
        file = path / f"{key_id(key)[:16]}.pem"
        file.touch(mode=0o600)
        file.write_text(pem_of(key), encoding="utf-8")
    (path / "trust.toml").write_bytes(trust.to_toml())
    return path


TRUST = Trust(keys=(trusted(FIRST), trusted(SECOND)))
