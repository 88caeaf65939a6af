"""A store whose process dies at a chosen call, to ask what a crash at any step leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from mrv_assets.storage.object_store import ObjectStore

T = TypeVar("T")


class Killed(Exception):
    """The process died; nobody catches this."""


class MortalStore:
    """A store whose process dies at a given call, before or after that call landed; afterwards nothing lands."""

    def __init__(self, inner: ObjectStore) -> None:
        self.inner = inner
        self.calls = 0
        self._calls_to_live: int | None = None
        self._has_landed = False

    def die_at(self, call: int, *, has_landed: bool) -> None:
        """Die at the given call from now, counted from 1."""
        self._calls_to_live, self._has_landed = call, has_landed

    def live_again(self) -> None:
        """Start a new process."""
        self._calls_to_live = None

    @property
    def uri(self) -> str:
        return self.inner.uri

    def get(self, key: str) -> bytes | None:
        return self._live(lambda: self.inner.get(key))

    def get_range(self, key: str, start: int, length: int) -> bytes | None:
        return self._live(lambda: self.inner.get_range(key, start, length))

    def head(self, key: str) -> int | None:
        return self._live(lambda: self.inner.head(key))

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
        return self._live(lambda: self.inner.list(prefix, start_after=start_after))

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return self._live(lambda: self.inner.put_if_absent(key, data))

    def replace(self, key: str, data: bytes) -> None:
        self._live(lambda: self.inner.replace(key, data))

    def _live(self, call: Callable[[], T]) -> T:
        self.calls += 1
        if self._calls_to_live is None:
            return call()
        self._calls_to_live -= 1
        if self._calls_to_live > 0:
            return call()
        if self._calls_to_live == 0 and self._has_landed:
            call()
        raise Killed("the process died at a store call")
