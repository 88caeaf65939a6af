"""What a window is: the periods that a preflight looks at and a backfill recomputes, written as one text.

What does not belong here: which partitions exist in a window (storage) and what a period is (partition).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Period

_FORMS = "2021, 2019..2022, 2024-Q1..2024-Q3, 2024-01..2024-06, or several of these with commas between"
_UNITS = ((re.compile(r"([0-9]{4})"), 1), (re.compile(r"([0-9]{4})-Q([1-4])"), 4), (re.compile(r"([0-9]{4})-(..)"), 12))
_SPELLINGS = {1: "{:04d}", 4: "{:04d}-Q{}", 12: "{:04d}-{:02d}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Periods in the order of their days, none of which shares a day with another."""

    text: str
    periods: tuple[Period, ...]

    @classmethod
    def parse(cls, text: str) -> Window:
        """Read a list of canonical periods and of ranges `first..last` of one kind, both ends inclusive.

        Raises IdentityError for anything else: a period that is not canonical, a range of spans, of two kinds or
        backwards, and periods that share a day.
        """
        periods = [period for item in text.split(",") for period in _periods(text, item)]
        periods.sort(key=lambda period: (period.first, period.last))
        for before, after in pairwise(periods):
            if before.overlaps(after):
                raise _refused(text, "periods that share no day", f"{before} and {after}")
        return cls(text=text, periods=tuple(periods))

    def __contains__(self, period: str) -> bool:
        """Tell whether a period of this name is in the window."""
        return any(period == one.text for one in self.periods)

    def touches(self, period: Period) -> bool:
        """Tell whether the period shares a day with one of the window, whatever their names."""
        return any(period.overlaps(one) for one in self.periods)

    def __str__(self) -> str:
        return self.text


def overlapping(periods: Sequence[Period]) -> Iterator[tuple[Period, Period]]:
    """Yield each pair of differently named periods that share a day, the earlier one first."""
    ordered = sorted({period.text: period for period in periods}.values(), key=lambda p: (p.first, p.last, p.text))
    for index, one in enumerate(ordered):
        for other in ordered[index + 1 :]:
            if other.first > one.last:
                break
            yield one, other


def _periods(window: str, item: str) -> list[Period]:
    start, separator, stop = item.partition("..")
    first = Period.parse(start)
    if not separator:
        return [first]
    last = Period.parse(stop)
    one, other = _counted(first), _counted(last)
    if one is None or other is None or one[1] != other[1]:
        raise _refused(window, "two years, two quarters or two months around ..", item)
    per_year = one[1]
    if other[0] < one[0]:
        raise _refused(window, "a range that runs forwards", item)
    return [Period.parse(_spelled(number, per_year)) for number in range(one[0], other[0] + 1)]


def _counted(period: Period) -> tuple[int, int] | None:
    """Return the period's number among all of its kind and how many of them a year has, None for a span."""
    for form, per_year in _UNITS:
        if match := form.fullmatch(period.text):
            part = int(match[2]) - 1 if per_year > 1 else 0
            return int(match[1]) * per_year + part, per_year
    return None


def _spelled(number: int, per_year: int) -> str:
    return _SPELLINGS[per_year].format(number // per_year, number % per_year + 1)


def _refused(window: str, expected: str, found: str) -> IdentityError:
    return IdentityError(
        "window is not a list of periods",
        where=f"window {window!r}",
        expected=expected,
        found=found,
        remedy=f"write the window as {_FORMS}",
    )
