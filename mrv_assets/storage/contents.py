"""Does a stored content say what its record seals: bytes, size, rows and content digest, and the rows set aside?

Each blob is read once, however many records name it, and one at a time. What does not belong here: the chain of
the records (histories).
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import contract_of
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import MrvError
from mrv_assets.domain.generation import BlobRef, GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.set_aside import SetAside
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.breach import BreachKind, Findings
from mrv_assets.storage.census import packed, unpacked
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.parquet import read_parquet

_NO_TABLE = (MrvError, pa.ArrowException, KeyError)


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
        self._aside: dict[bytes, SetAside | None] = {}
        """What blobs of rows set aside were found to hold, None for a damaged one."""
        self._made_without: dict[bytes, SetAside] = {}
        """What the tables that could be read say of the rows that were set aside for them."""
        self.unread = listed

    def check(self, record: GenerationRecord) -> None:
        """Compare the contents of a record with its seals."""
        key = blob_key(record.blob)
        name = packed(key) or b""
        self.unread.discard(name)
        claim = _saying(record.slot.asset, record.blob.size, record.rows, record.content_digest)
        if self._said.get(name) not in (b"", _short(claim)):
            says = self._read(record, name)
            self._said[name] = _short(says) if says else b""
            if says and says != claim:
                self._mismatch(record, key, expected=f"{claim}, as {_named(record)} seals", found=says)
        self._check_set_aside(record, name)

    def _check_set_aside(self, record: GenerationRecord, name: bytes) -> None:
        """Compare the rows set aside with what the record and its table say of them."""
        holds, sealed = self._held_aside(record), self._made_without.get(name)
        if holds is None or sealed is None:  # what is damaged, or no table, was found before
            return
        counted = str(record.quarantine.rows) if record.quarantine else "0"
        if holds != sealed or holds.rows != counted:
            self._mismatch(
                record,
                blob_key(record.blob if record.quarantine is None else record.quarantine.blob),
                expected=f"{sealed} set aside, as the table of {_named(record)} says",
                found=f"{holds} set aside, {counted} by the record",
            )

    def _held_aside(self, record: GenerationRecord) -> SetAside | None:
        """Return which rows are kept beside a generation, or None when they are damaged, which is noted."""
        if record.quarantine is None:
            return SetAside()
        key = blob_key(record.quarantine.blob)
        name = packed(key) or b""
        self.unread.discard(name)
        if name not in self._aside:
            data = self._bytes(record, record.quarantine.blob)
            self._aside[name] = None if data is None else self._rows_aside(record, key, data)
        return self._aside[name]

    def _rows_aside(self, record: GenerationRecord, key: str, data: bytes) -> SetAside | None:
        try:
            return SetAside.of(read_parquet(data))
        except _NO_TABLE as error:
            expected = f"the rows that were set aside for {_named(record)}"
            self._mismatch(record, key, expected=expected, found=f"bytes that are no such rows: {error}")
            return None

    def check_unread(self) -> int:
        """Read the blobs that no record names, one by one, and return how many there are."""
        for name in sorted(self.unread):
            key, digest = unpacked(name), name[:-1].hex()
            data = self._store.get(key)
            self._on_read(key, data or b"")
            if data is not None and sha256_hex(data) != digest:
                self._altered(key, digest, data)
        return len(self.unread)

    def _read(self, record: GenerationRecord, name: bytes) -> str:
        """Return what the blob says of itself, or nothing when it is damaged, which is noted."""
        data = self._bytes(record, record.blob)
        if data is None:
            return ""
        asset = record.slot.asset
        try:
            if asset is Asset.CERTIFICATE:
                Certificate.from_bytes(data, where="certificate")
                return _saying(asset, len(data), 1, sha256_hex(data))
            table = read_parquet(data)
            contract = contract_of(asset, record.pins.get("contract"))
            says = _saying(asset, len(data), table.num_rows, contract.digest(table))
        except _NO_TABLE as error:
            return f"bytes that are no {asset}: {error}"
        self._made_without[name] = SetAside.said_by(table)
        return says

    def _bytes(self, record: GenerationRecord, blob: BlobRef) -> bytes | None:
        """Return the bytes that the record seals, or None when they are damaged, which is noted."""
        key = blob_key(blob)
        data = self._store.get(key)
        self._on_read(key, data or b"")
        if data is None:
            found = f"no object, though {_named(record)} seals it"
            size = f"{blob.size} bytes with sha256 {blob.sha256}"
            self._findings.add(BreachKind.BLOB_MISSING, key, expected=size, found=found, slot=record.slot)
            return None
        if sha256_hex(data) != blob.sha256:
            self._altered(key, blob.sha256, data, record)
            return None
        return data

    def _mismatch(self, record: GenerationRecord, key: str, *, expected: str, found: str) -> None:
        self._findings.add(BreachKind.CONTENT_MISMATCH, key, expected=expected, found=found, slot=record.slot)

    def _altered(self, key: str, digest: str, data: bytes, record: GenerationRecord | None = None) -> None:
        self._findings.add(
            BreachKind.BLOB_ALTERED,
            key,
            expected=f"bytes with sha256 {digest}",
            found=f"{len(data)} bytes with sha256 {sha256_hex(data)}",
            slot=record.slot if record else None,
        )


def _named(record: GenerationRecord) -> str:
    return f"{record.slot}, generation {record.generation}"


def _saying(asset: Asset, size: int, rows: int, content_digest: str) -> str:
    return f"{asset} of {size} bytes, {rows} rows, content {content_digest}"


def _short(saying: str) -> bytes:
    return bytes.fromhex(sha256_hex(saying.encode())[:32])
