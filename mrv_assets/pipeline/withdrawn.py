"""Whether a slot of the ledger reports anything: its newest generation may say that its figure was taken back.

Every reader of a current figure asks here. What does not belong here: taking a figure back (withdrawing).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mrv_assets.domain.figure_withdrawal import FigureWithdrawal, Reinstatement
from mrv_assets.domain.generation import REINSTATEMENT, GenerationRecord, InputRef
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.slots import SlotStore
from mrv_assets.storage.withdrawals import ever_withdrawn, find_reinstatement, key_of, load_withdrawal


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A ledger slot that reports nothing: the word that took its figure back, and the one that ended that, if any."""

    withdrawal: FigureWithdrawal
    reinstatement: Reinstatement | None

    @property
    def hold(self) -> str | None:
        """Say why the ledger stays silent, None when it may report again."""
        return str(self.withdrawal) if self.reinstatement is None else None

    @property
    def reinstatement_ref(self) -> InputRef | None:
        """The word that ended the silence, as an input of the figure that it lets through."""
        if self.reinstatement is None:
            return None
        word = self.reinstatement
        return InputRef(kind=REINSTATEMENT, name=key_of(word), digest=word.sha256)


def silence(store: ObjectStore, current: GenerationRecord | None) -> Silence | None:
    """Return why a slot with this newest generation reports nothing, None for a figure and for an empty slot.

    Raises BrokenChain for a word that is not what it was written as.
    """
    if current is None or current.withdrawal is None:
        return None
    withdrawal = load_withdrawal(store, current.withdrawal.name)
    return Silence(withdrawal=withdrawal, reinstatement=find_reinstatement(store, withdrawal))


def live_record(slots: SlotStore, slot: Slot) -> GenerationRecord | None:
    """Return the generation whose figure is reported, None for an empty slot and for a withdrawn figure."""
    current = slots.current(slot)
    return None if current is None or current.withdrawal is not None else current


def last_figure(slots: SlotStore, current: GenerationRecord) -> GenerationRecord:
    """Return the figure that a slot reports, or the one that it reported last: a withdrawal is no fresh start."""
    record = current
    while record.withdrawal is not None and record.generation > 1:
        record = slots.record(record.slot, record.generation - 1)
    return record


def ledger_slots_now(world: World, *, project_id: str | None = None) -> Iterator[Slot]:
    """Yield every ledger slot that is listed now; a world at a glance asks anew for what it knows an older one of."""
    for slot, newest in world.slots.list_slots(asset=Asset.LEDGER, project_id=project_id):
        if world.slots.newest(slot) != newest:
            world.slots.refresh(slot)
        yield slot


def live_slots(world: World, *, project_id: str | None = None) -> Iterator[Slot]:
    """Yield every ledger slot that reports a figure, from two listings; only what was ever withdrawn is read."""
    doubtful = ever_withdrawn(world.store)
    for slot in ledger_slots_now(world, project_id=project_id):
        if slot not in doubtful or live_record(world.slots, slot) is not None:
            yield slot
