"""Doing independent work on all cores: numpy, PROJ and the hashes let go of the interpreter while they compute.

What does not belong here: what is done (stages).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def on_all_cores(function: Callable[[_In], _Out], items: Iterable[_In]) -> list[_Out]:
    """Return `function` of every item, in their order. Raises what the first failing item raises."""
    work = list(items)
    if len(work) < 2:
        return [function(item) for item in work]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(function, work))
