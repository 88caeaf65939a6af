"""The one path every content takes: plan, make, judge, keep, remember.

Dagster's assets and the bulk backfill both walk it, step by step, so there is one place where a skip is
decided and one where content is kept. What does not belong here: which stage reads what (recipes) and how a
commit is won (storage).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import structlog

from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.contract import QUARANTINE
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import GateError, NonDeterministic, Refusal, Transient
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import KeptDocument, Parent
from mrv_assets.domain.limits import FEW_ROWS
from mrv_assets.domain.lineage import CONTENT_UNCHANGED, LineageEvent, Outcome, refused_by
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.set_aside import SetAside
from mrv_assets.domain.staged import Staged
from mrv_assets.pipeline.cases import refusal_by
from mrv_assets.pipeline.publication import show
from mrv_assets.pipeline.recipes import recipe
from mrv_assets.pipeline.sealing import seal
from mrv_assets.pipeline.skipping import why_skipped
from mrv_assets.pipeline.threads import at_once, beside
from mrv_assets.pipeline.work import Once, Work
from mrv_assets.pipeline.world import World
from mrv_assets.storage import blobs
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.parquet import require_content, to_parquet
from mrv_assets.storage.slots import Draft

log = structlog.get_logger("mrv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A stage of a partition with its pinned inputs, the generation that is current, and why it need not run, if so."""

    work: Work
    current: GenerationRecord | None
    skip: str | None
    started: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Staged content and what its gates said.

    `staged` is None when a gate was red before there was content; `content_digest` is None when any gate is red.
    """

    planned: Planned
    staged: Staged | None
    content_digest: str | None
    gates: tuple[GateOutcome, ...]

    @property
    def red(self) -> tuple[GateOutcome, ...]:
        """The gates that did not pass."""
        return tuple(gate for gate in self.gates if not gate.passed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a run did with a slot, why, and the generation that is current after it (None while the slot is empty).

    `hold` is why the content may not move there now, None when it may.
    """

    asset: Asset
    key: PartitionKey
    outcome: Outcome
    record: GenerationRecord | None
    reason: str
    hold: str | None = None


