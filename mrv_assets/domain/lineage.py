"""What the journal remembers: one event for every slot that a run touched, skips and refusals included.

Event ids are deterministic, so that an event which a crash kept out of the journal can be written later, from
the generation record alone, and is still the same event. What does not belong here: where entries are kept and
how they are numbered (storage).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from mrv_assets.domain.digest import Json, canonical_json, self_sealed_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.generation import GenerationRecord, consumed
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.source_identity import source_identity


class Outcome(StrEnum):
    """What a run did with one slot."""

    COMMITTED = "committed"
    SKIPPED = "skipped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageEvent:
    """One slot in one run: what happened, on which content, from which inputs, and why.

    `factor_version` is that of the partition which the run was for; None when a commit is told later from its
    record, and the slot is one that factors do not touch. `generation`, `content_digest` and `record_sha256`
    are those that are current after the event, None when the slot is still empty; by `record_sha256` the
    journal seals also the newest record, which no later record names yet. `inputs` are the digests the stage
    consumed, by name. `source` is the identity of the source file that it read (`domain.source_identity`), empty where
    it read none. `occurred_utc` is ISO 8601.
    """

    outcome: Outcome
    slot: Slot
    factor_version: str | None
    generation: int | None
    content_digest: str | None
    record_sha256: str | None
    inputs_digest: str | None
    inputs: Mapping[str, str]
    reason: str
    run_id: str
    occurred_utc: str
    source: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_commit(cls, record: GenerationRecord, *, factor_version: str | None) -> LineageEvent:
        """Tell of a commit by its record: the same event, whether its own run remembers it or a later one."""
        return cls(
            outcome=Outcome.COMMITTED,
            slot=record.slot,
            factor_version=factor_version,
            generation=record.generation,
            content_digest=record.content_digest,
            record_sha256=record.sha256,
            inputs_digest=record.inputs_digest,
            inputs=consumed(record.inputs, record.upstream),
            reason=record.reason,
            run_id=record.run_id,
            occurred_utc=record.written_utc,
            source=source_identity(record.evidence),
        )

    @property
    def asset(self) -> Asset:
        """The asset of the slot."""
        return self.slot.asset

    @property
    def key(self) -> PartitionKey | None:
        """The partition that the run was for, None where the event does not tell its factor version."""
        if self.factor_version is None:
            return None
        return PartitionKey(
            project_id=self.slot.project_id, period=self.slot.period, factor_version=self.factor_version
        )

    @property
    def event_id(self) -> str:
        """Name the event: a commit by its slot and generation alone, a skip or refusal also by its run."""
        parts = [str(self.slot), str(self.generation), self.outcome.value]
        if self.outcome is not Outcome.COMMITTED:
            parts.append(self.run_id)
        return sha256_hex(canonical_json(parts))[:32]

    def to_json(self) -> dict[str, Json]:
        """Return the event as canonical-JSON-ready values."""
        key = self.key
        return {
            "event_id": self.event_id,
            "outcome": self.outcome.value,
            "asset": self.asset.value,
            "project_id": self.slot.project_id,
            "period": self.slot.period,
            "factor_version": self.factor_version,
            "idempotency_key": key.idempotency_key if key else None,
            "generation": self.generation,
            "content_digest": self.content_digest,
            "record_sha256": self.record_sha256,
            "inputs_digest": self.inputs_digest,
            "inputs": dict(sorted(self.inputs.items())),
            # Left out where there is none, as in the entries of before it was known.
            **({"source": dict(sorted(self.source.items()))} if self.source else {}),
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
        """Return the canonical, self-sealed bytes of the entry; their sha256 is the next entry's `prev`."""
        return self_sealed_json(
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
