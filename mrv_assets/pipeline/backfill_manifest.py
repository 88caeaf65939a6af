"""Keeping the manifest of a backfill, and telling the journal of it."""

from __future__ import annotations

from dataclasses import dataclass

from mrv_assets.domain.journal_entry import KeptDocument, Parent
from mrv_assets.domain.run_manifest import RunManifest
from mrv_assets.pipeline.world import World
from mrv_assets.storage.documents import kept_document
from mrv_assets.storage.manifests import keep_manifest, manifest_key


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptManifest:
    """A manifest that is there for good, and the key and digest of its bytes."""

    manifest: RunManifest
    document: KeptDocument


def keep(world: World, manifest: RunManifest, *, parent: Parent | None) -> KeptManifest:
    """Keep the manifest, once, and return the one that is there for good.

    A step that is tried again finds what it has kept before. What a crash keeps out of the journal, `mrv fsck --repair`
    tells later. Raises what `keep_manifest` and `Journal.append` raise.
    """
    kept, data = keep_manifest(world.store, manifest)
    document = kept_document(manifest_key(kept.run_id), data)
    world.journal.append(kept.run_id, [], documents=[document], parent=parent)
    return KeptManifest(manifest=kept, document=document)
