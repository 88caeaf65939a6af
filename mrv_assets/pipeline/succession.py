"""Whether a ledger slot may move to a factor version: only forward along its line, or to what the project pins.

Replaying an old release therefore never moves the ledger back; it is held, and recorded as skipped. What does not
belong here: approval of large restatements.
"""

from __future__ import annotations

from dataclasses import dataclass

from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.project import Project, Publication
from mrv_assets.pipeline.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a factor version stands towards the ledger.

    `hold` says why the ledger stays as it is, None when it may move. `rival` is the live version when neither
    supersedes the other, which only a pin can decide.
    """

    hold: str | None = None
    rival: str | None = None


def standing(world: World, key: PartitionKey) -> Standing:
    """Compare the partition's factor version with the pin of its period or, without one, with the live version."""
    project = world.references.project(key.project_id)
    if key.period in project.pins or project.publication is Publication.PINNED:
        return Standing(hold=_pin_against(project, key))
    current = world.slots.current(Slot.of(Asset.LEDGER, key))
    live = current.pins["factor_version"] if current else key.factor_version
    if supersedes(world, key.factor_version, live):
        return Standing()
    if supersedes(world, live, key.factor_version):
        return Standing(hold=f"superseded: the ledger reports {live}, which supersedes {key.factor_version}")
    return Standing(rival=live)


def _pin_against(project: Project, key: PartitionKey) -> str | None:
    pinned = project.pins.get(key.period)
    if pinned is None:
        return f"the project publishes pinned versions only and pins none for {key.period}"
    return None if pinned == key.factor_version else f"the project pins {pinned} for {key.period}"


def supersedes(world: World, version: str, older: str) -> bool:
    """Tell whether `version` is `older` or a later release of the chain that starts at `older`."""
    walked: list[str] = []
    step: str | None = version
    while step is not None and step not in walked:
        if step == older:
            return True
        walked.append(step)
        step = world.references.factor_release(step).supersedes
    return False
