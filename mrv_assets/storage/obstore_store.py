"""Stores that obstore speaks to: the memory of this process now, buckets by the same code.

One object is one conditional or unconditional put of whole bytes: no multipart upload and no copy, because
conditions on those are not enforced everywhere. What does not belong here: credentials and retry settings,
which come with the obstore store that is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotSupportedError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from obstore.store import ObjectStore as Backend

from mrv_assets.domain.errors import CommitStateUnknown, ContractError, MrvError, StoreUnavailable
from mrv_assets.storage.object_store import checked_key, checked_prefix, is_temporary

T = TypeVar("T")


class ObstoreStore:
    """A store behind obstore.

    `backend` must have its own retries off: a retried conditional put loses to itself.
    """

    def __init__(self, backend: Backend, *, uri: str) -> None:
        self._backend = backend
        self._uri = uri

    @property
    def uri(self) -> str:
        """Where the store is, without credentials."""
        return self._uri

    def get(self, key: str) -> bytes | None:
        """Return the whole object, or None when it is absent."""
        return self._read(key, lambda: obstore.get(self._backend, checked_key(key)).bytes().to_bytes())

    def get_range(self, key: str, start: int, length: int) -> bytes | None:
        """Return up to `length` bytes from `start`, or None when the object is absent."""
        size = self.head(key)
        if size is None or start >= size or length == 0:
            # obstore refuses an empty range; a file system answers it with no bytes.
            return None if size is None else b""
        return self._read(key, lambda: obstore.get_range(self._backend, key, start=start, length=length).to_bytes())

    def head(self, key: str) -> int | None:
        """Return the size in bytes, or None when the object is absent."""
        return self._read(key, lambda: obstore.head(self._backend, checked_key(key))["size"])

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
        """Yield the keys under `prefix` after `start_after`, in order."""
        checked_prefix(prefix)
        try:
            pages = list(obstore.list(self._backend, prefix=prefix or None, offset=start_after or None))
        except BaseError as error:
            raise self._unavailable(prefix, error) from error
        # Sorted here, because not every store lists in order.
        keys = sorted(item["path"] for page in pages for item in page)
        yield from (key for key in keys if not is_temporary(key))

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """Create the object and return True, or leave the existing one alone and return False.

        Durable in both cases.
        """
        try:
            obstore.put(self._backend, checked_key(key), data, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return False
        except BaseError as error:
            raise self._put_failed(key, error) from error
        return True

    def replace(self, key: str, data: bytes) -> None:
        """Put `data` in the place of whatever is there; a reader sees all old or all new bytes."""
        try:
            obstore.put(self._backend, checked_key(key), data, use_multipart=False)
        except BaseError as error:
            raise self._put_failed(key, error) from error

    def _read(self, key: str, call: Callable[[], T]) -> T | None:
        try:
            return call()
        except FileNotFoundError:
            return None
        except BaseError as error:
            raise self._unavailable(key, error) from error

    def _put_failed(self, key: str, error: BaseError) -> MrvError:
        if isinstance(error, NotSupportedError):
            return ContractError(
                "store does not know conditional writes",
                where=f"{self._uri}, key {key}",
                expected="create-if-absent in one request",
                found=_first_line(error),
                remedy="keep the store on a service with conditional puts, or on a local disk",
            )
        if isinstance(error, PermissionDeniedError | UnauthenticatedError):
            return self._unavailable(key, error)
        return CommitStateUnknown(
            "write may or may not have landed",
            where=f"{self._uri}, key {key}",
            expected="an answer to the put",
            found=_first_line(error),
            remedy="run again; nothing was deleted, and the next run settles it",
        )

    def _unavailable(self, key: str, error: BaseError) -> StoreUnavailable:
        return StoreUnavailable(
            "store did not do what it was asked",
            where=f"{self._uri}, key {key}",
            expected="an answer of the store",
            found=_first_line(error),
            remedy="check the address, the network and the credentials, and run again",
        )


def _first_line(error: BaseError) -> str:
    """Return the message without obstore's debug dump, which may quote a signed request."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
