"""What a source file holds for one project, before anything is made of it: records, periods, and a CRS.

What does not belong here: what the rows would become (preview).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow.compute as pc

from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import Project
from mrv_assets.pipeline.coverage import coverage
from mrv_assets.stages.formats.reading import read_delivery
from mrv_assets.stages.selection import Selection, select_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodRows:
    """A reporting period of a project with its rows in the file; `is_whole` when the file covers every day of it."""

    period: str
    rows: int
    is_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReading:
    """A source file as its format's reader gives it, and what of it is the project's.

    `record` is what the format calls a record and `first` the number of the first. `tag` is the CRS that the file says
    it has, None when it says none. `unusable` are the rows by epoch, where that is no period or lies in no single
    reporting period; a row without an epoch counts under the empty text.
    """

    record: str
    first: int
    records: int
    rows: int
    tag: str | None
    facts: Mapping[str, str]
    periods: tuple[PeriodRows, ...]
    unusable: Mapping[str, int]


def read_source(data: bytes, project: Project, *, where: str) -> SourceReading:
    """Read a source file whole and count the project's rows in it.

    Raises GateError (gates `source_readable`, `columns_present`, `crs_declared`) as the reader of the format does.
    """
    delivery = read_delivery(data, project.source, where=where)
    selection = select_rows(delivery, project.source, where=where)
    rows = _rows_by_epoch(selection)
    covered = coverage(rows, project.reporting)
    periods = [(text, True) for text in covered.whole] + [(text, False) for text in covered.partial]
    return SourceReading(
        record=delivery.record,
        first=delivery.first,
        records=selection.source_rows,
        rows=selection.rows,
        tag=delivery.crs,
        facts=delivery.facts,
        periods=tuple(
            PeriodRows(period=text, rows=_rows_in(text, rows, covered.unusable), is_whole=is_whole)
            for text, is_whole in sorted(periods)
        ),
        unusable={text: rows[text] for text in covered.unusable},
    )


def _rows_by_epoch(selection: Selection) -> dict[str, int]:
    """Return how many rows have each epoch; a row without one counts under the empty text."""
    counted = pc.value_counts(selection.columns["epoch"].fill_null("").combine_chunks()).to_pylist()
    return {each["values"]: each["counts"] for each in counted}


def _rows_in(text: str, rows: Mapping[str, int], unusable: tuple[str, ...]) -> int:
    period = Period.parse(text)
    return sum(n for epoch, n in rows.items() if epoch not in unusable and period.contains(Period.parse(epoch)))
