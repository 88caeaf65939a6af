"""What a node of a trace says of itself: short texts by name, taken from records, documents and inputs.

What does not belong here: checking them (trace) and how they look (cli).
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.domain.approval import Approval, share_text
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal, Reinstatement
from mrv_assets.domain.generation import GenerationRecord, InputRef
from mrv_assets.domain.registry import Issuance
from mrv_assets.domain.registry_record import RegistryRecord
from mrv_assets.domain.source_identity import source_identity
from mrv_assets.storage.blobs import blob_key

_PINNED = ("contract", "code", "factor_version", "standard", "policy", "fallback", "uncertainty", "approval_above")
_STAC = "source_stac_"


def generation_facts(record: GenerationRecord) -> dict[str, str]:
    """Return what a generation record says, without what depends on the asset."""
    passed = [gate.gate for gate in record.gates if gate.passed]
    aside = record.quarantine
    return {
        "generation": str(record.generation),
        "record_sha256": record.sha256,
        "states_sha256": record.stated_sha256,
        "blob": blob_key(record.blob),
        "blob_sha256": record.blob.sha256,
        "rows": str(record.rows),
        "run_id": record.run_id,
        "written_utc": record.written_utc,
        "reason": record.reason,
        "gates_passed": f"{len(passed)} of {len(record.gates)}",
        "gates": ", ".join(passed),
        **{name: record.pins[name] for name in _PINNED if name in record.pins},
        **({"quarantine_sha256": aside.blob.sha256, "quarantine_rows": str(aside.rows)} if aside else {}),
    }


def certificate_facts(certificate: Certificate) -> dict[str, str]:
    """Return the figure, what it supersedes and the rule sets that it was assessed by."""
    rules = ", ".join(one.rule_set for one in certificate.assessments)
    return {
        **certificate.totals.tonnes,
        "activity_rows": str(certificate.totals.activity_rows),
        **({"supersedes": certificate.supersedes} if certificate.supersedes else {}),
        **({"rule_sets": rules} if rules else {}),
    }


def approval_facts(approval: Approval) -> dict[str, str]:
    """Return who approved what and why."""
    proposal = approval.proposal
    return {
        "approved_by": approval.approved_by,
        "reason": approval.reason,
        "written_utc": approval.approved_utc,
        "share": share_text(proposal.move) or "from 0",
        "replaces_generation": str(proposal.generation),
        "replaces_certificate": proposal.old.certificate_sha256,
    }


def withdrawal_facts(word: FigureWithdrawal | Reinstatement) -> dict[str, str]:
    """Return who took which figure back and why, or who ended that."""
    if isinstance(word, Reinstatement):
        return {
            "said_by": word.reinstated_by,
            "reason": word.reason,
            "written_utc": word.reinstated_utc,
            "ends_withdrawal_of_generation": str(word.generation),
        }
    return {
        "said_by": word.withdrawn_by,
        "reason": word.reason,
        "written_utc": word.withdrawn_utc,
        "withdraws_generation": str(word.generation),
        "withdraws_certificate": word.withdrawn.certificate_sha256,
        **({"in_favour_of": word.in_favour_of} if word.in_favour_of else {}),
    }


def registry_facts(record: RegistryRecord) -> dict[str, str]:
    """Return what a registry record says."""
    entry = record.entry
    about = {
        "number": str(record.number),
        "serial": entry.block.text,
        "registry": entry.block.registry,
        "quantity": str(entry.block.count),
        "recorded_by": record.recorded_by,
        "written_utc": record.recorded_utc,
    }
    if isinstance(entry, Issuance):
        return about | {
            "certificate_sha256": entry.certificate_sha256,
            "issued_on": entry.issued_on.isoformat(),
            "registry_project": entry.registry_project,
            "rule_set": entry.rule_set,
            "vintage": entry.vintage,
        }
    return about | {
        "ending": entry.ending.value,
        "retired_on": entry.retired_on.isoformat(),
        "reason": entry.reason,
        **({"beneficiary": entry.beneficiary} if entry.beneficiary else {}),
    }


def input_facts(ref: InputRef, evidence: Mapping[str, str]) -> dict[str, str]:
    """Return what the record that pins an input says of it: the identity of a source file and of its STAC Item."""
    known = source_identity(evidence)
    if ref.kind == "source":
        return {name: text for name, text in known.items() if not name.startswith(_STAC)}
    if ref.kind == "stac_item":
        return {name: text for name, text in known.items() if name.startswith(_STAC)}
    return {}
