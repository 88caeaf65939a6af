"""How the regions of two releases differ: which came, went, or have another outline.

What does not belong here: reading outlines (stages), and factors, which differ whatever their regions do (factor_diff).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineChange:
    """A region that both releases have, with the digests of its two outlines."""

    region: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionDiff:
    """How the regions of two releases differ, by id and sorted. Every id of either is in exactly one of the four."""

    removed: Sequence[str]
    added: Sequence[str]
    changed: Sequence[OutlineChange]
    unchanged: Sequence[str]

    @property
    def is_empty(self) -> bool:
        """Tell whether neither release knows of any region."""
        return not (self.removed or self.added or self.changed or self.unchanged)


def region_differences(before: Mapping[str, str], after: Mapping[str, str]) -> RegionDiff:
    """Return how regions differ, given the digest of each outline by id on either side."""
    kept = sorted(before.keys() & after)
    return RegionDiff(
        removed=sorted(before.keys() - after),
        added=sorted(after.keys() - before),
        changed=[
            OutlineChange(region=name, before=before[name], after=after[name])
            for name in kept
            if before[name] != after[name]
        ],
        unchanged=[name for name in kept if before[name] == after[name]],
    )
