"""What was read last, so that one look at many partitions reads a file once that several of them share.

What does not belong here: which look may believe what it has read, for how long (its owner).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The last `most` things that were read, by name. Threads may share it; two may then read the same thing."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[K, V] = {}
        self._keeping = Lock()

    def get(self, name: K, read: Callable[[], V], *, is_kept: Callable[[V], bool] = lambda _: True) -> V:
        """Return what `read` gave for the name before, or gives now; what `is_kept` refuses is not remembered.

        What `read` raises is raised, and nothing is remembered.
        """
        if name in self._kept:
            with self._keeping:
                if name in self._kept:
                    self._kept[name] = self._kept.pop(name)
                    return self._kept[name]
        found = read()
        if is_kept(found):
            with self._keeping:
                self._kept[name] = found
                while len(self._kept) > self._most:
                    self._kept.pop(next(iter(self._kept)))
        return found