class Run:
    """One run over a world: walks partitions through stages and remembers all of it in one journal entry.

    Close it with `close` whatever happened. What a crash keeps out of the journal, `mrv fsck --repair` writes later
    from the records.
    """

    def __init__(self, world: World, *, run_id: str, parent: Parent | None = None) -> None:
        """Begin; `parent` is what started the run, None for a run of its own."""
        self.world = world
        self.run_id = run_id
        self.parent = parent
        self._events: list[LineageEvent] = []
        self._documents: list[KeptDocument] = []
        self._told: set[str] = set()

    def plan(self, asset: Asset, key: PartitionKey, *, force: bool = False) -> Planned:
        """Resolve the inputs to digests and decide whether the stage has to run; load and compute nothing.

        `force` recomputes even when the inputs are those of the current generation. Raises Refusal when an
        input is missing, malformed or withdrawn, and remembers it; what is skipped may rest on a withdrawn one.
        """
        started = perf_counter()
        # Read before the inputs: if the slot moves on after that, the commit is refused instead of going back.
        current = self.world.slots.current(Slot.of(asset, key))
        try:
            work = recipe(asset)(self.world, key)
            skip = why_skipped(self.world, work, current, force=force)
            if work.refusal is not None and skip is None:
                raise work.refusal
        except Refusal as refusal:
            self._remember(asset, key, Outcome.REFUSED, None, reason=str(refusal), work=None)
            log.error("stage.refused", asset=asset.value, **_identity(key), run_id=self.run_id, error=str(refusal))
            raise
        log.info(
            "stage.started",
            asset=asset.value,
            **_identity(key),
            run_id=self.run_id,
            inputs=work.consumed,
            pins=work.pins,
        )
        return Planned(work=work, current=current, skip=skip, started=started)

    def unchanged(self, assets: Sequence[Asset], key: PartitionKey) -> tuple[Planned, ...] | None:
        """Return the stages of a partition if every one of them is to be skipped, None when any has to be looked into.

        Remembers nothing, and raises neither Refusal nor Transient: who looks into it hears of it.
        """
        stages = []
        for asset in assets:
            started = perf_counter()
            current = self.world.slots.current(Slot.of(asset, key))
            try:
                work = recipe(asset)(self.world, key)
            except (Refusal, Transient):
                return None
            skip = why_skipped(self.world, work, current, force=False)
            if skip is None:
                return None
            stages.append(Planned(work=work, current=current, skip=skip, started=started))
        return tuple(stages)

    def make(self, planned: Planned) -> Judged:
        """Compute the content and let every gate of the asset judge it. Keeps nothing."""
        work = planned.work
        try:
            staged = work.make()
        except GateError as error:
            gate = GateOutcome.from_error(error)
            return Judged(planned=planned, staged=None, content_digest=None, gates=(gate,))
        meanwhile = beside if staged.rows > FEW_ROWS else at_once
        with meanwhile(_content_digest, work, staged) as content_digest:
            gates = judge_all(work.asset, work.case(staged, planned.current))
            # Refused content may have no digest: keys that repeat are an error to it, and a red gate to people.
            digest = content_digest() if all(gate.passed for gate in gates) else None
        return Judged(planned=planned, staged=staged, content_digest=digest, gates=gates)

    def skip(self, planned: Planned) -> Kept:
        """Remember that the slot was reviewed and left as it is."""
        if planned.skip is None:
            raise ValueError("a stage that has to run cannot be skipped")
        return self._kept(planned, Outcome.SKIPPED, planned.current, planned.skip)

    def refuse(self, judged: Judged) -> GateError:
        """Remember a red judgement and return the error that says so; nothing is kept."""
        reason = refused_by([gate.gate for gate in judged.red])
        self._kept(judged.planned, Outcome.REFUSED, judged.planned.current, reason, gates=judged.gates)
        return refusal_by(judged.red, judged.planned.work.slot)

    def keep(self, judged: Judged) -> Kept:
        """Make the judged content the current generation of its slot, unless it already is.

        Raises GateError when a gate is red, NonDeterministic when the same inputs gave other content before,
        CommitConflict when another run moved the slot meanwhile, CommitStateUnknown when it cannot be known
        whether the commit landed.
        """
        if judged.red or judged.staged is None or judged.content_digest is None:
            raise self.refuse(judged)
        planned, work, staged = judged.planned, judged.planned.work, judged.staged
        content_digest = judged.content_digest
        if work.hold is not None:
            return self._kept(planned, Outcome.SKIPPED, planned.current, work.hold, gates=judged.gates)
        if self._is_kept(planned.current, content_digest, judged.gates):
            reason = work.settled or CONTENT_UNCHANGED
            return self._kept(planned, Outcome.SKIPPED, planned.current, reason, gates=judged.gates)
        _refuse_non_determinism(planned, content_digest)
        gates, content = judged.gates, Once(staged.content)
        rows, evidence, aside = staged.rows, staged.evidence, staged.quarantined
        said = SetAside() if work.contract is None else SetAside.said_by(staged.table)
        del judged, staged  # so that a table goes as it is written, because its memory is needed
        draft = Draft(
            slot=work.slot,
            content=content.take() if work.contract is None else to_parquet(content.take()),
            media_type=blobs.JSON if work.contract is None else blobs.PARQUET,
            content_digest=content_digest,
            rows=rows,
            inputs_digest=work.inputs_digest,
            inputs=work.inputs,
            upstream=work.upstream_refs,
            pins=work.pins,
            evidence=evidence,
            gates=gates,
            reason=work.reason_after(planned.current),
            run_id=self.run_id,
            expected=planned.current,
            quarantined=None if aside is None else to_parquet(aside),
            quarantined_rows=0 if aside is None else aside.num_rows,
        )
        meanwhile = beside if rows > FEW_ROWS else at_once
        with meanwhile(_require_read_back, work, draft, said) as proof:
            committed = self.world.slots.commit(draft, proof=proof)
        if not committed.is_ours:
            reason = f"{CONTENT_UNCHANGED}: another run committed it"
            return self._kept(planned, Outcome.SKIPPED, committed.record, reason, gates=gates)
        return self._kept(planned, Outcome.COMMITTED, committed.record, committed.record.reason, gates=gates)

    def _is_kept(self, current: GenerationRecord | None, content_digest: str, gates: tuple[GateOutcome, ...]) -> bool:
        """Tell whether the current generation holds this content, still stored, judged by gates of these names.

        Content that meets a gate it was never judged by gets a generation of its own, or nothing downstream could
        demand that gate.
        """
        if current is None or current.content_digest != content_digest:
            return False
        is_judged_alike = {gate.gate for gate in current.gates} == {gate.gate for gate in gates}
        return is_judged_alike and self.world.slots.has_blob(current)

    def advance(self, asset: Asset, key: PartitionKey, *, force: bool = False) -> Kept:
        """Walk a partition through one stage: plan, then skip, or make, judge and keep. Raises what they raise."""
        planned = self.plan(asset, key, force=force)
        return self.skip(planned) if planned.skip else self.keep(self.make(planned))

    def close(self) -> int | None:
        """Append everything the run did as one journal entry; return its number, or None when it did nothing."""
        if not self._events:
            return None
        events, self._events = tuple(self._events), []
        documents, self._documents = tuple(self._documents), []
        return self.world.journal.append(self.run_id, events, documents=documents, parent=self.parent)

    def _kept(
        self,
        planned: Planned,
        outcome: Outcome,
        record: GenerationRecord | None,
        reason: str,
        *,
        gates: tuple[GateOutcome, ...] = (),
    ) -> Kept:
        work = planned.work
        if record is not None and record.run_id == self.run_id:
            self._remember_commit(record, work.key)
        if work.asset is Asset.CERTIFICATE and record is not None and outcome is not Outcome.REFUSED:
            self._documents.extend(seal(self.world, record))
        if work.asset is Asset.LEDGER and record is not None and outcome is not Outcome.REFUSED:
            show(self.world, record)
        if outcome is not Outcome.COMMITTED:
            self._remember(
                work.asset,
                work.key,
                outcome,
                record,
                reason=reason,
                work=work,
            )
        log.info(
            "stage.finished",
            asset=work.asset.value,
            **_identity(work.key),
            run_id=self.run_id,
            outcome=outcome.value,
            reason=reason,
            generation=record.generation if record else None,
            rows=record.rows if record else None,
            duration_s=round(perf_counter() - planned.started, 6),
            gates={gate.gate: gate.passed for gate in gates or (record.gates if record else ())},
        )
        return Kept(
            asset=work.asset,
            key=work.key,
            outcome=outcome,
            record=record,
            reason=reason,
            hold=work.hold or work.settled,
        )

    def _remember_commit(self, record: GenerationRecord, key: PartitionKey) -> None:
        """Tell of a commit of this run, once, also when its answer was lost and a retry found it landed."""
        event = LineageEvent.of_commit(record, factor_version=key.factor_version)
        if event.event_id not in self._told:
            self._told.add(event.event_id)
            self._events.append(event)

    def _remember(
        self,
        asset: Asset,
        key: PartitionKey,
        outcome: Outcome,
        record: GenerationRecord | None,
        *,
        reason: str,
        work: Work | None,
    ) -> None:
        """Tell of a skip or refusal; `work` is None when its inputs could not be resolved."""
        self._events.append(
            LineageEvent(
                outcome=outcome,
                slot=Slot.of(asset, key),
                factor_version=key.factor_version,
                generation=record.generation if record else None,
                content_digest=record.content_digest if record else None,
                record_sha256=record.sha256 if record else None,
                inputs_digest=work.inputs_digest if work else None,
                inputs=work.consumed if work else {},
                reason=reason,
                run_id=self.run_id,
                occurred_utc=utc_text(self.world.clock()),
                source=work.source if work else {},
            )
        )


