"""The diagnosis of a deployment for its operator: what ails the record, and what of it can be rebuilt.

Looks at the store by the check that `mrv fsck` makes, at what every record pins, at the journal, and at reference data
and landing folder as they are now. Reads only. What does not belong here: the families (doctor_*) and their wording
for a terminal (cli).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import BrokenChain, Refusal, Tampering
from mrv_assets.domain.generation import GenerationRecord, InputRef
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.carried import certified
from mrv_assets.pipeline.doctor_chain import chain_findings
from mrv_assets.pipeline.doctor_finding import Diagnosis, Family, Finding, Weight
from mrv_assets.pipeline.doctor_parents import Told, dropped_parents
from mrv_assets.pipeline.doctor_references import (
    gone_findings,
    is_assessed_blindly,
    unlisted,
    unpinned,
    unpinned_findings,
)
from mrv_assets.pipeline.doctor_remaking import Remaking
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.present import Present
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.fsck import Progress
from mrv_assets.storage.journal import ENTRIES, entry_number
from mrv_assets.storage.slot_paths import record_key

_WEIGHTS = tuple(reversed(Weight))
_FAMILIES = tuple(Family)


def diagnose(world: World, *, progress: Progress | None = None) -> Diagnosis:
    """Return everything that is not as it should be.

    What cannot be read is a finding once, of the chain, and is passed over by the other families. Raises
    StoreUnavailable when store, reference data or landing folder do not answer, and FactorError for a list of released
    files that is malformed.
    """
    report = check_store(world, progress=progress)
    seen, present = _survey(world), Present(world)
    remade = Remaking(world, present, resting=seen.resting, newest=seen.newest, breaches=report.breaches)
    findings = [
        *dropped_parents(_told(world)),
        *unpinned_findings(seen.lacking, seen.blind),
        *gone_findings(seen.pinned, present.look, live=frozenset(seen.live)),
        *unlisted(world.references.factor_versions(), world.references.released()),
        *chain_findings(report.breaches, remade.of),
        *_stale(world, seen),
    ]
    findings.sort(key=lambda one: (_FAMILIES.index(one.family), _WEIGHTS.index(one.weight), one.name))
    return Diagnosis(findings=tuple(findings), generations=report.generations, entries=report.entries)


@dataclass(slots=True, kw_only=True)
class _Seen:
    """What one walk over all records has shown."""

    lacking: dict[str, tuple[str, ...]] = field(default_factory=dict)
    blind: list[str] = field(default_factory=list)
    pinned: dict[InputRef, list[GenerationRecord]] = field(default_factory=lambda: defaultdict(list))
    resting: dict[str, list[GenerationRecord]] = field(default_factory=lambda: defaultdict(list))
    newest: dict[Slot, int] = field(default_factory=dict)
    figures: list[GenerationRecord] = field(default_factory=list)
    live: set[str] = field(default_factory=set)


def _survey(world: World) -> _Seen:
    seen = _Seen()
    listed = list(world.slots.listed_records())
    for slot, number in listed:
        seen.newest[slot] = max(number, seen.newest.get(slot, 0))
    for slot, number in listed:
        try:
            record = world.slots.record(slot, number)
        except (Tampering, Refusal):
            continue  # it is a finding of the chain
        _look(world, seen, record)
    return seen


def _look(world: World, seen: _Seen, record: GenerationRecord) -> None:
    key, slot = record_key(record.slot, record.generation), record.slot
    certificate = _certificate(world, record)
    lacking = unpinned(record, certificate)
    if lacking:
        seen.lacking[key] = lacking
    if certificate is not None and is_assessed_blindly(record, certificate):
        seen.blind.append(key)
    for blob in record.blobs:
        seen.resting[blob_key(blob)].append(record)
    if slot.asset is Asset.CERTIFICATE:
        for ref in record.inputs:
            seen.pinned[ref].append(record)
    if slot.asset is Asset.LEDGER and record.withdrawal is None and record.generation == seen.newest[slot]:
        seen.figures.append(record)
        seen.live |= {ref.content_digest for ref in record.upstream if ref.slot.asset is Asset.CERTIFICATE}


def _certificate(world: World, record: GenerationRecord) -> Certificate | None:
    if record.slot.asset is not Asset.CERTIFICATE:
        return None
    try:
        return Certificate.from_bytes(world.slots.load_bytes(record), where=str(record.slot))
    except (Tampering, Refusal):
        return None  # it is a finding of the chain


def _told(world: World) -> Iterator[Told]:
    """Yield what every entry tells that can be read; one that cannot is a finding of the chain."""
    for key in world.store.list(ENTRIES):
        data = world.store.get(key) if entry_number(key) else None
        if data is None:
            continue
        try:
            yield Told.of(JournalEntry.from_bytes(data, where=key))
        except BrokenChain:
            continue


def _stale(world: World, seen: _Seen) -> Iterator[Finding]:
    """Yield the finding of live figures whose certificate rests on an older activity than the current one."""
    behind = [key for key in _keys(seen.figures) if _is_stale(world, key)]
    if behind:
        yield Finding(
            family=Family.STALE,
            name="certificate_of_older_activity",
            weight=Weight.REMARK,
            diagnosis="A live figure is certified from an older generation of activity than the current one: a run "
            "ended half-way, or the newer activity comes to the same strata.",
            evidence=[str(key) for key in behind],
            remedy="; ".join(f"mrv run {key.project_id} {key.period} {key.factor_version}" for key in behind),
        )


def _keys(figures: Iterable[GenerationRecord]) -> Iterator[PartitionKey]:
    for record in figures:
        version = record.pins.get("factor_version")
        if version is not None:
            yield PartitionKey(project_id=record.slot.project_id, period=record.slot.period, factor_version=version)


def _is_stale(world: World, key: PartitionKey) -> bool:
    try:
        has_activity = world.slots.newest(Slot.of(Asset.ACTIVITY, key)) > 0
        return has_activity and certified(world, key) is None
    except (Tampering, Refusal):
        return False  # it is a finding of the chain
