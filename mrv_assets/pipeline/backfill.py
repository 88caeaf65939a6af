"""Carrying many partitions through the pipeline, one after the other: one that is refused stops no other one.

Each chunk is a run of the pipeline with a journal entry of its own, so a crash loses what one chunk remembers at most,
and no figure. What does not belong here: which partitions (backfill_window), and Dagster (orchestration).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from mrv_assets.domain.cause import Cause, figure_causes, in_order, pin_causes
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import CommitConflict, MrvError, Refusal, Transient
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.run_manifest import AssetDone, PartitionDone, Stood, Trouble
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.pipeline.promotion import reported
from mrv_assets.pipeline.run import Kept, Planned, Run
from mrv_assets.pipeline.world import World

CONFLICTS = 3
"""How often a partition is begun anew because another run moved one of its slots meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageDone:
    """What became of one asset: what was kept, or the error, and what its gates said of it."""

    asset: Asset
    kept: Kept | None
    gates: Sequence[GateOutcome]
    error: MrvError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """A partition after its walk: the assets that were reached, in order."""

    key: PartitionKey
    stages: Sequence[StageDone] = field(default=())

    @property
    def error(self) -> MrvError | None:
        """Why it did not come through, None when it did."""
        return self.stages[-1].error

    @property
    def red(self) -> tuple[str, ...]:
        """The gates that were red."""
        return tuple(gate.gate for gate in self.stages[-1].gates if not gate.passed)


def walk(run: Run, key: PartitionKey, *, assets: Sequence[Asset], force: bool) -> Walked:
    """Carry one partition through the assets, up to the first that is refused or cannot be had now.

    What the world was opened with, listing and projects, is believed for a skip of the whole partition only. As soon as
    anything has to be looked into, the store is asked for every slot and the project's files are read again, so that
    nothing is made from what has been replaced meanwhile.
    Raises what is Tampering: a chunk ends there.
    """
    unchanged = None if force else run.unchanged(assets, key)
    if unchanged is not None:
        return Walked(key=key, stages=tuple(_skipped(run, planned) for planned in unchanged))
    walked = _walk(run, key, assets, force=force)
    for _ in range(CONFLICTS):
        if not isinstance(walked.error, CommitConflict):
            break
        walked = _walk(run, key, assets, force=force)
    return walked


def _walk(run: Run, key: PartitionKey, assets: Sequence[Asset], *, force: bool) -> Walked:
    run.world.references.refresh(key.project_id)
    for asset in Asset:
        run.world.slots.refresh(Slot.of(asset, key))
    stages: list[StageDone] = []
    for asset in assets:
        stages.append(_stage(run, asset, key, force=force))
        if stages[-1].error is not None:
            break
    return Walked(key=key, stages=tuple(stages))


def _skipped(run: Run, planned: Planned) -> StageDone:
    kept = run.skip(planned)
    return StageDone(asset=kept.asset, kept=kept, gates=kept.record.gates if kept.record else ())


def _stage(run: Run, asset: Asset, key: PartitionKey, *, force: bool) -> StageDone:
    gates: Sequence[GateOutcome] = ()
    try:
        planned = run.plan(asset, key, force=force)
        if planned.skip is not None:
            return _skipped(run, planned)
        judged = run.make(planned)
        gates = judged.gates
        return StageDone(asset=asset, kept=run.keep(judged), gates=gates)
    except (Refusal, Transient) as error:
        return StageDone(asset=asset, kept=None, gates=gates, error=error)