def _identity(key: PartitionKey) -> dict[str, str]:
    return {
        "project_id": key.project_id,
        "period": key.period,
        "factor_version": key.factor_version,
        "idempotency_key": key.idempotency_key,
    }


def _content_digest(work: Work, staged: Staged) -> str:
    return sha256_hex(staged.document) if work.contract is None else work.contract.digest(staged.table)


def _refuse_non_determinism(planned: Planned, content_digest: str) -> None:
    current, work = planned.current, planned.work
    if current is None or current.inputs_digest != work.inputs_digest or current.content_digest == content_digest:
        return
    raise NonDeterministic(
        "the same pinned inputs gave other content",
        where=f"{work.slot}, generation {current.generation}",
        expected=f"content {current.content_digest}",
        found=f"content {content_digest}",
        remedy="find what the stage reads that is not pinned; the kept generation stays as it is",
    )


def _require_read_back(work: Work, draft: Draft, said: SetAside) -> None:
    """Read a table back from the bytes to keep, once, to prove that they say what was judged.

    And the rows set aside, to prove that they are those that the table says it was made without.
    """
    if work.contract is not None:
        require_content(draft.content, work.contract, draft.content_digest, where=str(work.slot))
    if draft.quarantined is not None:
        require_content(draft.quarantined, QUARANTINE, said.digest, where=f"{work.slot}, quarantine")
