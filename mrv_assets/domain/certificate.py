"""What a certificate is: the sealed statement of one figure and of everything it rests on.

The statement holds no clock and no run id, so it re-derives bit for bit from the same inputs; time and run
are in the generation record that seals it. What does not belong here: signing and transport.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import Any

from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.digest import Json, canonical_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, Refusal
from mrv_assets.domain.figure_uncertainty import FigureUncertainty
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import InputRef
from mrv_assets.domain.partition import Asset, PartitionKey

SCHEMA = "mrv-certificate-1"
CERTIFICATE_VERSION = "mrv-certificate-1.0.0"

# decimal128(38, 9) holds 38 digits, the default context 28.
_EXACT = Context(prec=40, traps=[Inexact])


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The figure, t CO2e to 1e-9: gross emissions, gross removals (both not negative) and the rows behind them."""

    emissions_tco2e: Decimal
    removals_tco2e: Decimal
    activity_rows: int

    @property
    def net_tco2e(self) -> Decimal:
        """Emissions minus removals; negative is a net removal."""
        return _EXACT.subtract(self.emissions_tco2e, self.removals_tco2e)

    @property
    def tonnes(self) -> dict[str, str]:
        """The three tonnages as decimal text without exponent, by name: for documents, records and metadata."""
        named = {
            "emissions_tco2e": self.emissions_tco2e,
            "removals_tco2e": self.removals_tco2e,
            "net_tco2e": self.net_tco2e,
        }
        return {name: format(value, "f") for name, value in named.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One asset's content that the figure rests on, with the pins it was made with and the gates that judged it.

    `quarantined` is how many rows were set aside when it was made.
    """

    asset: Asset
    content_digest: str
    rows: int
    pins: Mapping[str, str]
    gates: Sequence[GateOutcome]
    quarantined: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """The statement: whose figure, the totals, the pinned inputs from outside, and every content on the way.

    `assessments` are of the rule sets that the project declares for the period, in the order that it names them;
    `uncertainty` is None where the project says nothing of it.
    """

    key: PartitionKey
    standard: str
    totals: Totals
    inputs: Sequence[InputRef]
    subjects: Sequence[Subject]
    assessments: Sequence[Assessment] = ()
    uncertainty: FigureUncertainty | None = None

    def to_bytes(self) -> bytes:
        """Return the canonical bytes of the statement."""
        return canonical_json(
            {
                "schema": SCHEMA,
                "project_id": self.key.project_id,
                "period": self.key.period,
                "factor_version": self.key.factor_version,
                "idempotency_key": self.key.idempotency_key,
                "standard": self.standard,
                "totals": _totals_json(self.totals),
                "inputs": [{"kind": i.kind, "name": i.name, "digest": i.digest} for i in self.inputs],
                "subjects": [_subject_json(subject) for subject in self.subjects],
                **_assessments_json(self.assessments),
                **({"uncertainty": self.uncertainty.to_json()} if self.uncertainty else {}),
            }
        )

    @property
    def sha256(self) -> str:
        """The digest by which the ledger names this certificate."""
        return sha256_hex(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> Certificate:
        """Read a certificate. Raises BrokenChain naming `where` when the bytes are not a canonical certificate."""
        try:
            certificate = cls._from_document(json.loads(data))
            is_canonical = certificate.to_bytes() == data
        except (ValueError, KeyError, TypeError, ArithmeticError, Refusal) as error:
            raise _unreadable(where, f"{type(error).__name__}: {error}") from error
        if not is_canonical:
            raise _unreadable(where, "bytes that are not in canonical form")
        return certificate

    @classmethod
    def _from_document(cls, d: dict[str, Any]) -> Certificate:
        if d["schema"] != SCHEMA:
            raise ValueError(f"schema {d['schema']!r}")
        return cls(
            key=PartitionKey(project_id=d["project_id"], period=d["period"], factor_version=d["factor_version"]),
            standard=d["standard"],
            totals=Totals(
                emissions_tco2e=Decimal(d["totals"]["emissions_tco2e"]),
                removals_tco2e=Decimal(d["totals"]["removals_tco2e"]),
                activity_rows=d["totals"]["activity_rows"],
            ),
            inputs=tuple(InputRef(**i) for i in d["inputs"]),
            subjects=tuple(
                Subject(
                    asset=Asset(s["asset"]),
                    content_digest=s["content_digest"],
                    rows=s["rows"],
                    quarantined=s.get("quarantined", 0),
                    pins=s["pins"],
                    gates=tuple(GateOutcome.from_json(gate) for gate in s["gates"]),
                )
                for s in d["subjects"]
            ),
            assessments=tuple(Assessment.from_json(a) for a in d.get("assessments", ())),
            uncertainty=FigureUncertainty.from_json(d["uncertainty"]) if "uncertainty" in d else None,
        )


def _assessments_json(assessments: Sequence[Assessment]) -> dict[str, Json]:
    """Return nothing where no rule set is declared, as in the certificates of before there were any."""
    return {"assessments": [assessment.to_json() for assessment in assessments]} if assessments else {}


def _totals_json(totals: Totals) -> dict[str, Json]:
    return {**totals.tonnes, "activity_rows": totals.activity_rows}


def _subject_json(subject: Subject) -> dict[str, Json]:
    return {
        "asset": subject.asset.value,
        "content_digest": subject.content_digest,
        "rows": subject.rows,
        **({"quarantined": subject.quarantined} if subject.quarantined else {}),
        "pins": dict(subject.pins),
        "gates": [gate.to_json() for gate in subject.gates],
    }


def _unreadable(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "certificate cannot be read",
        where=where,
        expected=f"the canonical bytes of a {SCHEMA} document",
        found=found,
        remedy="stop, keep the store as it is and compare the certificate with the copy that was handed out",
    )
