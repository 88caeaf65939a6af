"""What a release makes of many small tables: the stages `factor` and `aggregate`, called once for all of them.

A row's tonnes depend on that row alone and sums are exact, so that tables which are quantified together come out as
they do one by one, to the last digit. What does not belong here: which tables (impact_figures), tables with footprints
that the release places (impact_located), and comparing (impact).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mrv_assets.domain.errors import GateError, Refusal
from mrv_assets.domain.factor_spans import FactorKey
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.fallback import Fallback
from mrv_assets.domain.staged import Staged
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.stages.aggregate import aggregate
from mrv_assets.stages.factor import QUANTIFIED, apply_factors

_ROW_ID, _QUANTITY = "row_id", "activity_qty"
COLUMNS = [name for name in QUANTIFIED if name != _ROW_ID]
"""What has to be read of a normalized table; ids of rows are only for what a refusal says."""

_KEY = [name for name in COLUMNS if name != _QUANTITY]
HERE = "\x00"
"""Stands for the partition in a refusal, which many of them may share."""

_DIGITS = 12

Parts: TypeAlias = dict[FactorKey, Tonnes]
Whole: TypeAlias = Callable[[int], pa.Table]
"""Gives a table of a batch again by its number, with the ids of its rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The rows of several tables, one table after another, with how many rows each has."""

    rows: pa.Table
    lengths: Sequence[int]

    def only(self, numbers: Sequence[int]) -> Batch:
        """Return some of the tables, which are numbered anew."""
        if len(numbers) == len(self.lengths):
            return self
        keep = np.zeros(len(self.lengths), dtype=bool)
        keep[list(numbers)] = True
        rows = self.rows.filter(pa.array(np.repeat(keep, self.lengths)))
        return Batch(rows=rows, lengths=[self.lengths[number] for number in numbers])

    def tables(self) -> list[pa.Table]:
        """Return the tables one by one."""
        starts = accumulate(self.lengths, initial=0)
        return [self.rows.slice(start, length) for start, length in zip(starts, self.lengths, strict=False)]


class Applied:
    """One release, applied to tables as the stages would, with what a project lets stand in for its own regions."""

    def __init__(self, release: FactorRelease, fallback: Fallback | None) -> None:
        self._release = release
        self._fallback = fallback
        self._refusals: dict[tuple[object, ...], Refusal | None] = {}

    def to(self, batch: Batch, whole: Whole) -> list[Parts | Refusal]:
        """Return the tonnes of each table by factor, or why the release refuses it."""
        try:
            return list(self._together(batch))
        except Refusal:
            return self._refusing(batch, whole)

    def _refusing(self, batch: Batch, whole: Whole) -> list[Parts | Refusal]:
        """Find which tables are refused: most often by what kinds of rows they have, which many of them share."""
        refusals = [self._refusal_of_kinds(table) for table in batch.tables()]
        rest = [number for number, refusal in enumerate(refusals) if refusal is None]
        accepted: Sequence[Parts | Refusal]
        try:
            accepted = self._together(batch.only(rest))
        except Refusal:
            accepted = [self._alone(whole(number)) for number in rest]
        left = iter(accepted)
        return [next(left) if refusal is None else refusal for refusal in refusals]

    def _refusal_of_kinds(self, table: pa.Table) -> Refusal | None:
        """Return why the kinds of rows of a table are refused, whatever the quantities; asked once for each set."""
        asked = tuple(sorted(set(zip(*(table.column(name).to_pylist() for name in _KEY), strict=True))))
        if asked not in self._refusals:
            kinds = pa.table(list(map(list, zip(*asked, strict=True))) or [[]] * len(_KEY), names=_KEY)
            nothing = pa.array(np.zeros(kinds.num_rows))
            found = self._alone(_numbered(kinds.append_column(_QUANTITY, nothing)))
            self._refusals[asked] = found if isinstance(found, Refusal) else None
        return self._refusals[asked]

    def _alone(self, table: pa.Table) -> Parts | Refusal:
        try:
            self._factored(table)
        except Refusal as refusal:
            return refusal
        return self._together(Batch(rows=table.select(COLUMNS), lengths=[table.num_rows]))[0]

    def _together(self, batch: Batch) -> list[Parts]:
        """Return the tonnes of each table by factor. Raises what the stages raise."""
        if not batch.rows.num_rows:
            return [{} for _ in batch.lengths]
        factored = self._factored(_numbered(batch.rows)).table
        owners = np.repeat(np.arange(len(batch.lengths)), batch.lengths)
        return parts_of(factored, owners[factored.column(_ROW_ID).cast(pa.int64()).to_numpy()], len(batch.lengths))

    def _factored(self, table: pa.Table) -> Staged:
        return apply_factors(table, release=self._release, fallback=self._fallback, where=HERE)


def parts_of(factored: pa.Table, owners: NDArray[np.int64], tables: int) -> list[Parts]:
    """Return the tonnes by factor of so many tables whose factored rows stand together, each owned by its number."""
    parts: list[Parts] = [{} for _ in range(tables)]
    owner = pa.array(owners).cast(pa.string())
    # A stratum is told apart by its epoch, so the table and the unit stand there, and one call adds them all up.
    label = pc.binary_join_element_wise(owner, factored.column("unit").combine_chunks(), " ")
    place = factored.column_names.index("epoch")
    strata = aggregate(factored.set_column(place, "epoch", label)).table
    columns = ("epoch", "activity_id", "region", "emissions_tco2e", "removals_tco2e")
    for labelled, activity, region, emissions, removals in zip(
        *(strata.column(name).to_pylist() for name in columns), strict=True
    ):
        number, _, unit = labelled.partition(" ")
        key = FactorKey(activity_id=activity, region=region, unit=unit)
        parts[int(number)][key] = Tonnes(emissions=emissions, removals=removals)
    return parts


def told_of(refusal: Refusal, where: str) -> Refusal:
    """Return a refusal that was found for `HERE` as the stage says it of the partition `where`."""
    said = {name: getattr(refusal, name) for name in ("what", "expected", "found", "remedy")}
    there = refusal.where.replace(HERE, where)
    if isinstance(refusal, GateError):
        return GateError(**said, gate=refusal.gate, where=there)
    return type(refusal)(**said, where=there)


def _numbered(table: pa.Table) -> pa.Table:
    """Return rows with ids that rise, so that they stay in their order and need no sorting."""
    numbers = pa.array(np.arange(table.num_rows)).cast(pa.string())
    return table.append_column(_ROW_ID, pc.utf8_lpad(numbers, _DIGITS, "0"))
