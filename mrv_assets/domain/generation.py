"""What a generation is: the immutable record that makes one content the current content of its slot.

The record is the history: what was kept, from which inputs and pins, judged by which gates, by which run.
Records of a slot form a hash chain. What does not belong here: how a record is made durable or won in a race
(storage).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrv_assets.domain.digest import Json, canonical_json, self_sealed_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, ContractError, GateError
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.domain.source_identity import without_place_and_time

SCHEMA = "mrv-generation-1"
WITHDRAWAL = "withdrawal"
"""The kind of input by which a generation of the ledger that reports nothing names who took the figure back."""

REINSTATEMENT = "reinstatement"
"""The kind of input by which the figure after it names the word that ended the withdrawal."""
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError, ContractError)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobRef:
    """The stored bytes of a content: sha256, size in bytes, and media type."""

    sha256: str
    size: int
    media_type: str

    def to_json(self) -> dict[str, Json]:
        """Return the reference as canonical-JSON-ready values."""
        return {"sha256": self.sha256, "size": self.size, "media_type": self.media_type}


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRef:
    """A pinned input from outside the store: a source file, boundary, factor release or GWP set, by digest."""

    kind: str
    name: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamRef:
    """A generation of another slot that this content was made from."""

    slot: Slot
    generation: int
    content_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """The rows that a stage set aside: the stored bytes of the table of them, and how many they are."""

    blob: BlobRef
    rows: int

    def to_json(self) -> dict[str, Json]:
        """Return the rows set aside as canonical-JSON-ready values."""
        return {"blob": self.blob.to_json(), "rows": self.rows}

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> Quarantined:
        """Read what `to_json` wrote."""
        return cls(blob=BlobRef(**d["blob"]), rows=d["rows"])


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRecord:
    """One generation of one slot.

    `pins` are the configuration the stage ran with (contract, code, CRS, GWP set, library versions);
    `evidence` is what it measured on the way (row counts, CRS operation, accuracy). `quarantine` is what was set
    aside, None for nothing. `prev` is the sha256 of
    the record before, None for generation 1. `write_id` is fresh for every attempt, so a writer can recognise
    its own record after a lost response.
    """

    slot: Slot
    generation: int
    prev: str | None
    blob: BlobRef
    content_digest: str
    rows: int
    inputs_digest: str
    inputs: Sequence[InputRef]
    upstream: Sequence[UpstreamRef]
    pins: Mapping[str, str]
    evidence: Mapping[str, str]
    gates: Sequence[GateOutcome]
    reason: str
    run_id: str
    write_id: str
    written_utc: str
    quarantine: Quarantined | None = None

    def to_bytes(self) -> bytes:
        """Return the canonical, self-sealed bytes of the record; their sha256 is the next record's `prev`."""
        return self_sealed_json(
            {
                **self._content_json(),
                "generation": self.generation,
                "prev": self.prev,
                "upstream": [{**_upstream_json(u), "generation": u.generation} for u in self.upstream],
                "evidence": dict(self.evidence),
                "reason": self.reason,
                "run_id": self.run_id,
                "write_id": self.write_id,
                "written_utc": self.written_utc,
            }
        )

    def _content_json(self) -> dict[str, Json]:
        """Return what the record says of its content and of what that was made from."""
        return {
            "schema": SCHEMA,
            "slot": _slot_json(self.slot),
            "blob": self.blob.to_json(),
            "content_digest": self.content_digest,
            "rows": self.rows,
            "inputs_digest": self.inputs_digest,
            "inputs": [{"kind": i.kind, "name": i.name, "digest": i.digest} for i in self.inputs],
            "pins": dict(self.pins),
            "gates": [gate.to_json() for gate in self.gates],
            **({"quarantine": self.quarantine.to_json()} if self.quarantine else {}),
        }

    @property
    def stated_sha256(self) -> str:
        """The digest of what the record states, whenever, wherever and by which run it was written.

        Left out are its number, the record before it, the reason, run, attempt and instant, the numbers of upstream
        generations, and of the source file's identity what tells place and time. So who makes the same content from the
        same inputs states the same.
        """
        return sha256_hex(self.stated_bytes)

    @property
    def stated_bytes(self) -> bytes:
        """The canonical JSON of what the record states, without place and time; see `stated_sha256`."""
        return canonical_json(
            {
                **self._content_json(),
                "upstream": [_upstream_json(u) for u in self.upstream],
                "evidence": without_place_and_time(self.evidence),
            }
        )

    @property
    def sha256(self) -> str:
        """Return the digest that the next generation chains to."""
        return sha256_hex(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> GenerationRecord:
        """Read a record. Raises BrokenChain naming `where` when the bytes are not a record of this schema."""
        try:
            record = cls._from_document(json.loads(data))
            written = record.to_bytes()
        except _UNREADABLE as error:
            raise BrokenChain(
                "generation record cannot be read",
                where=where,
                expected=f"a {SCHEMA} document",
                found=f"{type(error).__name__}: {error}",
                remedy="stop, keep the store as it is and restore the record from a replica",
            ) from error
        if written != data:
            raise BrokenChain(
                "generation record is not in canonical form",
                where=where,
                expected="the exact bytes that the platform writes",
                found="bytes that were altered, or that say the same in another spelling",
                remedy="stop, keep the store as it is and restore the record from a replica",
            )
        return record

    @classmethod
    def from_stated(cls, data: bytes, *, where: str) -> GenerationRecord:
        """Read what `stated_bytes` wrote, as generation 1 of its slot made at no time and by no run.

        Raises BrokenChain naming `where` for other bytes.
        """
        try:
            d = json.loads(data)
            upstream = [{**ref, "generation": 1} for ref in d["upstream"]]
            unsaid = dict.fromkeys(("reason", "run_id", "write_id", "written_utc"), "")
            record = cls._from_document({**d, **unsaid, "generation": 1, "prev": None, "upstream": upstream})
            written = record.stated_bytes
        except (ValueError, KeyError, TypeError, ArithmeticError, ContractError) as error:
            raise _not_stated(where, f"{type(error).__name__}: {error}") from error
        if written != data:
            raise _not_stated(where, "bytes that were altered, or that say the same in another spelling")
        return record

    @classmethod
    def _from_document(cls, d: dict[str, Any]) -> GenerationRecord:
        if d["schema"] != SCHEMA:
            raise ValueError(f"schema {d['schema']!r}")
        return cls(
            slot=_slot(d["slot"]),
            generation=d["generation"],
            prev=d["prev"],
            blob=BlobRef(**d["blob"]),
            content_digest=d["content_digest"],
            rows=d["rows"],
            inputs_digest=d["inputs_digest"],
            inputs=tuple(InputRef(**i) for i in d["inputs"]),
            upstream=tuple(
                UpstreamRef(slot=_slot(u["slot"]), generation=u["generation"], content_digest=u["content_digest"])
                for u in d["upstream"]
            ),
            pins=d["pins"],
            evidence=d["evidence"],
            gates=tuple(GateOutcome.from_json(gate) for gate in d["gates"]),
            reason=d["reason"],
            run_id=d["run_id"],
            write_id=d["write_id"],
            written_utc=d["written_utc"],
            quarantine=Quarantined.from_json(d["quarantine"]) if "quarantine" in d else None,
        )

    @property
    def withdrawal(self) -> InputRef | None:
        """The withdrawal that this generation rests on: then it reports nothing. None for every content."""
        return self._word(WITHDRAWAL)

    @property
    def reinstatement(self) -> InputRef | None:
        """The word by which this figure returned after a withdrawal, None for one that needed none."""
        return self._word(REINSTATEMENT)

    def _word(self, kind: str) -> InputRef | None:
        return next((ref for ref in self.inputs if ref.kind == kind), None)

    @property
    def blobs(self) -> tuple[BlobRef, ...]:
        """Every stored content that this generation rests on."""
        return (self.blob,) if self.quarantine is None else (self.blob, self.quarantine.blob)

    def require_passed(self) -> None:
        """Raise GateError unless this generation carries gate outcomes and every one has passed.

        A reader demands this of everything it reads, so running only the downstream assets cannot get past a
        gate.
        """
        red = [gate.gate for gate in self.gates if not gate.passed]
        if red or not self.gates:
            raise GateError(
                "generation has no complete set of passing gates",
                gate=red[0] if red else "gates_present",
                where=f"{self.slot}, generation {self.generation}",
                expected="at least one gate outcome, all passed",
                found=f"red: {', '.join(red)}" if red else "no gate outcome",
                remedy="materialise the upstream asset again; a red generation is never read",
            )


def consumed(inputs: Sequence[InputRef], upstream: Sequence[UpstreamRef]) -> dict[str, str]:
    """Return the digests that a content was made from, by name: pinned inputs and generations of other slots."""
    named = {f"{ref.kind} {ref.name}": ref.digest for ref in inputs}
    return named | {f"{ref.slot} generation {ref.generation}": ref.content_digest for ref in upstream}


def consumed_ref(name: str, digest: str) -> InputRef | UpstreamRef:
    """Return what `consumed` wrote under this name: an input of one kind from outside, or a generation of a slot."""
    kind, _, rest = name.partition(" ")
    if kind not in {asset.value for asset in Asset}:
        return InputRef(kind=kind, name=rest, digest=digest)
    project_id, period, *version, _, generation = rest.split(" ")
    slot = Slot(asset=Asset(kind), project_id=project_id, period=period, factor_version=version[0] if version else None)
    return UpstreamRef(slot=slot, generation=int(generation), content_digest=digest)


def check_chain(records: Sequence[GenerationRecord]) -> None:
    """Raise BrokenChain unless the records, oldest first, are generations 1, 2, 3 … each naming the one before."""
    prev: str | None = None
    for number, record in enumerate(records, start=1):
        if (record.generation, record.prev) != (number, prev):
            raise BrokenChain(
                "generation does not continue the one before it",
                where=f"{record.slot}, generation {record.generation}",
                expected=f"generation {number} with prev {prev}",
                found=f"generation {record.generation} with prev {record.prev}",
                remedy="stop, keep the store as it is and see what `mrv fsck` says",
            )
        prev = record.sha256


def _not_stated(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "what a generation record states cannot be read",
        where=where,
        expected=f"the place-free part of a {SCHEMA} document, in canonical form",
        found=found,
        remedy="take it as it was handed out",
    )


def _slot_json(slot: Slot) -> dict[str, Json]:
    return {
        "asset": slot.asset.value,
        "project_id": slot.project_id,
        "period": slot.period,
        "factor_version": slot.factor_version,
    }


def _slot(d: Mapping[str, Any]) -> Slot:
    return Slot(
        asset=Asset(d["asset"]),
        project_id=d["project_id"],
        period=d["period"],
        factor_version=d["factor_version"],
    )


def _upstream_json(upstream: UpstreamRef) -> dict[str, Json]:
    return {"slot": _slot_json(upstream.slot), "content_digest": upstream.content_digest}
