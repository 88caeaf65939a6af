"""What a backfill would do with each partition, and why: decided from digests, without touching data.

It looks as a run does, so what it says to skip is skipped as long as nothing changes meanwhile. Whether content that is
made anew comes out equal, only a run can tell. What does not belong here: doing it (backfill) and showing it (cli).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mrv_assets.domain.cause import Cause, in_order, work_causes
from mrv_assets.domain.digest import Json
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.recipes import UPSTREAM, recipe, withdrawn
from mrv_assets.pipeline.skipping import why_skipped
from mrv_assets.pipeline.work import Work
from mrv_assets.pipeline.world import World


class Action(StrEnum):
    """What is to be done: `run` computes, `skip` leaves it, `blocked` would be refused as things are."""

    RUN = "run"
    SKIP = "skip"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePlan:
    """What is to be done about one asset. `reason` says it in words, with the digests that differ."""

    asset: Asset
    action: Action
    causes: tuple[Cause, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionPlan:
    """What is to be done about a partition: blocked when any asset is, run when any asset has to, else skip."""

    key: PartitionKey
    stages: Sequence[StagePlan]

    @property
    def action(self) -> Action:
        """The one action that tells most."""
        found = {stage.action for stage in self.stages}
        return next(action for action in (Action.BLOCKED, Action.RUN, Action.SKIP) if action in found)

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Why something has to run, but for what only follows from it."""
        return in_order(cause for stage in self.stages for cause in stage.causes if cause is not Cause.UPSTREAM)

    @property
    def reason(self) -> str:
        """The reason of the first asset that is not skipped, else of the ledger."""
        first = next((stage for stage in self.stages if stage.action is self.action), self.stages[-1])
        return self.stages[-1].reason if self.action is Action.SKIP else f"{first.asset}: {first.reason}"

    def to_json(self) -> dict[str, Json]:
        """Return the plan as JSON-ready values."""
        return {
            "project_id": self.key.project_id,
            "period": self.key.period,
            "factor_version": self.key.factor_version,
            "action": self.action.value,
            "causes": [cause.value for cause in self.causes],
            "reason": self.reason,
            "assets": [
                {"asset": s.asset.value, "action": s.action.value, "causes": [*s.causes], "reason": s.reason}
                for s in self.stages
            ],
        }


def plan_partitions(
    world: World,
    keys: Sequence[PartitionKey],
    *,
    assets: Sequence[Asset],
    force: bool = False,
    unhashed: Collection[tuple[str, str]] = (),
) -> Iterator[PartitionPlan]:
    """Plan each partition over `assets`, in order.

    `unhashed` are projects and periods whose published file is not what the ledger seals; they are computed again.
    Raises StoreUnavailable when a store does not answer, and what is Tampering.
    """
    for key in keys:
        is_unhashed = (key.project_id, key.period) in unhashed
        yield PartitionPlan(key=key, stages=tuple(_stages(world, key, assets, force=force, is_unhashed=is_unhashed)))


def _stages(
    world: World, key: PartitionKey, assets: Sequence[Asset], *, force: bool, is_unhashed: bool
) -> Iterator[StagePlan]:
    """Plan one asset after the other. What comes after a blocked one is not reached."""
    is_moving = False
    for asset in assets:
        stage = _stage(world, key, asset, is_moving=is_moving, force=force, is_unhashed=is_unhashed)
        yield stage
        if stage.action is Action.BLOCKED:
            return
        is_moving = is_moving or stage.action is Action.RUN


def _stage(
    world: World, key: PartitionKey, asset: Asset, *, is_moving: bool, force: bool, is_unhashed: bool
) -> StagePlan:
    current = world.slots.current(Slot.of(asset, key))
    if is_moving and any(world.slots.newest(Slot.of(upstream, key)) == 0 for upstream in UPSTREAM[asset]):
        return _after(world, key, asset, current)
    try:
        work = recipe(asset)(world, key)
    except Refusal as refusal:
        return _blocked(asset, refusal)
    if work.hold is not None and not is_moving:
        return _stands(asset, work.hold)
    why = why_skipped(world, work, current, force=force or is_unhashed)
    if why is not None:
        dependent = _run(asset, {Cause.UPSTREAM}, "unless what comes before it comes out equal")
        return dependent if is_moving else _stands(asset, why)
    if work.refusal is not None:
        return _blocked(asset, work.refusal)
    causes = _causes(world, work, current, force=force, is_unhashed=is_unhashed)
    return _run(asset, causes, work.reason_after(current))


def _after(world: World, key: PartitionKey, asset: Asset, current: GenerationRecord | None) -> StagePlan:
    """Plan an asset whose inputs are not there before the run has made them; its factors may be refused already."""
    refusal = _refused_factors(world, key) if asset.depends_on_factors else None
    if refusal is not None:
        return _blocked(asset, refusal)
    return _run(asset, {_following(world, key, asset, current)}, "after what comes before it")


def _stands(asset: Asset, reason: str) -> StagePlan:
    return StagePlan(asset=asset, action=Action.SKIP, causes=(), reason=reason)


def _blocked(asset: Asset, refusal: Refusal) -> StagePlan:
    return StagePlan(asset=asset, action=Action.BLOCKED, causes=(), reason=str(refusal))


def _run(asset: Asset, causes: Collection[Cause], reason: str) -> StagePlan:
    return StagePlan(asset=asset, action=Action.RUN, causes=in_order(causes), reason=reason)


def _causes(
    world: World, work: Work, current: GenerationRecord | None, *, force: bool, is_unhashed: bool
) -> set[Cause]:
    if current is None:
        return {_first(world, work.key, work.asset)}
    found = work_causes(current, inputs=work.external, pins=work.pins)
    before = [(ref.slot, ref.content_digest) for ref in current.upstream]
    if before != [(ref.slot, ref.content_digest) for ref in work.upstream_refs]:
        found.add(Cause.UPSTREAM)
    if is_unhashed or not world.slots.has_blob(current):
        found.add(Cause.UNHASHED)
    return found or {Cause.FORCED if force else Cause.UPSTREAM}


def _refused_factors(world: World, key: PartitionKey) -> Refusal | None:
    try:
        world.references.factor_release(key.factor_version)
    except Refusal as refusal:
        return refusal
    withdrawal = world.references.withdrawal(key.factor_version)
    return None if withdrawal is None else withdrawn(withdrawal, where=str(key))


def _following(world: World, key: PartitionKey, asset: Asset, current: GenerationRecord | None) -> Cause:
    """Return why an asset follows whose inputs are still to be made: the ledger may show another release's figure."""
    if current is None:
        return _first(world, key, asset)
    is_same = current.pins.get("factor_version", key.factor_version) == key.factor_version
    return Cause.UPSTREAM if is_same else Cause.FACTOR


def _first(world: World, key: PartitionKey, asset: Asset) -> Cause:
    """Return why a slot is filled for the first time: another release stands in the ledger, or nothing does."""
    if asset.depends_on_factors:
        live = world.slots.current(Slot.of(Asset.LEDGER, key))
        if live is not None and live.pins["factor_version"] != key.factor_version:
            return Cause.FACTOR
    return Cause.NEVER_RUN
