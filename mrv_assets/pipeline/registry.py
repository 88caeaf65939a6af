"""Attaching what a registry shows to certificates: checked as a whole first, then each entry recorded once.

Who comes second is refused: a record is created after all before it were read, and when another writer was faster the
whole is checked again. What does not belong here: the rules among records and of one certificate (domain), and the
form of the file.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError, GateError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.issuance_limits import CERTIFIED, require_allowed
from mrv_assets.domain.registry import Entry, Issuance
from mrv_assets.domain.registry_book import Book
from mrv_assets.domain.registry_file import Stated, StatedIssuance
from mrv_assets.domain.registry_record import RegistryRecord, entry_json
from mrv_assets.pipeline.certificates import find_certificate, not_found, reported_certificates
from mrv_assets.pipeline.world import World
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.documents import kept_document
from mrv_assets.storage.registry_records import keep_entries, read_registry, registry_key
from mrv_assets.storage.settle import Pause
from mrv_assets.storage.slots import SlotStore
from mrv_assets.verify import verify_certificate

_EARLIEST_ZONE = timedelta(hours=14)
"""A day begins so long before it does in UTC, on the islands that see it first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """What became of one entry: the record that was created, or None for a dry run and for what was recorded before.

    `differs` names what the earlier record of the same claim says otherwise; it stands as it is.
    """

    entry: Entry
    record: RegistryRecord | None
    is_skipped: bool
    differs: tuple[str, ...] = ()


def attach(
    world: World, stated: Sequence[Stated], *, recorded_by: str, is_dry_run: bool = False, pause: Pause = time.sleep
) -> tuple[Attached, ...]:
    """Record what a registry shows, each entry once, and tell what became of each, in order.

    All entries are checked together before the first is recorded. Raises ContractError for a certificate that is not
    found, GateError for an entry that may not be said beside the others or that its certificate does not bear out,
    Tampering for a certificate or a record that is not what was sealed, and what `keep_entries` raises. When others
    write meanwhile, entries that were recorded before a refusal stay, and the same call again skips them. The journal
    is told of the records; what a crash keeps out of there, `mrv fsck --repair` tells later.
    """
    now = world.clock()
    certified = Certified(world.slots)
    entries = [_entry(certified, one) for one in stated]
    for entry in entries:
        _require_past(entry, now)
    if is_dry_run:
        before = read_registry(world.store)
        added = _added(certified, before, entries)
        return _told(entries, before, dict.fromkeys((entry.claim for entry in added), None))
    seen: tuple[RegistryRecord, ...] = ()

    def draft(records: tuple[RegistryRecord, ...]) -> tuple[Entry, ...]:
        nonlocal seen
        seen = records
        return _added(certified, records, entries)

    kept = keep_entries(world.store, draft, recorded_by=recorded_by, recorded_utc=utc_text(now), pause=pause)
    if kept:
        documents = [kept_document(registry_key(record.number), record.to_bytes()) for record in kept]
        world.journal.append(f"registry {kept[0].write_id}", [], documents=documents)
    return _told(entries, seen, {record.entry.claim: record for record in kept})


