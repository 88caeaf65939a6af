"""Which reader reads which format.

What does not belong here: how any of them reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from mrv_assets.domain.source import Source, SourceFormat
from mrv_assets.stages.delivery import Delivery
from mrv_assets.stages.formats.delimited import read_delimited
from mrv_assets.stages.formats.geojson import read_geojson
from mrv_assets.stages.formats.geoparquet import read_geoparquet
from mrv_assets.stages.formats.kml import read_kml
from mrv_assets.stages.formats.vector import read_geopackage, read_shapefile
from mrv_assets.stages.formats.workbook import read_workbook


class Reader(Protocol):
    """Makes a delivery of the bytes of a source file; `where` names partition and file in refusals."""

    def __call__(self, data: bytes, source: Source, *, where: str) -> Delivery:
        """Raise GateError (gates `source_readable` and `columns_present`) for bytes that are not what is declared."""


READERS: Mapping[SourceFormat, Reader] = {
    SourceFormat.CSV: read_delimited,
    SourceFormat.XLSX: read_workbook,
    SourceFormat.GEOJSON: read_geojson,
    SourceFormat.GEOPARQUET: read_geoparquet,
    SourceFormat.GEOPACKAGE: read_geopackage,
    SourceFormat.SHAPEFILE: read_shapefile,
    SourceFormat.KML: read_kml,
}
"""The reader of every format, none left out."""


def read_delivery(data: bytes, source: Source, *, where: str) -> Delivery:
    """Read the records of a source file in its declared format. Raises as the reader of the format does."""
    return READERS[source.format](data, source, where=where)
