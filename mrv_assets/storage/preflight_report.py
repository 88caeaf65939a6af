"""What a preflight says, and what a backfill may do about it.

What does not belong here: finding it out (preflight).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mrv_assets.domain.adoption import Keep
from mrv_assets.domain.digest import Json
from mrv_assets.domain.errors import Refusal, listed
from mrv_assets.storage.hive_tree import Stray

_ADOPT = "`mrv adopt` for a foreign tree, `mrv fsck` for our own store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is there for a project and a window, and every reason why a backfill over it could count twice.

    `partitions_found` counts partitions of the window. Keys of partitions read `<project> <period> <version>`.
    `duplicate_partitions` and `contradictions` are by partition and file; `mixed_types` by identity column, each line
    a type or a folder name that readers turn into a number; `mixed_factor_versions` by folder. `overlapping_periods`
    are pairs that share a day, of which at least one exists. `adopted_partitions` are settled by an adoption; files
    that have changed, come or gone since are in `changed_since_adoption`, and their partitions are open again.
    """

    source: str
    project_id: str
    window: str
    window_periods: int
    partitions_found: int
    duplicate_partitions: Mapping[str, tuple[str, ...]]
    unhashed_partitions: tuple[str, ...]
    stray_objects: tuple[Stray, ...]
    overlapping_periods: tuple[tuple[str, str], ...]
    mixed_types: Mapping[str, tuple[str, ...]]
    mixed_factor_versions: Mapping[str, tuple[str, ...]]
    contradictions: Mapping[str, tuple[str, ...]]
    adopted_partitions: tuple[str, ...]
    changed_since_adoption: tuple[str, ...]

    @property
    def idempotent_safe(self) -> bool:
        """Tell whether nothing was found that could make a backfill count twice or hide what was there."""
        return not list(findings(self))

    def to_json(self) -> dict[str, Json]:
        """Return the report as canonical-JSON-ready values."""
        return {
            "source": self.source,
            "project_id": self.project_id,
            "window": self.window,
            "window_periods": self.window_periods,
            "partitions_found": self.partitions_found,
            "duplicate_partitions": _lists(self.duplicate_partitions),
            "unhashed_partitions": list(self.unhashed_partitions),
            "stray_objects": [
                {"path": s.path, "kind": s.kind.value, "why": s.why, "size": s.size, "is_harmless": s.is_harmless}
                for s in self.stray_objects
            ],
            "overlapping_periods": [list(pair) for pair in self.overlapping_periods],
            "mixed_types": _lists(self.mixed_types),
            "mixed_factor_versions": _lists(self.mixed_factor_versions),
            "contradictions": _lists(self.contradictions),
            "adopted_partitions": list(self.adopted_partitions),
            "changed_since_adoption": list(self.changed_since_adoption),
            "idempotent_safe": self.idempotent_safe,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reason against a backfill: its kind, as the report's field is called, where, what, and what remedies it."""

    kind: str
    where: str
    what: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyPolicy:
    """What the operator allows a backfill to remedy by itself.

    `consolidate` is the rule by which duplicates are adopted first, None when they may not be. `recompute` says
    whether contents without a recorded hash count as unknown and are computed again.
    """

    consolidate: Keep | None
    recompute: bool


def findings(report: Report) -> Iterator[Finding]:
    """Yield every reason why the report is not safe, in the order of its fields."""
    for key, files in report.duplicate_partitions.items():
        yield _finding("duplicate_partitions", key, f"{len(files)} files: {', '.join(files)}", _ADOPT)
    for key in report.unhashed_partitions:
        yield _finding("unhashed_partitions", key, "no recorded content hash", _ADOPT)
    for stray in report.stray_objects:
        if not stray.is_harmless:
            yield _finding("stray_objects", stray.path, f"{stray.kind}: {stray.why}", _ADOPT)
    for one, other in report.overlapping_periods:
        yield _finding("overlapping_periods", one, f"shares days with {other}", "report each day in one period")
    yield from _about_identity(report)
    for path in report.changed_since_adoption:
        yield _finding("changed_since_adoption", path, "not as it was adopted", _ADOPT)


def _about_identity(report: Report) -> Iterator[Finding]:
    for column, lines in report.mixed_types.items():
        yield _finding("mixed_types", column, "; ".join(lines), _ADOPT)
    for folder, versions in report.mixed_factor_versions.items():
        yield _finding("mixed_factor_versions", folder, f"holds {', '.join(versions)}", _ADOPT)
    for path, faults in report.contradictions.items():
        yield _finding("contradictions", path, "; ".join(faults), "correct the file or move it out of the tree")


def require_safe(report: Report, *, policy: RemedyPolicy) -> None:
    """Return when a backfill may go on: nothing was found, or nothing that `policy` does not allow it to remedy.

    Raises Refusal naming what stands in the way.
    """
    allowed = set()
    if policy.consolidate is not None:
        allowed.add("duplicate_partitions")
    if policy.recompute:
        allowed.add("unhashed_partitions")
    open_ = [finding for finding in findings(report) if finding.kind not in allowed]
    if open_:
        raise Refusal(
            "what is there is not safe to backfill over",
            where=f"{report.project_id} {report.window} in {report.source}",
            expected="nothing that could be counted twice, or a policy that remedies it",
            found=listed([f"{finding.kind}: {finding.where}: {finding.what}" for finding in open_]),
            remedy=f"{'; '.join(sorted({finding.remedy for finding in open_}))}; `mrv preflight` shows all of it",
        )


def _finding(kind: str, where: str, what: str, remedy: str) -> Finding:
    return Finding(kind=kind, where=where, what=what, remedy=remedy)


def _lists(found: Mapping[str, tuple[str, ...]]) -> dict[str, Json]:
    return {name: list(items) for name, items in found.items()}