class Certified:
    """The certificates behind issuances, each found, checked and read once."""

    def __init__(self, slots: SlotStore, *, known: Mapping[str, GenerationRecord] | None = None) -> None:
        """Look among `known`, by sha256, instead of all certificates of the store where it is given."""
        self._slots = slots
        self._known = known
        self._found: dict[str, Certificate] = {}
        self._reported: dict[tuple[str, str], tuple[str, ...]] = {}

    def certificate(self, text: str) -> Certificate:
        """Return the certificate that a text names. Raises as `find_certificate` and `verify_certificate` do."""
        if text not in self._found:
            record = self._record(text)
            certificate = verify_certificate(self._slots.load_bytes(record), record)
            self._found[text] = self._found[certificate.sha256] = certificate
        return self._found[text]

    def _record(self, text: str) -> GenerationRecord:
        if self._known is None:
            return find_certificate(self._slots, text)
        if text not in self._known:
            raise not_found(text, "a certificate of this store", "none")
        return self._known[text]

    def reported(self, project_id: str, period: str) -> tuple[str, ...]:
        """Return the sha256 of each certificate that the ledger has reported, the live one last."""
        key = (project_id, period)
        if key not in self._reported:
            self._reported[key] = reported_certificates(self._slots, project_id, period)
        return self._reported[key]

    def require(self, issuance: Issuance, *, before: Iterable[Issuance]) -> None:
        """Refuse an issuance that no reported figure bears out. Raises as `require_allowed` and `certificate` do."""
        certificate = self.certificate(issuance.certificate_sha256)
        if issuance.certificate_sha256 not in self.reported(issuance.project_id, issuance.period):
            raise GateError(
                "certificate was never reported",
                gate=CERTIFIED,
                where=f"{issuance.block}, certificate {issuance.certificate_sha256[:12]}",
                expected=f"a certificate whose figure the ledger reports or has reported for {issuance.project_id} "
                f"{issuance.period}",
                found="one that it never did",
                remedy="report it first: mrv run, and mrv ledger pending where it waits for an approval",
            )
        require_allowed(issuance, certificate, before=before)


def _entry(certified: Certified, stated: Stated) -> Entry:
    if not isinstance(stated, StatedIssuance):
        return stated
    certificate = certified.certificate(stated.certificate)
    key, sha256 = certificate.key, certificate.sha256
    live = certified.reported(key.project_id, key.period)[-1:]
    return Issuance(
        project_id=key.project_id,
        period=key.period,
        certificate_sha256=sha256,
        rule_set=stated.rule_set,
        block=stated.block,
        registry_project=stated.registry_project,
        vintage_first=stated.vintage_first,
        vintage_last=stated.vintage_last,
        issued_on=stated.issued_on,
        superseded_by=None if live in ((), (sha256,)) else live[0],
    )


def _added(certified: Certified, records: Sequence[RegistryRecord], entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the entries that are not recorded yet. Raises GateError when one of them may not be."""
    book, added = Book(record.entry for record in records), []
    for entry in entries:
        if book.same(entry) is None:
            before = book.issued_of(entry.project_id) if isinstance(entry, Issuance) else ()
            book.add(entry)
            if isinstance(entry, Issuance):
                certified.require(entry, before=before)
            added.append(entry)
    return tuple(added)


def _told(
    entries: Sequence[Entry],
    before: Sequence[RegistryRecord],
    new: Mapping[tuple[object, ...], RegistryRecord | None],
) -> tuple[Attached, ...]:
    """Tell of each entry; `new` are the records of those that were added, by claim, without one in a dry run."""
    standing = {record.entry.claim: record.entry for record in before}
    left, told = dict(new), []
    for entry in entries:
        if entry.claim in left:
            told.append(Attached(entry=entry, record=left.pop(entry.claim), is_skipped=False))
            standing[entry.claim] = entry
        else:
            differs = _differences(standing[entry.claim], entry)
            told.append(Attached(entry=entry, record=None, is_skipped=True, differs=differs))
    return tuple(told)


def _differences(same: Entry, entry: Entry) -> tuple[str, ...]:
    recorded, stated = entry_json(same), entry_json(entry)
    names = [name for name in recorded if name != "superseded_by" and recorded[name] != stated[name]]
    return tuple(f"{name}: recorded {recorded[name]}, stated {stated[name]}" for name in names)


def _require_past(entry: Entry, now: datetime) -> None:
    day: date = entry.issued_on if isinstance(entry, Issuance) else entry.retired_on
    today = (now + _EARLIEST_ZONE).date()
    if day > today:
        raise ContractError(
            "registry record is of a day to come",
            where=str(entry.block),
            expected=f"a day up to {today}",
            found=str(day),
            remedy="attach it when it has happened, or correct the day",
        )
