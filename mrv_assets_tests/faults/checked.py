"""What `mrv fsck` says about a store after a healing run, and after it has completed what a crash left."""

from __future__ import annotations

from dataclasses import dataclass

from mrv_assets.pipeline.fsck import check_store, repair_store
from mrv_assets.pipeline.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """`breaches` is damage, which nothing completes; `completed` is what a crash left and a repair completed."""

    breaches: int
    completed: int


def checked(world: World) -> Health:
    """Check the store, repair it, and check it again; what is still wrong then is damage, whatever it was called."""
    before = check_store(world)
    if not before.breaches:
        return Health(breaches=0, completed=0)
    damage = len(before.breaches) - len(before.repairable)
    repair_store(world, before)
    after = check_store(world)
    return Health(breaches=max(damage, len(after.breaches)), completed=len(before.repairable))
