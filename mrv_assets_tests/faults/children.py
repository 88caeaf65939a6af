"""Processes that can be killed: forked from one that has imported everything and done nothing.

Forked from there and not from here, because Arrow and Polars have threads by now, and a forked thread pool hangs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

FORKSERVER = get_context("forkserver")
# What a child would import by itself takes many times as long as its whole run: Arrow imports pandas at its first
# table, and the gates Great Expectations at their first question.
FORKSERVER.set_forkserver_preload(
    ["pandas", "mrv_assets.compliance.expectation_run", "mrv_assets_tests.faults.subjects"]
)
KILLED = -9
_LOST = 70


def end_of(target: Callable[..., None], *arguments: Any, patience_s: float = 600) -> int:
    """Run `target` in a process of its own and return its exit code, -9 when it was killed."""
    child = FORKSERVER.Process(target=quiet, args=(target, *arguments))
    child.start()
    child.join(patience_s)
    if child.exitcode is None:
        child.kill()
        child.join()
        return _LOST
    return child.exitcode


def quiet(target: Callable[..., None], *arguments: Any) -> None:
    """Call `target` with what it says thrown away: its last words are not news, its exit code is."""
    hush()
    target(*arguments)


def hush() -> None:
    """Throw away whatever this process says from now on."""
    sink = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(sink, stream.fileno())
