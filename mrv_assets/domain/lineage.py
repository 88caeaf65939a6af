"""What the journal remembers: one event for every partition that a run touched, skips and refusals included.

Event ids are deterministic, so that an event which a crash kept out of the journal can be written later and
is still the same event. What does not belong here: where entries are kept and how they are numbered
(storage).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mrv_assets.domain.digest import Json, canonical_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.partition import Asset, PartitionKey, Slot


class Outcome(StrEnum):
    """What a run did with one slot."""

    COMMITTED = "committed"
    SKIPPED = "skipped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageEvent:
    """One slot in one run: what happened, on which content, from which inputs, and why.

    `generation` and `content_digest` are those that are current after the event; both are None when the slot
    is still empty. `inputs` are the digests the stage consumed, by name. `occurred_utc` is ISO 8601.
    """

    outcome: Outcome
    asset: Asset
    key: PartitionKey
    generation: int | None
    content_digest: str | None
    inputs_digest: str | None
    inputs: Mapping[str, str]
    reason: str
    run_id: str
    occurred_utc: str

    @property
    def slot(self) -> Slot:
        """The slot the event is about."""
        return Slot.of(self.asset, self.key)

    @property
    def event_id(self) -> str:
        """Name the event: a commit by its slot and generation alone, a skip or refusal also by its run."""
        parts = [str(self.slot), str(self.generation), self.outcome.value]
        if self.outcome is not Outcome.COMMITTED:
            parts.append(self.run_id)
        return sha256_hex(canonical_json(parts))[:32]

    def to_json(self) -> dict[str, Json]:
        """Return the event as canonical-JSON-ready values."""
        return {
            "event_id": self.event_id,
            "outcome": self.outcome.value,
            "asset": self.asset.value,
            "project_id": self.key.project_id,
            "period": self.key.period,
            "factor_version": self.key.factor_version,
            "idempotency_key": self.key.idempotency_key,
            "generation": self.generation,
            "content_digest": self.content_digest,
            "inputs_digest": self.inputs_digest,
            "inputs": dict(sorted(self.inputs.items())),
            "reason": self.reason,
            "run_id": self.run_id,
            "occurred_utc": self.occurred_utc,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One numbered, hash-chained entry: all events of one run. `prev` is the sha256 of the entry before, if any."""

    number: int
    prev: str | None
    run_id: str
    written_utc: str
    write_id: str
    events: Sequence[LineageEvent]

    def to_bytes(self) -> bytes:
        """Return the canonical bytes of the entry; their sha256 is the next entry's `prev`."""
        return canonical_json(
            {
                "schema": "mrv-journal-entry-1",
                "number": self.number,
                "prev": self.prev,
                "run_id": self.run_id,
                "written_utc": self.written_utc,
                "write_id": self.write_id,
                "events": [event.to_json() for event in self.events],
            }
        )


def check_journal_chain(entries: Sequence[Mapping[str, object]], raw: Sequence[bytes]) -> None:
    """Raise BrokenChain unless the entries count up by one and each names the sha256 of the one before.

    `entries` are the parsed documents of `raw`, oldest first.
    """
    for index in range(1, len(entries)):
        before, after = entries[index - 1], entries[index]
        expected = (int(str(before["number"])) + 1, sha256_hex(raw[index - 1]))
        found = (after["number"], after["prev"])
        if found != expected:
            raise BrokenChain(
                "journal entry does not continue the one before it",
                where=f"journal entry {after['number']}",
                expected=f"number {expected[0]} with prev {expected[1]}",
                found=f"number {found[0]} with prev {found[1]}",
                remedy="stop, keep the store as it is and compare it with a published checkpoint",
            )
