"""Does a stored content say what its record seals: bytes, size, rows and content digest?

Each blob is read once, however many records name it, and one at a time. What does not belong here: the chain of
the records (histories).
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import CONTRACTS
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import MrvError
from mrv_assets.domain.generation import BlobRef, GenerationRecord, Quarantined
from mrv_assets.domain.partition import Asset
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.breach import BreachKind, Findings
from mrv_assets.storage.census import packed, unpacked
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.parquet import read_parquet

_CONTRACTS = {contract.asset: contract for contract in CONTRACTS}


class Contents:
    """The blobs of a store: those that were listed and not read yet, and what the others were found to say."""

    def __init__(
        self, store: ObjectStore, findings: Findings, listed: set[bytes], *, on_read: Callable[[str, bytes], None]
    ) -> None:
        self._store = store
        self._findings = findings
        self._on_read = on_read
        self._said: dict[bytes, bytes] = {}
        """The digest of what a blob was found to say of itself, nothing for a damaged one."""
        self.unread = listed

    def check(self, record: GenerationRecord) -> None:
        """Compare the contents of a record with its seals."""
        if record.quarantine is not None:
            self._check_quarantine(record, record.quarantine)
        key = blob_key(record.blob)
        name = packed(key) or b""
        self.unread.discard(name)
        claim = _saying(record.slot.asset, record.blob.size, record.rows, record.content_digest)
        if name in self._said and self._said[name] in (b"", _short(claim)):
            return
        says = self._read(record)
        self._said[name] = _short(says) if says else b""
        if says and says != claim:
            where = f"{record.slot}, generation {record.generation}"
            self._findings.add(
                BreachKind.CONTENT_MISMATCH, key, expected=f"{claim}, as {where} seals", found=says, slot=record.slot
            )

    def _check_quarantine(self, record: GenerationRecord, quarantine: Quarantined) -> None:
        key = blob_key(quarantine.blob)
        name = packed(key) or b""
        self.unread.discard(name)
        if name not in self._said:
            self._said[name] = b"read"
            self._bytes(record, quarantine.blob)

    def check_unread(self) -> int:
        """Read the blobs that no record names, one by one, and return how many there are."""
        for name in sorted(self.unread):
            key, digest = unpacked(name), name[:-1].hex()
            data = self._store.get(key)
            self._on_read(key, data or b"")
            if data is not None and sha256_hex(data) != digest:
                self._altered(key, digest, data)
        return len(self.unread)

    def _read(self, record: GenerationRecord) -> str:
        """Return what the blob says of itself, or nothing when it is damaged, which is noted."""
        data = self._bytes(record, record.blob)
        return "" if data is None else _content(record.slot.asset, data)

    def _bytes(self, record: GenerationRecord, blob: BlobRef) -> bytes | None:
        """Return the bytes that the record seals, or None when they are damaged, which is noted."""
        key = blob_key(blob)
        data = self._store.get(key)
        self._on_read(key, data or b"")
        if data is None:
            found = f"no object, though {record.slot}, generation {record.generation} seals it"
            size = f"{blob.size} bytes with sha256 {blob.sha256}"
            self._findings.add(BreachKind.BLOB_MISSING, key, expected=size, found=found, slot=record.slot)
            return None
        if sha256_hex(data) != blob.sha256:
            self._altered(key, blob.sha256, data, record)
            return None
        return data

    def _altered(self, key: str, digest: str, data: bytes, record: GenerationRecord | None = None) -> None:
        self._findings.add(
            BreachKind.BLOB_ALTERED,
            key,
            expected=f"bytes with sha256 {digest}",
            found=f"{len(data)} bytes with sha256 {sha256_hex(data)}",
            slot=record.slot if record else None,
        )


def _content(asset: Asset, data: bytes) -> str:
    try:
        if asset is Asset.CERTIFICATE:
            Certificate.from_bytes(data, where="certificate")
            return _saying(asset, len(data), 1, sha256_hex(data))
        table = read_parquet(data)
        return _saying(asset, len(data), table.num_rows, _CONTRACTS[asset].digest(table))
    except (MrvError, pa.ArrowException, KeyError) as error:
        return f"bytes that are no {asset}: {error}"


def _saying(asset: Asset, size: int, rows: int, content_digest: str) -> str:
    return f"{asset} of {size} bytes, {rows} rows, content {content_digest}"


def _short(saying: str) -> bytes:
    return bytes.fromhex(sha256_hex(saying.encode())[:32])
