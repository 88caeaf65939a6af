"""Look before a backfill over our own store: what is kept for a project and a window, and what lies beside it.

A slot holds one current content and its digest by construction, so duplicates and unhashed contents can only be in
the published view, which anything may write to. What does not belong here: chains, blobs and the journal (fsck).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, Period, Slot, checked_id
from mrv_assets.domain.window import Window
from mrv_assets.storage.hive import look
from mrv_assets.storage.hive_paths import Place, place_of
from mrv_assets.storage.hive_tree import HiveFile, HiveTree, Stray, StrayKind
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.preflight import overlaps
from mrv_assets.storage.preflight_report import Report
from mrv_assets.storage.published import PUBLISHED, published_key
from mrv_assets.storage.slot_paths import COMMITS, parse_record_key, record_key

_FIGURES = f"{PUBLISHED}ledger/"


@runtime_checkable
class SweptStore(Protocol):
    """A store that can name the temporary files of dead writers."""

    def left_overs(self) -> Iterator[tuple[str, datetime]]:
        """Yield each with the time of its last change."""
        ...


def preflight(store: ObjectStore, project_id: str, window: Window, *, left_overs: Sequence[Stray] = ()) -> Report:
    """Report what our own store holds for a project and a window.

    `left_overs` are told beside it; finding them takes a walk through the whole store, and they stand in nobody's way.
    `partitions_found` counts what is kept by (period, factor version), or by period while only activity is there.
    `overlapping_periods` are about reported figures. A published file is unhashed when it is not, byte for byte, the
    content that the current ledger generation seals. Raises IdentityError for a project id that is not canonical,
    BrokenChain when a current record cannot be read.
    """
    checked_id(project_id, what="project_id")
    kept = _kept(store, project_id)
    newest = kept.newest
    published = _published(store, project_id, window)
    live = [slot.period for slot in newest if slot.asset is Asset.LEDGER and _is_reported(store, slot, newest[slot])]
    return Report(
        source=store.uri,
        project_id=project_id,
        window=window.text,
        window_periods=len(window.periods),
        partitions_found=_partitions(newest, window),
        duplicate_partitions=_duplicates(published),
        unhashed_partitions=tuple(_unsealed(store, published, newest)),
        stray_objects=(*kept.strays, *published.strays, *left_overs),
        overlapping_periods=overlaps(window, [p for p in live if window.touches(Period.parse(p))]),
        mixed_types=_types(published),
        mixed_factor_versions={},
        contradictions={file.path: file.contradictions for file in published.files if file.contradictions},
        adopted_partitions=(),
        changed_since_adoption=(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """The slots of a project with their newest generation, and what lies among the records without being one."""

    newest: Mapping[Slot, int]
    strays: tuple[Stray, ...]


def _kept(store: ObjectStore, project_id: str) -> _Kept:
    newest: dict[Slot, int] = {}
    strays = []
    for asset in Asset:
        for key in store.list(f"{COMMITS}{asset.value}/project_id={project_id}/"):
            parsed = parse_record_key(key)
            if parsed is None:
                strays.append(_foreign(store, key, "no generation record"))
            else:
                newest[parsed[0]] = max(parsed[1], newest.get(parsed[0], 0))
    return _Kept(newest=newest, strays=tuple(strays))


def _published(store: ObjectStore, project_id: str, window: Window) -> HiveTree:
    """Return what the published view shows for the project and the days of the window."""
    found: list[HiveFile | Stray] = []
    for key in store.list(f"{_FIGURES}project_id={project_id}/"):
        place = place_of(key)
        if place.period is None or window.touches(Period.parse(place.period)):
            found.append(look(store, key, place))
    return HiveTree(
        files=tuple(one for one in found if isinstance(one, HiveFile)),
        strays=tuple(one for one in found if isinstance(one, Stray)),
    )


def _partitions(newest: Mapping[Slot, int], window: Window) -> int:
    there = {(slot.period, slot.factor_version) for slot in newest if slot.period in window}
    versioned = {period for period, version in there if version is not None}
    return len({(period, version) for period, version in there if version is not None or period not in versioned})


def _duplicates(published: HiveTree) -> dict[str, tuple[str, ...]]:
    folders: dict[tuple[str, str], list[str]] = {}
    for file in published.files:
        folders.setdefault((file.key.project_id, file.key.period), []).append(file.path)
    return {" ".join(key): tuple(paths) for key, paths in folders.items() if len(paths) > 1}


def _unsealed(store: ObjectStore, published: HiveTree, newest: Mapping[Slot, int]) -> Iterator[str]:
    """Yield the published files that are not what the ledger seals."""
    for file in published.files:
        slot = Slot(asset=Asset.LEDGER, project_id=file.key.project_id, period=file.key.period, factor_version=None)
        is_ours = slot in newest and file.path == published_key(slot)
        sealed = _current(store, slot, newest[slot]).blob.sha256 if is_ours else None
        if sha256_hex(store.get(file.path) or b"") != sealed:
            yield file.path


def _is_reported(store: ObjectStore, slot: Slot, generation: int) -> bool:
    return _current(store, slot, generation).withdrawal is None


def _current(store: ObjectStore, slot: Slot, generation: int) -> GenerationRecord:
    key = record_key(slot, generation)
    data = store.get(key)
    if data is None:
        raise BrokenChain(
            "generation record is gone",
            where=key,
            expected="the record that was listed a moment ago",
            found="no object",
            remedy="stop, keep the store as it is and restore the record from a replica",
        )
    return GenerationRecord.from_bytes(data, where=key)


def _types(published: HiveTree) -> dict[str, tuple[str, ...]]:
    """Return the identity columns that are not text in some published file; its path is never the source of types."""
    found: dict[str, list[str]] = {}
    for file in published.files:
        for name, type_ in file.types.items():
            if type_ != "string":
                found.setdefault(name, []).append(f"{type_} in {file.path}")
    return {name: tuple(lines) for name, lines in found.items()}


def left_overs_of(store: ObjectStore, project_id: str) -> Iterator[Stray]:
    """Yield the temporary files of dead writers in this project's folders, which no reader sees."""
    if not isinstance(store, SweptStore):
        return
    for key, _ in store.left_overs():
        if f"/project_id={project_id}/" in key:
            yield _stray(key, 0, StrayKind.MARKER, "left over by a dead writer; seen by no reader, swept by mrv gc")


def _foreign(store: ObjectStore, key: str, why: str) -> Stray:
    return _stray(key, store.head(key) or 0, StrayKind.FOREIGN, why)


def _stray(key: str, size: int, kind: StrayKind, why: str) -> Stray:
    place: Place = place_of(key)
    return Stray(
        path=key,
        size=size,
        kind=kind,
        why=why,
        project_id=place.project_id,
        period=place.period,
        factor_version=place.factor_version,
    )
