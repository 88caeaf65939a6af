"""Create a key once and find out what is there: the commit point of slots, journal and blobs.

The response of a conditional write can be lost although the write landed, so no answer is final until it is
confirmed. Bytes that end up under a key carry a fresh write id, so equal bytes are our own write and other
bytes are another writer's. Correctness rests on create-if-absent alone, never on a lock, a lease or a clock.
What does not belong here: what to do about another writer's bytes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

from mrv_assets.domain.errors import CommitStateUnknown, StoreUnavailable, Transient
from mrv_assets.storage.object_store import ObjectStore

Pause: TypeAlias = Callable[[float], None]

ATTEMPTS = 4
_FIRST_PAUSE_S = 0.05


def settle(store: ObjectStore, key: str, data: bytes, *, pause: Pause) -> bytes:
    """Create `key` with `data` and return the bytes that are there for good.

    They are `data` itself, or what another writer put. After a lost answer the put is repeated, which on a
    local disk also syncs the name again. `pause` waits the given seconds between attempts. Raises
    StoreUnavailable when certainly nothing landed, CommitStateUnknown when something may have; nothing is
    ever deleted.
    """
    failures: list[Transient] = []
    for attempt in range(ATTEMPTS):
        if attempt:
            pause(backoff(attempt))
        try:
            if store.put_if_absent(key, data):
                return data
        except Transient as error:
            failures.append(error)
            continue
        found = _read_back(store, key, pause=pause)
        if found is not None:
            return found
    return _without_answer(store, key, data, failures, pause=pause)


def backoff(attempt: int) -> float:
    """Return how many seconds to wait before the given attempt, counted from 1: doubling, with jitter."""
    return _FIRST_PAUSE_S * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.5)


def _read_back(store: ObjectStore, key: str, *, pause: Pause) -> bytes | None:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return store.get(key)
        except Transient as error:
            if attempt == ATTEMPTS:
                raise _unknown(store, key, found=f"no answer when reading it back: {error}") from error
            pause(backoff(attempt))
    raise AssertionError("unreachable")


def _without_answer(store: ObjectStore, key: str, data: bytes, failures: list[Transient], *, pause: Pause) -> bytes:
    """Say what can be said when no put was confirmed: another writer's bytes are final, all else is doubt."""
    found = _read_back(store, key, pause=pause)
    if found is not None and found != data:
        return found
    is_doubtful = found is not None or not all(isinstance(error, StoreUnavailable) for error in failures)
    if is_doubtful or not failures:
        what = "our bytes, never confirmed" if found is not None else "nothing there yet"
        raise _unknown(store, key, found=f"{what}, after {ATTEMPTS} attempts: {_last(failures)}")
    raise failures[-1]


def _last(failures: list[Transient]) -> str:
    return str(failures[-1]) if failures else "refused as existing, yet absent"


def _unknown(store: ObjectStore, key: str, *, found: str) -> CommitStateUnknown:
    return CommitStateUnknown(
        "it is unknown whether a write landed",
        where=f"{store.uri}, key {key}",
        expected="a confirmed put, or the object readable",
        found=found,
        remedy="run again once the store answers; nothing was deleted, and the next run settles it",
    )
