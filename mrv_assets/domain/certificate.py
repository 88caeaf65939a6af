"""What a certificate is: the statement of one figure and of everything it rests on, an in-toto Statement v1.

It holds no clock and no run id, so it re-derives bit for bit from the same inputs; time, run and signatures are the
seal, which is apart from it. The subjects are what an outsider can take the sha256 of; the predicate holds the figure
and the four parts of an audit record. What does not belong here: signing (dsse) and handing out (bundle).
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
from mrv_assets.domain.generation import InputRef
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.domain.subject import Subject

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:mrv-assets:certificate:2"
CERTIFICATE_VERSION = "mrv-certificate-2.0.0"

ROUNDING: Mapping[str, str] = {
    "combined_factor": "half-even to 1e-28, once for each factor",
    "row": "half-even to 1e-9 t CO2e, once for each row",
    "sums": "exact",
}
"""Where a figure is rounded on its way from activity to totals, and where it is not."""

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
class Certificate:
    """The statement: whose figure, the totals, the pinned inputs from outside, and every content on the way.

    `assessments` are of the rule sets that the project declares for the period, in the order that it names them;
    `uncertainty` is None where the project says nothing of it. `supersedes` is the sha256 of the certificate that this
    one takes the place of, None for the first of its project and period.
    """

    key: PartitionKey
    standard: str
    totals: Totals
    inputs: Sequence[InputRef]
    subjects: Sequence[Subject]
    supersedes: str | None
    assessments: Sequence[Assessment] = ()
    uncertainty: FigureUncertainty | None = None

    def to_bytes(self) -> bytes:
        """Return the canonical bytes of the statement."""
        outcomes: Json = [subject.outcomes_json() for subject in self.subjects]
        named = [pair for subject in self.subjects for pair in subject.digests()]
        named.append(("validation_outcomes", sha256_hex(canonical_json(outcomes))))
        return canonical_json(
            {
                "_type": STATEMENT_TYPE,
                "predicateType": PREDICATE_TYPE,
                "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in named],
                "predicate": {
                    **self._figure_json(),
                    "input_identity": [{"kind": i.kind, "name": i.name, "digest": i.digest} for i in self.inputs],
                    "pinned_configuration": [subject.configuration_json() for subject in self.subjects],
                    "validation_outcomes": outcomes,
                    "output_artifacts": [subject.artifact_json() for subject in self.subjects],
                },
            }
        )

    def _figure_json(self) -> dict[str, Json]:
        """Return whose figure it is and what it is; nothing of rule sets and uncertainty where none are declared."""
        assessed = [assessment.to_json() for assessment in self.assessments]
        return {
            "project_id": self.key.project_id,
            "period": self.key.period,
            "factor_version": self.key.factor_version,
            "idempotency_key": self.key.idempotency_key,
            "standard": self.standard,
            "totals": {**self.totals.tonnes, "activity_rows": self.totals.activity_rows},
            "rounding": dict(ROUNDING),
            "supersedes": self.supersedes,
            **({"assessments": assessed} if assessed else {}),
            **({"uncertainty": self.uncertainty.to_json()} if self.uncertainty else {}),
        }

    @property
    def sha256(self) -> str:
        """The digest by which the ledger names this certificate."""
        return sha256_hex(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> Certificate:
        """Read a certificate. Raises BrokenChain naming `where` when the bytes are not a statement that we write."""
        try:
            certificate = cls._from_document(json.loads(data))
            is_canonical = certificate.to_bytes() == data
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError, Refusal) as error:
            raise _unreadable(where, f"{type(error).__name__}: {error}") from error
        if not is_canonical:
            raise _unreadable(where, "bytes that are not in canonical form, or that contradict themselves")
        return certificate

    @classmethod
    def _from_document(cls, document: dict[str, Any]) -> Certificate:
        kind = document["_type"], document["predicateType"]
        if kind != (STATEMENT_TYPE, PREDICATE_TYPE):
            raise ValueError(f"{kind[0]!r} of {kind[1]!r}")
        d = document["predicate"]
        totals = d["totals"]
        parts = zip(d["pinned_configuration"], d["validation_outcomes"], d["output_artifacts"], strict=True)
        return cls(
            key=PartitionKey(project_id=d["project_id"], period=d["period"], factor_version=d["factor_version"]),
            standard=d["standard"],
            totals=Totals(
                emissions_tco2e=Decimal(totals["emissions_tco2e"]),
                removals_tco2e=Decimal(totals["removals_tco2e"]),
                activity_rows=totals["activity_rows"],
            ),
            inputs=tuple(InputRef(**i) for i in d["input_identity"]),
            subjects=tuple(Subject.from_json(*each) for each in parts),
            supersedes=d["supersedes"],
            assessments=tuple(Assessment.from_json(a) for a in d.get("assessments", ())),
            uncertainty=FigureUncertainty.from_json(d["uncertainty"]) if "uncertainty" in d else None,
        )


def _unreadable(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "certificate cannot be read",
        where=where,
        expected=f"the canonical bytes of an in-toto statement of {PREDICATE_TYPE}",
        found=found,
        remedy="stop, keep the store as it is and compare the certificate with the copy that was handed out",
    )
