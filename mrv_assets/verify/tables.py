"""Stored bytes against the record that seals them: their digest first, then what they say.

Bytes of another digest are never parsed. What does not belong here: where the bytes come from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from mrv_assets.domain.contract import saying
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError, DigestMismatch
from mrv_assets.domain.generation import BlobRef, GenerationRecord
from mrv_assets.verify.figures import verify_set_aside, verify_table
from mrv_assets.verify.reading import STOP

_SAID = b"mrv"
"""Under this name the metadata of a file holds what the table says of itself, as JSON."""


def table_of(data: bytes, ref: BlobRef, *, where: str) -> pa.Table:
    """Return the table that bytes hold, which are checked first. Raises DigestMismatch naming `where`."""
    require_digest(data, ref, where=where)
    with readable(where):
        return _table(data)


def verify_content(table: pa.Table, record: GenerationRecord, *, where: str) -> None:
    """Check what a table says, by its content digest. Raises DigestMismatch naming `where`."""
    with readable(where):
        verify_table(table, record)


def verify_quarantine(data: bytes | None, table: pa.Table, record: GenerationRecord, *, where: str) -> None:
    """Check the rows that were set aside for a verified table. Raises DigestMismatch naming `where`."""
    if data is not None and record.quarantine is not None:
        require_digest(data, record.quarantine.blob, where=where)
    with readable(where):
        aside = None if data is None else _table(data)
        verify_set_aside(aside, table, record)


def require_digest(data: bytes, ref: BlobRef, *, where: str) -> None:
    """Raise DigestMismatch unless these are the bytes that a reference names."""
    found = sha256_hex(data)
    if (found, len(data)) != (ref.sha256, ref.size):
        raise _other(where, f"{ref.size} bytes with sha256 {ref.sha256}", f"{len(data)} bytes with sha256 {found}")


def _table(data: bytes) -> pa.Table:
    file = pq.ParquetFile(pa.BufferReader(data))
    said = json.loads((file.metadata.metadata or {}).get(_SAID, b"{}"))
    return saying(file.read(), said)


@contextmanager
def readable(where: str) -> Iterator[None]:
    """Turn every way in which a table cannot be what it should be into DigestMismatch naming `where`."""
    try:
        yield
    except (ContractError, pa.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _other(where, "a table that keeps its contract", f"{type(error).__name__}: {error}"[:200]) from error


def _other(where: str, expected: str, found: str) -> DigestMismatch:
    return DigestMismatch(
        "bytes are not those that were sealed", where=where, expected=expected, found=found, remedy=STOP
    )
