"""Stored bytes of contents, each under the digest of its bytes and checked against it on every load.

What does not belong here: which content is current (slots) and what the bytes say (parquet, certificates).
"""

from __future__ import annotations

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError, DigestMismatch, Tampering
from mrv_assets.domain.generation import BlobRef
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause, settle

PARQUET = "application/vnd.apache.parquet"
JSON = "application/json"
_SUFFIXES = {PARQUET: ".parquet", JSON: ".json"}


def blob_ref(content: bytes, media_type: str) -> BlobRef:
    """Name `content` by its digest, size in bytes and media type."""
    return BlobRef(sha256=sha256_hex(content), size=len(content), media_type=media_type)


def blob_key(ref: BlobRef) -> str:
    """Return where the blob is kept. Raises ContractError for a media type that nothing here is stored as."""
    if ref.media_type not in _SUFFIXES:
        raise ContractError(
            "media type is not stored here",
            where=f"blob {ref.sha256}",
            expected=" or ".join(_SUFFIXES),
            found=ref.media_type,
            remedy="serialise the content as Parquet or canonical JSON",
        )
    return f"blobs/{ref.sha256[:2]}/{ref.sha256}{_SUFFIXES[ref.media_type]}"


def put_blob(store: ObjectStore, ref: BlobRef, content: bytes, *, pause: Pause) -> bool:
    """Keep `content` under its digest; tell whether one was there already, every byte of which was checked.

    Raises DigestMismatch when the one that is there is damaged, before any record comes to rest on it.
    """
    found = settle(store, blob_key(ref), content, pause=pause)
    if found != content:
        raise _damaged(ref, found)
    return found is not content


def load_blob(store: ObjectStore, ref: BlobRef, *, where: str) -> bytes:
    """Return the bytes that were sealed.

    Raises Tampering when they are gone, DigestMismatch when they are others.
    """
    content = store.get(blob_key(ref))
    if content is None:
        raise Tampering(
            "sealed content is gone",
            where=f"{where}, {blob_key(ref)}",
            expected=f"{ref.size} bytes with sha256 {ref.sha256}",
            found="no object",
            remedy="stop, keep the store as it is and restore the blob from a replica",
        )
    if sha256_hex(content) != ref.sha256:
        raise _damaged(ref, content)
    return content


def has_blob(store: ObjectStore, ref: BlobRef) -> bool:
    """Tell whether a blob of the right name and size is there, without reading it."""
    return store.head(blob_key(ref)) == ref.size


def _damaged(ref: BlobRef, found: bytes) -> DigestMismatch:
    return DigestMismatch(
        "stored bytes are not the bytes that were sealed",
        where=blob_key(ref),
        expected=f"{ref.size} bytes with sha256 {ref.sha256}",
        found=f"{len(found)} bytes with sha256 {sha256_hex(found)}",
        remedy="stop, keep the store as it is and restore the blob from a replica",
    )
