"""Rows on the same land at the same time are found, however many there are."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.compliance.uses import Uses

rows = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(700_000, 700_012), st.integers(0, 6)), max_size=14
)


@given(drawn=rows)
def test_a_row_is_told_when_and_only_when_it_repeats_another(drawn: list[tuple[int, int, int, int]]) -> None:
    """Each pair shares land, activity and a day; and each row that shares them with any other is in a pair."""
    land, activity, first, length = np.array(drawn, dtype=np.int64).reshape(-1, 4).T
    uses = Uses(activity=activity, first=first.astype(np.int32), last=(first + length).astype(np.int32))
    a, b = uses.repeated(land)
    told = list(zip(a.tolist(), b.tolist(), strict=True))
    shared = {
        (i, j)
        for i, j in itertools.combinations(range(len(drawn)), 2)
        if land[i] == land[j] and bool(uses.at_the_same_time(np.array(i), np.array(j)))
    }
    assert set(told) <= shared
    assert set(itertools.chain(*told)) == set(itertools.chain(*shared))
    assert told == sorted(set(told))
    assert len(told) < max(1, len(drawn))


@given(drawn=rows)
def test_one_row_stands_for_all_that_are_alike(drawn: list[tuple[int, int, int, int]]) -> None:
    """Once for each land, activity and time, sorted by land."""
    land, activity, first, length = np.array(drawn, dtype=np.int64).reshape(-1, 4).T
    uses = Uses(activity=activity, first=first.astype(np.int32), last=(first + length).astype(np.int32))
    kept = [drawn[row] for row in uses.distinct(land).tolist()]
    assert sorted(kept) == sorted(set(drawn))
    assert [row[0] for row in kept] == sorted(row[0] for row in kept)
