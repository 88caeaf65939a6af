"""What waits for an approval, and giving it: nothing is approved that would not move the ledger.

An approval moves nothing by itself: the next run of the partition does. What does not belong here: the rule of what has
to be approved (promotion), and who asks (cli).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mrv_assets.domain.approval import Approval
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError, Refusal
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.project import Project, Publication
from mrv_assets.pipeline.carried import certified
from mrv_assets.pipeline.promotion import Promotion, promotion
from mrv_assets.pipeline.versions import Versions
from mrv_assets.pipeline.withdrawn import last_figure
from mrv_assets.pipeline.world import World
from mrv_assets.storage.approvals import approval_key, keep_approval
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.documents import kept_document

Causes = Callable[[Certificate, Certificate], Sequence[str]]
"""Names what differs between the certificates of the reported and of the proposed figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A certified figure that the ledger would report if somebody approved it, or has approved and not run yet."""

    key: PartitionKey
    certificate: GenerationRecord
    promotion: Promotion


def waiting(world: World, *, project_id: str | None = None) -> Iterator[Waiting | Refusal]:
    """Yield what waits for an approval or is approved and not reported yet, and what is refused when it is asked for.

    Only what the ledger should report is asked for: the pin of a period, else the newest release of the line.
    """
    versions = Versions(world.references)
    for name in world.references.project_ids():
        if project_id not in (None, name):
            continue
        try:
            project = world.references.project(name)
            if project.publication is Publication.APPROVE:
                yield from _of_project(world, project, versions)
        except Refusal as refusal:
            yield refusal


def _of_project(world: World, project: Project, versions: Versions) -> Iterator[Waiting | Refusal]:
    """Go on behind a period that is refused; what is refused of many, such as their line, is told once."""
    told: set[str] = set()
    for slot, _ in world.slots.list_slots(asset=Asset.LEDGER, project_id=project.id):
        try:
            version = versions.to_run(project, slot.period)
            found = _waiting(world, PartitionKey(project_id=project.id, period=slot.period, factor_version=version))
        except Refusal as refusal:
            if str(refusal) not in told:
                told.add(str(refusal))
                yield refusal
            continue
        if found is not None:
            yield found


def _waiting(world: World, key: PartitionKey) -> Waiting | None:
    # A certificate of an older activity is made anew by the next run, and then it would be another one.
    certificate = certified(world, key)
    if certificate is None:
        return None
    found = promotion(world, key, certificate)
    return Waiting(key=key, certificate=certificate, promotion=found) if found.is_to_approve else None


def to_approve(world: World, key: PartitionKey, *, certificate: str | None = None) -> Waiting:
    """Return what an approval of a partition would let through.

    `certificate` are the first digits of the certificate that the approver has looked at. Raises ContractError when
    nothing waits for an approval, or another certificate does.
    """
    found = _waiting(world, key)
    if found is None:
        raise ContractError(
            "nothing waits for an approval",
            where=str(key),
            expected="a certified figure that the ledger would report, changed by more than the materiality of a "
            'project with publication = "approve"',
            found=_instead(world, key),
            remedy="see `mrv ledger pending`; nothing was approved",
        )
    proposed = found.certificate.content_digest
    if certificate is not None and not (certificate and proposed.startswith(certificate)):
        raise ContractError(
            "another certificate waits for the approval",
            where=str(key),
            expected=f"certificate {certificate}",
            found=f"certificate {proposed}",
            remedy="look at it with `mrv ledger pending`; nothing was approved",
        )
    return found


def approve(world: World, found: Waiting, causes: Causes, *, reason: str, by: str) -> Approval:
    """Keep the approval of what waits and tell the journal; return the one that is there for good: maybe another's.

    `causes` names what differs between the two certificates. Raises ContractError for a blank reason or name, and what
    `keep_approval` and `Journal.append` raise.
    """
    if found.promotion.approval is not None:
        return found.promotion.approval
    if found.promotion.proposal is None:
        raise ValueError("what does not change the ledger is not approved")
    approval = keep_approval(
        world.store,
        Approval.of(
            found.promotion.proposal,
            causes=causes(reported_certificate(world, found.key), certificate_of(world, found.certificate)),
            reason=reason,
            by=by,
            approved_utc=utc_text(world.clock()),
            write_id=uuid.uuid4().hex,
        ),
    )
    told = kept_document(approval_key(approval.proposal), approval.to_bytes())
    world.journal.append(f"approval {approval.write_id}", [], documents=[told])
    return approval


def reported_certificate(world: World, key: PartitionKey) -> Certificate:
    """Return the certificate of the figure that the ledger reports for a project and period, or did last."""
    current = world.slots.current(Slot.of(Asset.LEDGER, key))
    if current is None:
        raise ValueError(f"nothing is reported for {key}")
    [ref] = [ref for ref in last_figure(world.slots, current).upstream if ref.slot.asset is Asset.CERTIFICATE]
    return certificate_of(world, world.slots.record(ref.slot, ref.generation))


def certificate_of(world: World, record: GenerationRecord) -> Certificate:
    """Return the certificate that a generation keeps. Raises what reading it raises."""
    where = f"{record.slot}, generation {record.generation}"
    return Certificate.from_bytes(world.slots.load_bytes(record), where=where)


def _instead(world: World, key: PartitionKey) -> str:
    """Say why nothing waits."""
    project = world.references.project(key.project_id)
    if project.publication is not Publication.APPROVE:
        return f'a project with publication = "{project.publication}"'
    certificate = certified(world, key)
    if certificate is None:
        return "no certificate of the current activity; run the partition first"
    found = promotion(world, key, certificate)
    if found.hold is not None:
        return found.hold
    if found.standing.rival is not None:
        return f"neither {found.standing.rival}, which is live, nor {key.factor_version} supersedes the other; pin one"
    if found.proposal is None:
        return "the figure of this certificate, or none, is reported"
    return f"a change that needs no approval: {found.proposal}"
