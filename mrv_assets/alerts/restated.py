"""Restatements as alerts: each ledger slot that an entry of the journal moved to other tonnes.

Found in the journal and read from the ledger's own records, never from events of Dagster. What does not belong here:
why certificates differ (report) and when entries are delivered (pipeline/outbox).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from mrv_assets.alerts.message import Kind, Message, message_id, shown
from mrv_assets.alerts.targets import Target
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.digest import Json
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.lineage import LineageEvent, Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.domain.tonnes import Move, Tonnes
from mrv_assets.pipeline.figures import Figure, read_figure
from mrv_assets.storage.slots import SlotStore

Causes: TypeAlias = Callable[[Certificate, Certificate], Sequence[str]]
"""What differs between two certificates, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """What a generation of the ledger moved: the figure before and after, None where nothing is reported any more."""

    slot: Slot
    generation: int
    before: Figure | None
    after: Figure | None
    causes: Sequence[str]

    @property
    def move(self) -> Move:
        """The tonnes of both; what reports nothing counts for nothing."""
        return Move(before=_tonnes(self.before), after=_tonnes(self.after))

    @property
    def line(self) -> str:
        """The change for people, net t CO2e, every digit."""
        move = self.move
        now = f"certificate {self.after.sealing.content_digest}" if self.after else "nothing is reported now"
        return (
            f"{self.slot.project_id} {self.slot.period}: {move.before.net:,f} → {move.after.net:,f} t CO2e net"
            f" ({move.delta:+,f}); {'; '.join(self.causes) or 'see `mrv ledger`'}; {now}"
        )

    def to_json(self) -> dict[str, Json]:
        """Return the change, tonnes as decimal text; a side that reports nothing is null."""
        return {
            "project_id": self.slot.project_id,
            "period": self.slot.period,
            "generation": self.generation,
            "before": _side(self.before),
            "after": _side(self.after),
            "delta_net_tco2e": f"{self.move.delta:f}",
            "causes": list(self.causes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Restatements:
    """A target as what takes journal entries; those written before the day `since` are passed over."""

    target: Target
    slots: SlotStore
    causes: Causes
    since: date

    @property
    def name(self) -> str:
        """The target's name."""
        return self.target.name

    def begin(self) -> None:
        """Nothing is left unfinished by a message that was not taken."""

    def take(self, entry: JournalEntry) -> int:
        """Send one message for all restatements of the entry, if there are any and the target is told them.

        Raises what `Target.send` raises, and Tampering when a figure is not what was sealed.
        """
        is_told = Kind.RESTATEMENT in self.target.alerts and date.fromisoformat(entry.written_utc[:10]) >= self.since
        found = restated_in(entry, self.slots, self.causes) if is_told else ()
        if found:
            self.target.send(restatement_message(entry, found))
        return min(len(found), 1)


def restated_in(entry: JournalEntry, slots: SlotStore, causes: Causes) -> tuple[Restated, ...]:
    """Return what an entry moved; a figure of the same tonnes is none, whatever it rests on.

    A figure that was taken back, or reported again after that, is moved by a person's word, which is its cause.
    """
    found = (_restated(event, slots, causes) for event in entry.events if _is_replacement(event))
    return tuple(one for one in found if one.move.before != one.move.after)


def restatement_message(entry: JournalEntry, found: Sequence[Restated]) -> Message:
    """Return the alert of one entry."""
    [first, *others] = found
    one = f"{first.slot.project_id} {first.slot.period}, {first.move.delta:+,f} t CO2e net"
    return Message(
        kind=Kind.RESTATEMENT,
        id=message_id(Kind.RESTATEMENT, entry.write_id),
        title=f"Restatement of {len(found)} figures" if others else f"Restatement: {one}",
        lines=shown([one.line for one in found]),
        facts={
            "journal_entry": entry.number,
            "run_id": entry.run_id,
            "written_utc": entry.written_utc,
            "restatements": [one.to_json() for one in found],
        },
    )


def _is_replacement(event: LineageEvent) -> bool:
    is_ledger = event.asset is Asset.LEDGER and event.outcome is Outcome.COMMITTED
    return is_ledger and event.generation is not None and event.generation > 1


def _restated(event: LineageEvent, slots: SlotStore, causes: Causes) -> Restated:
    number = event.generation or 0
    record = slots.record(event.slot, number)
    before, after = _figure(slots, slots.record(event.slot, number - 1)), _figure(slots, record)
    told = causes(before.certificate, after.certificate) if before and after else (record.reason,)
    return Restated(slot=event.slot, generation=number, before=before, after=after, causes=tuple(told))


def _figure(slots: SlotStore, record: GenerationRecord) -> Figure | None:
    return None if record.withdrawal is not None else read_figure(slots, record)


def _tonnes(figure: Figure | None) -> Tonnes:
    if figure is None:
        return Tonnes()
    return Tonnes(emissions=figure.totals.emissions_tco2e, removals=figure.totals.removals_tco2e)


def _side(figure: Figure | None) -> dict[str, Json] | None:
    if figure is None:
        return None
    return {
        **figure.totals.tonnes,
        "factor_version": figure.factor_version,
        "certificate_sha256": figure.sealing.content_digest,
    }
