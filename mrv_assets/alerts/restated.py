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
from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.digest import Json
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.lineage import LineageEvent, Outcome
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.tonnes import Move, Tonnes
from mrv_assets.pipeline.figures import Figure, read_figure
from mrv_assets.storage.slots import SlotStore

Causes: TypeAlias = Callable[[Certificate, Certificate], Sequence[str]]
"""What differs between two certificates, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """A reported figure and the one that took its place."""

    before: Figure
    after: Figure
    causes: Sequence[str]

    @property
    def move(self) -> Move:
        """The tonnes of both."""
        return Move(before=_tonnes(self.before.totals), after=_tonnes(self.after.totals))

    @property
    def line(self) -> str:
        """The change for people, net t CO2e, every digit."""
        move, figure = self.move, self.after
        return (
            f"{figure.project_id} {figure.period}: {move.before.net:,f} → {move.after.net:,f} t CO2e net"
            f" ({move.delta:+,f}); {'; '.join(self.causes) or 'see `mrv ledger`'};"
            f" certificate {figure.sealing.content_digest}"
        )

    def to_json(self) -> dict[str, Json]:
        """Return the change, tonnes as decimal text."""
        return {
            "project_id": self.after.project_id,
            "period": self.after.period,
            "generation": self.after.generation,
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
    """Return what an entry moved; a figure of the same tonnes is none, whatever it rests on."""
    pairs = [_figures(event, slots) for event in entry.events if _is_replacement(event)]
    return tuple(
        Restated(before=before, after=after, causes=tuple(causes(before.certificate, after.certificate)))
        for before, after in pairs
        if _tonnes(before.totals) != _tonnes(after.totals)
    )


def restatement_message(entry: JournalEntry, found: Sequence[Restated]) -> Message:
    """Return the alert of one entry."""
    [first, *others] = found
    one = f"{first.after.project_id} {first.after.period}, {first.move.delta:+,f} t CO2e net"
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


def _figures(event: LineageEvent, slots: SlotStore) -> tuple[Figure, Figure]:
    number = event.generation or 0
    before, after = (read_figure(slots, slots.record(event.slot, n)) for n in (number - 1, number))
    return before, after


def _tonnes(totals: Totals) -> Tonnes:
    return Tonnes(emissions=totals.emissions_tco2e, removals=totals.removals_tco2e)


def _side(figure: Figure) -> dict[str, Json]:
    return {
        **figure.totals.tonnes,
        "factor_version": figure.factor_version,
        "certificate_sha256": figure.sealing.content_digest,
    }
