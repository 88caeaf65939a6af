"""From a location in the settings to the store that is there.

What does not belong here: reading the settings, and checking that the store keeps its promises (probe).
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from urllib.parse import unquote, urlsplit

from obstore.store import MemoryStore

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import checked_id
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.obstore_store import ObstoreStore
from mrv_assets.storage.posix_store import PosixStore

_memory_stores: dict[str, ObjectStore] = {}
_memory_lock = Lock()


def open_store(uri: str, *, allow_network_fs: bool = False) -> ObjectStore:
    """Return the store at `uri`: `file:///absolute/folder`, a plain path, or `memory://name`.

    A memory store lives as long as the process and is one and the same for everybody in it who says its name.
    Raises ContractError for any other location; its message repeats the scheme only, so no credentials reach
    a log.
    """
    scheme, separator, _ = uri.partition("://")
    if not separator:
        return PosixStore(Path(uri), allow_network_fs=allow_network_fs)
    if scheme == "file":
        return PosixStore(_folder(uri), allow_network_fs=allow_network_fs)
    if scheme == "memory":
        return _memory_store(uri.removeprefix("memory://"))
    raise _refused(f"{scheme}://…", "an unknown scheme")


def _folder(uri: str) -> Path:
    parts = urlsplit(uri)
    if parts.netloc or parts.query or parts.fragment or not parts.path.startswith("/"):
        raise _refused("file://…", "a host, a query, a fragment or a relative path")
    return Path(unquote(parts.path))


def _memory_store(name: str) -> ObjectStore:
    checked_id(name, what="name of a memory store")
    with _memory_lock:
        if name not in _memory_stores:
            _memory_stores[name] = ObstoreStore(MemoryStore(), uri=f"memory://{name}")
        return _memory_stores[name]


def _refused(where: str, found: str) -> ContractError:
    return ContractError(
        "store location is refused",
        where=where,
        expected="file:///absolute/folder, a plain path, or memory://name",
        found=found,
        remedy="correct MRV_STORE, MRV_REFERENCE or MRV_LANDING",
    )
