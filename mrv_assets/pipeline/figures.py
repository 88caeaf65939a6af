"""Reported figures as they stand and as they stood: each generation of the ledger with the certificate behind it.

Nothing is handed out unchecked: a figure that its certificate does not seal raises instead of showing. What
does not belong here: comparing figures and showing them (report, cli).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.withdrawn import live_record
from mrv_assets.storage.slots import SlotStore
from mrv_assets.verify import verify_certificate, verify_figure, verify_history, verify_nothing_reported


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One generation of a ledger slot and the certificate that seals it, checked against each other.

    `sealing` is the record of the certificate: what it was made with, which it cannot say itself.
    """

    record: GenerationRecord
    sealing: GenerationRecord
    certificate: Certificate

    @property
    def project_id(self) -> str:
        """The project that reports."""
        return self.certificate.key.project_id

    @property
    def period(self) -> str:
        """The period that is reported."""
        return self.certificate.key.period

    @property
    def factor_version(self) -> str:
        """The factor release behind the figure."""
        return self.certificate.key.factor_version

    @property
    def generation(self) -> int:
        """The generation of the ledger slot, 1 for the first figure."""
        return self.record.generation

    @property
    def totals(self) -> Totals:
        """Emissions, removals and net, t CO2e to 1e-9."""
        return self.certificate.totals

    @property
    def source_digests(self) -> frozenset[str]:
        """The sha256 of each source file that the certificate names."""
        return frozenset(ref.digest for ref in self.certificate.inputs if ref.kind == "source")


def read_figure(slots: SlotStore, record: GenerationRecord) -> Figure:
    """Return the figure of one ledger generation.

    Raises what `verify_certificate` and `verify_figure` raise, and BrokenChain when the record names no
    certificate.
    """
    sealing = upstream_record(slots, record, Asset.CERTIFICATE)
    certificate = verify_certificate(slots.load_bytes(sealing), sealing)
    verify_figure(slots.load_table(record), certificate)
    return Figure(record=record, sealing=sealing, certificate=certificate)


def read_nothing(slots: SlotStore, record: GenerationRecord) -> GenerationRecord:
    """Return a generation by which a figure was withdrawn, when it reports nothing indeed.

    Raises what `verify_nothing_reported` and reading a generation raise.
    """
    verify_nothing_reported(slots.load_table(record), record)
    return record


def ledger_history(slots: SlotStore, slot: Slot) -> tuple[Figure | GenerationRecord, ...]:
    """Return every generation of a ledger slot, oldest first: a figure, or the record by which one was withdrawn.

    Raises what `verify_history`, `read_figure` and `read_nothing` raise.
    """
    records = slots.history(slot)
    verify_history(records)
    return tuple(read_figure(slots, one) if one.withdrawal is None else read_nothing(slots, one) for one in records)


def figure_history(slots: SlotStore, slot: Slot) -> tuple[Figure, ...]:
    """Return every figure a ledger slot ever reported, oldest first; none for an empty slot.

    What was withdrawn is among them, and the withdrawals are not. Raises what `ledger_history` raises.
    """
    return tuple(one for one in ledger_history(slots, slot) if isinstance(one, Figure))


def ledger_slots(slots: SlotStore, *, project_id: str | None, period: str | None) -> Iterator[Slot]:
    """Yield the ledger slots that report something or did, limited to a project and a period where they are given."""
    for slot, _ in slots.list_slots(asset=Asset.LEDGER, project_id=project_id):
        if period in (None, slot.period):
            yield slot


def live_figures(slots: SlotStore, *, project_id: str | None, period: str | None) -> tuple[Figure, ...]:
    """Return what is reported now, by project and period, limited to a project and a period where they are given."""
    records = (live_record(slots, slot) for slot in ledger_slots(slots, project_id=project_id, period=period))
    return tuple(read_figure(slots, record) for record in records if record is not None)


def upstream_record(slots: SlotStore, record: GenerationRecord, asset: Asset) -> GenerationRecord:
    """Walk from a generation to the one of `asset` that it was made from, by the numbers in the records.

    Raises BrokenChain when the way up does not pass `asset`.
    """
    pending = list(record.upstream)
    while pending:
        ref = pending.pop(0)
        found = slots.record(ref.slot, ref.generation)
        if ref.slot.asset is asset:
            return found
        pending.extend(found.upstream)
    raise BrokenChain(
        "generation does not rest on what it must rest on",
        where=f"{record.slot}, generation {record.generation}",
        expected=f"a generation of {asset} among those it was made from",
        found="none",
        remedy="stop, keep the store as it is and compare the record with a replica",
    )
