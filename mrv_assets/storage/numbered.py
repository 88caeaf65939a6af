"""Counting up what must have no gap: generations of a slot, entries of the journal.

What does not belong here: what a gap means (fsck).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


def counted_up(listed: Iterable[int], is_there: Callable[[int], bool]) -> Iterator[int | range]:
    """Yield 1, 2, 3 … up to the newest listed number, and in place of numbers that are not there their range.

    `listed` comes in order. A listing may miss an object that is created while it runs, so `is_there` is asked
    before a number is called missing; after the first that is not there the rest of the gap is not asked.
    """
    last = 0
    for number in listed:
        while last + 1 < number and is_there(last + 1):
            last += 1
            yield last
        if last + 1 < number:
            yield range(last + 1, number)
        last = number
        yield number


def gap_text(gap: range) -> str:
    """Name the missing numbers."""
    return str(gap.start) if len(gap) == 1 else f"{gap.start} to {gap.stop - 1}"
