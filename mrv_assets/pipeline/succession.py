"""Whether a ledger slot may move to a factor version: only forward along its line, or to what the project pins.

Replaying an old release therefore never moves the ledger back; it is held, and recorded as skipped. A figure whose
release was withdrawn moves back to the release that stands in its place, and none moves to a withdrawn one. What does
not belong here: approval of large restatements (promotion).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import PartitionKey
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


def standing(world: World, key: PartitionKey, current: GenerationRecord | None) -> Standing:
    """Compare the partition's factor version with the pin of its period or, without one, with the live version.

    `current` is the newest generation of its ledger slot; of a withdrawn figure the version counts as it did before. A
    withdrawn version is held, pinned or not. In the place of a live version that was withdrawn stands the next release
    before it that was not.
    """
    withdrawal = world.references.withdrawal(key.factor_version)
    if withdrawal is not None:
        return Standing(hold=str(withdrawal))
    project = world.references.project(key.project_id)
    if key.period in project.pins or project.publication is Publication.PINNED:
        return Standing(hold=_pin_against(project, key))
    live = current.pins["factor_version"] if current else key.factor_version
    valid = _in_place_of(world, live)
    if supersedes(world, key.factor_version, valid):
        return Standing()
    if supersedes(world, valid, key.factor_version):
        return Standing(hold=_superseded(live, valid, key.factor_version))
    return Standing(rival=live)


def supersedes(world: World, version: str, older: str) -> bool:
    """Tell whether `version` is `older` or a later release of the chain that starts at `older`."""
    return older in _chain(world, version)


def _in_place_of(world: World, live: str) -> str:
    """Return the newest release of the chain that ends with `live` that was not withdrawn, `live` if all were."""
    valid = (version for version in _chain(world, live) if world.references.withdrawal(version) is None)
    return next(valid, live)


def _chain(world: World, version: str) -> Iterator[str]:
    """Yield a release, the one it supersedes, and so on."""
    walked: set[str] = set()
    step: str | None = version
    while step is not None and step not in walked:
        yield step
        walked.add(step)
        step = world.references.factor_release(step).supersedes


def _superseded(live: str, valid: str, version: str) -> str:
    if valid == live:
        return f"superseded: the ledger reports {live}, which supersedes {version}"
    return f"superseded: {live}, which the ledger reports, was withdrawn, and {valid} before it supersedes {version}"


def _pin_against(project: Project, key: PartitionKey) -> str | None:
    pinned = project.pins.get(key.period)
    if pinned is None:
        return f"the project publishes pinned versions only and pins none for {key.period}"
    return None if pinned == key.factor_version else f"the project pins {pinned} for {key.period}"
