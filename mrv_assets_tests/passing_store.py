"""A store that passes every call on to another one, through one method that a test may stand in.

What does not belong here: one particular way in which a store fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from mrv_assets.storage.object_store import ObjectInfo, ObjectStore, StoredObject

T = TypeVar("T")


class PassingStore:
    """Passes every call on to `inner`; override `_call` to count it, to fail it, or to die at it."""

    def __init__(self, inner: ObjectStore) -> None:
        self.inner = inner

    @property
    def uri(self) -> str:
        return self.inner.uri

    def get(self, key: str) -> bytes | None:
        return self._call("get", key, lambda: self.inner.get(key))

    def get_range(self, key: str, start: int, length: int) -> bytes | None:
        return self._call("get_range", key, lambda: self.inner.get_range(key, start, length))

    def head(self, key: str) -> int | None:
        return self._call("head", key, lambda: self.inner.head(key))

    def fetch(self, key: str) -> StoredObject | None:
        return self._call("fetch", key, lambda: self.inner.fetch(key))

    def describe(self, key: str) -> ObjectInfo | None:
        return self._call("describe", key, lambda: self.inner.describe(key))

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
        return self._call("list", prefix, lambda: self.inner.list(prefix, start_after=start_after))

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return self._call("put_if_absent", key, lambda: self.inner.put_if_absent(key, data))

    def replace(self, key: str, data: bytes) -> None:
        self._call("replace", key, lambda: self.inner.replace(key, data))

    def _call(self, operation: str, key: str, call: Callable[[], T]) -> T:  # noqa: ARG002 - for those that override it
        return call()
