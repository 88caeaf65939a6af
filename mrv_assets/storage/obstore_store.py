"""Stores that obstore speaks to: the memory of this process, and buckets of S3, Google Cloud Storage and Azure.

One object is one conditional or unconditional put of whole bytes: no multipart upload and no copy, because
conditions on those are not enforced everywhere. What does not belong here: credentials, timeouts and retries, which
come with the obstore stores that are handed in (buckets), and what an error means (obstore_faults).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import ObjectStore as Backend

from mrv_assets.domain.errors import StoreUnavailable
from mrv_assets.storage.object_store import (
    ObjectInfo,
    StoredObject,
    checked_key,
    checked_prefix,
    checked_removable,
    is_temporary,
)
from mrv_assets.storage.obstore_faults import (
    CONFLICT,
    asked_to_try_again,
    list_failed,
    put_failed,
    status,
    unavailable,
)

if TYPE_CHECKING:
    from obstore import GetResult, ObjectMeta

T = TypeVar("T")

_PAGE = 1000
_NOWHERE = "nothing-is-kept-here/"


class ObstoreStore:
    """A store behind obstore.

    `backend` writes and must have its own retries off: a retried conditional put loses to itself. `reader` may retry;
    without one `backend` reads as well.
    """

    def __init__(self, backend: Backend, *, uri: str, reader: Backend | None = None) -> None:
        self._backend = backend
        self._reader = reader or backend
        self._uri = uri
        self._has_answered = False

    @property
    def uri(self) -> str:
        """Where the store is, without credentials."""
        return self._uri

    def get(self, key: str) -> bytes | None:
        """Return the whole object, or None when it is absent."""
        return self._read(key, lambda: obstore.get(self._reader, key).bytes().to_bytes())

    def get_range(self, key: str, start: int, length: int) -> bytes | None:
        """Return up to `length` bytes from `start`, or None when the object is absent."""
        if not length:
            return None if self.head(key) is None else b""
        try:
            return self._read(key, lambda: obstore.get_range(self._reader, key, start=start, length=length).to_bytes())
        except StoreUnavailable:
            # Services call a range behind the end an error; a file system answers no bytes.
            size = self.head(key)
            if size is None or start < size:
                raise
            return b""

    def head(self, key: str) -> int | None:
        """Return the size in bytes, or None when the object is absent."""
        return self._read(key, lambda: obstore.head(self._reader, key)["size"])

    def fetch(self, key: str) -> StoredObject | None:
        """Return the whole object and what the answer's head says of it, or None when it is absent."""
        return self._read(key, lambda: _stored(obstore.get(self._reader, key)))

    def describe(self, key: str) -> ObjectInfo | None:
        """Return size, version, entity tag and last change, or None when the object is absent."""
        meta = self._read(key, lambda: obstore.head(self._reader, key))
        if meta is None:
            return None
        return ObjectInfo(size=meta["size"], version=_version(meta), etag=_etag(meta), modified=meta["last_modified"])

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
        """Yield the keys under `prefix` after `start_after`, in order; a request for each thousand."""
        checked_prefix(prefix)
        offset = _offset(prefix, start_after)
        try:
            pages = obstore.list(self._reader, prefix=prefix or None, offset=offset, chunk_size=_PAGE)
            # Sorted here, because a service that keeps folders lists `a/b` before `a-b`.
            keys = sorted(item["path"] for page in pages for item in page)
        except (BaseError, FileNotFoundError) as error:
            raise list_failed(self._uri, prefix, error) from None
        self._has_answered = True
        yield from (key for key in keys if key > start_after and not is_temporary(key))

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """Create the object and return True, or leave the existing one alone and return False.

        Durable in both cases.
        """
        try:
            obstore.put(self._backend, checked_key(key), data, mode="create", use_multipart=False)
        except AlreadyExistsError as error:
            # 412 says that an object is there, 409 only that some other request is under way.
            if status(error) == CONFLICT and self.head(key) is None:
                raise asked_to_try_again(self._uri, key) from None
            return False
        except (BaseError, FileNotFoundError) as error:
            raise put_failed(self._uri, key, error) from None
        self._has_answered = True
        return True

    def replace(self, key: str, data: bytes) -> None:
        """Put `data` in the place of whatever is there; a reader sees all old or all new bytes."""
        try:
            obstore.put(self._backend, checked_key(key), data, use_multipart=False)
        except (BaseError, FileNotFoundError) as error:
            raise put_failed(self._uri, key, error) from None
        self._has_answered = True

    def left_overs(self) -> Iterator[tuple[str, datetime]]:
        """Yield nothing: an upload that was not completed is no object."""
        yield from ()

    def modified(self, key: str) -> datetime | None:
        """Return the instant of the last change of an object, or None when it is absent."""
        return self._read(key, lambda: obstore.head(self._reader, key)["last_modified"])

    def remove(self, key: str) -> None:
        """Remove a content or a left-over; raises ContractError for every other key."""
        try:
            obstore.delete(self._backend, checked_removable(key))
        except FileNotFoundError:
            return
        except BaseError as error:
            raise unavailable(self._uri, key, error) from None

    def _read(self, key: str, call: Callable[[], T]) -> T | None:
        checked_key(key)
        try:
            found = call()
        except FileNotFoundError:
            self._require_bucket()
            return None
        except BaseError as error:
            raise unavailable(self._uri, key, error) from None
        self._has_answered = True
        return found

    def _require_bucket(self) -> None:
        """Raise ContractError when the bucket is absent, of which services say the same as of an absent object."""
        if not self._has_answered:
            for _ in self.list(_NOWHERE):
                pass


def _offset(prefix: str, start_after: str) -> str | None:
    """Return where to start a listing so that no service leaves out a key after `start_after`.

    A service that keeps folders passes over folder `12` when it starts after `12.json`, although `12/a` sorts behind.
    So it is asked to start before every name that `start_after` may continue; who asks leaves out what is too early.
    """
    if not start_after.startswith(prefix):
        return None
    name = start_after[len(prefix) :]
    stem = next((name[:end] for end, character in enumerate(name) if character <= "/"), name)
    return prefix + stem[:-1] if len(stem) > 1 else None


def _stored(answer: GetResult) -> StoredObject:
    meta = answer.meta
    return StoredObject(
        data=answer.bytes().to_bytes(), version=_version(meta), etag=_etag(meta), modified=meta["last_modified"]
    )


def _version(meta: ObjectMeta) -> str:
    """Return the version's name; `null` is S3's word for bytes that have none and can be overwritten."""
    version = meta["version"] or ""
    return "" if version == "null" else version


def _etag(meta: ObjectMeta) -> str:
    return (meta["e_tag"] or "").strip('"')
