"""Which factor version a command means that looks at a figure and is given none: the one that is reported.

What does not belong here: what a run takes (pipeline.versions).
"""

from __future__ import annotations

from mrv_assets.domain.partition import Asset, Period, Slot
from mrv_assets.pipeline.versions import version_to_run
from mrv_assets.pipeline.world import World


def shown_version(world: World, project: str, period: str) -> str:
    """Return the version of the live figure, else the one that `mrv run` would take. Raises as `version_to_run`."""
    span = Period.parse(period).text
    live = world.slots.current(Slot(asset=Asset.LEDGER, project_id=project, period=span, factor_version=None))
    if live is not None:
        return live.pins["factor_version"]
    return version_to_run(world.references, world.references.project(project), span)
