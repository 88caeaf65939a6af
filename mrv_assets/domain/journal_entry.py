"""What one entry of the journal is: everything that one run did, and the documents that it kept, numbered and chained.

What does not belong here: one event (lineage), and where entries are kept (storage).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mrv_assets.domain.digest import Json, self_sealed_json
from mrv_assets.domain.errors import BrokenChain, MrvError
from mrv_assets.domain.lineage import LineageEvent

SCHEMA = "mrv-journal-entry-1"


class ParentKind(StrEnum):
    """What starts runs: a backfill of many, or the run that this one is executed again from."""

    BACKFILL = "backfill"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parent:
    """What started a run, by its id in Dagster."""

    kind: ParentKind
    id: str

    def to_json(self) -> dict[str, Json]:
        """Return the parent as canonical-JSON-ready values."""
        return {"kind": self.kind.value, "id": self.id}

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> Parent:
        """Read what `to_json` wrote."""
        return cls(kind=ParentKind(d["kind"]), id=d["id"])


class DocumentKind(StrEnum):
    """What is kept in a store beside generations, once and for good."""

    APPROVAL = "approval"
    ADOPTION = "adoption"
    SEAL = "seal"
    REGISTRY_RECORD = "registry_record"
    RUN_MANIFEST = "run_manifest"
    WITHDRAWAL = "withdrawal"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDocument:
    """A document that was kept: its kind, the key that it lies under, and the sha256 of its bytes."""

    kind: DocumentKind
    key: str
    sha256: str

    def to_json(self) -> dict[str, Json]:
        """Return the reference as canonical-JSON-ready values."""
        return {"kind": self.kind.value, "key": self.key, "sha256": self.sha256}

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> KeptDocument:
        """Read what `to_json` wrote."""
        return cls(kind=DocumentKind(d["kind"]), key=d["key"], sha256=d["sha256"])


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One numbered, hash-chained entry: all events of one run and the documents that it kept.

    `prev` is the sha256 of the entry before, if any; `parent` what started the run, None for a run of its own.
    """

    number: int
    prev: str | None
    run_id: str
    written_utc: str
    write_id: str
    events: Sequence[LineageEvent]
    documents: Sequence[KeptDocument] = ()
    parent: Parent | None = None

    def to_bytes(self) -> bytes:
        """Return the canonical, self-sealed bytes of the entry; their sha256 is the next entry's `prev`."""
        return self_sealed_json(
            {
                "schema": SCHEMA,
                "number": self.number,
                "prev": self.prev,
                "run_id": self.run_id,
                "written_utc": self.written_utc,
                "write_id": self.write_id,
                "events": [event.to_json() for event in self.events],
                **({"documents": [document.to_json() for document in self.documents]} if self.documents else {}),
                **({"parent": self.parent.to_json()} if self.parent else {}),
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> JournalEntry:
        """Read an entry. Raises BrokenChain naming `where` unless the bytes are exactly those that we write."""
        try:
            d = json.loads(data)
            entry = cls(
                number=d["number"],
                prev=d["prev"],
                run_id=d["run_id"],
                written_utc=d["written_utc"],
                write_id=d["write_id"],
                events=tuple(LineageEvent.from_json(event) for event in d["events"]),
                documents=tuple(KeptDocument.from_json(document) for document in d.get("documents", ())),
                parent=Parent.from_json(d["parent"]) if "parent" in d else None,
            )
            written = entry.to_bytes()
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError, MrvError) as error:
            raise unreadable(where, f"{type(error).__name__}: {error}") from error
        if written != data:
            raise unreadable(where, "bytes that were altered, or that say the same in another spelling")
        return entry


def unreadable(where: str, found: str) -> BrokenChain:
    """Return the error for a part of the journal that is not as it was written."""
    return BrokenChain(
        "journal cannot be read",
        where=where,
        expected="the exact bytes that the platform writes",
        found=found,
        remedy="stop, keep the store as it is and restore the object from a replica",
    )
