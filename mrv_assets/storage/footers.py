"""What a Parquet file says about itself in its footer, read with one small request and without its rows.

What does not belong here: what the statements mean for a partition (hive) and reading rows (parquet).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mrv_assets.storage.object_store import ObjectStore

_MAGIC = b"PAR1"
_TRAILER = 8
# Footers of a few hundred columns fit, so that most files cost one request.
_FIRST_READ = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer:
    """Rows, types by column name, the file's own metadata, and for each plain column its least and greatest value.

    `extremes` of a column are None when statistics are missing in some row group, or when it has nulls.
    """

    rows: int
    types: Mapping[str, str]
    metadata: Mapping[str, str]
    extremes: Mapping[str, tuple[object, object] | None]


def read_footer(store: ObjectStore, key: str, *, size: int) -> Footer | str:
    """Return the footer of an object of `size` bytes, or in words why it is not a whole Parquet file.

    The rows are not read, so damage between the first bytes and the footer is not seen here.
    """
    tail = store.get_range(key, max(0, size - _FIRST_READ), _FIRST_READ)
    if tail is None:
        return "gone since it was listed"
    if size < len(_MAGIC) + _TRAILER or tail[-len(_MAGIC) :] != _MAGIC:
        return "no Parquet file, or one whose end is missing"
    length = int.from_bytes(tail[-_TRAILER : -len(_MAGIC)], "little") + _TRAILER
    if length > size - len(_MAGIC):
        return "a Parquet footer that is longer than the file"
    if length > len(tail):
        tail = store.get_range(key, size - length, length) or b""
    try:
        # The reader wants a file that starts with the magic number and looks at nothing else before the footer.
        found = pq.read_metadata(pa.BufferReader(_MAGIC + tail[-length:]))
        schema = found.schema.to_arrow_schema()
    except (pa.ArrowInvalid, OSError) as error:
        return f"a Parquet footer that cannot be read: {str(error).splitlines()[0]}"
    if _end_of_data(found) > size - length:
        return "a Parquet file whose columns reach into its footer: bytes are missing"
    return Footer(
        rows=found.num_rows,
        types={field.name: str(field.type) for field in schema},
        metadata=_texts(found.metadata or {}),
        extremes=_extremes(found),
    )


def constant(extremes: tuple[object, object] | None) -> str | None:
    """Return the one value of a column as text, None when the footer does not show that there is only one."""
    return str(extremes[0]) if extremes is not None and extremes[0] == extremes[1] else None


def _texts(metadata: Mapping[bytes, bytes]) -> dict[str, str]:
    return {name.decode(errors="replace"): value.decode(errors="replace") for name, value in metadata.items()}


def _end_of_data(metadata: Any) -> int:
    ends = [_start(chunk) + chunk.total_compressed_size for chunk in _chunks(metadata)]
    return max(ends, default=0)


def _start(chunk: Any) -> int:
    return int(min(chunk.data_page_offset, chunk.dictionary_page_offset or chunk.data_page_offset))


def _chunks(metadata: Any) -> list[Any]:
    return [
        metadata.row_group(group).column(column)
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    ]


def _extremes(metadata: Any) -> dict[str, tuple[object, object] | None]:
    statistics: dict[str, list[Any]] = {}
    for chunk in _chunks(metadata):
        statistics.setdefault(chunk.path_in_schema, []).append(chunk.statistics)
    return {name: _bounds(ones) for name, ones in statistics.items()}


def _bounds(statistics: Sequence[Any]) -> tuple[object, object] | None:
    if not all(_is_whole(one) for one in statistics):
        return None
    values: Sequence[Any] = [value for one in statistics for value in (one.min, one.max)]
    return min(values), max(values)


def _is_whole(statistics: Any) -> bool:
    has_values = statistics is not None and statistics.has_min_max
    return has_values and statistics.has_null_count and statistics.null_count == 0
