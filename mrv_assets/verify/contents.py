"""Every stored content that a certificate names, as far as its bytes are at hand: digest, table, rows set aside.

What does not belong here: where the bytes come from.
"""

from __future__ import annotations

from mrv_assets.domain.errors import Tampering
from mrv_assets.domain.generation import BlobRef, GenerationRecord
from mrv_assets.verify.reader import Blobs
from mrv_assets.verify.reading import STOP, Parts, named
from mrv_assets.verify.tables import table_of, verify_content, verify_quarantine
from mrv_assets.verify.verification import Check, held, not_checked

_TABLES = 4


def verify_contents(parts: Parts, blobs: Blobs | None) -> Check:
    """Check the four tables that the certificate rests on, and the rows that were set aside for each.

    Raises Tampering for one that is missing, DigestMismatch for one that is another.
    """
    if blobs is None:
        return not_checked("contents", "no tables at hand: give a folder of them (--blobs), or the store")
    aside = 0
    for record in parts.records[:_TABLES]:
        where = f"{parts.where}, {named(record)}"
        table = table_of(_bytes(blobs, record.blob, f"{where}, blob"), record.blob, where=f"{where}, blob")
        verify_content(table, record, where=f"{where}, content")
        aside += record.quarantine is not None
        verify_quarantine(_aside(blobs, record, where), table, record, where=f"{where}, quarantine")
    more = f", and {aside} tables of rows set aside" if aside else ""
    return held("contents", f"{_TABLES} tables{more}: every byte, and what they say")


def _aside(blobs: Blobs, record: GenerationRecord, where: str) -> bytes | None:
    if record.quarantine is None:
        return None
    return _bytes(blobs, record.quarantine.blob, f"{where}, quarantine")


def _bytes(blobs: Blobs, ref: BlobRef, where: str) -> bytes:
    data = blobs(ref.sha256)
    if data is None:
        expected = f"{ref.size} bytes with sha256 {ref.sha256}"
        raise Tampering("sealed content is gone", where=where, expected=expected, found="nothing", remedy=STOP)
    return data
