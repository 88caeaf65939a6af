"""The one codec between slots and the keys of their generation records, exact in both directions.

`commits/<asset>/project_id=…/period=…[/factor_version=…]/<generation, 12 digits>.json`. Parts of a key are
text and stay text: `0042` is not 42 and `2024.10` is not `2024.1`. What does not belong here: reading what is
under a key (slots).
"""

from __future__ import annotations

import re

from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Asset, Period, Slot, checked_id

COMMITS = "commits/"
_RECORD = re.compile(
    r"commits/(?P<asset>[a-z]+)/project_id=(?P<project_id>[^/]+)/period=(?P<period>[^/]+)"
    r"(?:/factor_version=(?P<factor_version>[^/]+))?/(?P<generation>[0-9]{12})\.json"
)
_ASSETS = frozenset(asset.value for asset in Asset)


def slot_folder(slot: Slot) -> str:
    """Return the folder of the slot's records, ending in `/`.

    Raises IdentityError for a slot that is not canonical.
    """
    parts = [
        f"commits/{slot.asset.value}",
        f"project_id={checked_id(slot.project_id, what='project_id')}",
        f"period={Period.parse(slot.period).text}",
    ]
    if slot.asset.depends_on_factors != (slot.factor_version is not None):
        raise IdentityError(
            "slot has the wrong parts",
            where=str(slot),
            expected="a factor version" if slot.asset.depends_on_factors else "no factor version",
            found=str(slot.factor_version),
            remedy="build the slot with Slot.of, which knows what each asset is kept by",
        )
    if slot.factor_version is not None:
        parts.append(f"factor_version={checked_id(slot.factor_version, what='factor_version')}")
    return "/".join(parts) + "/"


def record_key(slot: Slot, generation: int) -> str:
    """Return the key of one generation's record; twelve digits, so that keys sort as numbers do."""
    return f"{slot_folder(slot)}{generation:012d}.json"


def parse_record_key(key: str) -> tuple[Slot, int] | None:
    """Return the slot and generation that `key` is the record of, or None for a foreign object.

    Foreign is every key that `record_key` does not write, also one that looks similar.
    """
    match = _RECORD.fullmatch(key)
    if match is None or match["asset"] not in _ASSETS:
        return None
    slot = Slot(
        asset=Asset(match["asset"]),
        project_id=match["project_id"],
        period=match["period"],
        factor_version=match["factor_version"],
    )
    generation = int(match["generation"])
    try:
        is_ours = generation > 0 and record_key(slot, generation) == key
    except IdentityError:
        return None
    return (slot, generation) if is_ours else None
