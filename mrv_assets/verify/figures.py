"""Checks of histories, approvals, certificates, tables and figures against the records that seal them.

What does not belong here: signatures, and fetching the bytes that are checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise

import pyarrow as pa

from mrv_assets.domain.approval import APPROVAL, APPROVAL_ABOVE, Approval, Certified
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import LEDGER, contract_of
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import DigestMismatch, GateError
from mrv_assets.domain.generation import GenerationRecord, InputRef, check_chain
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.set_aside import SetAside
from mrv_assets.domain.tonnes import Move, Tonnes

_KEEP = "stop, keep the store as it is and compare it with a replica"
_RESTS_ON = (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED)


def verify_history(records: Sequence[GenerationRecord]) -> None:
    """Check that the records of one slot, oldest first, are an unbroken chain of generations that passed their gates.

    Raises BrokenChain naming the generation that does not continue the one before it, GateError naming a red
    gate.
    """
    check_chain(records)
    for record in records:
        record.require_passed()


def verify_approvals(records: Sequence[GenerationRecord], approvals: Mapping[str, Approval]) -> None:
    """Check that each figure of one ledger slot took the place of the one before with the approval that it needed.

    `records` are its generations, oldest first, `approvals` by the key that a record names them by. A figure that comes
    after a withdrawal is held against the last one before it. Raises GateError
    for a change above what the record says its project takes without approval (the figure of the same certificate once
    more is none, whatever the threshold has come to be), DigestMismatch for an approval that is
    gone, is another one, or is of another change.
    """
    figures = [record for record in records if record.withdrawal is None]
    agreed = figures[0] if figures else None
    for before, record in pairwise(figures):
        ref = next((ref for ref in record.inputs if ref.kind == APPROVAL), None)
        if ref is not None:
            _verify_approval(ref, approvals.get(ref.name), before, record)
            agreed = record
        elif APPROVAL_ABOVE in record.pins and agreed is not None and not _repeats(before, record):
            _require_immaterial(Decimal(record.pins[APPROVAL_ABOVE]), (before, agreed), record)


def _repeats(before: GenerationRecord, record: GenerationRecord) -> bool:
    return _change(_certified(before)) == _change(_certified(record))


def _verify_approval(
    ref: InputRef, approval: Approval | None, before: GenerationRecord, record: GenerationRecord
) -> None:
    where = f"{record.slot}, generation {record.generation}"
    found = approval.sha256 if approval else "no approval"
    _require_equal(f"approval {ref.name}", where, expected=ref.digest, found=found)
    if approval is not None:
        said = approval.proposal
        changes = (said.generation, _change(said.old), _change(said.new))
        expected = (record.generation - 1, _change(_certified(before)), _change(_certified(record)))
        _require_equal("change that was approved", where, expected=str(expected), found=str(changes))


def _require_immaterial(share: Decimal, earlier: Sequence[GenerationRecord], record: GenerationRecord) -> None:
    after = _certified(record).tonnes
    moves = [Move(before=_certified(one).tonnes, after=after) for one in earlier]
    if any(move.exceeds(share) for move in moves):
        raise GateError(
            "figure was moved without the approval that it needs",
            gate=APPROVAL,
            where=f"{record.slot}, generation {record.generation}",
            expected=f"an approval of a change above {share} of the figure",
            found=f"none, for {', '.join(f'{move.delta:+f} t' for move in moves)} net",
            remedy="do not rely on it; ask the operator who approved it, and compare with a replica",
        )


def _certified(record: GenerationRecord) -> Certified:
    """Return the figure of a ledger generation as its record says it. Raises GateError when it does not say it."""
    said, ref = record.evidence, next((ref for ref in record.upstream if ref.slot.asset is Asset.CERTIFICATE), None)
    if ref is None or not {"emissions_tco2e", "removals_tco2e"} <= said.keys():
        raise GateError(
            "generation does not say what figure it reports",
            gate=APPROVAL,
            where=f"{record.slot}, generation {record.generation}",
            expected="a certificate, and its tonnes in the evidence",
            found="not both",
            remedy="do not rely on it; compare with a replica",
        )
    return Certified(
        factor_version=record.pins["factor_version"],
        certificate_sha256=ref.content_digest,
        tonnes=Tonnes(emissions=Decimal(said["emissions_tco2e"]), removals=Decimal(said["removals_tco2e"])),
    )


def _change(figure: Certified) -> tuple[str, str]:
    return figure.certificate_sha256, format(figure.tonnes.net, "f")


def verify_certificate(data: bytes, record: GenerationRecord) -> Certificate:
    """Check certificate bytes against the generation record that seals them, and return the certificate.

    Raises DigestMismatch when the bytes are not the sealed ones, BrokenChain when they are not a canonical
    certificate, GateError when the certificate does not rest on the four assets in order, each with at least
    one gate and all of them passed.
    """
    _require_equal("certificate bytes", str(record.slot), expected=record.blob.sha256, found=sha256_hex(data))
    certificate = Certificate.from_bytes(data, where=str(record.slot))
    record.require_passed()
    rests_on = tuple(subject.asset for subject in certificate.subjects)
    red = [f"{s.asset}.{g.gate}" for s in certificate.subjects for g in s.gates if not g.passed]
    unjudged = [s.asset.value for s in certificate.subjects if not s.gates]
    if rests_on != _RESTS_ON or red or unjudged:
        raise GateError(
            "certificate rests on content that is not fully judged",
            gate="gates_complete",
            where=str(record.slot),
            expected=f"passed gates for {', '.join(_RESTS_ON)}",
            found=f"subjects {', '.join(rests_on)}; red {red or 'none'}; unjudged {unjudged or 'none'}",
            remedy="do not rely on this certificate; ask the operator for the one that supersedes it",
        )
    return certificate


def verify_table(table: pa.Table, record: GenerationRecord) -> None:
    """Check that a table says what its generation record seals. Raises DigestMismatch when it does not."""
    found = contract_of(record.slot.asset, record.pins.get("contract")).digest(table)
    if found != record.content_digest:
        raise DigestMismatch(
            "table does not say what its record seals",
            where=f"{record.slot}, generation {record.generation}",
            expected=f"content {record.content_digest}",
            found=f"content {found}",
            remedy=_KEEP,
        )


def verify_set_aside(quarantined: pa.Table | None, table: pa.Table, record: GenerationRecord) -> None:
    """Check that the rows set aside are those that a verified table says it was made without.

    `quarantined` is None where there are none. Raises DigestMismatch when they are others.
    """
    said, found = SetAside.said_by(table), SetAside.of(quarantined)
    if found != said:
        raise DigestMismatch(
            "rows set aside are not those that the table was made without",
            where=f"{record.slot}, generation {record.generation}, quarantine",
            expected=str(said),
            found=str(found),
            remedy=_KEEP,
        )


def verify_figure(ledger: pa.Table, certificate: Certificate) -> None:
    """Check that a ledger table reports exactly the figure that `certificate` seals.

    `ledger` is one row in ledger contract order. Raises DigestMismatch naming the column that differs.
    """
    rows = ledger.to_pylist()
    _require_equal("number of figures", str(certificate.key), expected="1", found=str(len(rows)))
    expected = {
        "project_id": certificate.key.project_id,
        "period": certificate.key.period,
        "factor_version": certificate.key.factor_version,
        "emissions_tco2e": certificate.totals.emissions_tco2e,
        "removals_tco2e": certificate.totals.removals_tco2e,
        "net_tco2e": certificate.totals.net_tco2e,
        "activity_rows": certificate.totals.activity_rows,
        "certificate_sha256": certificate.sha256,
    }
    for column in LEDGER.columns:
        _require_equal(
            f"ledger column {column.name}",
            str(certificate.key),
            expected=str(expected[column.name]),
            found=str(rows[0].get(column.name)),
        )


def _require_equal(what: str, where: str, *, expected: str, found: str) -> None:
    if expected != found:
        raise DigestMismatch(
            f"{what} is not what was sealed",
            where=where,
            expected=expected,
            found=found,
            remedy="stop, keep both copies and ask the operator which one the journal names",
        )
