"""Adoption manifests: `adoptions/<n, 12 digits>.json`, created once each, every one naming the one before it.

What does not belong here: what a manifest says (domain) and deciding what it should say (pipeline).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from mrv_assets.domain.adoption import Manifest
from mrv_assets.domain.errors import BrokenChain, CommitConflict
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause, settle

ADOPTIONS = "adoptions/"
_KEY = re.compile(r"adoptions/([0-9]{12})\.json")
_ROUNDS = 10


def manifest_key(number: int) -> str:
    """Return the key of one manifest; twelve digits, so that keys sort as numbers do."""
    return f"{ADOPTIONS}{number:012d}.json"


def is_manifest_key(key: str) -> bool:
    """Tell whether an object of this key is meant to be a manifest."""
    return _KEY.fullmatch(key) is not None


def read_manifests(store: ObjectStore) -> tuple[Manifest, ...]:
    """Return all manifests, oldest first.

    Raises BrokenChain when one is gone, unreadable, or does not continue the one before it.
    """
    listed = [int(match[1]) for key in store.list(ADOPTIONS) if (match := _KEY.fullmatch(key))]
    manifests: list[Manifest] = []
    for number in range(1, max(listed, default=0) + 1):
        key, prev = manifest_key(number), manifests[-1].sha256 if manifests else None
        data = store.get(key)
        if data is None:
            raise _broken(key, expected="its manifest, because later ones exist", found="no object")
        manifest = Manifest.from_bytes(data, where=key)
        if (manifest.number, manifest.prev) != (number, prev):
            found = f"number {manifest.number} with prev {manifest.prev}"
            raise _broken(key, expected=f"number {number} with prev {prev}", found=found)
        manifests.append(manifest)
    return tuple(manifests)


def latest_manifest(store: ObjectStore, source_uri: str) -> Manifest | None:
    """Return the newest manifest about the tree at `source_uri`, None when it was never adopted."""
    about = [manifest for manifest in read_manifests(store) if manifest.source_uri == source_uri]
    return about[-1] if about else None


def keep_manifest(
    store: ObjectStore,
    draft: Callable[[tuple[Manifest, ...]], Manifest | None],
    *,
    pause: Pause = time.sleep,
) -> Manifest | None:
    """Create the manifest that `draft` makes of those that exist; None when it finds that there is nothing to add.

    When another writer takes the number, `draft` is asked again. Raises CommitStateUnknown when the store does not
    say whether the manifest landed, CommitConflict when others kept taking the number.
    """
    for _ in range(_ROUNDS):
        manifest = draft(read_manifests(store))
        if manifest is None:
            return None
        data = manifest.to_bytes()
        if settle(store, manifest_key(manifest.number), data, pause=pause) == data:
            return manifest
    raise CommitConflict(
        "other writers kept taking the next adoption number",
        where=f"{store.uri}/{ADOPTIONS}",
        expected=f"a free number within {_ROUNDS} attempts",
        found=f"{_ROUNDS} manifests of others",
        remedy="run again when fewer adoptions are under way; nothing of this one was kept",
    )


def _broken(key: str, *, expected: str, found: str) -> BrokenChain:
    return BrokenChain(
        "history of adoptions is not whole",
        where=key,
        expected=expected,
        found=found,
        remedy="stop, keep the store as it is and restore the manifest from a replica",
    )
