"""An object store that loses answers and refuses calls, on top of one that works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from mrv_assets.domain.errors import CommitStateUnknown, StoreUnavailable, Transient
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.passing_store import PassingStore

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Fault:
    """The next `times` calls of `operation` under `prefix` raise `error`, after the call landed or instead of it."""

    operation: str
    prefix: str
    has_landed: bool
    error: Transient
    times: int


class FaultyStore(PassingStore):
    """Passes every call on and writes it down, unless a planned fault applies."""

    def __init__(self, inner: ObjectStore) -> None:
        super().__init__(inner)
        self.calls: list[tuple[str, str]] = []
        self._faults: list[Fault] = []

    def lose_answer(self, operation: str, *, prefix: str, times: int = 1) -> None:
        """Let the call land, then raise: the response was lost."""
        self._plan(operation, prefix, lost_answer(), has_landed=True, times=times)

    def lose_request(self, operation: str, *, prefix: str, times: int = 1) -> None:
        """Raise as if it were unknown whether the call landed, though it did not."""
        self._plan(operation, prefix, lost_answer(), has_landed=False, times=times)

    def refuse(self, operation: str, *, prefix: str, times: int = 1) -> None:
        """Raise before the call: the store is away, and certainly nothing landed."""
        self._plan(operation, prefix, away(), has_landed=False, times=times)

    def count(self, operation: str, *, prefix: str = "") -> int:
        """Return how many calls of `operation` there were under `prefix`, failed ones included."""
        return sum(1 for name, key in self.calls if name == operation and key.startswith(prefix))

    def _plan(self, operation: str, prefix: str, error: Transient, *, has_landed: bool, times: int) -> None:
        self._faults.append(Fault(operation=operation, prefix=prefix, has_landed=has_landed, error=error, times=times))

    def _call(self, operation: str, key: str, call: Callable[[], T]) -> T:
        self.calls.append((operation, key))
        for fault in self._faults:
            if fault.times and fault.operation == operation and key.startswith(fault.prefix):
                fault.times -= 1
                if fault.has_landed:
                    call()
                raise fault.error
        return call()


def lost_answer() -> CommitStateUnknown:
    """Return what a store raises when it does not know whether a write landed."""
    return CommitStateUnknown(
        "answer lost", where="faulty store", expected="an answer", found="a timeout", remedy="run again"
    )


def away() -> StoreUnavailable:
    """Return what a store raises when nothing can have landed."""
    return StoreUnavailable(
        "store is away", where="faulty store", expected="an answer", found="nothing", remedy="run again"
    )
