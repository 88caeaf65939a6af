"""What a bump to another factor release would do: which partitions it touches and how many tonnes it moves.

Computed from what is stored, by the stages themselves, before anything is written. It says what a run would make of the
normalized table behind each figure; another source file or other code would move it as well. What does not belong
here: totals and how they are shown (report).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import TypeAlias, TypeVar

import pyarrow as pa

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.factor_spans import FactorKey
from mrv_assets.domain.fallback import Fallback
from mrv_assets.domain.generation import UpstreamRef
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.domain.tonnes import Move, Tonnes
from mrv_assets.pipeline.impact_applied import COLUMNS, Applied, Batch, Parts, told_of
from mrv_assets.pipeline.impact_figures import (
    LiveFigure,
    Prospect,
    Terms,
    content_of,
    for_one_look,
    live_figure,
    live_record,
    load,
    prospect,
    stored_parts,
)
from mrv_assets.pipeline.impact_located import located_parts
from mrv_assets.pipeline.threads import on_all_cores
from mrv_assets.pipeline.world import World
from mrv_assets.stages.factor import QUANTIFIED
from mrv_assets.storage.parquet import read_together

_In = TypeVar("_In")
_Out = TypeVar("_Out")

Notice: TypeAlias = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""

_TOGETHER = 128
"""Partitions that are read together: fewer than the records that a listing keeps."""

_AT_HAND = ("file:", "memory:")

_ROWS_TOGETHER = 1 << 16
"""Rows that are quantified together; one table may have more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionImpact:
    """What another release would make of one figure.

    `key` is the partition that a run would make, `live` the release that the figure rests on now. `after` and `factors`
    are missing when the run would be refused before there is a figure, by `refusal`. `hold` says why the ledger would
    stay as it is. `materiality` is the share that the project calls a restatement.
    """

    key: PartitionKey
    live: str
    before: Tonnes
    after: Tonnes | None
    factors: Mapping[FactorKey, Move]
    hold: str | None
    refusal: Refusal | None
    materiality: Decimal

    @property
    def move(self) -> Move | None:
        """The figure before and after, None when the run would be refused."""
        return None if self.after is None else Move(before=self.before, after=self.after)

    @property
    def is_moving(self) -> bool:
        """Whether the ledger would report the figure after."""
        return self.after is not None and self.hold is None

    @property
    def is_material(self) -> bool:
        """Whether the change exceeds what the project calls a restatement."""
        return self.move is not None and self.move.exceeds(self.materiality)


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What a bump from `before` (None: from whatever is live on the line) to `after` would do, by project and period.

    `already` counts the figures that rest on `after` now.
    """

    before: str | None
    after: str
    partitions: Sequence[PartitionImpact]
    already: int


def factor_impact(
    world: World,
    after: str,
    *,
    before: str | None = None,
    project_id: str | None = None,
    period: str | None = None,
    notice: Notice = lambda _what, _done, _all: None,
) -> Impact:
    """Preview a bump of every live figure that rests on `before`, or on any release of the line of `after`.

    Limited to a project and a period where they are given. Writes nothing. Raises FactorError for an unknown or
    malformed release, IdentityError for a project or period that is not canonical, Tampering when what is stored is
    not what was sealed, and StoreUnavailable.
    """
    span = None if period is None else Period.parse(period).text
    for version in (before, after):
        if version is not None:
            world.references.factor_release(version)
    glance = for_one_look(world, project_id=project_id)
    found, already = _candidates(glance, after, before, span, notice)
    applied = {
        terms: _made_of(glance, [figure for figure, ahead in found if ahead.terms == terms], after, terms, notice)
        for terms in sorted({ahead.terms for _, ahead in found}, key=repr)
    }
    return Impact(
        before=before,
        after=after,
        partitions=[_compared(glance, figure, ahead, after, applied[ahead.terms]) for figure, ahead in found],
        already=already,
    )


_Found: TypeAlias = tuple[LiveFigure, Prospect]
_Made: TypeAlias = dict[tuple[str, str], Parts | Refusal]
"""What a release makes of a content, by the digest of the content and the version."""


def _candidates(
    world: World, after: str, before: str | None, period: str | None, notice: Notice
) -> tuple[list[_Found], int]:
    """Return the figures that the bump would touch, and how many rest on `after` already."""
    slots = [slot for slot in world.slots.listed(Asset.LEDGER) if period in (None, slot.period)]
    line = world.references.factor_release(after).line

    def look(slot: Slot) -> _Found | str | None:
        record = live_record(world, slot)
        if record is None:
            return None
        live = record.pins["factor_version"]
        if live == after != before:
            return after
        if before not in (None, live):
            return None
        key = PartitionKey(project_id=slot.project_id, period=slot.period, factor_version=after)
        ahead = prospect(world, key, record)
        if before is None and ahead.factor_line not in (None, line):
            return None
        return live_figure(world, record), ahead

    found: list[_Found] = []
    already = 0
    for start in range(0, len(slots), _TOGETHER):
        seen = _each(world, look, slots[start : start + _TOGETHER])
        already += sum(1 for one in seen if isinstance(one, str))
        found += [one for one in seen if one is not None and not isinstance(one, str)]
        notice("reading what is reported", start + len(seen), len(slots))
    return found, already


def _made_of(world: World, figures: Sequence[LiveFigure], after: str, terms: Terms, notice: Notice) -> _Made:
    """Return what the releases make of every distinct content under the terms, each read and computed once."""
    if terms.spatial is not None:
        return _located(world, _distinct(figures), after, terms.fallback, terms.spatial, notice)
    return _quantified(world, figures, after, terms.fallback, notice)


def _quantified(
    world: World, figures: Sequence[LiveFigure], after: str, fallback: Fallback | None, notice: Notice
) -> _Made:
    """Return what both releases make of tables whose rows say their region, many tables at a time."""
    distinct = _distinct(figures)
    wanted = {(figure.normalized.content_digest, figure.key.factor_version) for figure in figures}
    releases = _releases(world, {after, *(version for _, version in wanted)}, after, fallback)
    made: _Made = {}
    done = 0
    for refs, batch in _batches(world, distinct):
        for version, release in releases.items():
            chosen = [n for n, ref in enumerate(refs) if version == after or (ref.content_digest, version) in wanted]
            whole = partial(_whole, world, [refs[number] for number in chosen])
            for number, parts in zip(chosen, release.to(batch.only(chosen), whole), strict=True):
                made[refs[number].content_digest, version] = parts
        done += len(refs)
        notice("applying the releases", done, len(distinct))
    return made


def _located(
    world: World,
    refs: Sequence[UpstreamRef],
    after: str,
    fallback: Fallback | None,
    spatial: CrsPolicy,
    notice: Notice,
) -> _Made:
    """Return what the newer release makes of tables whose rows it places, one at a time: footprints are large.

    What a figure was by factor is stored, so the older release need not place its rows again.
    """
    release = world.references.factor_release(after)
    made: _Made = {}
    for done, ref in enumerate(refs, start=1):
        made[ref.content_digest, after] = located_parts(
            load(world, ref), release=release, fallback=fallback, spatial=spatial
        )
        notice("placing rows in the regions of the release", done, len(refs))
    return made


def _distinct(figures: Sequence[LiveFigure]) -> Sequence[UpstreamRef]:
    return list({figure.normalized.content_digest: figure.normalized for figure in figures}.values())


def _releases(world: World, versions: Iterable[str], after: str, fallback: Fallback | None) -> dict[str, Applied]:
    """Open the releases. One that is live and cannot be read any more is left out: its tonnes are stored."""
    releases: dict[str, Applied] = {}
    for version in sorted(versions):
        try:
            releases[version] = Applied(world.references.factor_release(version), fallback)
        except Refusal:
            if version == after:
                raise
    return releases


def _batches(world: World, refs: Sequence[UpstreamRef]) -> Iterator[tuple[list[UpstreamRef], Batch]]:
    """Yield the tables, as many together as make a fair number of rows."""
    taken: list[UpstreamRef] = []
    batches: list[Batch] = []
    rows = 0
    for start in range(0, len(refs), _TOGETHER):
        some = refs[start : start + _TOGETHER]
        contents = _each(world, partial(content_of, world), some)
        taken += some
        lengths = [length for _, length in contents]
        batches.append(Batch(rows=read_together([data for data, _ in contents], COLUMNS), lengths=lengths))
        rows += sum(lengths)
        if rows >= _ROWS_TOGETHER:
            yield taken, _joined(batches)
            taken, batches, rows = [], [], 0
    if batches:
        yield taken, _joined(batches)


def _joined(batches: Sequence[Batch]) -> Batch:
    rows = pa.concat_tables([batch.rows for batch in batches])
    return Batch(rows=rows, lengths=[length for batch in batches for length in batch.lengths])


def _each(world: World, function: Callable[[_In], _Out], items: Sequence[_In]) -> list[_Out]:
    """Return the function of every item, side by side where the store is far away.

    Reading records is work for the interpreter, which threads only take from one another where the store is at hand.
    """
    if world.store.uri.startswith(_AT_HAND):
        return [function(item) for item in items]
    return on_all_cores(function, items)


def _whole(world: World, refs: Sequence[UpstreamRef], number: int) -> pa.Table:
    return load(world, refs[number], list(QUANTIFIED))


def _compared(world: World, figure: LiveFigure, ahead: Prospect, after: str, made: _Made) -> PartitionImpact:
    key = replace(figure.key, factor_version=after)
    parts = made[figure.normalized.content_digest, after]
    refusal = ahead.refusal
    if isinstance(parts, Refusal):
        refusal = refusal or told_of(parts, str(Slot.of(Asset.FACTORED, key)))
        parts = {}
    after_tonnes = Tonnes.sum(parts.values())
    return PartitionImpact(
        key=key,
        live=figure.key.factor_version,
        before=figure.tonnes,
        after=None if refusal else after_tonnes,
        factors={} if refusal else _moves(_parts_before(world, figure, made), parts),
        hold=ahead.hold if refusal else ahead.hold_of(Move(before=figure.tonnes, after=after_tonnes)),
        refusal=refusal,
        materiality=ahead.materiality,
    )


def _parts_before(world: World, figure: LiveFigure, made: _Made) -> Parts:
    """Return the figure by factor: computed anew where that was done and gives the stored figure, else as stored."""
    parts = made.get((figure.normalized.content_digest, figure.key.factor_version))
    if isinstance(parts, dict) and Tonnes.sum(parts.values()) == figure.tonnes:
        return parts
    return stored_parts(world, figure)


def _moves(before: Parts, after: Parts) -> dict[FactorKey, Move]:
    nothing = Tonnes()
    keys: Iterable[FactorKey] = sorted({*before, *after})
    return {key: Move(before=before.get(key, nothing), after=after.get(key, nothing)) for key in keys}
