"""The digests of one column of a table, whatever its encoding: the leaves of a content digest.

Needs pyarrow and nothing else, so that a stranger can take them. What does not belong here: what a whole table comes
to (digest).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.errors import ContractError

Buffer: TypeAlias = bytes | memoryview
_NAN = struct.unpack("<d", b"\0\0\0\0\0\0\xf8\x7f")[0]  # the one that stands for all


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSummary:
    """One column by name, logical type, and the sha256 of three things.

    They are of which values are there, of how long they are (text and bytes only), and of the values with nulls
    blanked.
    """

    name: str
    type: str
    present: str
    lengths: str
    values: str

    def to_json(self) -> list[str]:
        """Return the list that the content digest is taken of."""
        return [self.name, self.type, self.present, self.lengths, self.values]


class ColumnHasher:
    """The summary of a column that arrives in pieces. Raises ContractError for a type that has no canonical form."""

    def __init__(self, name: str, type_: pa.DataType) -> None:
        self._name = name
        self._type = _canonical_type(type_, name)
        self._digests = (hashlib.sha256(), hashlib.sha256(), hashlib.sha256())

    def update(self, column: pa.ChunkedArray) -> None:
        """Take the next values, in any encoding of the type."""
        for chunk in canonical(column, self._name).chunks:
            for digest, part in zip(self._digests, _value_buffers(chunk), strict=True):
                digest.update(part)

    def summary(self) -> ColumnSummary:
        """Return the summary of everything so far."""
        present, lengths, values = (digest.hexdigest() for digest in self._digests)
        return ColumnSummary(name=self._name, type=str(self._type), present=present, lengths=lengths, values=values)


def canonical(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return the column in its canonical logical type, whatever encoding it arrived in.

    Raises ContractError naming the column for a type that has none.
    """
    target = _canonical_type(column.type, name)
    return column if column.type == target else column.cast(target)


def _canonical_type(type_: pa.DataType, name: str) -> pa.DataType:
    if pa.types.is_dictionary(type_):
        return _canonical_type(type_.value_type, name)
    for is_kind, target in _CANONICAL_KINDS:
        if is_kind(type_):
            return target
    if pa.types.is_decimal128(type_):
        return pa.decimal128(38, type_.scale)
    raise ContractError(
        "column type has no canonical form",
        where=f"column {name}",
        expected="text, binary, boolean, integer, float64, date32 or decimal128",
        found=str(type_),
        remedy="cast the column to the type its contract declares",
    )


_CANONICAL_KINDS: tuple[tuple[Callable[[pa.DataType], bool], pa.DataType], ...] = (
    (pa.types.is_string, pa.large_string()),
    (pa.types.is_large_string, pa.large_string()),
    (pa.types.is_string_view, pa.large_string()),
    (pa.types.is_binary, pa.large_binary()),
    (pa.types.is_large_binary, pa.large_binary()),
    (pa.types.is_binary_view, pa.large_binary()),
    (pa.types.is_boolean, pa.uint8()),
    (pa.types.is_signed_integer, pa.int64()),
    (pa.types.is_float64, pa.float64()),
    (pa.types.is_date32, pa.date32()),
)


def _value_buffers(array: pa.Array) -> tuple[Buffer, Buffer, Buffer]:
    """Return the bytes that stand for the values: the validity of each, their lengths, then the values."""
    is_full = array.null_count == 0
    present = memoryview(b"\x01" * len(array)) if is_full else _fixed_width_bytes(pc.is_valid(array).cast(pa.uint8()))
    if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type):
        filled = array if is_full else pc.fill_null(array, pa.scalar(b"", pa.large_binary()).cast(array.type))
        return present, _fixed_width_bytes(pc.binary_length(filled)), _joined(filled)
    filled = array if is_full else pc.fill_null(array, pa.scalar(0, pa.int32()).cast(array.type))
    return present, b"", _fixed_width_bytes(_of_one_spelling(filled))


def _of_one_spelling(array: pa.Array) -> pa.Array:
    """Return the values with -0.0 as 0.0 and every NaN as the one NaN."""
    if not pa.types.is_float64(array.type):
        return array
    numbers, is_nan = pc.add(array, 0.0), pc.is_nan(array)
    return pc.if_else(is_nan, pa.scalar(_NAN), numbers) if pc.any(is_nan).as_py() else numbers


def _joined(array: pa.Array) -> Buffer:
    """Return the bytes of large texts or binaries without nulls, one after another."""
    _, offsets, data = array.buffers()
    if not len(array) or data is None:
        return b""
    start, end = (_offset(offsets, array.offset + index) for index in (0, len(array)))
    return memoryview(data)[start:end]


def _offset(offsets: pa.Buffer, index: int) -> int:
    return int.from_bytes(memoryview(offsets)[index * 8 : index * 8 + 8], "little")


def _fixed_width_bytes(array: pa.Array) -> memoryview:
    width, buffer = array.type.bit_width // 8, array.buffers()[1]
    if buffer is None:
        return memoryview(b"")
    return memoryview(buffer)[array.offset * width : (array.offset + len(array)) * width]
