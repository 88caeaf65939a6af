"""Tables as Parquet bytes and back, the same bytes for the same table and library.

Geometry goes in as WKB with GeoParquet metadata, so that other engines know its CRS. What does not belong
here: digests of what a table says (domain) and where the bytes go (slots).
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow.dataset import ParquetFileFormat

from mrv_assets.domain.contract import Shape, about, saying
from mrv_assets.domain.errors import ContractError, DigestMismatch
from mrv_assets.domain.limits import FEW_ROWS
from mrv_assets.storage.geoparquet import GEOMETRY, geo_metadata

_ROWS_PER_GROUP = 1 << 17
_BYTES_PER_GROUP = 1 << 28
_SAMPLE = 1024
_ABOUT = "mrv"


def to_parquet(table: pa.Table) -> bytes:
    """Write `table` as zstd Parquet, with GeoParquet 1.1 metadata when it has geometry and says its CRS.

    Nothing but columns, types, nullability, values and what the table says of itself goes in: metadata of pandas and
    other builders is left out. A table that nobody else holds goes piece by piece as it is written, so that it and its
    bytes are never there as a whole. Raises ContractError for an unknown CRS and for geometry that is not WKB.
    """
    said, encoding = _described(table), _encoding(table)
    schema = pa.schema([field.with_metadata(None) for field in table.schema])
    size = _rows_per_group(table)
    groups = [table.slice(start, size) for start in range(0, max(table.num_rows, 1), size)]
    del table
    sink = io.BytesIO()
    # The Arrow schema stays out: what the file says is said in Parquet's own types, to every engine alike.
    with pq.ParquetWriter(sink, schema, store_schema=False, **encoding) as writer:
        if said:
            writer.add_key_value_metadata(said)
        while groups:
            # One chunk per column and group, because the layout of chunks would show in the pages.
            group = groups.pop(0).replace_schema_metadata(None).combine_chunks()
            writer.write_table(group.cast(schema), row_group_size=size)
    return sink.getvalue()


def _rows_per_group(table: pa.Table) -> int:
    """Return how many rows are read and written at a time: fewer where a row is large, such as a long boundary."""
    rows: int = table.num_rows * _BYTES_PER_GROUP // max(1, table.nbytes)
    return max(1, min(_ROWS_PER_GROUP, rows))


def _described(table: pa.Table) -> dict[str, str]:
    """Return the metadata of the file: what the table says of itself, for us and, of its geometry, for every engine."""
    said = about(table)
    ours = {_ABOUT: json.dumps(said, sort_keys=True, separators=(",", ":"))} if said else {}
    has_crs = "crs" in said and GEOMETRY in table.column_names
    return {**ours, **(geo_metadata(table.column(GEOMETRY), crs=said["crs"]) if has_crs else {})}


def _encoding(table: pa.Table) -> dict[str, Any]:
    """Return how columns are encoded: coordinates hardly compress, so they get the quickest codec.

    Where values do not repeat, a dictionary costs time and saves nothing.
    """
    codecs = {name: "lz4" if name == GEOMETRY else "zstd" for name in table.column_names}
    return {
        "compression": codecs,
        "compression_level": {name: 1 for name, codec in codecs.items() if codec == "zstd"},
        "use_dictionary": [name for name in table.column_names if _is_repeated(table.column(name))],
    }


def _is_repeated(column: pa.ChunkedArray) -> bool:
    """Tell whether values come back among the first: all rows share a boundary, or plots have a row for each month."""
    first = column.slice(0, _SAMPLE)
    return bool(len(first) > 1 and pc.count_distinct(first, mode="all").as_py() < len(first))


def read_parquet(data: bytes, *, columns: list[str] | None = None) -> pa.Table:
    """Read a table from bytes alone: no path takes part, so none can type an identity column.

    `columns` limits what is decoded. Raises ContractError when the bytes are not Parquet.
    """
    file = _opened(data)
    if file.metadata.num_rows <= FEW_ROWS:
        return saying(file.read(columns=columns, use_threads=False), _said(file))
    # As a data set, because then the row groups are read on all cores. They become chunks of their own, so that whoever
    # goes through the table can let go of what is done.
    fragment = ParquetFileFormat().make_fragment(pa.BufferReader(data))
    return saying(fragment.to_table(columns=columns, batch_size=_ROWS_PER_GROUP), _said(file))


def read_together(files: Sequence[bytes], columns: list[str]) -> pa.Table:
    """Read columns of many small tables into one, their rows one after another, without what the tables say.

    Polars opens a file in a fifth of the time that pyarrow takes, which for a few rows is most of it. What it does not
    read in one go, because the tables differ, pyarrow reads one by one. Raises ContractError for other bytes than
    Parquet.
    """
    import polars as pl  # noqa: PLC0415 - costs a fifth of a second, and nothing else here needs it

    try:
        scanned = pl.scan_parquet(list(files), extra_columns="ignore", hive_partitioning=False)
        return scanned.select(columns).collect().to_arrow(compat_level=pl.CompatLevel.oldest())
    except pl.exceptions.PolarsError:
        tables = [_opened(file).read(columns=columns, use_threads=False) for file in files]
        return pa.concat_tables([table.replace_schema_metadata(None) for table in tables])


def read_pieces(data: bytes) -> Iterator[pa.Table]:
    """Yield the row groups of a table one by one, at least one. Raises ContractError when the bytes are not Parquet."""
    file = _opened(data)
    if not file.num_row_groups:
        yield saying(file.read(), _said(file))
    for number in range(file.num_row_groups):
        yield saying(file.read_row_group(number), _said(file))


def require_content(data: bytes, shape: Shape, content_digest: str, *, where: str) -> None:
    """Raise DigestMismatch unless the bytes read back as a table of this content."""
    found = shape.digest_of(read_pieces(data))
    if found != content_digest:
        raise DigestMismatch(
            "serialised table does not read back as what was judged",
            where=where,
            expected=content_digest,
            found=found,
            remedy="no generation names it; check the installed pyarrow against requirements.lock",
        )


def _said(file: pq.ParquetFile) -> dict[str, str]:
    said: dict[str, str] = json.loads((file.metadata.metadata or {}).get(_ABOUT.encode(), b"{}"))
    return said


def _opened(data: bytes) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(pa.BufferReader(data))
    except pa.ArrowInvalid as error:
        raise ContractError(
            "bytes are not a Parquet file",
            where=f"{len(data)} bytes",
            expected="a whole Parquet file",
            found=str(error),
            remedy="hand in the bytes of a table, not of a document",
        ) from error
