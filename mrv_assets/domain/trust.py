"""Whose signatures count: public keys with owner and validity, as a trust file lists them.

A key is named by what it is (`key_id_of`), so a list cannot file a key under the id of another. What does not belong
here: private keys, and verifying a signature.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, cast

from mrv_assets.domain.dsse import bytes_of_base64
from mrv_assets.domain.errors import ContractError, listed

PUBLIC_BYTES = 32
"""The size of an Ed25519 public key (RFC 8032, 5.1.5)."""

_SUBJECT_PUBLIC_KEY_INFO = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes in DER: RFC 8410, 4, and there is no other form."""

_HEADER = """\
# The public keys whose signatures count, with the instants (UTC) from which and until which each of them does.
# The id is the sha256 of the key as DER SubjectPublicKeyInfo. `mrv keys` writes this file; it holds no secret.
"""
_NEEDED, _KNOWN = {"id", "public", "owner", "valid_from"}, {"id", "public", "owner", "valid_from", "valid_until"}
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z")
_UNSHOWN = ("Cc", "Cs")
_REMEDY = "get the file anew from its owner by a way that you trust, or correct the entry"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedKey:
    """An Ed25519 public key: 32 bytes, who owns it, from when on it counts (inclusive) and until when (exclusive).

    Instants are ISO 8601 in UTC with a Z; None is no end.
    """

    key_id: str
    public: bytes
    owner: str
    valid_from_utc: str
    valid_until_utc: str | None

    @classmethod
    def of(
        cls, public: bytes, *, owner: str, valid_from_utc: str, valid_until_utc: str | None = None, where: str
    ) -> TrustedKey:
        """Return the key under its own id.

        Raises ContractError naming `where` for a key of another length, an owner whom nobody can read, an instant that
        is not in UTC with a Z, and an end that is not after the begin.
        """
        if len(public) != PUBLIC_BYTES:
            raise _malformed(where, f"a public key of {PUBLIC_BYTES} bytes", f"{len(public)} bytes")
        if valid_until_utc is not None and _instant(valid_until_utc, where) <= _instant(valid_from_utc, where):
            raise _malformed(where, "valid_until after valid_from", f"{valid_from_utc} until {valid_until_utc}")
        _instant(valid_from_utc, where)
        return cls(
            key_id=key_id_of(public),
            public=public,
            owner=_owner(owner, where),
            valid_from_utc=valid_from_utc,
            valid_until_utc=valid_until_utc,
        )

    def is_valid_at(self, utc: str) -> bool:
        """Tell whether the key counts at an instant in UTC. Raises ContractError for an instant that is not in UTC."""
        return not self.is_before(utc) and not self.is_ended(utc)

    def is_before(self, utc: str) -> bool:
        """Tell whether the key does not count yet. Raises as `is_valid_at`."""
        return utc_instant(utc, where="instant") < utc_instant(self.valid_from_utc, where=self.key_id)

    def is_ended(self, utc: str) -> bool:
        """Tell whether the key does not count any more. Raises as `is_valid_at`."""
        end = self.valid_until_utc
        return end is not None and utc_instant(utc, where="instant") >= utc_instant(end, where=self.key_id)

    def __str__(self) -> str:
        until = f" until {self.valid_until_utc}" if self.valid_until_utc else ""
        return f"key {self.key_id[:16]} of {self.owner}, valid from {self.valid_from_utc}{until}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """The keys of one trust file, each once."""

    keys: Sequence[TrustedKey] = ()

    @classmethod
    def parse(cls, text: bytes, *, where: str) -> Trust:
        """Read a trust file. Raises ContractError naming `where` and the entry for anything that `to_toml` cannot mean.

        Comments and order are free.
        """
        try:
            document = tomllib.loads(text.decode())
        except (ValueError, RecursionError) as error:
            raise _malformed(where, "TOML in UTF-8", str(error)) from error
        entries = document.get("key", [])
        if unknown := sorted(document.keys() - {"key"}):
            raise _malformed(where, "[[key]] tables and nothing else", f"unknown {listed(unknown)}")
        if not isinstance(entries, list):
            raise _malformed(where, "[[key]] tables", "one [key] table")
        keys = tuple(_key(entry, f"{where}, key {number}") for number, entry in enumerate(entries, 1))
        ids = [key.key_id for key in keys]
        if repeated := sorted({key_id for key_id in ids if ids.count(key_id) > 1}):
            raise _malformed(where, "each key once", f"more than one entry for {listed(repeated)}")
        return cls(keys=keys)

    def to_toml(self) -> bytes:
        """Return the trust file: the same bytes for the same keys, by begin and id."""
        ordered = sorted(self.keys, key=lambda key: (utc_instant(key.valid_from_utc, where=key.key_id), key.key_id))
        return "\n".join([_HEADER, *map(_toml, ordered)]).encode()

    def key(self, key_id: str) -> TrustedKey | None:
        """Return the key of this id, None for one that is not trusted."""
        return next((key for key in self.keys if key.key_id == key_id), None)


def key_id_of(public: bytes) -> str:
    """Return the id of an Ed25519 public key: sha256 of its DER SubjectPublicKeyInfo (RFC 8410), 64 hex digits.

    `openssl pkey -pubin -outform DER | sha256sum` gives the same.
    """
    return sha256(_SUBJECT_PUBLIC_KEY_INFO + public).hexdigest()


def utc_instant(text: str, *, where: str) -> datetime:
    """Read an instant in UTC, with a Z or with +00:00. Raises ContractError naming `where` for any other text."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise _no_instant(where, text) from error
    if instant.utcoffset() != timedelta(0):
        raise _no_instant(where, text)
    return instant.astimezone(UTC)


