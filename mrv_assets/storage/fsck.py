"""Is a store what the platform left behind? One listing, then every object is read once and compared with its seals.

Reads only. Runs may go on meanwhile: what they add is not taken for a breach, except that a commit is not in the
journal before its run has ended. Memory holds one object at a time and a few hundred bytes for each generation. What
does not belong here: whether a figure is the one that its certificate seals (pipeline), and healing (repair).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.partition import Asset
from mrv_assets.storage.adoptions import read_manifests
from mrv_assets.storage.approvals import read_approvals
from mrv_assets.storage.breach import Breach, BreachKind, Findings, Report
from mrv_assets.storage.census import take_census
from mrv_assets.storage.chronicle import Chronicle
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.contents import Contents
from mrv_assets.storage.histories import Histories
from mrv_assets.storage.manifests import load_manifest, manifest_runs
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.registry_records import check_claims, read_registry
from mrv_assets.storage.repair import Repaired, repair
from mrv_assets.storage.seals import seals_in
from mrv_assets.storage.withdrawals import read_words

__all__ = ["Breach", "BreachKind", "Progress", "Repaired", "Report", "fsck", "repair"]

Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many objects are read, and how many there were when the check began."""


def fsck(
    store: ObjectStore,
    *,
    gates: Mapping[Asset, Sequence[str]] | None,
    abandoned: Iterable[tuple[str, datetime]] = (),
    progress: Progress | None = None,
) -> Report:
    """Return every breach of the store.

    `gates` are what the newest generation of each slot must have passed; with None a record is held to the gates
    that it was judged by, because content that a newer gate has not met yet is no breach. `abandoned` are the
    temporary files of dead writers, which the store alone cannot tell from those of living ones. Raises
    StoreUnavailable when the store does not answer: no answer is never taken for a missing object.
    """
    findings = Findings()
    census = take_census(store, findings)
    counted = _Counted(census.objects, progress)
    blobs, views = len(census.blobs), len(census.views)
    contents = Contents(store, findings, census.blobs, on_read=counted)
    histories = Histories(store, findings, gates=gates, contents=contents, views=census.views, on_read=counted)
    histories.walk()
    _check_adoptions(store, findings)
    _check_approvals(store, findings)
    _check_withdrawals(store, findings)
    _check_registry(store, findings)
    _check_seals(store, findings)
    _check_manifests(store, findings)
    Chronicle(store, findings, seals=histories.seals, on_read=counted).read()
    unreferenced = contents.check_unread()
    for key in histories.views:
        findings.add(BreachKind.VIEW_EXTRA, key, expected="a figure of the ledger", found="no slot of the ledger")
    for key, changed in abandoned:
        findings.add(
            BreachKind.LEFT_OVER, key, expected="no such file", found=f"a temporary file of {utc_text(changed)}"
        )
    counted.finish()
    return Report(
        generations=census.generations,
        entries=census.entries,
        blobs=blobs,
        views=views,
        unreferenced=unreferenced,
        breaches=findings.breaches(),
    )


def _check_adoptions(store: ObjectStore, findings: Findings) -> None:
    try:
        read_manifests(store)
    except BrokenChain as error:
        findings.add(BreachKind.ADOPTION_BROKEN, error.where, expected=error.expected, found=error.found)


def _check_approvals(store: ObjectStore, findings: Findings) -> None:
    for approval in read_approvals(store):
        if isinstance(approval, BrokenChain):
            findings.add(BreachKind.APPROVAL_BROKEN, approval.where, expected=approval.expected, found=approval.found)


def _check_withdrawals(store: ObjectStore, findings: Findings) -> None:
    for word in read_words(store):
        if isinstance(word, BrokenChain):
            findings.add(BreachKind.WITHDRAWAL_BROKEN, word.where, expected=word.expected, found=word.found)


def _check_manifests(store: ObjectStore, findings: Findings) -> None:
    for run_id in manifest_runs(store):
        try:
            load_manifest(store, run_id)
        except BrokenChain as error:
            findings.add(BreachKind.MANIFEST_BROKEN, error.where, expected=error.expected, found=error.found)


def _check_registry(store: ObjectStore, findings: Findings) -> None:
    try:
        check_claims(read_registry(store), findings)
    except BrokenChain as error:
        findings.add(BreachKind.REGISTRY_BROKEN, error.where, expected=error.expected, found=error.found)


def _check_seals(store: ObjectStore, findings: Findings) -> None:
    for found in seals_in(store):
        if isinstance(found, BrokenChain):
            findings.add(BreachKind.SEAL_BROKEN, found.where, expected=found.expected, found=found.found)


class _Counted:
    """Counts what was read and tells it on."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def __call__(self, _key: str, _data: bytes) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(min(self._done, self._total), self._total)

    def finish(self) -> None:
        if self._progress is not None:
            self._progress(self._total, self._total)
