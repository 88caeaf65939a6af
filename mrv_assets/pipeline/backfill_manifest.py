"""Keeping the manifest of a backfill, and telling the journal of it."""

from __future__ import annotations

from mrv_assets.domain.journal_entry import Parent
from mrv_assets.domain.run_manifest import RunManifest
from mrv_assets.pipeline.world import World
from mrv_assets.storage.documents import kept_document
from mrv_assets.storage.manifests import keep_manifest, manifest_key


def keep(world: World, manifest: RunManifest, *, parent: Parent | None) -> RunManifest:
    """Keep the manifest, once, and return the one that is there for good.

    A step that is tried again finds what it has kept before. What a crash keeps out of the journal, `mrv fsck --repair`
    tells later. Raises what `keep_manifest` and `Journal.append` raise.
    """
    kept = keep_manifest(world.store, manifest)
    document = kept_document(manifest_key(kept.run_id), kept.to_bytes())
    world.journal.append(kept.run_id, [], documents=[document], parent=parent)
    return kept
