"""Before and after a backfill: is it safe to begin over what is there, and is what is there now what was asked for.

Both ask the store and take nobody's word. What does not belong here: what a preflight looks at (storage).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mrv_assets.compliance.gates import GATE_NAMES
from mrv_assets.domain.backfill import BackfillRequest, Mode, Policy
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.domain.run_manifest import PartitionDone
from mrv_assets.domain.window import overlapping
from mrv_assets.pipeline.backfill_window import Resolved
from mrv_assets.pipeline.publication import show
from mrv_assets.pipeline.withdrawn import live_slots
from mrv_assets.pipeline.world import World
from mrv_assets.storage.hive_paths import place_of
from mrv_assets.storage.preflight_report import RemedyPolicy, require_safe
from mrv_assets.storage.preflight_store import preflight


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What the preflight found and the policy lets the run remedy: projects and periods that are computed again."""

    unhashed: Sequence[tuple[str, str]]

    @property
    def remedied(self) -> tuple[str, ...]:
        """What is remedied, in words."""
        return tuple(
            f"{project} {period}: the published file was not what the ledger seals" for project, period in self.unhashed
        )


def diagnose(world: World, resolved: Resolved) -> Diagnosis:
    """Look at what is there for each project and the window.

    Raises Refusal naming every project where something was found that the policy does not let the run remedy; nothing
    was written then.
    """
    found: list[tuple[str, str]] = []
    refused: list[Refusal] = []
    for project_id in resolved.projects:
        try:
            found += [(project_id, period) for period in _unhashed(world, resolved, project_id)]
        except Refusal as refusal:
            refused.append(refusal)
    if refused:
        raise _together(refused)
    return Diagnosis(unhashed=tuple(found))


def _unhashed(world: World, resolved: Resolved, project_id: str) -> tuple[str, ...]:
    """Return the periods of a project whose published file is unknown and may be made anew. Raises as `diagnose`."""
    request = resolved.request
    report = preflight(world.store, project_id, resolved.window_of(project_id))
    if request.mode is Mode.CERTIFY:
        report = replace(report, overlapping_periods=())  # what is certified beforehand is not reported beside it
    periods = {place_of(path).period or "" for path in report.unhashed_partitions}
    # Where the ledger holds nothing there is nothing to publish in the place of the file.
    is_ours = all(world.slots.newest(_ledger(project_id, period)) for period in periods)
    may_recompute = is_ours and request.policy is Policy.RECOMPUTE
    require_safe(report, policy=RemedyPolicy(consolidate=None, recompute=may_recompute))
    return tuple(sorted(periods))


def _together(refused: Sequence[Refusal]) -> Refusal:
    """Return one refusal that names them all."""
    [first, *others] = refused
    if not others:
        return first
    return Refusal(
        first.what,
        where=f"{len(refused)} projects",
        expected=first.expected,
        found="; ".join(f"{one.where}: {one.found}" for one in refused),
        remedy=f"{first.remedy}, or leave these projects out",
    )


def _ledger(project_id: str, period: str) -> Slot:
    return Slot(asset=Asset.LEDGER, project_id=project_id, period=period, factor_version=None)


def publish_again(world: World, diagnosis: Diagnosis) -> None:
    """Publish the sealed figure in the place of each file that was not it."""
    for project_id, period in diagnosis.unhashed:
        record = world.slots.current(_ledger(project_id, period))
        if record is not None:
            show(world, record)


def validate(
    world: World, resolved: Resolved, partitions: Sequence[PartitionDone], *, diagnosis: Diagnosis
) -> tuple[str, ...]:
    """Return what is wrong after a backfill, in words; nothing when all is as it was asked for.

    Every partition that was asked for is accounted for once; what came through has passed every gate, carries the stamp
    of its factor version, and is the one live figure of its days or is held with a reason. Refused partitions are no
    finding: the manifest names them. Raises what is Tampering.
    """
    return (
        *_unaccounted(resolved.keys, [done.key for done in partitions]),
        *(finding for done in partitions if done.trouble is None for finding in _of(world, resolved.request, done)),
        *_overlapping(world, resolved.projects),
        *_twice_published(world, resolved, partitions, diagnosis),
    )


def _unaccounted(requested: Sequence[PartitionKey], done: Sequence[PartitionKey]) -> Iterator[str]:
    counted = Counter(done)
    for key in requested:
        if counted[key] != 1:
            yield f"{key}: was asked for and came to {counted[key]} outcomes, not 1"
    for key in sorted(set(done) - set(requested)):
        yield f"{key}: has an outcome and was not asked for"


def _of(world: World, request: BackfillRequest, done: PartitionDone) -> Iterator[str]:
    """Check what a partition that came through has left behind, record by record."""
    for asset in request.mode.assets:
        record = world.slots.current(Slot.of(asset, done.key))
        if record is None:
            if not (asset is Asset.LEDGER and done.held):
                yield f"{done.key}: came through, and {asset} is empty"
            continue
        yield from _of_record(done, asset, record)
    if request.mode is Mode.REPORT and done.certified is not None and not done.held:
        yield f"{done.key}: came through, and the ledger neither reports its certificate nor is held"


def _of_record(done: PartitionDone, asset: Asset, record: GenerationRecord) -> Iterator[str]:
    seen = next((one.generation for one in done.assets if one.asset is asset), None)
    if asset is Asset.LEDGER and (done.held is not None or seen != record.generation):
        return  # the figure of another run, which answers for it
    missing = {*GATE_NAMES[asset]} - {gate.gate for gate in record.gates if gate.passed}
    if missing:
        yield f"{record.slot}: generation {record.generation} has not passed {', '.join(sorted(missing))}"
    stamp = record.pins.get("factor_version", done.key.factor_version)
    if stamp != done.key.factor_version:
        yield f"{record.slot}: generation {record.generation} bears {stamp}, not {done.key.factor_version}"


def _overlapping(world: World, projects: Sequence[str]) -> Iterator[str]:
    """Name the live figures of a project that share a day, over all its history and not the window alone."""
    live: dict[str, list[Period]] = {project_id: [] for project_id in projects}
    for slot in live_slots(world):
        if slot.project_id in live:
            live[slot.project_id].append(Period.parse(slot.period))
    for project_id, periods in live.items():
        for one, other in overlapping(periods):
            yield f"{project_id}: {one} and {other} are both reported and share days"


def _twice_published(
    world: World, resolved: Resolved, partitions: Sequence[PartitionDone], diagnosis: Diagnosis
) -> Iterator[str]:
    """Look again where the run has published; the rest the preflight has seen."""
    published = {done.key.project_id for done in partitions if done.has_changed}
    for project_id in sorted(published | {project_id for project_id, _ in diagnosis.unhashed}):
        report = preflight(world.store, project_id, resolved.window_of(project_id))
        for key, files in report.duplicate_partitions.items():
            yield f"{key}: {len(files)} published files, not 1: {', '.join(files)}"
        for key in report.unhashed_partitions:
            yield f"{key}: the published file is not what the ledger seals"
