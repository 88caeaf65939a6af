"""Signing the certificate that is current, once for each key, also where an earlier run could not.

What does not belong here: keys (storage) and what a signature is worth (verify).
"""

from __future__ import annotations

from collections.abc import Iterator

from mrv_assets.domain.dsse import IN_TOTO
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import KeptDocument
from mrv_assets.pipeline.world import World
from mrv_assets.storage.documents import kept_document
from mrv_assets.storage.seals import keep_seal, seal_key


def seal(world: World, record: GenerationRecord) -> Iterator[KeptDocument]:
    """Sign the statement that a generation of the certificate keeps; yield the seal for the journal if it is a new one.

    Nothing is signed where the world has no signer. Raises what `SlotStore.load_bytes` and `keep_seal` raise, and
    Refusal for a key that may not sign any more.
    """
    if world.signer is None:
        return
    key = seal_key(record.content_digest, world.signer.key_id)
    if world.store.head(key) is None:
        envelope = world.signer.sign(IN_TOTO, world.slots.load_bytes(record))
        keep_seal(world.store, envelope)
        yield kept_document(key, envelope.to_bytes())
