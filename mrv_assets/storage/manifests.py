"""Run manifests: `manifests/<run id>.json`, created once each by the backfill of that run and never changed.

What does not belong here: what a manifest says (domain) and gathering it (pipeline).
"""

from __future__ import annotations

import re
import time

from mrv_assets.domain.errors import BrokenChain, ContractError
from mrv_assets.domain.partition import checked_id
from mrv_assets.domain.run_manifest import RunManifest
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause, settle

MANIFESTS = "manifests/"
_KEY = re.compile(r"manifests/[A-Za-z0-9][A-Za-z0-9._+-]{0,63}\.json")


def manifest_key(run_id: str) -> str:
    """Return the key of a run's manifest. Raises IdentityError for a run id that is no canonical id."""
    return f"{MANIFESTS}{checked_id(run_id, what='run id')}.json"


def is_manifest_key(key: str) -> bool:
    """Tell whether an object of this key is meant to be a run manifest."""
    return _KEY.fullmatch(key) is not None


def manifest_runs(store: ObjectStore) -> tuple[str, ...]:
    """Return the run ids that have a manifest, sorted."""
    keys = filter(is_manifest_key, store.list(MANIFESTS))
    return tuple(sorted(key.removeprefix(MANIFESTS).removesuffix(".json") for key in keys))


def load_manifest(store: ObjectStore, run_id: str) -> RunManifest:
    """Return the manifest of a run.

    Raises ContractError when it has none, BrokenChain when it cannot be read or is that of another run.
    """
    key = manifest_key(run_id)
    data = store.get(key)
    if data is None:
        raise ContractError(
            "run has no manifest",
            where=f"{store.uri}/{key}",
            expected="the manifest that a backfill keeps when it ends",
            found="no object",
            remedy="name the run of a backfill that has come to its end; `mrv manifest` lists them",
        )
    return _read(data, run_id)


def keep_manifest(store: ObjectStore, manifest: RunManifest, *, pause: Pause = time.sleep) -> tuple[RunManifest, bytes]:
    """Create the manifest and return the one that is there for good, with its bytes.

    That is this one, or what the same run kept before.

    Raises CommitStateUnknown when the store does not say whether it landed, StoreUnavailable when it did not.
    """
    data = manifest.to_bytes()
    there = settle(store, manifest_key(manifest.run_id), data, pause=pause)
    return (manifest if there == data else _read(there, manifest.run_id)), there


def _read(data: bytes, run_id: str) -> RunManifest:
    key = manifest_key(run_id)
    manifest = RunManifest.from_bytes(data, where=key)
    if manifest.run_id != run_id:
        raise BrokenChain(
            "manifest is of another run",
            where=key,
            expected=f"the manifest of run {run_id}",
            found=f"that of run {manifest.run_id}",
            remedy="stop, keep the store as it is and restore the object from a replica",
        )
    return manifest
