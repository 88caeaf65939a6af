"""Years counted on the calendar, as certification cycles and crediting periods are.

What does not belong here: reporting periods (domain).
"""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, date, timedelta


def years_after(day: date, years: int) -> date:
    """Return the same day so many years later, or earlier for a negative number; 1 March for a 29 February not there.

    Beyond the calendar of Python, the years 1 to 9999, it is the first or last day of that.
    """
    if not MINYEAR <= day.year + years <= MAXYEAR:
        return date.max if years > 0 else date.min
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)


def lasts(first: date, last: date, *, at_least: int, at_most: int) -> bool:
    """Tell whether `first` to `last`, both inclusive, are at least and at most so many years."""
    end = last + timedelta(days=1) if last < date.max else last
    return years_after(first, at_least) <= end <= years_after(first, at_most)
