"""Counting up names each number once: as there, or in the range of a gap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.storage.numbered import counted_up, gap_text


@given(there=st.sets(st.integers(1, 40)), unlisted=st.sets(st.integers(1, 40)))
def test_every_number_is_there_or_in_a_gap(there: set[int], unlisted: set[int]) -> None:
    """Up to the newest listed number all numbers come once and in order, and no gap begins with one that is there."""
    listed = sorted(there - unlisted)
    steps = list(counted_up(listed, there.__contains__))
    numbers = [n for step in steps for n in (step if isinstance(step, range) else [step])]
    assert numbers == list(range(1, max(listed, default=0) + 1))
    assert all(step in there for step in steps if isinstance(step, int))
    assert all(step.start not in there for step in steps if isinstance(step, range))


def test_a_gap_of_any_width_costs_one_question() -> None:
    """A foreign number far ahead is one gap, not a walk of a million million steps."""
    asked: list[int] = []

    def is_there(number: int) -> bool:
        asked.append(number)
        return False

    steps = list(counted_up([1, 10**12 - 1], is_there))
    assert steps == [1, range(2, 10**12 - 1), 10**12 - 1]
    assert asked == [2]
    assert [gap_text(step) for step in steps if isinstance(step, range)] == ["2 to 999999999998"]
