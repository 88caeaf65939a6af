"""What must stay: every digest that stands in any record or certificate.

Searched for in the bytes, not in chosen fields, so that a digest is a root wherever it is written. What does not belong
here: what is removed (gc).
"""

from __future__ import annotations

import re

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.storage.blobs import load_blob
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.slot_paths import COMMITS, parse_record_key

_DIGEST = re.compile(rb"[0-9a-f]{64}")


class Roots:
    """Which of the `wanted` digests are named. Remembers what it has read: a record never changes."""

    def __init__(self, store: ObjectStore, wanted: set[str]) -> None:
        self._store = store
        self._wanted = wanted
        self._read: set[bytes] = set()
        self.named: set[str] = set()

    def note(self, key: str, data: bytes) -> None:
        """Take the digests of one record, and of the certificate that it seals.

        Raises Tampering when that certificate is gone or is another one.
        """
        self._read.add(_short(key))
        self._take(data)
        parsed = parse_record_key(key)
        if parsed is not None and parsed[0].asset is Asset.CERTIFICATE:
            try:
                record = GenerationRecord.from_bytes(data, where=key)
            except BrokenChain:
                return  # a history with such a record is not whole, and from that nothing is removed
            self._take(load_blob(self._store, record.blob, where=key))

    def look_again(self) -> None:
        """Take the digests of records that have landed since."""
        for key in self._store.list(COMMITS):
            if parse_record_key(key) and _short(key) not in self._read:
                self.note(key, self._store.get(key) or b"")

    def _take(self, data: bytes) -> None:
        self.named.update(self._wanted.intersection(found.decode() for found in _DIGEST.findall(data)))


def digest_of(key: str) -> str:
    """Return the digest in the name of a blob."""
    return key.rpartition("/")[2].partition(".")[0]


def _short(key: str) -> bytes:
    return bytes.fromhex(sha256_hex(key.encode())[:32])
