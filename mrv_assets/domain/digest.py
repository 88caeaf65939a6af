"""The two digests: of canonical JSON documents and of the logical content of a table.

A content digest depends on what a table says, never on how it is laid out: row order, chunking, dictionary or
view encoding, the library that built it and the Parquet settings leave it alone; any value changes it. What
does not belong here: digests of stored files beyond `sha256_hex` (storage) and digests of code (pipeline).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.errors import ContractError

Json: TypeAlias = bool | int | str | Sequence["Json"] | Mapping[str, "Json"] | None


def sha256_hex(data: bytes | memoryview) -> str:
    """Return the sha256 of `data` as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: Json) -> bytes:
    """Write `value` as the one JSON text that stands for it: sorted keys, no spaces, UTF-8.

    Raises ContractError for a float: two machines print the same float differently in other languages, so
    every number that is not an integer travels as decimal text.
    """
    _refuse_floats(value, "$")
    return _text(value)


def self_sealed_json(document: Mapping[str, Json]) -> bytes:
    """Write `document` as canonical JSON with the sha256 of its own text beside the rest, under `self_sha256`.

    So a reader of this object alone notices a flipped bit. It does not stop somebody who writes both anew; for
    that there are the chains. Raises ContractError for a float.
    """
    return _text({**document, "self_sha256": sha256_hex(canonical_json(document))})


def _text(value: Json) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _refuse_floats(value: object, path: str) -> None:
    if value is None or isinstance(value, str | int):
        return  # first, because most values are these, and to ask for an abstract class takes long
    if isinstance(value, Mapping):
        for key, item in value.items():
            _refuse_floats(item, f"{path}.{key}")
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for index, item in enumerate(value):
            _refuse_floats(item, f"{path}[{index}]")
    else:
        raise ContractError(
            "canonical JSON cannot hold this value",
            where=path,
            expected="text, integers, booleans, null, lists and objects",
            found=f"{type(value).__name__} {value!r}",
            remedy="write the number as decimal text",
        )


def content_digest(table: pa.Table, *, key: Sequence[str]) -> str:
    """Return the sha256 of the logical content of `table`, its columns in the given order, its rows sorted by `key`.

    The digest covers column names, logical types, nulls and values; 0.0 and -0.0 are one value, and so are
    all NaNs. Raises ContractError when `key` does not identify the rows, because then their order would
    change the digest, and for column types that have no canonical form here.
    """
    columns = {name: _canonical_column(table, name) for name in table.column_names}
    order = _key_order(columns, key)
    digest = hashlib.sha256()
    digest.update(canonical_json(["mrv-content-1", table.num_rows, list(key)]))
    for name, column in columns.items():
        array = column.take(order) if order is not None else column
        digest.update(canonical_json([name, str(array.type)]))
        for part in _value_buffers(array):
            digest.update(part)
    return digest.hexdigest()


def _canonical_column(table: pa.Table, name: str) -> pa.Array:
    """Return the column as one array of its canonical logical type, whatever encoding it arrived in."""
    column = table.column(name)
    target = _canonical_type(column.type, name)
    if column.type != target:
        column = column.cast(target)
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


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


def _key_order(columns: Mapping[str, pa.Array], key: Sequence[str]) -> pa.Array | None:
    """Return the row order by `key`, or None when there is nothing to sort. Refuse keys that do not tell rows apart."""
    keys = pa.table({name: columns[name] for name in key})
    if keys.num_rows < 2:
        return None
    distinct = keys.group_by(list(key)).aggregate([]).num_rows
    if distinct != keys.num_rows:
        raise ContractError(
            "rows are not told apart by their key",
            where=f"key {', '.join(key)}",
            expected=f"{keys.num_rows} distinct keys",
            found=f"{distinct} distinct keys",
            remedy="make the key unique; the digest of rows that share a key would depend on their order",
        )
    return pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in key])


def _value_buffers(array: pa.Array) -> list[memoryview]:
    """Return the bytes that stand for the values: the validity of each, then the values with nulls blanked."""
    valid = pc.is_valid(array).cast(pa.uint8()).to_numpy(zero_copy_only=False)
    parts = [valid.data]
    if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type):
        filled = pc.fill_null(array, pa.scalar(b"", pa.large_binary()).cast(array.type))
        offsets = np.frombuffer(filled.buffers()[1], dtype="<i8")[filled.offset : filled.offset + len(filled) + 1]
        data = filled.buffers()[2]
        parts.append(np.diff(offsets).data)
        if len(filled) and data is not None:
            parts.append(memoryview(data)[int(offsets[0]) : int(offsets[-1])])
    elif pa.types.is_float64(array.type):
        values = pc.fill_null(array, 0.0).to_numpy(zero_copy_only=False) + 0.0
        parts.append(np.where(np.isnan(values), np.nan, values).data)
    else:
        parts.append(_fixed_width_bytes(array))
    return parts


def _fixed_width_bytes(array: pa.Array) -> memoryview:
    filled = pc.fill_null(array, pa.scalar(0, pa.int32()).cast(array.type)) if array.null_count else array
    width = array.type.bit_width // 8
    buffer = filled.buffers()[1]
    if buffer is None:
        return memoryview(b"")
    return memoryview(buffer)[filled.offset * width : (filled.offset + len(filled)) * width]
