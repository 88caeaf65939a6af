"""What rows count land for, and when: one activity, from a first to a last day. And which rows do so at the same time.

What does not belong here: whether rows are on the same land (land).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mrv_assets.compliance.case import Case
from mrv_assets.domain.partition import Period

Numbers: TypeAlias = NDArray[np.int64]
Days: TypeAlias = NDArray[np.int32]
Pairs: TypeAlias = tuple[Numbers, Numbers]
"""Two rows each, the lower one first, sorted."""

_ERA = 10_000_000  # more days than any calendar date has behind it


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """For each row a number for its activity, and the first and the last day of its epoch as ordinals."""

    activity: Numbers
    first: Days
    last: Days

    @classmethod
    def of(cls, case: Case) -> Uses:
        """Read the uses of a staged table. Raises IdentityError for an epoch that is no period."""
        epochs = _encoded(case.column("epoch").fill_null(""))
        periods = [Period.parse(text) for text in epochs.dictionary.to_pylist()]
        first = np.array([period.first.toordinal() for period in periods], dtype=np.int32)
        last = np.array([period.last.toordinal() for period in periods], dtype=np.int32)
        at = epochs.indices.to_numpy()
        return cls(activity=numbered(case.column("activity_id").fill_null("")), first=first[at], last=last[at])

    def only(self, rows: Numbers) -> Uses:
        """Return the uses of some rows."""
        return Uses(activity=self.activity[rows], first=self.first[rows], last=self.last[rows])

    def repeated(self, land: Numbers) -> Pairs:
        """Return rows of the same activity and time on the same land, each with one that it repeats.

        So many rows on one field are not as many pairs as their number squared.
        """
        order = np.lexsort((self.first, self.activity, land))
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = (np.diff(land[order]) != 0) | (np.diff(self.activity[order]) != 0)
        era = (np.cumsum(is_new) - 1) * _ERA  # later for every other land and activity, so that one running end will do
        end = era + self.last[order]
        latest = np.maximum.accumulate(end)
        is_latest = is_new.copy()
        is_latest[1:] |= end[1:] > latest[:-1]
        holder = np.maximum.accumulate(np.where(is_latest, np.arange(len(order)), 0))
        again = np.flatnonzero(~is_new[1:] & (era[1:] + self.first[order][1:] <= latest[:-1])) + 1
        return in_order(order[holder[again - 1]], order[again])

    def distinct(self, land: Numbers) -> Numbers:
        """Return a row for every land, activity and time, sorted by land."""
        order = np.lexsort((self.last, self.first, self.activity, land))
        use = np.column_stack([land, self.activity, self.first, self.last])[order]
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = (use[1:] != use[:-1]).any(axis=1)
        return order[is_new]

    def at_the_same_time(self, a: Numbers, b: Numbers) -> NDArray[np.bool_]:
        """Tell of which pairs of rows, by broadcasting, both are of one activity and share a day."""
        is_same = (self.activity[a] == self.activity[b]) & (self.first[a] <= self.last[b])
        is_both: NDArray[np.bool_] = is_same & (self.first[b] <= self.last[a])
        return is_both


def in_order(a: Numbers, b: Numbers) -> Pairs:
    """Return pairs with the lower row first, sorted."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    return low[order], high[order]


def numbered(first: pa.ChunkedArray, *others: pa.ChunkedArray) -> Numbers:
    """Return a number for each row, the same for rows with the same values."""
    numbers, _ = _codes(first)
    for column in others:
        codes, count = _codes(column)
        _, numbers = np.unique(numbers * count + codes, return_inverse=True)
    return numbers


def _codes(column: pa.ChunkedArray) -> tuple[Numbers, int]:
    """Return a number for each value, null being one, and how many there may be."""
    encoded = _encoded(column)
    count = len(encoded.dictionary)
    return encoded.indices.fill_null(count).to_numpy().astype(np.int64), count + 1


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    return column.dictionary_encode().combine_chunks()
