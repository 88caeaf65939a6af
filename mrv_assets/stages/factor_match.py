"""Which factor every kind of activity row has: that of its own region, else of the nearest one that may lend it.

What does not belong here: which regions may (domain.fallback) and the product (factor).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mrv_assets.domain.errors import FactorError, GateError, listed
from mrv_assets.domain.factors import CombinedFactor, FactorRelease
from mrv_assets.domain.fallback import Level, regions_tried
from mrv_assets.domain.partition import Period
from mrv_assets.domain.remedies import MATCH_FACTORS

RowKey: TypeAlias = tuple[str | None, str | None, str | None, str | None]
"""Activity, region, unit and epoch of a row. A key with a null part matches nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The factor of a row, the region that it is published for, and that region's level above the row's own."""

    factor: CombinedFactor
    region: str
    level: Level


def match_factors(
    keys: Iterable[RowKey], *, release: FactorRelease, levels: Sequence[Level], where: str
) -> Mapping[RowKey, Match]:
    """Return the one match of every distinct key.

    A region around the row's own is asked only when no nearer one has a factor on any day of the epoch. Raises
    GateError (gate `factors_matched`) listing every key that has none, with the closest known ones.
    """
    found: dict[RowKey, Match] = {}
    unmatched: list[str] = []
    for key in sorted(set(keys), key=_order):
        match, told = _match(key, release, levels, where)
        if match is None:
            unmatched.append(told)
        else:
            found[key] = match
    if unmatched:
        around = f", or for its {', '.join(levels)}" if levels else ""
        raise _unmatched(
            where,
            expected=f"a factor in release {release.version} for every activity, region, unit and epoch{around}",
            found=f"{len(unmatched)}: {listed(unmatched)}; closest known: {_closest(unmatched[0], release)}",
        )
    return found


def _match(key: RowKey, release: FactorRelease, levels: Sequence[Level], where: str) -> tuple[Match | None, str]:
    """Return the match of a key, or None; and the key as a message names it."""
    activity_id, region, unit, epoch = key
    told = " ".join("null" if part is None else part for part in key)
    if activity_id is None or region is None or unit is None or epoch is None:
        return None, told
    span = Period.parse(epoch)
    for level, name in regions_tried(region, levels):
        try:
            factor = release.combined(activity_id=activity_id, region=name, unit=unit, epoch=span)
        except FactorError as error:
            raise _unmatched(f"{where}, {error.where}", expected=error.expected, found=error.found) from error
        if factor is not None:
            return Match(factor=factor, region=name, level=level), told
        # A wider factor would silently stand for days on which the nearer one holds.
        if levels and any(row.touches(span) for row in release.by_key.get((activity_id, name, unit), ())):
            return None, f"{told} ({name} has a factor for a part of the epoch only)"
    return None, told


def _order(key: RowKey) -> tuple[tuple[bool, str], ...]:
    return tuple((part is not None, part or "") for part in key)


def _closest(key: str, release: FactorRelease) -> str:
    known = sorted(
        {f"{' '.join(row.join_key)} {row.valid_from} to {row.valid_to}" for row in release.rows},
    )
    return listed(difflib.get_close_matches(key, known, n=3, cutoff=0.0))


def _unmatched(where: str, *, expected: str, found: str) -> GateError:
    return GateError(
        "activity has no factor",
        gate="factors_matched",
        where=where,
        expected=expected,
        found=found,
        remedy=MATCH_FACTORS,
    )
