"""Look before a backfill: duplicates, contents without a hash, strays, overlaps, types that change identity.

Over a foreign hive tree, and over our own store, where a duplicate can exist in the published view only. Reads
footers; whole files only where an adoption must be compared with what is there now. Never writes. What does not
belong here: what the findings mean for a backfill (preflight_report) and remedying them (pipeline).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mrv_assets.domain.adoption import NO_VERSION, AdoptedFile, ForeignKey, Manifest
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.partition import Period, checked_id
from mrv_assets.domain.window import Window, overlapping
from mrv_assets.storage.hive import scan
from mrv_assets.storage.hive_paths import IDENTITY, place_of, retyped
from mrv_assets.storage.hive_tree import HiveFile, HiveTree, Stray
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.preflight_report import Report


def preflight_tree(tree: ObjectStore, project_id: str, window: Window, *, adoption: Manifest | None) -> Report:
    """Report what a foreign hive tree holds for a project and a window.

    Objects whose path does not say which project or period they are of are always in it. What `adoption`, the
    latest manifest about this tree, has decided is settled as long as every file concerned is byte for byte the
    same. Raises ContractError for a tree without any object, IdentityError for a project id that is not canonical.
    """
    checked_id(project_id, what="project_id")
    asked = _Asked(project_id=project_id, window=window)
    found = scan(tree, scope=asked.holds)
    settled = _Settled.compare(tree, found, adoption, asked)
    partitions = {key: files for key, files in found.partitions().items() if key.period in window}
    open_ = {key: files for key, files in partitions.items() if key not in settled.partitions}
    is_open = not settled.covers(found)
    return Report(
        source=tree.uri,
        project_id=project_id,
        window=window.text,
        window_periods=len(window.periods),
        partitions_found=len(partitions),
        duplicate_partitions={str(k): _paths(files) for k, files in open_.items() if len(files) > 1},
        unhashed_partitions=tuple(str(k) for k, files in open_.items() if any(f.recorded_hash is None for f in files)),
        stray_objects=tuple(s for s in found.strays if s.is_harmless or s.path not in settled.paths),
        overlapping_periods=overlaps(window, (key.period for key in found.partitions())),
        mixed_types=mixed_types(found.files) if is_open else {},
        mixed_factor_versions=_mixed_versions(open_),
        contradictions={f.path: f.contradictions for files in open_.values() for f in files if f.contradictions},
        adopted_partitions=tuple(str(key) for key in partitions if key in settled.partitions),
        changed_since_adoption=settled.changed,
    )


def overlaps(window: Window, existing: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of periods that share a day: of the window and of those that exist, one of them existing."""
    there = set(existing)
    periods = [*window.periods, *(Period.parse(text) for text in there)]
    return tuple((one.text, other.text) for one, other in overlapping(periods) if {one.text, other.text} & there)


def mixed_types(files: Sequence[HiveFile]) -> dict[str, tuple[str, ...]]:
    """Return, by identity column, what makes its type depend on the reader or on the file, if anything does."""
    found = {}
    for name in IDENTITY:
        types = Counter(file.types[name] for file in files if name in file.types)
        texts = sorted({getattr(place_of(file.path), name) for file in files} - {None})
        lines = [f"{type_} in {count} file(s)" for type_, count in sorted(types.items())]
        is_mixed = len(types) > 1 or bool(types.keys() - {"string"})
        lines = lines if is_mixed else []
        lines += [f"folder {text!r} is read as {read}" for text in texts if (read := retyped(text))]
        if lines:
            found[name] = tuple(lines)
    return found


def _mixed_versions(partitions: Mapping[ForeignKey, Sequence[HiveFile]]) -> dict[str, tuple[str, ...]]:
    versions: dict[str, set[str]] = {}
    for key, files in partitions.items():
        for file in files:
            versions.setdefault(file.folder, set()).add(key.factor_version or NO_VERSION)
    return {folder: tuple(sorted(names)) for folder, names in versions.items() if len(names) > 1}


def _paths(files: Sequence[HiveFile]) -> tuple[str, ...]:
    return tuple(file.path for file in files)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a preflight is about: one project, and the days of a window."""

    project_id: str
    window: Window

    def holds(self, project_id: str | None, period: str | None) -> bool:
        """Tell whether an object may be of this project and share a day with the window; None may be anything."""
        if project_id not in (None, self.project_id):
            return False
        return period is None or self.window.touches(Period.parse(period))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settled:
    """What an adoption has settled: paths that are as they were, partitions all of whose files are, and what moved."""

    paths: frozenset[str] = frozenset()
    partitions: frozenset[ForeignKey] = frozenset()
    changed: tuple[str, ...] = field(default=())

    def covers(self, found: HiveTree) -> bool:
        """Tell whether every table that was found is in a settled partition."""
        return all(file.key in self.partitions for file in found.files)

    @classmethod
    def compare(cls, tree: ObjectStore, found: HiveTree, adoption: Manifest | None, asked: _Asked) -> _Settled:
        """Compare what is there with what was adopted, by the digest of every byte."""
        if adoption is None:
            return cls()
        there: list[HiveFile | Stray] = [*found.files, *(s for s in found.strays if not s.is_harmless)]
        recorded = {file.path: file for file in adoption.files()}
        same = {one.path for one in there if _is_same(tree, one, recorded.get(one.path))}
        adopted = {p.key: p for p in adoption.partitions if asked.holds(p.key.project_id, p.key.period)}
        partitions = {
            key
            for key, files in found.partitions().items()
            if key in adopted and {adopted[key].chosen.path, *_paths(files)} <= same
        }
        changed = {one.path for one in there if one.path in recorded} - same
        changed |= {file.path for file in found.files if file.key in adopted} - same
        changed |= {p.chosen.path for p in adopted.values()} - same
        return cls(paths=frozenset(same), partitions=frozenset(partitions), changed=tuple(sorted(changed)))


def _is_same(tree: ObjectStore, one: HiveFile | Stray, recorded: AdoptedFile | None) -> bool:
    if recorded is None or recorded.size != one.size:
        return False
    data = tree.get(one.path)
    return data is not None and sha256_hex(data) == recorded.sha256