def done(world: World, walked: Walked, *, runs: Collection[str]) -> PartitionDone:
    """Return what became of a partition, its figure before and after as the ledger's own history has it.

    `runs` are the ids whose commits count as this run's: its own, and those of the runs that it goes on from. So a
    chunk that is tried again, or a run that is executed again from failure, says the same as one that was not
    interrupted. Raises BrokenChain for a history that is not whole.
    """
    kept = {stage.asset: stage.kept for stage in walked.stages if stage.kept is not None}
    at_end = kept.get(Asset.LEDGER)
    ledger = at_end.record if at_end else world.slots.current(Slot.of(Asset.LEDGER, walked.key))
    certificate = kept[Asset.CERTIFICATE].record if Asset.CERTIFICATE in kept and walked.error is None else None
    before = _before(world, ledger, runs)
    after = _stood(world, ledger)
    is_shown = certificate is None or (after is not None and after.certificate_sha256 == certificate.content_digest)
    return PartitionDone(
        key=walked.key,
        assets=tuple(_asset_done(stage, runs) for stage in walked.stages),
        before=after if before == ledger else _stood(world, before),
        after=after,
        certified=None if is_shown or certificate is None else _certified(certificate),
        causes=_causes(world, before, ledger, None if is_shown else certificate),
        held=at_end.hold if at_end and not is_shown else None,
        trouble=None if walked.error is None else Trouble.of(walked.error, red_gates=walked.red),
    )


def _asset_done(stage: StageDone, runs: Collection[str]) -> AssetDone:
    if stage.kept is None:
        reason = stage.error.what if stage.error else ""
        return AssetDone(
            asset=stage.asset, outcome=Outcome.REFUSED, generation=None, content_digest=None, reason=reason
        )
    kept, record = stage.kept, stage.kept.record
    is_ours = record is not None and record.run_id in runs and kept.hold is None
    return AssetDone(
        asset=stage.asset,
        outcome=Outcome.COMMITTED if is_ours else kept.outcome,
        generation=record.generation if record else None,
        content_digest=record.content_digest if record else None,
        reason=record.reason if is_ours and record else kept.reason,
    )


def _before(world: World, ledger: GenerationRecord | None, runs: Collection[str]) -> GenerationRecord | None:
    """Return the generation that was current before these runs moved the ledger, itself when they did not."""
    record = ledger
    while record is not None and record.run_id in runs:
        record = world.slots.record(record.slot, record.generation - 1) if record.generation > 1 else None
    return record


def _stood(world: World, ledger: GenerationRecord | None) -> Stood | None:
    if ledger is None or ledger.withdrawal is not None:
        return None
    figure = reported(world, ledger)
    return Stood(
        tonnes=figure.tonnes, factor_version=figure.factor_version, certificate_sha256=figure.certificate_sha256
    )


def _certified(record: GenerationRecord) -> Stood:
    """Return the figure of a certificate, from what its record states."""
    said = record.evidence
    return Stood(
        tonnes=Tonnes(emissions=Decimal(said["emissions_tco2e"]), removals=Decimal(said["removals_tco2e"])),
        factor_version=record.pins["factor_version"],
        certificate_sha256=record.content_digest,
    )


def _causes(
    world: World,
    before: GenerationRecord | None,
    ledger: GenerationRecord | None,
    certificate: GenerationRecord | None,
) -> tuple[Cause, ...]:
    """Return why the ledger moved, else why it would move to a certificate that it does not show."""
    if before == ledger and certificate is None:
        return ()
    new = _behind(world, ledger) if before != ledger else certificate
    if new is None:
        return ()
    old = _behind(world, before)
    if old is None:
        return (Cause.NEVER_RUN if before is None else Cause.REINSTATED,)
    sealed = figure_causes(_certificate(world, old), _certificate(world, new))
    return in_order({*sealed, *pin_causes(old.pins, new.pins)})


def _behind(world: World, ledger: GenerationRecord | None) -> GenerationRecord | None:
    """Return the certificate generation that a generation of the ledger rests on."""
    refs = [] if ledger is None else [ref for ref in ledger.upstream if ref.slot.asset is Asset.CERTIFICATE]
    return world.slots.record(refs[0].slot, refs[0].generation) if refs else None


def _certificate(world: World, record: GenerationRecord) -> Certificate:
    return Certificate.from_bytes(
        world.slots.load_bytes(record), where=f"{record.slot}, generation {record.generation}"
    )


def unsettled(partitions: Sequence[Walked]) -> Iterator[Transient]:
    """Yield the errors that may be gone when it is tried again."""
    for one in partitions:
        if isinstance(one.error, Transient):
            yield one.error
