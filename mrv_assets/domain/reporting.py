"""The reporting calendar: how long the periods of a project are, which of them have ended, and when a figure is due.

What does not belong here: what is reported (pipeline/freshness) and today's date, which the caller knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, assert_never

from mrv_assets.domain.partition import Period

_DAY = timedelta(days=1)
_MOST_DAYS = 3660


class Reporting(StrEnum):
    """How long the periods are that a project reports when its source is delivered."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportingDue:
    """When the figures of a project are due: so many days after the last day of their period.

    `since` is the first period that is owed, None where that is the first one that is known of.
    """

    days: int
    since: Period | None = None

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> ReportingDue:
        """Read the table `reporting_due`. Raises ValueError, or IdentityError for a period that is none."""
        days = d.get("days")
        if set(d) - {"days", "since"} or not isinstance(days, int) or isinstance(days, bool):
            raise ValueError(f"reporting_due says days, a whole number, and may say since, a period; not {dict(d)!r}")
        if not 0 <= days <= _MOST_DAYS:
            raise ValueError(f"reporting_due.days is from 0 to {_MOST_DAYS}, not {days}")
        return cls(days=days, since=Period.parse(d["since"]) if "since" in d else None)

    def day_for(self, period: Period) -> date:
        """Return the last day on which the figure of a period is in time."""
        return period.last + timedelta(days=self.days)


def reporting_period(day: date, reporting: Reporting) -> Period:
    """Return the period of this length that a day lies in."""
    match reporting:
        case Reporting.YEAR:
            text = f"{day.year:04d}"
        case Reporting.QUARTER:
            text = f"{day.year:04d}-Q{(day.month + 2) // 3}"
        case Reporting.MONTH:
            text = f"{day.year:04d}-{day.month:02d}"
        case _:
            assert_never(reporting)
    return Period.parse(text)


def periods_within(item: Period, reporting: Reporting) -> tuple[Period, ...]:
    """Return the periods of this length that an item consists of, none where it does not consist of whole ones."""
    found = [reporting_period(item.first, reporting)]
    while found[-1].last < item.last:
        found.append(reporting_period(found[-1].last + _DAY, reporting))
    return tuple(found) if all(map(item.contains, found)) else ()


def ended_periods(reporting: Reporting, since: date, today: date) -> Iterator[Period]:
    """Yield the periods of this length that have ended before `today`, from the one in which `since` lies."""
    period = reporting_period(since, reporting)
    while period.last < today:
        yield period
        period = reporting_period(period.last + _DAY, reporting)