def _instant(text: object, where: str) -> datetime:
    if not isinstance(text, str) or not _INSTANT.fullmatch(text):
        raise _no_instant(where, text)
    return utc_instant(text, where=where)


def _key(entry: object, where: str) -> TrustedKey:
    if not isinstance(entry, dict):
        raise _malformed(where, "a [[key]] table", type(entry).__name__)
    d = cast(dict[str, Any], entry)
    if missing := sorted(_NEEDED - d.keys()):
        raise _malformed(where, listed(sorted(_NEEDED)), f"no {listed(missing)}")
    if unknown := sorted(d.keys() - _KNOWN):
        raise _malformed(where, listed(sorted(_KNOWN)), f"unknown {listed(unknown)}")
    try:
        public = bytes_of_base64(d["public"], "a public key")
    except (ValueError, TypeError) as error:
        raise _malformed(where, "the public key in standard base64", str(error)) from error
    until = d.get("valid_until")
    if "valid_until" in d:
        _instant(until, where)
    key = TrustedKey.of(public, owner=d["owner"], valid_from_utc=d["valid_from"], valid_until_utc=until, where=where)
    if d["id"] != key.key_id:
        raise _malformed(where, f"id {key.key_id}, the digest of this key", f"id {d['id']!r}"[:120])
    return key


def _toml(key: TrustedKey) -> str:
    # A TOML basic string is a JSON string, but for DEL, which no owner has in it.
    members = {
        "id": key.key_id,
        "public": b64encode(key.public).decode(),
        "owner": key.owner,
        "valid_from": key.valid_from_utc,
        **({"valid_until": key.valid_until_utc} if key.valid_until_utc else {}),
    }
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in members.items()]
    return "\n".join(["[[key]]", *lines, ""])


def _owner(owner: object, where: str) -> str:
    if not isinstance(owner, str) or not any(map(str.isalnum, owner)):
        raise _malformed(where, "an owner with a letter or a digit in the name", repr(owner)[:120])
    hidden = [char for char in owner if unicodedata.category(char) in _UNSHOWN]
    if hidden:
        raise _malformed(where, "an owner in letters, digits and signs", f"the character U+{ord(hidden[0]):04X}")
    return owner


def _no_instant(where: str, found: object) -> ContractError:
    return _malformed(where, "an instant in UTC such as 2026-01-31T12:00:00Z, as text", repr(found)[:120])


def _malformed(where: str, expected: str, found: str) -> ContractError:
    return ContractError("trust in keys is malformed", where=where, expected=expected, found=found, remedy=_REMEDY)
