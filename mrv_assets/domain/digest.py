"""The two digests: of canonical JSON documents and of the logical content of a table.

A content digest depends on what a table says, never on how it is laid out: row order, chunking, dictionary or
view encoding, the library that built it and the Parquet settings leave it alone; any value changes it. What
does not belong here: digests of stored files beyond `sha256_hex` (storage) and digests of code (pipeline).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.errors import ContractError

Buffer: TypeAlias = bytes | memoryview
_SEAL = "self_sha256"
Json: TypeAlias = bool | int | str | Sequence["Json"] | Mapping[str, "Json"] | None


def sha256_hex(data: bytes | memoryview) -> str:
    """Return the sha256 of `data` as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: Json) -> bytes:
    """Write `value` as the one JSON text that stands for it: sorted keys, no spaces, UTF-8.

    Raises ContractError for a float: two machines print the same float differently in other languages, so
    every number that is not an integer travels as decimal text.
    """
    _require_canonical(value)
    return _text(value)


def self_sealed_json(document: Mapping[str, Json]) -> bytes:
    """Write `document` as canonical JSON with the sha256 of its own text beside the rest, under `self_sha256`.

    So a reader of this object alone notices a flipped bit. It does not stop somebody who writes both anew; for
    that there are the chains. Raises ContractError for a float.
    """
    _require_canonical(document)
    # What sorts before and after the seal is written once, and the document without it is the two joined.
    before = _text({name: value for name, value in document.items() if name < _SEAL})[1:-1]
    after = _text({name: value for name, value in document.items() if name > _SEAL})[1:-1]
    whole = b",".join(part for part in (before, after) if part)
    member = f'"{_SEAL}":"{sha256_hex(b"{" + whole + b"}")}"'.encode()
    return b"{" + b",".join(part for part in (before, member, after) if part) + b"}"


def sealed_document(data: bytes) -> Mapping[str, Any] | None:
    """Return the document that `self_sealed_json` wrote as `data`, or None unless its seal holds.

    It shows that the bytes are what was sealed, and nothing about what they say. It costs a tenth of reading them into
    a record and writing that again, which also shows that they are a record.
    """
    try:
        document = json.loads(data)
        member = f'"{_SEAL}":"{document[_SEAL]}",'.encode()
    except (ValueError, TypeError, KeyError):
        return None
    before, found, after = data.rpartition(member)
    is_sealed = bool(found) and sha256_hex(before + after) == document[_SEAL]
    return document if is_sealed else None


def _text(value: Json) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _require_canonical(value: object) -> None:
    if not _is_plain(value):
        _refuse_floats(value, "$")


def _is_plain(value: object) -> bool:
    """Tell quickly that a value is made of the plain types; what is not may still have a canonical form."""
    kind = type(value)
    if kind in _SCALARS:
        return True
    if kind is dict:
        return all(map(_is_plain, cast(dict[object, object], value).values()))
    return kind in (list, tuple) and all(map(_is_plain, cast(Sequence[object], value)))


_SCALARS = frozenset((str, int, bool, type(None)))


def _refuse_floats(value: object, path: str) -> None:
    if value is None or isinstance(value, str | int):
        return
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


class ContentHasher:
    """The digest of the logical content of a table that arrives in pieces, its rows in the order of the key.

    The digest covers column names, logical types, nulls and values, and what `about` says of the whole table (such as
    its CRS); 0.0 and -0.0 are one value, and so are all NaNs. Pieces may be cut anywhere.
    """

    def __init__(self, schema: pa.Schema, *, key: Sequence[str], about: Mapping[str, str]) -> None:
        self._columns = {field.name: _ColumnHasher(field.name, field.type) for field in schema}
        self._key = tuple(key)
        self._about = dict(about)
        self._rows = 0
        self._last: pa.Table | None = None

    def update(self, piece: pa.Table) -> None:
        """Take the next rows. Raises ContractError unless their keys rise strictly, also from one piece to the next."""
        keys = _keys(piece, self._key)
        joined = keys if self._last is None else pa.concat_tables([self._last, keys])
        if not is_rising(joined):
            raise _not_told_apart(self._key, expected="rows in strictly rising order", found="a row out of order")
        self._last = keys.slice(keys.num_rows - 1) if keys.num_rows else self._last
        self.take(piece)

    def take(self, piece: pa.Table) -> None:
        """Take the next rows, which are known to be in order."""
        for name, hasher in self._columns.items():
            hasher.update(piece.column(name))
        self._rows += piece.num_rows

    def hexdigest(self) -> str:
        """Return the digest of everything so far as 64 hex digits."""
        columns = [hasher.summary() for hasher in self._columns.values()]
        return sha256_hex(canonical_json(["mrv-content-2", self._rows, list(self._key), self._about, columns]))


def content_digest(table: pa.Table, *, key: Sequence[str], about: Mapping[str, str] | None = None) -> str:
    """Return the sha256 of the logical content of `table`, its columns in the given order, its rows sorted by `key`.

    See `ContentHasher` for what it covers. Raises ContractError when `key` does not identify the rows, because then
    their order would change the digest, and for column types that have no canonical form here.
    """
    hasher = ContentHasher(table.schema, key=key, about=about or {})
    hasher.take(in_key_order(table, key))
    return hasher.hexdigest()


