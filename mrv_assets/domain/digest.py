"""The two digests: of canonical JSON documents and of the logical content of a table.

A content digest depends on what a table says, never on how it is laid out: row order, chunking, dictionary or
view encoding, the library that built it and the Parquet settings leave it alone; any value changes it. What
does not belong here: digests of stored files beyond `sha256_hex` (storage) and digests of code (pipeline).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.column_digest import ColumnHasher, ColumnSummary, canonical
from mrv_assets.domain.errors import ContractError

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentSummary:
    """All that a content digest is taken of: number of rows, key, what the table says of itself, and its columns."""

    rows: int
    key: tuple[str, ...]
    about: Mapping[str, str]
    columns: tuple[ColumnSummary, ...]

    @property
    def sha256(self) -> str:
        """The content digest, as 64 hex digits."""
        columns = [column.to_json() for column in self.columns]
        return sha256_hex(canonical_json(["mrv-content-2", self.rows, list(self.key), self.about, columns]))


class ContentHasher:
    """The digest of the logical content of a table that arrives in pieces, its rows in the order of the key.

    The digest covers column names, logical types, nulls and values, and what `about` says of the whole table (such as
    its CRS); 0.0 and -0.0 are one value, and so are all NaNs. Pieces may be cut anywhere.
    """

    def __init__(self, schema: pa.Schema, *, key: Sequence[str], about: Mapping[str, str]) -> None:
        self._columns = {field.name: ColumnHasher(field.name, field.type) for field in schema}
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

    def summary(self) -> ContentSummary:
        """Return what the digest of everything so far is taken of."""
        columns = tuple(hasher.summary() for hasher in self._columns.values())
        return ContentSummary(rows=self._rows, key=self._key, about=self._about, columns=columns)

    def hexdigest(self) -> str:
        """Return the digest of everything so far as 64 hex digits."""
        return self.summary().sha256


def content_digest(table: pa.Table, *, key: Sequence[str], about: Mapping[str, str] | None = None) -> str:
    """Return the sha256 of the logical content of `table`, its columns in the given order, its rows sorted by `key`.

    See `ContentHasher` for what it covers. Raises ContractError when `key` does not identify the rows, because then
    their order would change the digest, and for column types that have no canonical form here.
    """
    return content_summary(table, key=key, about=about).sha256


def content_summary(table: pa.Table, *, key: Sequence[str], about: Mapping[str, str] | None = None) -> ContentSummary:
    """Return what `content_digest` is taken of. Raises ContractError where that does."""
    hasher = ContentHasher(table.schema, key=key, about=about or {})
    hasher.take(in_key_order(table, key))
    return hasher.summary()


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
    return pa.table({name: canonical(table.column(name), name) for name in key})


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
