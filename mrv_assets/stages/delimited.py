"""Reading a delimited source file: every cell is text, and a project's rows are picked out by text equality.

Nothing is typed here, so `0042` stays `0042` and `891e3` stays `891e3`. What does not belong here: what the
cells mean (ingest).
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mrv_assets.domain.errors import ContractError, GateError
from mrv_assets.domain.project import Source

# The csv module's 128 KiB per cell is less than the outline of one large county in WKT.
csv.field_size_limit(sys.maxsize)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The rows of one project, all periods, as columns of text by our names.

    `source_rows` counts the whole file. A source with a geometry column has it under `geometry`.
    """

    source_rows: int
    rows: int
    columns: Mapping[str, Sequence[str]]


def select_rows(data: bytes, source: Source, *, where: str) -> Selection:
    """Read the project's rows from the bytes of a CSV file in UTF-8, with or without a byte order mark.

    Raises GateError (gate `columns_present`) when the bytes are no such file, a header name appears twice, a
    row is ragged or a mapped column is missing, and ContractError for a format other than csv.
    """
    if source.format != "csv":
        raise ContractError(
            "source format is not known",
            where=where,
            expected="csv",
            found=source.format,
            remedy="deliver the source as CSV and set format under [source] in the project file",
        )
    try:
        return _select(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True), source, where)
    except (UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(where, expected="a well-formed CSV file in UTF-8", found=str(error)) from error


def _select(cells: Iterator[list[str]], source: Source, where: str) -> Selection:
    header = next(cells, [])
    _check_header(header, source, where)
    wanted = [(header.index(theirs), text) for theirs, text in source.where.items()]
    mapping = _mapping(source)
    picks = [header.index(theirs) for theirs in mapping.values()]
    picked: list[list[str]] = []
    source_rows = 0
    for row in cells:
        if not row:  # a blank line holds no record
            continue
        source_rows += 1
        if len(row) != len(header):
            raise _unreadable(
                f"{where}, record {source_rows}",
                expected=f"{len(header)} cells, as the header has",
                found=f"{len(row)} cells: {','.join(row)[:80]!r}",
            )
        if all(row[index] == text for index, text in wanted):
            picked.append([row[index] for index in picks])
    columns: dict[str, Sequence[str]] = {
        ours: [row[position] for row in picked] for position, ours in enumerate(mapping)
    }
    columns |= {ours: [text] * len(picked) for ours, text in source.constants.items()}
    return Selection(source_rows=source_rows, rows=len(picked), columns=columns)


def _mapping(source: Source) -> dict[str, str]:
    """Return our column names with theirs, the geometry column included when there is one."""
    if source.geometry_column is None:
        return dict(source.columns)
    return {**source.columns, "geometry": source.geometry_column}


def _check_header(header: Sequence[str], source: Source, where: str) -> None:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise _unreadable(where, expected="every header name once", found=f"twice: {', '.join(twice)}")
    needed = sorted({*_mapping(source).values(), *source.where})
    missing = [name for name in needed if name not in header]
    if missing:
        raise _unreadable(
            where,
            expected=f"columns {', '.join(needed)}",
            found=f"missing {', '.join(missing)}; the header is {', '.join(header) or 'empty'}",
        )


def _unreadable(where: str, *, expected: str, found: str) -> GateError:
    return GateError(
        "source file does not have the mapped columns in every row",
        gate="columns_present",
        where=where,
        expected=expected,
        found=found,
        remedy="correct the source file, or its [source.columns] and [source.where] in the project file",
    )
