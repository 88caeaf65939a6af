"""The documents that a store keeps beside generations: which key belongs to which kind, and listing them.

What does not belong here: what each of them says (domain) and keeping one (approvals, adoptions, seals and the like).
"""

from __future__ import annotations

from collections.abc import Iterator

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.journal_entry import DocumentKind, KeptDocument
from mrv_assets.storage import adoptions, registry_records
from mrv_assets.storage.approvals import APPROVALS, is_approval_key
from mrv_assets.storage.manifests import MANIFESTS, is_manifest_key
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.seals import SEALS, is_seal_key
from mrv_assets.storage.withdrawals import WITHDRAWALS, is_withdrawal_key

_KINDS = (
    (DocumentKind.APPROVAL, APPROVALS, is_approval_key),
    (DocumentKind.ADOPTION, adoptions.CHAIN.folder, adoptions.CHAIN.is_key),
    (DocumentKind.SEAL, SEALS, is_seal_key),
    (DocumentKind.REGISTRY_RECORD, registry_records.CHAIN.folder, registry_records.CHAIN.is_key),
    (DocumentKind.RUN_MANIFEST, MANIFESTS, is_manifest_key),
    (DocumentKind.WITHDRAWAL, WITHDRAWALS, is_withdrawal_key),
)


def is_document_key(key: str) -> bool:
    """Tell whether an object of this key is meant to be a document."""
    return any(is_its_key(key) for _, _, is_its_key in _KINDS)


def kept_document(key: str, data: bytes) -> KeptDocument:
    """Return what the journal is to tell of a document. Raises ValueError for the key of something else."""
    for kind, _, is_its_key in _KINDS:
        if is_its_key(key):
            return KeptDocument(kind=kind, key=key, sha256=sha256_hex(data))
    raise ValueError(f"{key} is not the key of a document")


def documents_in(store: ObjectStore) -> Iterator[str]:
    """Yield the key of every document in a store."""
    for _, folder, is_its_key in _KINDS:
        yield from filter(is_its_key, store.list(folder))
