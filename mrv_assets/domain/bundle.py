"""What is handed out with a figure: the signed certificate and all that it takes to check it without the store.

The records and entries are the exact bytes that are stored, so that their digests can be taken. What does not belong
here: gathering a bundle (pipeline) and checking one (verify).
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrv_assets.domain.digest import Json, canonical_json
from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.errors import BrokenChain

SCHEMA = "mrv-bundle-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenEntry:
    """The bytes of a journal entry, its number, and the proof that the tree of the bundle's checkpoint holds it."""

    number: int
    data: bytes
    proof: Sequence[bytes]

    def to_json(self) -> dict[str, Json]:
        """Return the entry as canonical-JSON-ready values."""
        return {"number": self.number, "entry": self.data.decode(), "proof": [node.hex() for node in self.proof]}

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> ProvenEntry:
        """Read what `to_json` wrote."""
        return cls(
            number=int(d["number"]),
            data=d["entry"].encode(),
            proof=tuple(bytes.fromhex(node) for node in d["proof"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A certificate in its envelope, and what it rests on.

    `records` are the generation records of activity, normalized, factored, aggregated and certificate, in this order,
    and that of the ledger where the figure was reported; `ledger` is the Parquet of that generation, None where it was
    not. `entries` tell of the certificate, of the ledger and of the seals, which says when each key signed; each has a
    proof against `checkpoint`, a tree head in an envelope. Without entries there is none.
    """

    envelope: Envelope
    records: Sequence[bytes]
    ledger: bytes | None
    entries: Sequence[ProvenEntry]
    checkpoint: Envelope | None

    def to_bytes(self) -> bytes:
        """Return the canonical bytes of the bundle."""
        return canonical_json(
            {
                "schema": SCHEMA,
                "envelope": self.envelope.to_bytes().decode(),
                "records": [record.decode() for record in self.records],
                "ledger": b64encode(self.ledger).decode() if self.ledger is not None else None,
                "entries": [entry.to_json() for entry in self.entries],
                "checkpoint": self.checkpoint.to_bytes().decode() if self.checkpoint else None,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> Bundle:
        """Read a bundle, checking nothing but its form. Raises BrokenChain naming `where` for other bytes."""
        try:
            bundle = cls._from_document(json.loads(data), where)
            written = bundle.to_bytes()
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            raise _unreadable(where, f"{type(error).__name__}: {error}") from error
        if written != data:
            raise _unreadable(where, "bytes that were altered, or that say the same in another spelling")
        return bundle

    @classmethod
    def _from_document(cls, d: Mapping[str, Any], where: str) -> Bundle:
        if d["schema"] != SCHEMA:
            raise ValueError(f"schema {d['schema']!r}")
        ledger, checkpoint = d["ledger"], d["checkpoint"]
        return cls(
            envelope=Envelope.from_bytes(d["envelope"].encode(), where=f"{where}, envelope"),
            records=tuple(record.encode() for record in d["records"]),
            ledger=b64decode(ledger, validate=True) if ledger is not None else None,
            entries=tuple(ProvenEntry.from_json(entry) for entry in d["entries"]),
            checkpoint=Envelope.from_bytes(checkpoint.encode(), where=f"{where}, checkpoint") if checkpoint else None,
        )


def _unreadable(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "bundle cannot be read",
        where=where,
        expected=f"a {SCHEMA} document, byte for byte as `mrv certificate` writes it",
        found=found,
        remedy="ask the operator for the file again, and compare the two",
    )
