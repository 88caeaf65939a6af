"""Which reporting periods of a project a source file covers, so that nobody has to name them.

What does not belong here: whether a period is over and reported already (landing).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import assert_never

from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import Project, Reporting
from mrv_assets.domain.source import GeometrySource

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What the epochs of a project amount to: its reporting periods that are covered whole, and those in part.

    `unusable` are epochs that are no period, or that lie in no single reporting period: ingest refuses what they touch.
    """

    whole: tuple[str, ...]
    partial: tuple[str, ...]
    unusable: tuple[str, ...]


def covered_periods(source_bytes: bytes, project: Project) -> tuple[str, ...]:
    """Return the distinct epochs of the project's rows in its source file, sorted, as the file writes them.

    Only the columns that tell a row's project and epoch are read, so that a fault in another one is found by a run, on
    the partition's own page. Raises GateError when the file cannot be read, or has not these columns.
    """
    from mrv_assets.stages.formats.reading import read_delivery  # noqa: PLC0415 - GDAL costs half a second
    from mrv_assets.stages.selection import select_rows  # noqa: PLC0415 - as above

    source = replace(
        project.source,
        columns={ours: theirs for ours, theirs in project.source.columns.items() if ours == "epoch"},
        constants={ours: text for ours, text in project.source.constants.items() if ours == "epoch"},
        geometry=GeometrySource.NONE,
        geometry_columns=(),
    )
    where = f"{project.id}, source {project.source.path}"
    rows = select_rows(read_delivery(source_bytes, source, where=where), source, where=where)
    return tuple(sorted(text for text in rows.columns["epoch"].unique().to_pylist() if text is not None))


def coverage(epochs: Iterable[str], reporting: Reporting) -> Coverage:
    """Sort the epochs of a project into its reporting periods; one that lies across their edges counts for none."""
    spans: dict[str, list[Period]] = {}
    unusable: list[str] = []
    for text in epochs:
        period = _reporting_period(text, reporting)
        if period is None:
            unusable.append(text)
        else:
            spans.setdefault(period, []).append(Period.parse(text))
    whole = {period for period, parts in spans.items() if _is_whole(Period.parse(period), parts)}
    return Coverage(
        whole=tuple(sorted(whole)), partial=tuple(sorted(spans.keys() - whole)), unusable=tuple(sorted(unusable))
    )


def _reporting_period(text: str, reporting: Reporting) -> str | None:
    """Return the reporting period that an epoch lies in, None when there is no such one."""
    try:
        epoch = Period.parse(text)
    except IdentityError:
        return None
    period = Period.parse(_spelling(epoch.first, reporting))
    return period.text if period.contains(epoch) else None


def _spelling(day: date, reporting: Reporting) -> str:
    match reporting:
        case Reporting.YEAR:
            return f"{day.year:04d}"
        case Reporting.QUARTER:
            return f"{day.year:04d}-Q{(day.month + 2) // 3}"
        case Reporting.MONTH:
            return f"{day.year:04d}-{day.month:02d}"
        case _:
            assert_never(reporting)


def _is_whole(period: Period, parts: Iterable[Period]) -> bool:
    """Tell whether every day of the period lies in one of its parts."""
    missing = period.first
    for part in sorted(parts, key=lambda part: part.first):
        if part.first > missing:
            return False
        if part.last >= period.last:
            return True
        missing = max(missing, part.last + _DAY)
    return False
