"""The clock that storage is handed, and how an instant is written down.

What does not belong here: reading the time, which is up to whoever wires the platform.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]


def utc_text(instant: datetime) -> str:
    """Write an aware instant as ISO 8601 in UTC, to the microsecond. Raises ValueError for a naive one."""
    if instant.tzinfo is None:
        raise ValueError(f"the clock must give aware instants, not {instant!r}")
    return instant.astimezone(UTC).isoformat(timespec="microseconds")
