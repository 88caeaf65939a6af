"""What is reported for the days of a partition elsewhere: by the project's other periods, and under its other names.

What does not belong here: refusing an overlap (compliance).
"""

from __future__ import annotations

from mrv_assets.domain.partition import PartitionKey, Period
from mrv_assets.pipeline.withdrawn import live_record, live_slots
from mrv_assets.pipeline.world import World


def kin_reporting(world: World, key: PartitionKey) -> dict[tuple[str, str], str]:
    """Return the factor version of each live figure of a day of the partition that stands under another name of it.

    By project and period. Raises ContractError when it cannot be read which projects are others under a new name.
    """
    found: dict[tuple[str, str], str] = {}
    for name in sorted(world.references.successions().kin(key.project_id)):
        found |= _reporting(world, name, key)
    return found


def reporting_same_days(world: World, key: PartitionKey) -> dict[tuple[str, str], str]:
    """Return the same for all names of the project, its own in other periods included. Raises as `kin_reporting`."""
    return {**_reporting(world, key.project_id, key), **kin_reporting(world, key)}


def _reporting(world: World, project_id: str, key: PartitionKey) -> dict[tuple[str, str], str]:
    period = Period.parse(key.period)
    found: dict[tuple[str, str], str] = {}
    for slot in live_slots(world, project_id=project_id):
        is_itself = (project_id, slot.period) == (key.project_id, key.period)
        if not is_itself and Period.parse(slot.period).overlaps(period):
            record = live_record(world.slots, slot)
            if record is not None:
                found[project_id, slot.period] = record.pins["factor_version"]
    return found
