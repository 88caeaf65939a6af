"""The published view: the reported figures as files that any engine can glob.

The platform itself never reads it. One file per (project, period), replaced whole, so a reader sees a whole
old figure or a whole new one. It is a copy: the truth is in the slots, and whatever is missing or stale here
is rebuilt from them. What does not belong here: which figure is reported.
"""

from __future__ import annotations

from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.slot_paths import COMMITS, slot_folder

PUBLISHED = "published/"


def published_key(slot: Slot) -> str:
    """Return the key of a ledger slot's file. Raises IdentityError for the slot of any other asset."""
    if slot.asset is not Asset.LEDGER:
        raise IdentityError(
            "only the ledger is published",
            where=str(slot),
            expected="a slot of the ledger",
            found=slot.asset.value,
            remedy="publish what is current in the ledger slot of the same project and period",
        )
    return f"{PUBLISHED}{slot_folder(slot).removeprefix(COMMITS)}ledger.parquet"


def publish(store: ObjectStore, slot: Slot, blob: bytes) -> str:
    """Show `blob` as the reported figure of `slot` and return its key.

    Writes nothing when it is shown already.
    """
    key = published_key(slot)
    if store.get(key) != blob:
        store.replace(key, blob)
    return key
