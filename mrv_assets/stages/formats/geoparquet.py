"""GeoParquet into a delivery: the wanted columns and the primary geometry, column by column, never row by row.

What does not belong here: what the metadata must say (geoparquet_metadata), WKB (wkb) and Arrow types (typed).
"""

from __future__ import annotations

import geoarrow.pyarrow as ga
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.dataset import ParquetFileFormat, ParquetFragmentScanOptions

from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import Delivery, unreadable
from mrv_assets.stages.formats.geoparquet_metadata import WKB, GeoColumn, geo_column
from mrv_assets.stages.formats.headers import places_in
from mrv_assets.stages.formats.typed import typed_columns
from mrv_assets.stages.formats.wkb import iso_wkb

_WHOLE = "a whole Parquet file"
_CHECKED = ParquetFileFormat(
    default_fragment_scan_options=ParquetFragmentScanOptions(
        page_checksum_verification=True, arrow_extensions_enabled=True
    )
)


def read_geoparquet(data: bytes, source: Source, *, where: str) -> Delivery:
    """Read the wanted columns and the primary geometry column of a GeoParquet file, version 1 or 2.

    `crs` is what the key `crs` states; None when it is null, and None when it is left out, though the standard has a
    default: the fact `crs_key` says which. Row 1 is the first row of the first row group.

    Raises GateError: gate `source_readable` for bytes that are no whole Parquet file, one without GeoParquet metadata
    or with metadata that contradicts it or the standard, and what `iso_wkb` and `typed_columns` refuse; gate
    `columns_present` when a wanted column is not there once; gate `crs_declared` for edges that are not planar
    and for two CRS.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        described = geo_column(file, where=where)
        places_in(file.schema_arrow.names, source.wanted, where=where)
        fragment = _CHECKED.make_fragment(pa.BufferReader(data))  # of which row groups are read on all cores
        table = fragment.to_table(columns=sorted({*source.wanted, described.name}))
    except (pa.ArrowException, OSError, ValueError) as error:  # an extension type in the footer is JSON
        raise unreadable(
            where, expected=_WHOLE, found=f"{len(data)} bytes that begin with {data[:4]!r}: {error}"
        ) from error
    geometry, facts = iso_wkb(_as_wkb(table, described, where), where=where, record="row", first=1)
    return Delivery(
        columns=typed_columns(table, source, where=where, record="row"),
        geometry=geometry,
        crs=described.crs,
        record="row",
        first=1,
        facts={**described.facts, **facts},
    )


def _as_wkb(table: pa.Table, described: GeoColumn, where: str) -> pa.ChunkedArray:
    """Return the geometry column as WKB: it is that already, or has one of the native encodings of version 1.1."""
    column = table.column(described.name)
    if described.encoding == WKB:
        return column
    type_ = getattr(ga, described.encoding)().with_dimensions(described.dimensions)
    try:
        chunks = [chunk.storage if isinstance(chunk, pa.ExtensionArray) else chunk for chunk in column.chunks]
        native = pa.chunked_array([type_.wrap_array(chunk.cast(type_.storage_type)) for chunk in chunks], type_)
        return ga.as_wkb(native)
    except (pa.ArrowException, ValueError) as error:
        raise unreadable(
            f"{where}, column {described.name!r}",
            expected=f"the encoding that its metadata states, {described.encoding}",
            found=f"{column.type}: {error}",
            remedy="have the file written with encoding WKB",
        ) from error
