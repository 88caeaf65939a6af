"""Whether the ledger may report a certified figure: no withdrawal, then succession, then the approval of a restatement.

A project that publishes by approval has a change above its materiality held until somebody approves exactly this
change. What does not belong here: which version stands before which (succession).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from mrv_assets.domain.approval import APPROVAL, APPROVAL_ABOVE, Approval, Certified, Proposal
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.generation import GenerationRecord, InputRef
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.project import Project, Publication
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.pipeline.succession import Standing, standing
from mrv_assets.pipeline.withdrawn import Silence, last_figure, silence
from mrv_assets.pipeline.world import World
from mrv_assets.storage.approvals import approval_key, find_approval

AWAITS_APPROVAL = "held until it is approved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """How a certified figure stands towards the ledger: by its factor version, and by how far it moves the figure.

    `pins` are what a generation of the ledger is to remember of how its project publishes, as it was asked here.
    `silence` is why nothing is reported now, None where a figure is or never was.
    `proposal` is the change where one is proposed, and `approval` what lets it through, both only where the project
    publishes by approval.
    """

    standing: Standing
    pins: Mapping[str, str]
    silence: Silence | None = None
    proposal: Proposal | None = None
    approval: Approval | None = None

    @property
    def awaits_approval(self) -> bool:
        """Whether an approval is all that is missing."""
        return self.is_to_approve and self.approval is None

    @property
    def is_to_approve(self) -> bool:
        """Whether the change is one that somebody has to approve, or has approved."""
        is_withdrawn = self.silence is not None and self.silence.hold is not None
        is_next = not is_withdrawn and self.standing.hold is None and self.standing.rival is None
        return is_next and self.proposal is not None and self.proposal.is_material

    @property
    def hold(self) -> str | None:
        """Say why the ledger stays as it is, None when it may move."""
        if self.silence is not None and self.silence.hold is not None:
            return self.silence.hold
        if self.awaits_approval:
            return f"{AWAITS_APPROVAL}: {self.proposal}; see `mrv ledger pending`"
        return self.standing.hold

    @property
    def approval_ref(self) -> InputRef | None:
        """The approval as an input of the generation that it lets through."""
        if self.approval is None:
            return None
        return InputRef(kind=APPROVAL, name=approval_key(self.approval.proposal), digest=self.approval.sha256)


def promotion(world: World, key: PartitionKey, certificate: GenerationRecord) -> Promotion:
    """Tell whether the ledger may report what `certificate`, a generation of the partition, seals.

    Raises BrokenChain for an approval that is not what it was written as.
    """
    # Asked once: its file may be edited at any time, and what is remembered is what was decided by.
    project = world.references.project(key.project_id)
    current = world.slots.current(Slot.of(Asset.LEDGER, key))
    proposal = proposed(world, project, certificate, current)
    found = Promotion(
        standing=standing(world, key, current),
        pins=_pins_of(project),
        silence=silence(world.store, current),
        proposal=proposal,
    )
    if proposal is None or not found.is_to_approve:
        return found
    return replace(found, approval=find_approval(world.store, proposal))


def _pins_of(project: Project) -> dict[str, str]:
    if project.publication is not Publication.APPROVE:
        return {}
    return {APPROVAL_ABOVE: str(project.materiality)}


def proposed(
    world: World, project: Project, certificate: GenerationRecord, current: GenerationRecord | None
) -> Proposal | None:
    """Return the change that a certificate proposes to a project that publishes by approval.

    `current` is the newest generation of the ledger slot. None where nothing was reported yet, or this certificate is
    the last that was: a figure that was withdrawn returns as it was, or is changed by approval only.
    """
    if project.publication is not Publication.APPROVE or current is None:
        return None
    live = last_figure(world.slots, current)
    old = reported(world, live)
    if old.certificate_sha256 == certificate.content_digest:
        return None
    return Proposal(
        project_id=project.id,
        period=live.slot.period,
        generation=current.generation,
        old=old,
        agreed=reported(world, agreed_record(world, live)),
        new=_certified(world, certificate),
        materiality=project.materiality,
    )


def agreed_record(world: World, live: GenerationRecord) -> GenerationRecord:
    """Return the newest generation up to `live` that rests on an approval, or else the first one."""
    record = live
    while record.generation > 1 and not any(ref.kind == APPROVAL for ref in record.inputs):
        record = world.slots.record(record.slot, record.generation - 1)
    return record


def reported(world: World, record: GenerationRecord) -> Certified:
    """Return the figure of a generation of the ledger. Raises BrokenChain when it names no certificate."""
    ref = next((ref for ref in record.upstream if ref.slot.asset is Asset.CERTIFICATE), None)
    if ref is None:
        raise BrokenChain(
            "figure does not rest on what it must rest on",
            where=f"{record.slot}, generation {record.generation}",
            expected="a certificate among what it was made from",
            found="none",
            remedy="stop, keep the store as it is and see what `mrv fsck` says",
        )
    return Certified(
        factor_version=record.pins["factor_version"],
        certificate_sha256=ref.content_digest,
        tonnes=reported_tonnes(world, record),
    )


def reported_tonnes(world: World, record: GenerationRecord) -> Tonnes:
    """Return the tonnes of a generation of the ledger as its sealed record says them, or else as its table does."""
    said: Any = record.evidence
    if not {"emissions_tco2e", "removals_tco2e"} <= said.keys():
        [said] = world.slots.load_table(record).to_pylist()
    return Tonnes(emissions=Decimal(said["emissions_tco2e"]), removals=Decimal(said["removals_tco2e"]))


def _certified(world: World, record: GenerationRecord) -> Certified:
    where = f"{record.slot}, generation {record.generation}"
    certificate = Certificate.from_bytes(world.slots.load_bytes(record), where=where)
    return Certified(
        factor_version=certificate.key.factor_version,
        certificate_sha256=record.content_digest,
        tonnes=Tonnes(emissions=certificate.totals.emissions_tco2e, removals=certificate.totals.removals_tco2e),
    )
