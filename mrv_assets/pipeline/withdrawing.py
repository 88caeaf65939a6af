"""Taking a figure back, and letting its period report again: the word of a person is kept first, then the ledger moves.

A withdrawal counts from the generation by which the ledger says that nothing is reported; a word without it, which a
crash leaves, is completed by the same call. What does not belong here: who asks (cli) and what readers see (withdrawn).
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from time import perf_counter

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal, Reinstatement
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot, checked_id
from mrv_assets.pipeline.kin import reporting_same_days
from mrv_assets.pipeline.promotion import reported
from mrv_assets.pipeline.recipes import withdrawn_work
from mrv_assets.pipeline.run import Kept, Planned, Run
from mrv_assets.pipeline.withdrawn import silence
from mrv_assets.pipeline.world import World
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.documents import kept_document
from mrv_assets.storage.withdrawals import Word, find_withdrawal, keep_reinstatement, keep_withdrawal, key_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """The withdrawal that stands, whether it was given before, and what became of the ledger by this call."""

    withdrawal: FigureWithdrawal
    is_before: bool
    kept: Kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinstated:
    """The reinstatement that is there for good, and whether it was given before."""

    reinstatement: Reinstatement
    is_before: bool


def withdraw(
    world: World, project_id: str, period: str, *, by: str, reason: str, in_favour_of: str | None = None
) -> Withdrawn:
    """Take back the figure that the ledger reports for a project and period, and report nothing in its place.

    The project file need not be there any more. What was withdrawn already stays withdrawn by who did it first. Raises
    ContractError when there is no figure or nobody says who and why, CommitConflict when another figure is reported
    meanwhile, and what `keep_withdrawal`, `Run.keep` and `Journal.append` raise.
    """
    slot = _slot(project_id, period)
    current = world.slots.current(slot)
    if current is None:
        raise _nothing(slot, "an empty slot")
    found = silence(world.store, current)
    if found is None:
        before = find_withdrawal(world.store, slot, current.generation)
        word = before or _keep(world, current, by=by, reason=reason, in_favour_of=in_favour_of)
        return Withdrawn(withdrawal=word, is_before=before is not None, kept=_silenced(world, word, current, skip=None))
    if found.hold is None:
        raise _nothing(slot, f"{found.withdrawal.reason!r} was {found.reinstatement}, and nothing is reported since")
    kept = _silenced(world, found.withdrawal, current, skip=found.hold)
    return Withdrawn(withdrawal=found.withdrawal, is_before=True, kept=kept)


def reinstate(world: World, project_id: str, period: str, *, by: str, reason: str) -> Reinstated:
    """End the withdrawal of a project and period, so that the next run of the partition may report it again.

    Raises ContractError when nothing is withdrawn, when a day of the period is reported elsewhere, and when nobody says
    who and why; what `keep_reinstatement` and `Journal.append` raise.
    """
    slot = _slot(project_id, period)
    found = silence(world.store, world.slots.current(slot))
    if found is None:
        raise ContractError(
            "there is no withdrawal to end",
            where=str(slot),
            expected="a figure that was withdrawn",
            found="a figure that is reported, or none that ever was",
            remedy="see `mrv ledger --history`; nothing was reinstated",
        )
    if found.reinstatement is not None:
        return Reinstated(reinstatement=found.reinstatement, is_before=True)
    _require_free(world, slot, found.withdrawal)
    ours = Reinstatement(
        project_id=slot.project_id,
        period=slot.period,
        generation=found.withdrawal.generation,
        withdrawal_sha256=found.withdrawal.sha256,
        reason=reason,
        reinstated_by=by,
        reinstated_utc=utc_text(world.clock()),
        write_id=uuid.uuid4().hex,
    )
    kept = keep_reinstatement(world.store, ours)
    _tell(world, kept)
    return Reinstated(reinstatement=kept, is_before=kept != ours)


def _keep(
    world: World, current: GenerationRecord, *, by: str, reason: str, in_favour_of: str | None
) -> FigureWithdrawal:
    word = keep_withdrawal(
        world.store,
        FigureWithdrawal(
            project_id=current.slot.project_id,
            period=current.slot.period,
            generation=current.generation,
            withdrawn=reported(world, current),
            reason=reason,
            in_favour_of=in_favour_of,
            withdrawn_by=by,
            withdrawn_utc=utc_text(world.clock()),
            write_id=uuid.uuid4().hex,
        ),
    )
    _tell(world, word)
    return word


def _tell(world: World, word: Word) -> None:
    """Tell the journal of a word; of one that it tells of already, nothing breaks when it does so twice."""
    world.journal.append(f"withdrawal {word.write_id}", [], documents=[kept_document(key_of(word), word.to_bytes())])


def _silenced(world: World, word: FigureWithdrawal, current: GenerationRecord, *, skip: str | None) -> Kept:
    """Let the ledger say that nothing is reported, by a run that has no other stage; or see that it says so."""
    version = word.withdrawn.factor_version
    key = PartitionKey(project_id=word.project_id, period=word.period, factor_version=version)
    planned = Planned(work=withdrawn_work(key, word), current=current, skip=skip, started=perf_counter())
    run = Run(world, run_id=f"withdrawal-{uuid.uuid4().hex}")
    try:
        return run.keep(run.make(planned)) if skip is None else run.skip(planned)
    finally:
        run.close()


def _require_free(world: World, slot: Slot, withdrawal: FigureWithdrawal) -> None:
    version = withdrawal.withdrawn.factor_version
    key = PartitionKey(project_id=slot.project_id, period=slot.period, factor_version=version)
    elsewhere = sorted(reporting_same_days(world, key))
    if elsewhere:
        raise ContractError(
            "days of the withdrawn figure are reported elsewhere",
            where=str(slot),
            expected="no live figure of the project, under any name, for a day of the period",
            found=", ".join(f"{project} {period}" for project, period in elsewhere),
            remedy="withdraw these first, or leave this one withdrawn; nothing was reinstated",
        )


def _slot(project_id: str, period: str) -> Slot:
    checked_id(project_id, what="project_id")
    return Slot(asset=Asset.LEDGER, project_id=project_id, period=Period.parse(period).text, factor_version=None)


def _nothing(slot: Slot, found: str) -> ContractError:
    return ContractError(
        "there is no figure to withdraw",
        where=str(slot),
        expected="a figure that the ledger reports",
        found=found,
        remedy="see `mrv ledger`; nothing was withdrawn",
    )
