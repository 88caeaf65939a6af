"""File system calls of which a chosen one fails, as a disk that breaks or fills would make it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Any

from mrv_assets.storage.posix_files import Files

_CALLS = {"open_new", "open_folder", "write", "sync", "close", "link", "rename", "unlink", "make_folder"}


class FaultyFiles(Files):
    """Counts the calls that change something; `plan` decides by number (from 1) and name which of them fails, and how.

    A failing call does nothing before it fails, except `close`, which always gives its descriptor back.
    """

    def __init__(self, plan: Callable[[int, str], int | None]) -> None:
        self.plan = plan
        self.calls: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        return self._watched(name, value) if name in _CALLS else value

    def _watched(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any) -> Any:
            self.calls.append(name)
            code = self.plan(len(self.calls), name)
            if code is None:
                return call(*arguments)
            if name == "close":
                call(*arguments)
            raise OSError(code, os.strerror(code))

        return watched


def fail_first(name: str, code: int = errno.EIO) -> Callable[[int, str], int | None]:
    """Plan that the first call of `name` fails with `code`."""
    pending = [code]
    return lambda _, called: pending.pop() if called == name and pending else None


def fail_first_after(earlier: str, name: str, code: int = errno.EIO) -> Callable[[int, str], int | None]:
    """Plan that the first call of `name` after one of `earlier` fails with `code`."""
    awaited = [name, earlier]

    def plan(_: int, called: str) -> int | None:
        if awaited and called == awaited[-1]:
            awaited.pop()
            return None if awaited else code
        return None

    return plan


def fail_nth(number: int, code: int = errno.EIO) -> Callable[[int, str], int | None]:
    """Plan that the call with this number fails with `code`, whichever it is."""
    return lambda count, _: code if count == number else None


def fail_never(_: int, __: str) -> None:
    """Plan no failure."""
