"""Quantities as a source writes them become binary64, under one declared decimal mark; what cannot is marked.

What does not belong here: whether a number makes sense (the gate `quantity_valid`) and its unit (normalize).
"""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.stages.sieve import Mask, marked

Cells: TypeAlias = "pa.ChunkedArray | pa.Array"

_NOT_AVAILABLE = pa.array(["", "NA"])
_NUMBER = (
    r"^[+-]?(?:(?:[0-9]+MARK?[0-9]*|MARK[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:nan|inf|infinity))$"  # RE2: $ is the very end
)
_SAYS_MORE_THAN_0 = r"^[+-]?[0.]*[1-9]"
_LARGEST_WHOLE = 2**53  # up to here every whole number is one of binary64
_SAFE_DIGITS = 15  # so many digits come back from binary64 as they went in


def quantities(cells: Cells, *, decimal_mark: str) -> tuple[pa.Array, Mask]:
    """Return the quantities as float64, null where there is none, and which cells are no number or another one then.

    Text: the binary64 nearest to the number that it spells with `decimal_mark`, as Python's `float` has it; the empty
    text and `NA` are null, `nan`, `inf` and `infinity` spell themselves. Thousands separators, units, spaces and the
    other decimal mark make no number. Numbers: as they are. Any other type is no number.

    Marked as well is a number that the binary64 would change: as text, one beyond 2**53 whose digits it does not give
    back, and one that is not 0 and would become 0 or infinite; of the other types, whole numbers beyond 2**53 and
    decimals whose digits it does not give back. A marked cell is null.
    """
    kind = cells.type
    if pa.types.is_dictionary(kind):
        return quantities(cells.cast(kind.value_type), decimal_mark=decimal_mark)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _of_text(cells, decimal_mark)
    if pa.types.is_floating(kind) or pa.types.is_null(kind):
        return _cast(cells, np.zeros(len(cells), dtype=np.bool_))
    if pa.types.is_integer(kind):
        return _cast(cells, _is_beyond(cells))
    if pa.types.is_decimal(kind):
        return _of_decimals(cells)
    return pa.nulls(len(cells), pa.float64()), marked(pc.is_valid(cells))


def changed(cells: Cells, is_marked: Mask, *, decimal_mark: str) -> Mask:
    """Return which of the cells that `quantities` has marked are numbers, which a binary64 would change."""
    kind = cells.type
    if pa.types.is_dictionary(kind):
        return changed(cells.cast(kind.value_type), is_marked, decimal_mark=decimal_mark)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return is_marked & marked(pc.match_substring_regex(cells, _pattern(decimal_mark)))
    return is_marked if pa.types.is_integer(kind) or pa.types.is_decimal(kind) else np.zeros_like(is_marked)


def mixed_marks(cells: Cells) -> str | None:
    """Say so when some cells of a text column can only be read with a decimal point and others only with a comma."""
    if not pa.types.is_string(cells.type):
        return None
    with_point, with_comma = (pc.match_substring_regex(cells, _pattern(mark)) for mark in ".,")
    only = [pc.and_not(with_point, with_comma), pc.and_not(with_comma, with_point)]
    at = [pc.index(mask, True).as_py() for mask in only]
    if min(at) < 0:
        return None
    point, comma = (cells[index].as_py() for index in at)
    return f"the column mixes decimal marks: {point!r} has a point, {comma!r} a comma"


def _of_text(cells: Cells, decimal_mark: str) -> tuple[pa.Array, Mask]:
    is_number = pc.match_substring_regex(cells, _pattern(decimal_mark))
    is_missing = pc.is_in(cells, value_set=_NOT_AVAILABLE.cast(cells.type))
    spelled = pc.replace_substring(cells, ",", ".") if decimal_mark == "," else cells
    is_wrong = marked(pc.invert(pc.or_(is_number, is_missing)))
    values, _ = _cast(pc.if_else(is_number, spelled, pa.scalar(None, cells.type)), is_wrong)
    is_changed = _is_changed(spelled, values)
    if is_changed.any():
        values = pc.if_else(pa.array(is_changed), pa.scalar(None, pa.float64()), values)
    return values, is_wrong | is_changed


def _is_changed(spelled: Cells, values: pa.Array) -> Mask:
    """Tell which texts spell an amount of which the binary64 is another: too large, too small, or with other digits.

    Its shortest decimal names a binary64, because that is what a factor multiplies.
    """
    numbers = values.to_numpy(zero_copy_only=False)
    is_changed = np.zeros(len(numbers), dtype=np.bool_)
    at = np.flatnonzero((numbers == 0.0) | np.isinf(numbers))
    is_changed[at] = marked(pc.match_substring_regex(spelled.take(pa.array(at)), _SAYS_MORE_THAN_0))
    at = np.flatnonzero((np.abs(numbers) >= _LARGEST_WHOLE) & np.isfinite(numbers))
    for index, text in zip(at, spelled.take(pa.array(at)).to_pylist(), strict=True):
        given = Decimal(text)
        is_changed[index] = abs(given) > _LARGEST_WHOLE and Decimal(repr(float(numbers[index]))) != given
    return is_changed


def _of_decimals(cells: Cells) -> tuple[pa.Array, Mask]:
    """Take each decimal for the number that its digits spell, and mark it when the binary64 prints as others."""
    values, _ = _cast(cells.cast(pa.string()), np.zeros(len(cells), dtype=np.bool_))
    is_wrong = np.zeros(len(cells), dtype=np.bool_)
    if cells.type.precision > _SAFE_DIGITS:
        pairs = zip(values.to_pylist(), cells.to_pylist(), strict=True)
        is_wrong[:] = [given is not None and Decimal(repr(value)) != given for value, given in pairs]
    return pc.if_else(pa.array(is_wrong), pa.scalar(None, pa.float64()), values), is_wrong


def _pattern(decimal_mark: str) -> str:
    return _NUMBER.replace("MARK", {".": r"\.", ",": ","}[decimal_mark])


def _is_beyond(cells: Cells) -> Mask:
    """Tell which whole numbers lie beyond ±2**53."""
    if pa.types.is_uint64(cells.type):
        return marked(pc.greater(cells, pa.scalar(_LARGEST_WHOLE, pa.uint64())))
    wide = cells.cast(pa.int64())
    return marked(pc.or_(pc.greater(wide, _LARGEST_WHOLE), pc.less(wide, -_LARGEST_WHOLE)))


def _cast(cells: Cells, is_wrong: Mask) -> tuple[pa.Array, Mask]:
    """Return the cells as float64 in one piece, null where they are marked."""
    kept = pc.if_else(pa.array(is_wrong), pa.scalar(None, cells.type), cells) if is_wrong.any() else cells
    values = kept.cast(pa.float64(), safe=False)
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values, is_wrong