def in_key_order(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """Return `table` with its rows sorted by `key`: itself when they are. Raises ContractError for a repeated key."""
    keys = _keys(table, key)
    if is_rising(keys):
        return table
    distinct = keys.group_by(list(key)).aggregate([]).num_rows
    if distinct != keys.num_rows:
        raise _not_told_apart(key, expected=f"{keys.num_rows} distinct keys", found=f"{distinct} distinct keys")
    return sorted_by(table, key)


def sorted_by(table: pa.Table, key: Sequence[str], *, piece: int = 1 << 28) -> pa.Table:
    """Return `table` with its rows sorted by `key`, in pieces of about so many bytes, views of text and bytes copied.

    pyarrow cannot pick rows of views, and it picks them of everything together, which for text and bytes is more than
    an Arrow array with offsets of 32 bits may hold.
    """
    order = pc.sort_indices(_keys(table, key), sort_keys=[(name, "ascending") for name in key])
    wide = table.cast(_retyped(table.schema, _WIDE)).combine_chunks()
    kept = _retyped(table.schema, _OF_VIEWS)
    step = max(1, min(len(order), len(order) * piece // max(1, wide.nbytes)))
    pieces = [wide.take(order[start : start + step]).cast(kept) for start in range(0, len(order), step)]
    return pa.concat_tables(pieces) if pieces else wide.cast(kept)


_OF_VIEWS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
_WIDE = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary(), **_OF_VIEWS}


def _retyped(schema: pa.Schema, types: Mapping[pa.DataType, pa.DataType]) -> pa.Schema:
    fields = [field.with_type(types.get(field.type, field.type)) for field in schema]
    return pa.schema(fields, metadata=schema.metadata)


def _keys(table: pa.Table, key: Sequence[str]) -> pa.Table:
    return pa.table({name: _canonical(table.column(name), name) for name in key})


def is_rising(keys: pa.Table) -> bool:
    """Tell whether every row of a table of keys is greater than the one before it; a null is no key."""
    if keys.num_rows < 2:
        return True
    is_rising: pa.ChunkedArray | None = None
    for column in reversed(keys.columns):
        before, after = column.slice(0, len(column) - 1), column.slice(1)
        rises = pc.less(before, after)
        is_rising = rises if is_rising is None else pc.or_(rises, pc.and_(pc.equal(before, after), is_rising))
    return pc.all(is_rising, skip_nulls=False).as_py() is True


def _not_told_apart(key: Sequence[str], *, expected: str, found: str) -> ContractError:
    return ContractError(
        "rows are not told apart by their key",
        where=f"key {', '.join(key)}",
        expected=expected,
        found=found,
        remedy="make the key unique; the digest of rows that share a key would depend on their order",
    )


class _ColumnHasher:
    """Three digests of one column: which values are there, how long they are, and the values with nulls blanked."""

    def __init__(self, name: str, type_: pa.DataType) -> None:
        self._name = name
        self._type = _canonical_type(type_, name)
        self._digests = (hashlib.sha256(), hashlib.sha256(), hashlib.sha256())

    def update(self, column: pa.ChunkedArray) -> None:
        for chunk in _canonical(column, self._name).chunks:
            for digest, part in zip(self._digests, _value_buffers(chunk), strict=True):
                digest.update(part)

    def summary(self) -> list[Json]:
        return [self._name, str(self._type), *(digest.hexdigest() for digest in self._digests)]


def _canonical(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return the column in its canonical logical type, whatever encoding it arrived in."""
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
    valid = pc.is_valid(array).cast(pa.uint8()).to_numpy(zero_copy_only=False)
    if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type):
        filled = pc.fill_null(array, pa.scalar(b"", pa.large_binary()).cast(array.type)) if array.null_count else array
        offsets = np.frombuffer(filled.buffers()[1], dtype="<i8")[filled.offset : filled.offset + len(filled) + 1]
        data = filled.buffers()[2]
        is_blank = not len(filled) or data is None
        values = b"" if is_blank else memoryview(data)[int(offsets[0]) : int(offsets[-1])]
        return valid.data, np.diff(offsets).data, values
    if pa.types.is_float64(array.type):
        numbers = pc.fill_null(array, 0.0).to_numpy(zero_copy_only=False) + 0.0
        return valid.data, b"", np.where(np.isnan(numbers), np.nan, numbers).data
    return valid.data, b"", _fixed_width_bytes(array)


def _fixed_width_bytes(array: pa.Array) -> memoryview:
    filled = pc.fill_null(array, pa.scalar(0, pa.int32()).cast(array.type)) if array.null_count else array
    width = array.type.bit_width // 8
    buffer = filled.buffers()[1]
    if buffer is None:
        return memoryview(b"")
    return memoryview(buffer)[filled.offset * width : (filled.offset + len(filled)) * width]
