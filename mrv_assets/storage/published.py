"""The published view: the reported figures as files that any engine can glob.

The platform itself never reads it. One file per (project, period), replaced whole, so a reader sees a whole
old figure or a whole new one. It is a copy: the truth is in the slots, and whatever is missing or stale here
is rebuilt from them. What does not belong here: which figure is reported.
"""

from __future__ import annotations

from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.slot_paths import COMMITS, parse_record_key, slot_folder

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


def published_slot(key: str) -> Slot | None:
    """Return the ledger slot whose figure is shown under `key`, None for a key that `published_key` does not write."""
    folder = key.removeprefix(PUBLISHED).removesuffix("ledger.parquet")
    parsed = parse_record_key(f"{COMMITS}{folder}000000000001.json")
    is_ours = parsed is not None and parsed[0].asset is Asset.LEDGER and published_key(parsed[0]) == key
    return parsed[0] if parsed is not None and is_ours else None


def is_published(store: ObjectStore, slot: Slot, blob: bytes) -> bool:
    """Tell whether `blob` is what is shown as the reported figure of `slot`."""
    return store.get(published_key(slot)) == blob


def publish(store: ObjectStore, slot: Slot, blob: bytes) -> str:
    """Show `blob` as the reported figure of `slot` and return its key.

    Writes nothing when it is shown already.
    """
    key = published_key(slot)
    if not is_published(store, slot, blob):
        store.replace(key, blob)
    return key
