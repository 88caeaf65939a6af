"""Doing independent work at the same time: numpy, PROJ, Arrow and the hashes let go of the interpreter meanwhile.

What does not belong here: what is done (stages).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

_In = TypeVar("_In")
_Out = TypeVar("_Out")
_Args = ParamSpec("_Args")


def on_all_cores(function: Callable[[_In], _Out], items: Iterable[_In]) -> list[_Out]:
    """Return `function` of every item, in their order. Raises what the first failing item raises."""
    work = list(items)
    if len(work) < 2:
        return [function(item) for item in work]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(function, work))


@contextmanager
def at_once(function: Callable[_Args, _Out], *args: _Args.args, **kwargs: _Args.kwargs) -> Iterator[Callable[[], _Out]]:
    """Do as `beside`, in this thread and when the result is asked for: for what takes less time than a thread does."""
    yield lambda: function(*args, **kwargs)


@contextmanager
def beside(function: Callable[_Args, _Out], *args: _Args.args, **kwargs: _Args.kwargs) -> Iterator[Callable[[], _Out]]:
    """Call `function` in another thread while the block runs, and end with both.

    The block is given what waits for the result and returns or raises it. A block that does not ask for the result
    does not hear of an error either.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield pool.submit(function, *args, **kwargs).result
