"""The wanted columns of a file whose format has types, in the few Arrow types that a delivery knows.

A type is only ever widened, exactly. What does not belong here: formats without types (delimited, kml).
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.headers import refuse_no_text


def typed_columns(table: pa.Table, source: Source, *, where: str, record: str) -> pa.Table:
    """Return the wanted columns, sorted by name, in the types of a delivery.

    Integers become int64, or text of their digits when one is beyond it; float32 becomes float64; dictionaries, views
    and large types become what they stand for; decimals, booleans, dates, timestamps and text stay. Raises GateError
    (gate `source_readable`) for any other type, and for text that is no UTF-8 or holds control characters.
    """
    typed = pa.table({name: _typed(table.column(name), f"{where}, column {name!r}") for name in source.wanted})
    refuse_no_text(typed, where=where, record=record, first=1)
    return typed


def _typed(column: pa.ChunkedArray, at: str) -> pa.ChunkedArray:
    if isinstance(column.type, pa.DictionaryType):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        return _integers(column)
    for is_such, target in _TARGETS:
        if is_such(column.type):
            column = column if target is None else column.cast(target)
            return _checked(column, at)
    raise unreadable(
        at,
        expected="text, whole numbers, float32, float64, decimals, booleans, dates or timestamps",
        found=f"the type {column.type}",
        remedy="have the column delivered as one of these",
    )


def _integers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:  # an uint64 beyond int64
        return column.cast(pa.string())


def _checked(column: pa.ChunkedArray, at: str) -> pa.ChunkedArray:
    """Refuse text that is no UTF-8, which Arrow passes on unseen from files that promise it."""
    if not pa.types.is_string(column.type):
        return column
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        raise unreadable(at, expected="text in UTF-8", found=str(error)) from error
    return column


def _is_text(type_: pa.DataType) -> bool:
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


_TARGETS: tuple[tuple[Callable[[pa.DataType], bool], pa.DataType | None], ...] = (
    (_is_text, pa.string()),
    (pa.types.is_null, pa.string()),
    (pa.types.is_floating, pa.float64()),
    (pa.types.is_date, pa.date32()),
    (pa.types.is_boolean, None),
    (pa.types.is_decimal, None),
    (pa.types.is_timestamp, None),
)
