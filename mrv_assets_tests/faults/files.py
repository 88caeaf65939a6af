"""File system calls of which one goes wrong, each in turn: the disk errs, the disk is full, the process is killed.

What does not belong here: what is done to the disk in between, and what must be true afterwards.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from mrv_assets.storage.posix_files import Files

CALLS = frozenset(name for name in vars(Files) if not name.startswith("_")) - {"folder"}
_ALLOCATING = frozenset({"open_new", "write", "sync", "link", "rename", "make_folder"})
_CHANGING = _ALLOCATING | {"close", "unlink"}


class Fault(StrEnum):
    """What happens at the chosen call."""

    EIO_ONCE = "EIO, once"
    EIO_AFTER = "EIO reported, though it took effect"
    EIO_FOR_GOOD = "EIO from then on"
    ENOSPC = "ENOSPC from then on"
    SIGKILL = "SIGKILL"

    def concerns(self, call: str) -> bool:
        """Tell whether the fault can do at this call what it can do nowhere else.

        A disk that is full lets everything through that needs no room. The end of the process or of the disk before a
        call that only reads leaves what the same leaves before the next call that does not; and an answer to a read
        that is lost afterwards is an answer that is lost.
        """
        if self is Fault.ENOSPC:
            return call in _ALLOCATING
        return self is Fault.EIO_ONCE or call in _CHANGING


class DoomedFiles(Files):
    """The operating system until call number `at` (from 1, reading calls included), then the fault.

    A write that goes wrong has written half of what it was given. A `close` that goes wrong has closed.
    """

    def __init__(self, fault: Fault | None = None, *, at: int = 0) -> None:
        self.calls: list[str] = []
        self._fault = fault
        self._at = at

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name not in CALLS:
            return value
        return lambda *arguments: self._called(name, value, arguments)

    def _called(self, name: str, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self.calls.append(name)
        if not self._strikes(name):
            return call(*arguments)
        if self._fault is Fault.EIO_AFTER or name == "close":
            call(*arguments)
        elif name == "write":
            descriptor, data = arguments
            call(descriptor, data[: len(data) // 2])
        if self._fault is Fault.SIGKILL:
            os.kill(os.getpid(), signal.SIGKILL)
        code = errno.ENOSPC if self._fault is Fault.ENOSPC else errno.EIO
        raise OSError(code, os.strerror(code))

    def _strikes(self, name: str) -> bool:
        match self._fault:
            case None:
                return False
            case Fault.EIO_FOR_GOOD:
                return len(self.calls) >= self._at
            case Fault.ENOSPC:
                return len(self.calls) >= self._at and name in _ALLOCATING
            case _:
                return len(self.calls) == self._at
