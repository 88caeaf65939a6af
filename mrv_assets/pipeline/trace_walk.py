"""The walk from one generation to everything that it was made from, over slots and documents, noting every break.

What does not belong here: registry records, the journal and runs (trace).
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.domain.approval import APPROVAL as APPROVAL_INPUT
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import BrokenChain, Tampering
from mrv_assets.domain.generation import REINSTATEMENT, WITHDRAWAL, GenerationRecord, InputRef, UpstreamRef
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.present import Present
from mrv_assets.pipeline.trace_check import Checks
from mrv_assets.pipeline.trace_draft import Drafts, require_equal
from mrv_assets.pipeline.trace_facts import approval_facts, input_facts, withdrawal_facts
from mrv_assets.pipeline.trace_graph import APPROVAL, Role
from mrv_assets.pipeline.trace_start import certificate_records
from mrv_assets.pipeline.world import World
from mrv_assets.storage.approvals import load_approval
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.storage.withdrawals import words_of
from mrv_assets.verify import verify_certificate


class Walk:
    """The walk; `drafts` holds what was found, `store` is what was walked."""

    def __init__(self, world: World) -> None:
        self.drafts = Drafts()
        self.store = world.store
        self._world = world
        self._checks = Checks(world, self.drafts)
        self._present = Present(world)
        self._certificates: dict[tuple[str, str], Mapping[str, GenerationRecord]] = {}

    def generation(self, slot: Slot, number: int) -> str:
        """Walk a generation and everything above it; return its id."""
        key = self._checks.take(slot, number)
        draft, record = self.drafts.nodes[key], self.drafts.records.get(key)
        if record is None or draft.is_walked:
            return key
        draft.is_walked = True
        for ref in reversed(record.upstream):
            self._upstream(key, ref)
        for pinned in record.inputs:
            self._input(key, record, pinned)
        if draft.certificate is not None:
            self._require_subjects(key, record, draft.certificate)
            self._relatives(key, record, draft.certificate)
        return key

    def certificates(self, project_id: str, period: str) -> Mapping[str, GenerationRecord]:
        """Return the newest generation of each certificate of a project and period, by sha256."""
        asked = (project_id, period)
        if asked not in self._certificates:
            found: dict[str, GenerationRecord] = {}
            for record in certificate_records(self._world.slots, project_id):
                if isinstance(record, Tampering):
                    self.drafts.note("", record)
                elif record.slot.period == period:
                    found[record.content_digest] = record
            self._certificates[asked] = found
        return self._certificates[asked]

    def _upstream(self, key: str, ref: UpstreamRef) -> None:
        with self.drafts.noting(key):
            target = self.generation(ref.slot, ref.generation)
            found = self.drafts.records.get(target)
            if found is not None:
                where = f"{key}, made from {ref.slot}, generation {ref.generation}"
                require_equal(where, "content of an upstream generation", ref.content_digest, found.content_digest)
            is_report = self.drafts.nodes[key].kind == Asset.LEDGER.value
            self.drafts.link(key, target, Role.REPORTS if is_report else Role.MADE_FROM)

    def _input(self, key: str, record: GenerationRecord, ref: InputRef) -> None:
        if ref.kind == APPROVAL_INPUT:
            self._approval(key, ref)
            return
        if ref.kind in (WITHDRAWAL, REINSTATEMENT):
            self._word(key, record, ref)
            return
        id_ = f"{ref.kind} {ref.name} {ref.digest}"
        if id_ not in self.drafts.nodes:
            found = self._present.look(ref)
            facts = input_facts(ref, record.evidence)
            if not found.is_here:
                facts |= {name: text for name, text in (("digest_here", found.digest), ("why", found.why)) if text}
            draft = self.drafts.add(id_, ref.kind, ref.name, digest=ref.digest, facts=facts)
            draft.presence = found.presence.value
            draft.checks += ["it is here with the pinned digest"] if found.is_here else []
        self.drafts.link(key, id_, Role.PINS)

    def _approval(self, key: str, ref: InputRef) -> None:
        if ref.name not in self.drafts.nodes:
            draft = self.drafts.add(ref.name, APPROVAL, ref.name, digest=ref.digest)
            with self.drafts.noting(ref.name):
                approval = load_approval(self._world.store, ref.name)
                require_equal(ref.name, "approval", ref.digest, approval.sha256)
                draft.facts = approval_facts(approval)
                draft.checks.append("approval is the one that the figure names")
                self.drafts.documents[ref.name] = approval.sha256
        self.drafts.link(key, ref.name, Role.APPROVED_BY)

    def _word(self, key: str, record: GenerationRecord, ref: InputRef) -> None:
        """Add the word by which a figure was withdrawn, with that figure, or the one by which one returned."""
        is_withdrawal = ref.kind == WITHDRAWAL
        if ref.name not in self.drafts.nodes:
            draft = self.drafts.add(ref.name, ref.kind, ref.name, digest=ref.digest)
            with self.drafts.noting(ref.name):
                word = words_of(self._world.store, [record])[ref.name]
                require_equal(ref.name, ref.kind, ref.digest, word.sha256)
                draft.facts = withdrawal_facts(word)
                draft.checks.append(f"{ref.kind} is the one that the ledger names")
                self.drafts.documents[ref.name] = word.sha256
                if is_withdrawal:
                    figure = self.generation(record.slot, word.generation)
                    self.drafts.link(ref.name, figure, Role.WITHDRAWS)
        self.drafts.link(key, ref.name, Role.SILENCED_BY if is_withdrawal else Role.REINSTATED_BY)

    def _require_subjects(self, key: str, record: GenerationRecord, certificate: Certificate) -> None:
        """Hold what the certificate says of each generation against the record of it."""
        stated = {
            ref.slot.asset: self.drafts.records.get(record_key(ref.slot, ref.generation)) for ref in record.upstream
        }
        with self.drafts.noting(key):
            for subject in certificate.subjects:
                upstream = stated.get(subject.asset)
                if upstream is not None:
                    what = f"what the certificate says of {subject.asset.value}"
                    require_equal(key, what, upstream.stated_sha256, subject.record_sha256)
            self.drafts.nodes[key].checks.append("each subject is what the record of its generation states")

    def _relatives(self, key: str, record: GenerationRecord, certificate: Certificate) -> None:
        """Add the figures that reported a certificate, and what it supersedes and is superseded by, on and on."""
        slot = record.slot
        self._reports(
            key, Slot(asset=Asset.LEDGER, project_id=slot.project_id, period=slot.period, factor_version=None)
        )
        self._predecessors(key, certificate)
        for other in self.certificates(slot.project_id, slot.period).values():
            if record_key(other.slot, other.generation) != key:
                self._successor(key, certificate.sha256, other)

    def _reports(self, key: str, ledger: Slot) -> None:
        sha256 = self.drafts.records[key].content_digest
        listed = self._world.slots.listed_records(asset=Asset.LEDGER, project_id=ledger.project_id)
        for number in [number for slot, number in listed if slot == ledger]:
            with self.drafts.noting(record_key(ledger, number)):
                figure = self._world.slots.record(ledger, number)
                if figure.evidence.get("withdrawn_certificate_sha256") == sha256:
                    self.generation(ledger, number)
                if any(ref.content_digest == sha256 for ref in figure.upstream):
                    self.drafts.link(self._checks.take(ledger, number), key, Role.REPORTS)
                    for ref in figure.inputs:
                        self._input(record_key(ledger, number), figure, ref)

    def _predecessors(self, key: str, certificate: Certificate | None) -> None:
        if certificate is None or certificate.supersedes is None:
            return
        known = self.certificates(certificate.key.project_id, certificate.key.period)
        with self.drafts.noting(key):
            before = known.get(certificate.supersedes)
            if before is None:
                raise BrokenChain(
                    "certificate supersedes one that is not there",
                    where=key,
                    expected=f"certificate {certificate.supersedes}",
                    found="none",
                    remedy="stop, keep the store as it is and restore the record from a replica",
                )
            is_new = record_key(before.slot, before.generation) not in self.drafts.nodes
            target = self._checks.take(before.slot, before.generation)
            self.drafts.link(key, target, Role.SUPERSEDES)
            if is_new:
                self._predecessors(target, self.drafts.nodes[target].certificate)

    def _successor(self, key: str, sha256: str, other: GenerationRecord) -> None:
        """Add another certificate of the period when it says that it supersedes this one, and those after it."""
        where = record_key(other.slot, other.generation)
        with self.drafts.noting(where):
            said = verify_certificate(self._world.slots.load_bytes(other), other)
            if said.supersedes != sha256:
                return
            is_new = where not in self.drafts.nodes
            self.drafts.link(self._checks.take(other.slot, other.generation), key, Role.SUPERSEDES)
            if is_new:
                for further in self.certificates(other.slot.project_id, other.slot.period).values():
                    self._successor(where, said.sha256, further)
