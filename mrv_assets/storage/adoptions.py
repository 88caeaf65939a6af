"""Adoption manifests: `adoptions/<n, 12 digits>.json`, created once each, every one naming the one before it.

What does not belong here: what a manifest says (domain) and deciding what it should say (pipeline).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from mrv_assets.domain.adoption import Manifest
from mrv_assets.storage.chained import Chain
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause

ADOPTIONS = "adoptions/"
CHAIN: Chain[Manifest] = Chain(
    folder=ADOPTIONS,
    name="adoptions",
    document="manifest",
    read=lambda data, where: Manifest.from_bytes(data, where=where),
)


def manifest_key(number: int) -> str:
    """Return the key of one manifest."""
    return CHAIN.key(number)


def read_manifests(store: ObjectStore) -> tuple[Manifest, ...]:
    """Return all manifests, oldest first. Raises BrokenChain as `Chain.read_all`."""
    return CHAIN.read_all(store)


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

    When another writer takes the number, `draft` is asked again. Raises as `Chain.keep`.
    """

    def drafted(before: tuple[Manifest, ...]) -> tuple[Manifest, ...]:
        manifest = draft(before)
        return () if manifest is None else (manifest,)

    kept = CHAIN.keep(store, drafted, pause=pause)
    return kept[0] if kept else None
