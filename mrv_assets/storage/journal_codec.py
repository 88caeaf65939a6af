"""From the bytes under a journal key back to the entry or checkpoint that was written.

What does not belong here: what an entry is (domain) and where it is kept (journal).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.errors import BrokenChain, MrvError
from mrv_assets.domain.lineage import JournalEntry, LineageEvent, Outcome
from mrv_assets.domain.partition import Asset, Period, Slot, checked_id

CHECKPOINT_SCHEMA = "mrv-journal-checkpoint-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """How long the journal was once, and the sha256 of its last entry then (None when it was empty)."""

    size: int
    head: str | None

    def to_bytes(self) -> bytes:
        """Return the canonical bytes of the checkpoint."""
        return canonical_json({"schema": CHECKPOINT_SCHEMA, "size": self.size, "head": self.head})


def parse_entry(data: bytes, *, where: str) -> JournalEntry:
    """Read an entry.

    Raises BrokenChain naming `where` unless the bytes are exactly those that the platform writes.
    """
    try:
        d = json.loads(data)
        entry = JournalEntry(
            number=d["number"],
            prev=d["prev"],
            run_id=d["run_id"],
            written_utc=d["written_utc"],
            write_id=d["write_id"],
            events=tuple(_event(event) for event in d["events"]),
        )
        written = entry.to_bytes()
    except (ValueError, KeyError, TypeError, MrvError) as error:
        raise unreadable(where, f"{type(error).__name__}: {error}") from error
    if written != data:
        raise unreadable(where, "bytes that were altered, or that say the same in another spelling")
    return entry


def parse_checkpoint(data: bytes, *, where: str) -> Checkpoint:
    """Read a checkpoint.

    Raises BrokenChain naming `where` unless the bytes are exactly those that the platform writes.
    """
    try:
        d = json.loads(data)
        checkpoint = Checkpoint(size=int(d["size"]), head=d["head"])
        written = checkpoint.to_bytes()
    except (ValueError, KeyError, TypeError, MrvError) as error:
        raise unreadable(where, f"{type(error).__name__}: {error}") from error
    if written != data:
        raise unreadable(where, "bytes that say the same in another spelling, or more")
    return checkpoint


def unreadable(where: str, found: str) -> BrokenChain:
    """Return the error for a part of the journal that is not as it was written."""
    return BrokenChain(
        "journal cannot be read",
        where=where,
        expected="the exact bytes that the platform writes",
        found=found,
        remedy="stop, keep the store as it is and restore the object from a replica",
    )


def _event(d: dict[str, Any]) -> LineageEvent:
    asset, version = Asset(d["asset"]), d["factor_version"]
    event = LineageEvent(
        outcome=Outcome(d["outcome"]),
        slot=Slot(
            asset=asset,
            project_id=checked_id(d["project_id"], what="project_id"),
            period=Period.parse(d["period"]).text,
            factor_version=checked_id(version, what="factor_version") if asset.depends_on_factors else None,
        ),
        factor_version=version if version is None else checked_id(version, what="factor_version"),
        generation=d["generation"],
        content_digest=d["content_digest"],
        record_sha256=d["record_sha256"],
        inputs_digest=d["inputs_digest"],
        inputs=d["inputs"],
        reason=d["reason"],
        run_id=d["run_id"],
        occurred_utc=d["occurred_utc"],
        source=d.get("source", {}),
    )
    if not (event.generation is None or isinstance(event.generation, int)):
        raise TypeError(f"generation {event.generation!r}")
    if not isinstance(event.source, dict):
        raise TypeError(f"source {event.source!r}")
    return event
