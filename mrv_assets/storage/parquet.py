"""Tables as Parquet bytes and back, the same bytes for the same table and library.

Geometry goes in as WKB with GeoParquet metadata, so that other engines know its CRS. What does not belong
here: digests of what a table says (domain) and where the bytes go (slots).
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.geoparquet import GEOMETRY, geo_metadata

_ROWS_PER_GROUP = 1 << 17


def to_parquet(table: pa.Table, *, crs: str | None = None) -> bytes:
    """Write `table` as zstd Parquet, with GeoParquet 1.1 metadata when it has geometry and a `crs` is given.

    Nothing but columns, types, nullability and values goes in: metadata of pandas and other builders is left
    out. Raises ContractError for an unknown CRS and for geometry that is not WKB.
    """
    fields = [field.with_metadata(None) for field in table.schema]
    # One chunk per column, because the layout of chunks would show in the pages.
    plain = pa.table([column.combine_chunks() for column in table.columns], schema=pa.schema(fields))
    sink = pa.BufferOutputStream()
    # The Arrow schema stays out: what the file says is said in Parquet's own types, to every engine alike.
    with pq.ParquetWriter(sink, plain.schema, compression="zstd", compression_level=3, store_schema=False) as writer:
        if crs and GEOMETRY in table.column_names:
            writer.add_key_value_metadata(geo_metadata(table.column(GEOMETRY), crs=crs))
        writer.write_table(plain, row_group_size=_ROWS_PER_GROUP)
    return bytes(sink.getvalue().to_pybytes())


def read_parquet(data: bytes) -> pa.Table:
    """Read a table from bytes alone: no path takes part, so none can type an identity column.

    Raises ContractError when the bytes are not Parquet.
    """
    try:
        return pq.ParquetFile(pa.BufferReader(data)).read()
    except pa.ArrowInvalid as error:
        raise ContractError(
            "bytes are not a Parquet file",
            where=f"{len(data)} bytes",
            expected="a whole Parquet file",
            found=str(error),
            remedy="hand in the bytes of a table, not of a document",
        ) from error
