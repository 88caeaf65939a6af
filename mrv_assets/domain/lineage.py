"""What the journal remembers: one event for every slot that a run touched, skips and refusals included.

Event ids are deterministic, so that an event which a crash kept out of the journal can be written later, from
the generation record alone, and is still the same event. What does not belong here: the entries that events stand in
(journal_entry).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mrv_assets.domain.digest import Json, canonical_json, sha256_hex
from mrv_assets.domain.generation import GenerationRecord, consumed
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot, checked_id
from mrv_assets.domain.source_identity import source_identity

CONTENT_UNCHANGED = "content unchanged"
"""How the reason of a skip begins whose content was made anew and is what is kept already."""

_RED_GATES = "red gates: "


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
    def red_gates(self) -> tuple[str, ...]:
        """The gates that turned red on what the run had made, as `refused_by` wrote them down; of a refusal only."""
        if self.outcome is not Outcome.REFUSED or not self.reason.startswith(_RED_GATES):
            return ()
        return tuple(self.reason.removeprefix(_RED_GATES).split(", "))

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

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> LineageEvent:
        """Read what `to_json` wrote. Raises IdentityError, KeyError, ValueError or TypeError."""
        asset, version = Asset(d["asset"]), d["factor_version"]
        event = cls(
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


def refused_by(gates: Sequence[str]) -> str:
    """Return the reason of a refusal by red gates."""
    return f"{_RED_GATES}{', '.join(gates)}"
