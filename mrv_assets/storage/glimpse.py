"""What a generation rests on, read quickly: the seal of its record is checked, and the rest of it is not read.

For looking at ten thousand generations in seconds. What does not belong here: anything that is decided or kept, which
takes the whole record (slots).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrv_assets.domain.digest import sealed_document
from mrv_assets.domain.generation import BlobRef, UpstreamRef
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.storage import blobs
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.storage.slots import SlotStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """The bytes of a generation that has passed its gates, and the generations that it was made from."""

    slot: Slot
    generation: int
    rows: int
    blob: BlobRef
    upstream: Sequence[UpstreamRef]

    def made_from(self, asset: Asset) -> UpstreamRef | None:
        """Return the generation of an asset that the record itself names, None when it names none."""
        return next((ref for ref in self.upstream if ref.slot.asset is asset), None)


def glimpse(store: ObjectStore, slots: SlotStore, slot: Slot, generation: int) -> Glimpse:
    """Return what a generation of `slots` rests on, read from the store below them.

    Raises what `SlotStore.record` raises, and GateError for a generation without passing gates.
    """
    data = store.get(record_key(slot, generation))
    document = sealed_document(data) if data is not None else None
    if document is None or not _is_passed_record_of(document, slot, generation):
        # Whatever is wrong, the whole record says it best.
        record = slots.record(slot, generation)
        record.require_passed()
        document = json.loads(record.to_bytes())
    return Glimpse(
        slot=slot,
        generation=generation,
        rows=document["rows"],
        blob=BlobRef(**document["blob"]),
        upstream=tuple(
            UpstreamRef(slot=_slot(ref["slot"]), generation=ref["generation"], content_digest=ref["content_digest"])
            for ref in document["upstream"]
        ),
    )


def load_content(store: ObjectStore, seen: Glimpse) -> bytes:
    """Return the content of a generation. Raises DigestMismatch for other bytes, Tampering when they are gone."""
    return blobs.load_blob(store, seen.blob, where=f"{seen.slot}, generation {seen.generation}")


def _is_passed_record_of(document: Mapping[str, Any], slot: Slot, generation: int) -> bool:
    gates = document.get("gates") or []
    is_passed = bool(gates) and all(gate["passed"] is True for gate in gates)
    return is_passed and document.get("generation") == generation and _slot(document["slot"]) == slot


def _slot(d: Mapping[str, Any]) -> Slot:
    return Slot(
        asset=Asset(d["asset"]), project_id=d["project_id"], period=d["period"], factor_version=d["factor_version"]
    )
