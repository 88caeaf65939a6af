"""What changed between two editions of a publisher, by the keys under which factors are listed.

What does not belong here: what a change does to reported figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mrv_assets.importers.draft import DraftRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChange:
    """Published keys that only the older edition has, and that only the newer has, sorted."""

    vanished: Sequence[str]
    new: Sequence[str]


def compared(older: DraftRelease, newer: DraftRelease) -> KeyChange:
    """Return which published keys vanished and which are new.

    A key is the publisher's label, letter by letter: a renamed label is a key that vanished and a new one. Keys without
    a usable value count like others, since they are listed.
    """
    return KeyChange(
        vanished=sorted(older.published_keys - newer.published_keys),
        new=sorted(newer.published_keys - older.published_keys),
    )


def activities_changed(older: DraftRelease, newer: DraftRelease) -> KeyChange:
    """Return which activities (id, region and unit) an activity row can no longer name, and which it can name now."""
    before = {f"{row.activity_id} {row.region} per {row.denominator_unit}" for row in older.rows}
    after = {f"{row.activity_id} {row.region} per {row.denominator_unit}" for row in newer.rows}
    return KeyChange(vanished=sorted(before - after), new=sorted(after - before))
