"""Garbage: contents that no record names and temporary files of dead writers, removed in two passes.

`plan` publishes what could go and why; `sweep`, later, looks at each candidate again before it removes it. Roots are
all digests in all records and certificates. Records, journal, certificates and the published view are never candidates.

A writer that comes back to an orphan is safe, however long it stalls (docs/decisions/0010-garbage.md): once its record
has landed it puts the blob again if it is gone, and the sweep, once it has removed, reads the records again and puts
back what has come to be named. Whichever of the two looks last sees the other. What does not belong here: finding
breaches (fsck).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeGuard

from mrv_assets.domain.errors import BrokenChain, ContractError, listed
from mrv_assets.storage.breach import Findings
from mrv_assets.storage.census import packed
from mrv_assets.storage.chronicle import Chronicle
from mrv_assets.storage.clock import Clock, utc_text
from mrv_assets.storage.gc_plan import Candidate, Plan, load_plan, publish_plan
from mrv_assets.storage.histories import Histories
from mrv_assets.storage.object_store import COLLECTED, CollectableStore, ObjectStore, is_temporary
from mrv_assets.storage.roots import Roots, digest_of

__all__ = [
    "Candidate",
    "Plan",
    "Swept",
    "abandoned",
    "collectable",
    "is_collectable",
    "load_plan",
    "min_age",
    "plan",
    "sweep",
]

ABANDONED_AFTER = timedelta(days=7)
"""No writer is at work for so long, whatever the limit of a run."""

_BATCH = 64
"""How many blobs are held in memory, to be put back, until the records have been looked at once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What a sweep did: keys removed, keys kept with the reason, and bytes freed."""

    removed: tuple[str, ...]
    kept: tuple[tuple[str, str], ...]
    freed: int


def min_age(longest_run: timedelta) -> timedelta:
    """Return how old garbage must be when no run may take longer than `longest_run`: seven days, or four times that."""
    return max(ABANDONED_AFTER, 4 * longest_run)


def is_collectable(store: ObjectStore) -> TypeGuard[CollectableStore]:
    """Tell whether the store knows when its objects were last changed and can remove garbage."""
    return all(hasattr(store, name) for name in ("left_overs", "modified", "remove"))


def collectable(store: ObjectStore) -> CollectableStore:
    """Return the store as one that can be collected. Raises ContractError when it is not one."""
    if is_collectable(store):
        return store
    raise ContractError(
        "garbage of this store cannot be collected",
        where=store.uri,
        expected="a store that tells when an object was last changed",
        found=type(store).__name__,
        remedy="collect on the store itself, not through a wrapper",
    )


def abandoned(store: CollectableStore, *, before: datetime) -> Iterator[tuple[str, datetime]]:
    """Yield the temporary files that nobody has touched since `before`."""
    return ((key, changed) for key, changed in store.left_overs() if changed < before)


def plan(store: CollectableStore, clock: Clock, *, min_age: timedelta, wait: timedelta) -> Plan:
    """Return what could be removed, published under `gc/plans/` when there is anything.

    Candidates are unreferenced blobs and temporary files whose last change is at least `min_age` ago; the sweep may
    begin `wait` after the first plan with these candidates. Raises ContractError for a `min_age` under seven days, and
    BrokenChain for a store whose history is not whole: what is unreferenced there may be what a lost record named.
    """
    _require_old(store, min_age)
    now = clock()
    candidates = (*_unreferenced(store, before=now - min_age), *_temporaries(store, before=now - min_age))
    return publish_plan(store, Plan(candidates=tuple(sorted(candidates)), planned=now, min_age=min_age, wait=wait))


def sweep(store: CollectableStore, clock: Clock, plan: Plan) -> Swept:
    """Remove the candidates of a plan that are still garbage: unreferenced, and not touched since.

    Raises ContractError before the plan is due, BrokenChain for a store whose history is not whole. A sweep that dies
    is finished by another one of the same plan.
    """
    _require_old(store, plan.min_age)
    _require_due(store, plan, clock())
    blobs = [c for c in plan.candidates if not is_temporary(c.key)]
    roots = _roots(store, {digest_of(c.key) for c in blobs})
    swept = _Sweep(store, roots, before=clock() - plan.min_age)
    swept.temporaries([c for c in plan.candidates if is_temporary(c.key)])
    for start in range(0, len(blobs), _BATCH):
        swept.blobs(blobs[start : start + _BATCH])
    return swept.result()


class _Sweep:
    """One sweep as it goes on."""

    def __init__(self, store: CollectableStore, roots: Roots, *, before: datetime) -> None:
        self._store, self._roots, self._before = store, roots, before
        self._removed: list[Candidate] = []
        self._kept: dict[str, str] = {}

    def temporaries(self, candidates: Sequence[Candidate]) -> None:
        """Remove temporary files that nobody has touched since they were listed."""
        now = dict(self._store.left_overs()) if candidates else {}
        for candidate in candidates:
            if self._is_untouched(candidate, now.get(candidate.key)):
                self._remove(candidate)

    def blobs(self, candidates: Sequence[Candidate]) -> None:
        """Remove blobs, then look whether a record has come to name one of them, and put that back."""
        gone: list[tuple[Candidate, bytes]] = []
        for candidate in candidates:
            if digest_of(candidate.key) in self._roots.named:
                self._kept[candidate.key] = "a record names it"
                continue
            data = self._store.get(candidate.key) or b""
            # Asked last, because it is what tells that a writer has come by.
            if self._is_untouched(candidate, self._store.modified(candidate.key)):
                self._remove(candidate)
                gone.append((candidate, data))
        self._roots.look_again()
        for candidate, data in gone:
            if digest_of(candidate.key) in self._roots.named:
                self._store.put_if_absent(candidate.key, data)
                self._removed.remove(candidate)
                self._kept[candidate.key] = "a record has come to name it, so it was put back"

    def result(self) -> Swept:
        """Return what was done."""
        return Swept(
            removed=tuple(c.key for c in self._removed),
            kept=tuple(sorted(self._kept.items())),
            freed=sum(c.size or 0 for c in self._removed),
        )

    def _is_untouched(self, candidate: Candidate, changed: datetime | None) -> bool:
        if changed is None:
            self._kept[candidate.key] = "it is gone already"
        elif changed != candidate.modified or changed >= self._before:
            self._kept[candidate.key] = f"a writer has touched it at {utc_text(changed)}"
        return candidate.key not in self._kept

    def _remove(self, candidate: Candidate) -> None:
        self._store.remove(candidate.key)
        self._removed.append(candidate)


def _unreferenced(store: CollectableStore, *, before: datetime) -> Iterator[Candidate]:
    """Yield the blobs that no record names, old enough and of whole names; a misnamed one is for a person to judge."""
    keys = {digest_of(key): key for key in store.list(COLLECTED) if packed(key)}
    named = _roots(store, set(keys)).named
    for digest in sorted(set(keys) - named):
        key = keys[digest]
        size, changed = store.head(key), store.modified(key)
        if size is not None and changed is not None and changed < before:
            yield Candidate(key=key, modified=changed, size=size)


def _temporaries(store: CollectableStore, *, before: datetime) -> Iterator[Candidate]:
    return (Candidate(key=key, modified=changed, size=None) for key, changed in abandoned(store, before=before))


def _roots(store: ObjectStore, wanted: set[str]) -> Roots:
    """Return which of `wanted` are named, from one reading of all records. Raises BrokenChain unless all are there."""
    roots, findings = Roots(store, wanted), Findings()
    histories = Histories(store, findings, gates=None, contents=None, views=set(), on_read=roots.note)
    histories.walk()
    Chronicle(store, findings, seals=histories.seals, on_read=lambda _key, _data: None).read()
    damage = [breach for breach in findings.breaches() if not breach.is_repairable]
    if damage:
        raise BrokenChain(
            "nothing is removed from a store whose history is not whole",
            where=store.uri,
            expected="every generation and every journal entry",
            found=listed([f"{breach.kind} {breach.key}" for breach in damage]),
            remedy="see what `mrv fsck` says; what no record names may be what a lost record named",
        )
    return roots


def _require_old(store: ObjectStore, min_age: timedelta) -> None:
    if min_age < ABANDONED_AFTER:
        raise ContractError(
            "garbage would be collected too young",
            where=store.uri,
            expected=f"an age of at least {ABANDONED_AFTER.days} days",
            found=str(min_age),
            remedy="leave the age to `mrv gc`; a writer that stalls may be as old as its run",
        )


def _require_due(store: ObjectStore, plan: Plan, now: datetime) -> None:
    if now < plan.due:
        raise ContractError(
            "plan is not due yet",
            where=f"{store.uri}, plan {plan.id}",
            expected=f"{utc_text(plan.due)} or later",
            found=utc_text(now),
            remedy="sweep it then; who was at work when it was made must have come to an end",
        )
