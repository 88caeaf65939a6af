"""Factors that are in our columns already: a CSV of `FACTOR_COLUMNS`, in any order.

What does not belong here: judging the rows (checked).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import date

from mrv_assets.domain.factors import FACTOR_COLUMNS, Flux
from mrv_assets.importers.draft import DraftRelease, DraftRow
from mrv_assets.importers.refusal import refused

_FREE = ("activity_id", "region", "gas", "ef_value", "numerator_unit", "denominator_unit", "basis")
_MAY_BE_EMPTY = ("rel_uncertainty", "confidence_level", "distribution")


def import_plain_csv(data: bytes, *, where: str, gwp_set: str, title: str) -> DraftRelease:
    """Return the rows of a UTF-8 CSV as a draft under `gwp_set`.

    Cells are taken letter by letter, without the space around them. Raises FactorError when a column is missing,
    unknown or there twice, a row is ragged, a cell is empty that may not be, or a flux or day is none; the line is
    named.
    """
    rows = tuple(_draft_row(cells, place) for place, cells in _lines(data, where))
    return DraftRelease(
        title=title,
        published=None,
        gwp_set=gwp_set,
        rows=rows,
        notes=(),
        published_keys=frozenset(
            f"{row.activity_id} | {row.region} | {row.denominator_unit} | {row.gas}" for row in rows
        ),
    )


def _lines(data: bytes, where: str) -> Iterable[tuple[str, Mapping[str, str]]]:
    try:
        reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        header = next(reader, [])
        lines = [(f"{where}, line {reader.line_num}", line) for line in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise refused("file cannot be read", where=where, expected="UTF-8 CSV", found=str(error)) from error
    if sorted(header) != sorted(FACTOR_COLUMNS):
        raise refused(
            "columns are not those of a factor release",
            where=where,
            expected=f"each once, in any order: {', '.join(FACTOR_COLUMNS)}",
            found=", ".join(header) or "no header",
        )
    for place, line in lines:
        if len(line) != len(header):
            raise refused("row is ragged", where=place, expected=f"{len(header)} cells", found=f"{len(line)} cells")
    return [(place, {name: cell.strip() for name, cell in zip(header, line, strict=True)}) for place, line in lines]


def _draft_row(cells: Mapping[str, str], place: str) -> DraftRow:
    empty = [name for name, cell in cells.items() if not cell and name not in _MAY_BE_EMPTY]
    if empty:
        raise refused("cell is empty", where=place, expected=f"a value for {', '.join(empty)}", found="nothing")
    if cells["flux"] not in (Flux.EMISSION, Flux.REMOVAL):
        raise refused("flux is unknown", where=place, expected="emission or removal", found=repr(cells["flux"]))
    return DraftRow(
        **{name: cells[name] for name in (*_FREE, *_MAY_BE_EMPTY, "source", "source_ref")},
        flux=Flux(cells["flux"]),
        valid_from=_day(cells["valid_from"], place),
        valid_to=_day(cells["valid_to"], place),
        label=cells["activity_id"],
        place=place,
    )


def _day(text: str, place: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise refused("validity is not a day", where=place, expected="YYYY-MM-DD", found=repr(text)) from error
