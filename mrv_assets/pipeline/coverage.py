"""Which reporting periods of a project a source file covers, so that nobody has to name them.

What does not belong here: whether a period is over and reported already (landing).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import Project
from mrv_assets.domain.reporting import Reporting, reporting_period
from mrv_assets.domain.source import Footprint, GeometrySource, Source
from mrv_assets.stages.delivery import Delivery


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What the epochs of a project amount to: its reporting periods that are covered whole, and those in part.

    `unusable` are epochs that are no period, or that lie in no single reporting period: ingest refuses what they touch.
    """

    whole: tuple[str, ...]
    partial: tuple[str, ...]
    unusable: tuple[str, ...]


class SourceEpochs:
    """The epochs that a source file has, project by project; it is parsed once for all projects that map it alike."""

    def __init__(self, source_bytes: bytes) -> None:
        self._bytes = source_bytes
        self._parsed: list[tuple[Source, Delivery]] = []

    def of(self, project: Project) -> tuple[str, ...]:
        """Return the distinct epochs of the project's rows, sorted, as the file writes them.

        Only the columns that tell a row's project and epoch are read, so that a fault in another one is found by a run,
        on the partition's own page; where there is none, one more, by which rows are counted. Raises GateError when the
        file cannot be read, or has not these columns.
        """
        from mrv_assets.stages.selection import select_rows  # noqa: PLC0415 - with GDAL, see below

        source, where = _telling(project.source), f"{project.id}, source {project.source.path}"
        rows = select_rows(self._delivery(source, where), source, where=where)
        return tuple(sorted(text for text in rows.columns["epoch"].unique().to_pylist() if text is not None))

    def _delivery(self, source: Source, where: str) -> Delivery:
        from mrv_assets.stages.formats.reading import read_delivery  # noqa: PLC0415 - GDAL costs half a second

        layout = replace(source, where=dict.fromkeys(source.where, ""), constants={})
        for known, delivery in self._parsed:
            if known == layout:
                return delivery
        delivery = read_delivery(self._bytes, source, where=where)
        if delivery.columns.num_columns:  # by which rows are counted, so that geometry need not be held
            delivery = replace(delivery, geometry=None)
        self._parsed.append((layout, delivery))
        return delivery


def _telling(source: Source) -> Source:
    """Return what of a source tells a row's project and epoch, and how many rows there are."""
    columns = {ours: theirs for ours, theirs in source.columns.items() if ours == "epoch"}
    geometry = GeometrySource.NONE
    of_geometry: tuple[str, ...] = ()
    if not (columns or source.where or source.format.has_geometry):
        # The quantity rather than another one, because text is demanded of the others.
        counted = sorted(source.columns, key=lambda ours: ours != "activity_qty")[:1]
        columns = {ours: source.columns[ours] for ours in counted}
        if not columns:
            geometry, of_geometry = source.geometry, source.geometry_columns
    return replace(
        source,
        columns=columns,
        constants={ours: text for ours, text in source.constants.items() if ours == "epoch"},
        geometry=geometry,
        geometry_columns=of_geometry,
        footprint=Footprint.NONE,
        declared=None,
        quarantine=None,
        overlaps_because=None,
    )


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
    whole = {period for period, parts in spans.items() if Period.parse(period).is_covered(parts)}
    return Coverage(
        whole=tuple(sorted(whole)), partial=tuple(sorted(spans.keys() - whole)), unusable=tuple(sorted(unusable))
    )


def _reporting_period(text: str, reporting: Reporting) -> str | None:
    """Return the reporting period that an epoch lies in, None when there is no such one."""
    try:
        epoch = Period.parse(text)
    except IdentityError:
        return None
    period = reporting_period(epoch.first, reporting)
    return period.text if period.contains(epoch) else None
