"""From a location in the settings to the store that is there.

What does not belong here: reading the settings, and checking that the store keeps its promises (probe).
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from obstore.store import MemoryStore

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import checked_id
from mrv_assets.storage.buckets import open_azure, open_google
from mrv_assets.storage.object_store import CollectableStore
from mrv_assets.storage.obstore_store import ObstoreStore
from mrv_assets.storage.posix_store import PosixStore

if TYPE_CHECKING:
    from mrv_assets.storage.s3 import S3Access

_KNOWN = "file:///absolute/folder, a plain path, memory://name, or s3://, gs:// or az:// with bucket/prefix"
_memory_stores: dict[str, CollectableStore] = {}
_memory_lock = Lock()


def open_store(uri: str, *, allow_network_fs: bool = False, s3: S3Access | None = None) -> CollectableStore:
    """Return the store at `uri`: a plain path, `file:///absolute/folder`, `memory://name`, or a bucket.

    Buckets are `s3://bucket/prefix`, `gs://bucket/prefix` and `az://container/prefix`. S3 is asked with `s3`; without
    it, and on the other services, with the service's standard environment. A memory store lives as long as the process
    and is one and the same for everybody in it who says its name. Raises ContractError for any other location; its
    message repeats the scheme only, so no credentials reach a log.
    """
    scheme, separator, rest = uri.partition("://")
    if not separator:
        return PosixStore(Path(uri), allow_network_fs=allow_network_fs)
    match scheme:
        case "file":
            return PosixStore(_folder(uri), allow_network_fs=allow_network_fs)
        case "memory":
            return _memory_store(rest)
        case "s3":
            return _s3_store(uri, s3)
        case "gs":
            return open_google(uri)
        case "az":
            return open_azure(uri)
        case _:
            raise _refused(f"{scheme}://…", "an unknown scheme")


def _folder(uri: str) -> Path:
    parts = urlsplit(uri)
    if parts.netloc or parts.query or parts.fragment or not parts.path.startswith("/"):
        raise _refused("file://…", "a host, a query, a fragment or a relative path")
    return Path(unquote(parts.path))


def _memory_store(name: str) -> CollectableStore:
    checked_id(name, what="name of a memory store")
    with _memory_lock:
        if name not in _memory_stores:
            _memory_stores[name] = ObstoreStore(MemoryStore(), uri=f"memory://{name}")
        return _memory_stores[name]


def _s3_store(uri: str, access: S3Access | None) -> CollectableStore:
    from mrv_assets.storage.s3 import S3Access, open_s3  # noqa: PLC0415 - boto3 costs a quarter of a second

    return open_s3(uri, access or S3Access.from_env())


def _refused(where: str, found: str) -> ContractError:
    return ContractError(
        "store location is refused",
        where=where,
        expected=_KNOWN,
        found=found,
        remedy="correct MRV_STORE, MRV_REFERENCE or MRV_LANDING",
    )
