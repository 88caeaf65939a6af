"""What a diagnosis is made of: one finding each, in prose, with its evidence, what brings it right and what cannot.

What does not belong here: finding anything (doctor and its families) and showing it (cli).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from mrv_assets.domain.digest import Json


class Family(StrEnum):
    """The kinds of trouble that are looked for; `heading` says it in words."""

    DROPPED_PARENT = "dropped_parent_run"
    UNVERSIONED_REFERENCE = "unversioned_reference_read"
    CHAIN_GAP = "gap_in_the_chain"
    MISSING_EVENT = "missing_event"
    STALE = "stale_certificate"

    @property
    def heading(self) -> str:
        """The family in words."""
        return _TITLES[self]


_TITLES = {
    Family.DROPPED_PARENT: "Runs whose parent is lost",
    Family.UNVERSIONED_REFERENCE: "References that are not pinned, or not here any more",
    Family.CHAIN_GAP: "Gaps in the chain of records, contents and journal",
    Family.MISSING_EVENT: "What the journal does not tell of",
    Family.STALE: "Certificates of an older activity",
}


class Weight(StrEnum):
    """What a finding asks for: nothing now, something to be done, or to stop and keep everything as it is."""

    REMARK = "remark"
    TO_DO = "to_do"
    TAMPERED = "tampered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be.

    `diagnosis` is a sentence or two. `evidence` names the places, all of them. `remedy` says what brings it right, with
    the command where there is one; `cannot` what nobody can rebuild from here, empty where that is nothing.
    """

    family: Family
    name: str
    weight: Weight
    diagnosis: str
    evidence: Sequence[str]
    remedy: str
    cannot: str = ""

    def to_json(self) -> dict[str, Json]:
        """Return the finding as canonical-JSON-ready values."""
        return {
            "family": self.family.value,
            "name": self.name,
            "weight": self.weight.value,
            "diagnosis": self.diagnosis,
            "evidence": list(self.evidence),
            "remedy": self.remedy,
            "cannot_be_rebuilt": self.cannot,
        }


OUT_OF_REACH = (
    "Runs that left nothing in the store, because they failed before their first asset or were never started, cannot "
    "be seen from here: Dagster's run history knows them."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All findings by family, the gravest of a family first, and how much was looked at."""

    findings: Sequence[Finding]
    generations: int
    entries: int

    @property
    def is_tampered(self) -> bool:
        """Whether something stored contradicts its own record."""
        return any(finding.weight is Weight.TAMPERED for finding in self.findings)

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is to be done; remarks may remain."""
        return all(finding.weight is Weight.REMARK for finding in self.findings)

    def of(self, family: Family) -> tuple[Finding, ...]:
        """Return the findings of one family."""
        return tuple(finding for finding in self.findings if finding.family is family)
