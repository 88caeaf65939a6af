"""The check of a whole store: what storage finds, and whether certificates bear out every figure and every issuance.

The two halves are strangers to each other (storage keeps, verify judges), so they meet here. What does not belong here:
the checks of objects and chains (storage) and showing the report (cli, orchestration).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.errors import BrokenChain, GateError, MrvError, Refusal, Transient
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.registry import Issuance
from mrv_assets.domain.registry_book import Book
from mrv_assets.pipeline.figures import read_figure, read_nothing, upstream_record
from mrv_assets.pipeline.registry import Certified
from mrv_assets.pipeline.world import World
from mrv_assets.storage.approvals import approvals_of
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.breach import Breach, BreachKind, Findings, Report
from mrv_assets.storage.fsck import Progress, fsck
from mrv_assets.storage.gc import ABANDONED_AFTER, abandoned, is_collectable
from mrv_assets.storage.registry_records import read_registry, registry_key
from mrv_assets.storage.repair import Repaired, repair
from mrv_assets.storage.seals import seals_in
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.storage.withdrawals import find_withdrawal, key_of, words_of
from mrv_assets.verify import verify_approvals, verify_withdrawals
from mrv_assets.verify.withdrawals import WITHDRAWAL_STATED


def check_store(world: World, *, progress: Progress | None = None) -> Report:
    """Return every breach of the store, in storage and in figures.

    Records are held to the gates that they were judged by: after a gate was added, content that has not met it yet is
    behind, not broken. Raises StoreUnavailable when the store does not answer.
    """
    store, week_ago = world.store, world.clock() - ABANDONED_AFTER
    old = abandoned(store, before=week_ago) if is_collectable(store) else ()
    report = fsck(store, gates=None, abandoned=old, progress=progress)
    found = (
        _uncertified(world, report),
        _unapproved(world, report),
        _unborne(world, report),
        _foreign_seals(world, report),
    )
    return report.with_more(tuple(breach for breaches in found for breach in breaches))


def repair_store(world: World, report: Report) -> Repaired:
    """Complete what is repairable in `report`. Raises what `repair` raises."""
    return repair(world.store, world.clock, report, signer=world.signer)


def _uncertified(world: World, report: Report) -> tuple[Breach, ...]:
    findings = Findings()
    damaged = {breach.key for breach in report.breaches if not breach.is_repairable}
    for record in _sound_records(world, Asset.LEDGER, damaged):
        key = record_key(record.slot, record.generation)
        try:
            if record.withdrawal is not None:
                if blob_key(record.blob) not in damaged:
                    read_nothing(world.slots, record)
                continue
            sealing = upstream_record(world.slots, record, Asset.CERTIFICATE)
            parts = (blob_key(record.blob), record_key(sealing.slot, sealing.generation), blob_key(sealing.blob))
            if not damaged.intersection(parts):
                read_figure(world.slots, record)
        except Transient:
            raise
        except MrvError as error:
            expected, found = error.expected, f"{error.what}: {error.where}: {error.found}"
            findings.add(BreachKind.FIGURE_UNCERTIFIED, key, expected=expected, found=found, slot=record.slot)
    return findings.breaches()


def _unapproved(world: World, report: Report) -> tuple[Breach, ...]:
    """Look through the histories of the ledger that are whole; what is not is in the report already."""
    findings = Findings()
    damaged = {breach.key for breach in report.breaches if not breach.is_repairable}
    for slot, found in groupby(world.slots.listed_records(asset=Asset.LEDGER), key=itemgetter(0)):
        numbers = [number for _, number in found]
        keys = [record_key(slot, number) for number in numbers]
        if len(numbers) != numbers[-1] or not damaged.isdisjoint(keys):
            continue
        records = [world.slots.record(slot, number) for number in numbers]
        for kind, verify in _WORDS.items():
            try:
                verify(world, records)
            except Transient:
                raise
            except MrvError as error:
                text = f"{error.what}: {error.where}: {error.found}"
                findings.add(kind, keys[-1], expected=error.expected, found=text, slot=slot)
    return findings.breaches()


def _verify_approvals(world: World, records: Sequence[GenerationRecord]) -> None:
    verify_approvals(records, approvals_of(world.store, records))


def _verify_withdrawals(world: World, records: Sequence[GenerationRecord]) -> None:
    verify_withdrawals(records, words_of(world.store, records))


def _verify_completed(world: World, records: Sequence[GenerationRecord]) -> None:
    newest = records[-1]
    with suppress(BrokenChain):  # one that cannot be read is noted by storage
        word = find_withdrawal(world.store, newest.slot, newest.generation)
        if word is not None and newest.withdrawal is None:
            raise GateError(
                "figure that was taken back is still reported",
                gate=WITHDRAWAL_STATED,
                where=f"{newest.slot}, generation {newest.generation}",
                expected="a generation that reports nothing",
                found=f"{key_of(word)} by {word.withdrawn_by} on {word.withdrawn_utc}",
                remedy="run `mrv ledger withdraw` for it once more",
            )


_WORDS: Mapping[BreachKind, Callable[[World, Sequence[GenerationRecord]], None]] = {
    BreachKind.FIGURE_UNAPPROVED: _verify_approvals,
    BreachKind.WITHDRAWAL_UNSTATED: _verify_withdrawals,
    BreachKind.WITHDRAWAL_INCOMPLETE: _verify_completed,
}
"""What a history of the ledger may show of words of people that it lacks, and the check that finds it."""


def _unborne(world: World, report: Report) -> tuple[Breach, ...]:
    """Hold each issuance to its certificate. Where the records are no whole chain, that is in the report already."""
    if any(breach.kind is BreachKind.REGISTRY_BROKEN for breach in report.breaches):
        return ()
    findings = Findings()
    damaged = {breach.key for breach in report.breaches if not breach.is_repairable}
    records = read_registry(world.store)
    known = {one.content_digest: one for one in _sound_records(world, Asset.CERTIFICATE, damaged)} if records else {}
    certified, book = Certified(world.slots, known=known), Book()
    for record in records:
        try:
            if isinstance(record.entry, Issuance):
                certified.require(record.entry, before=book.issued_of(record.entry.project_id))
        except Transient:
            raise
        except MrvError as error:
            if isinstance(error, Refusal) or not damaged:
                found = f"{error.where}: {error.found}"
                key = registry_key(record.number)
                findings.add(BreachKind.ISSUANCE_UNCERTIFIED, key, expected=error.expected, found=found)
        with suppress(GateError):  # noted by storage, which sees it without the certificates
            book.add(record.entry)
    return findings.breaches()


def _foreign_seals(world: World, report: Report) -> tuple[Breach, ...]:
    """Find the seals of statements that no generation keeps; what is no seal at all is in the report already."""
    findings = Findings()
    damaged = {breach.key for breach in report.breaches if not breach.is_repairable}
    sealed = [(key, sha256_hex(found.payload)) for key, found in _sound_seals(world)]
    known = {one.content_digest for one in _sound_records(world, Asset.CERTIFICATE, damaged)} if sealed else set()
    for key, sha256 in sealed:
        if sha256 not in known and not damaged:
            findings.add(
                BreachKind.SEAL_BROKEN, key, expected="the seal of a certificate", found="one of no certificate"
            )
    return findings.breaches()


def _sound_seals(world: World) -> Iterator[tuple[str, Envelope]]:
    return (found for found in seals_in(world.store) if not isinstance(found, BrokenChain))


def _sound_records(world: World, asset: Asset, damaged: set[str]) -> Iterator[GenerationRecord]:
    """Yield the generations of an asset that are themselves sound; what is not is in the report already."""
    for slot, generation in world.slots.listed_records(asset=asset):
        if record_key(slot, generation) in damaged:
            continue
        try:
            yield world.slots.record(slot, generation)
        except BrokenChain:
            continue
