"""A store whose process dies at a chosen call, to ask what a crash at any step leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.passing_store import PassingStore

T = TypeVar("T")


class Killed(Exception):
    """The process died; nobody catches this."""


class MortalStore(PassingStore):
    """A store whose process dies at a given call, before or after that call landed; afterwards nothing lands."""

    def __init__(self, inner: ObjectStore) -> None:
        super().__init__(inner)
        self.calls = 0
        self._calls_to_live: int | None = None
        self._has_landed = False

    def die_at(self, call: int, *, has_landed: bool) -> None:
        """Die at the given call from now, counted from 1."""
        self._calls_to_live, self._has_landed = call, has_landed

    def live_again(self) -> None:
        """Start a new process."""
        self._calls_to_live = None

    def _call(self, operation: str, key: str, call: Callable[[], T]) -> T:  # noqa: ARG002 - any call may be the last
        self.calls += 1
        if self._calls_to_live is None:
            return call()
        self._calls_to_live -= 1
        if self._calls_to_live > 0:
            return call()
        if self._calls_to_live == 0 and self._has_landed:
            call()
        raise Killed("the process died at a store call")
