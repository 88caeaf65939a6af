"""What a certificate says of one asset's content that its figure rests on, in the three parts of an audit record.

What does not belong here: the figure itself (certificate).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrv_assets.domain.digest import Json
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import BlobRef, GenerationRecord, Quarantined
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.source_identity import without_place_and_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One asset's content that the figure rests on: the stored bytes, what it was made with, and the gates it passed.

    `record_sha256` is the digest of what its generation record states (`GenerationRecord.stated_sha256`); `measured` is
    what the stage found on its way (CRS operation and accuracy, row counts), without what depends on place and time.
    """

    asset: Asset
    record_sha256: str
    content_digest: str
    rows: int
    blob: BlobRef
    quarantine: Quarantined | None
    pins: Mapping[str, str]
    measured: Mapping[str, str]
    gates: Sequence[GateOutcome]

    @classmethod
    def of(cls, record: GenerationRecord) -> Subject:
        """Return what a certificate says of a generation that it rests on."""
        return cls(
            asset=record.slot.asset,
            record_sha256=record.stated_sha256,
            content_digest=record.content_digest,
            rows=record.rows,
            blob=record.blob,
            quarantine=record.quarantine,
            pins=record.pins,
            measured=without_place_and_time(record.evidence),
            gates=tuple(record.gates),
        )

    @property
    def quarantined(self) -> int:
        """How many rows were set aside when the content was made."""
        return self.quarantine.rows if self.quarantine else 0

    def digests(self) -> Iterator[tuple[str, str]]:
        """Yield the name and sha256 of everything of this subject that can be hashed."""
        yield self.asset.value, self.blob.sha256
        if self.quarantine is not None:
            yield f"{self.asset.value}/quarantine", self.quarantine.blob.sha256
        yield f"{self.asset.value}/record", self.record_sha256

    def configuration_json(self) -> dict[str, Json]:
        """Return the pinned configuration."""
        return {"asset": self.asset.value, "pins": dict(self.pins), "measured": dict(self.measured)}

    def outcomes_json(self) -> dict[str, Json]:
        """Return the validation outcomes."""
        return {"asset": self.asset.value, "gates": [gate.to_json() for gate in self.gates]}

    def artifact_json(self) -> dict[str, Json]:
        """Return the output artifacts."""
        aside = self.quarantine
        return {
            "asset": self.asset.value,
            "record_sha256": self.record_sha256,
            "content_digest": self.content_digest,
            "rows": self.rows,
            "blob": self.blob.to_json(),
            **({"quarantine": aside.to_json()} if aside else {}),
        }

    @classmethod
    def from_json(cls, pinned: Mapping[str, Any], judged: Mapping[str, Any], made: Mapping[str, Any]) -> Subject:
        """Read a subject from its three parts."""
        return cls(
            asset=Asset(made["asset"]),
            record_sha256=made["record_sha256"],
            content_digest=made["content_digest"],
            rows=made["rows"],
            blob=BlobRef(**made["blob"]),
            quarantine=Quarantined.from_json(made["quarantine"]) if "quarantine" in made else None,
            pins=pinned["pins"],
            measured=pinned["measured"],
            gates=tuple(GateOutcome.from_json(gate) for gate in judged["gates"]),
        )
