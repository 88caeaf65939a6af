"""The footprints that rows were given: from the boundary, from WKT or coordinates in columns, or from the records.

What does not belong here: their CRS (crs) and what becomes of them (normalize).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import shapely

from mrv_assets.domain.geometry import bounds, readable, repeated
from mrv_assets.domain.remedies import CORRECT_GEOMETRY
from mrv_assets.domain.source import GeometrySource, Source
from mrv_assets.stages.footprints import Shapes, wkb_of_geojson
from mrv_assets.stages.quantities import quantities
from mrv_assets.stages.selection import Selection
from mrv_assets.stages.sieve import Fault, Mask, Sieve, marked


def given_footprints(
    sieve: Sieve, rows: Selection, source: Source, boundary: Mapping[str, Any], *, where: str
) -> pa.ChunkedArray:
    """Return the footprint of each row as ISO WKB, null where it has none.

    `where` names the boundary. Raises GateError (gate `geometry_present`) for a cell that is no geometry, unless the
    row may be set aside, and for a boundary that is none.
    """
    if source.geometry is GeometrySource.BOUNDARY:
        return repeated(wkb_of_geojson(boundary, where=where), rows.rows)
    if source.geometry is GeometrySource.NONE:
        return pa.chunked_array([pa.nulls(rows.rows, pa.binary())])
    if source.geometry is GeometrySource.WKT:
        given = _of_wkt(sieve, rows.columns["wkt"])
    elif source.geometry is GeometrySource.LONLAT:
        given = _of_coordinates(sieve, rows, decimal_mark=source.decimal_mark)
    else:
        given = pa.chunked_array([pa.nulls(rows.rows, pa.binary())]) if rows.geometry is None else rows.geometry
    if source.quarantine is not None and len(given):
        is_absent: Mask = np.any(~np.isfinite(bounds(readable(given))), axis=1)  # as the gate of this name has it
        sieve.set_aside(is_absent, _fault("no footprint, an empty one, or one that is not finite"))
    return given


def _of_wkt(sieve: Sieve, column: pa.ChunkedArray) -> pa.ChunkedArray:
    encoded = column.cast(pa.large_string()).dictionary_encode().combine_chunks()
    texts = encoded.dictionary.to_numpy(zero_copy_only=False)
    with np.errstate(invalid="ignore"):  # NaN coordinates are for normalize to refuse
        shapes = np.asarray(_shapes(texts), dtype=object)
    is_bad = shapely.is_missing(shapes) & (texts != "")
    example = str(texts[is_bad][0])[:60] if is_bad.any() else ""
    sieve.reject(marked(pa.array(is_bad).take(encoded.indices)), _fault(f"text that is no WKT: {example!r}"))
    wkb = shapely.to_wkb(shapes, byte_order=1, flavor="iso")
    return pa.chunked_array([pa.array(wkb, pa.binary(), from_pandas=True).take(encoded.indices)])


def _shapes(texts: Shapes) -> Shapes:
    try:
        shapes: Shapes = shapely.from_wkt(texts, on_invalid="ignore")
    except NotImplementedError:  # over a single curve, which is no footprint
        if len(texts) == 1:
            return np.full(1, None, dtype=object)
        return np.concatenate([_shapes(texts[index : index + 1]) for index in range(len(texts))])
    return shapes


def _of_coordinates(sieve: Sieve, rows: Selection, *, decimal_mark: str) -> pa.ChunkedArray:
    degrees = []
    for name in ("longitude", "latitude"):
        numbers, is_bad = quantities(rows.columns[name], decimal_mark=decimal_mark)
        sieve.reject(is_bad, _fault(f"a {name} that is no number"))
        degrees.append(numbers.to_numpy(zero_copy_only=False))
    longitude, latitude = degrees
    wkb = shapely.to_wkb(shapely.points(longitude, latitude), byte_order=1, flavor="iso")
    is_absent = np.isnan(longitude) | np.isnan(latitude)
    return pa.chunked_array([pa.array(wkb, pa.binary(), mask=is_absent)])


def _fault(found: str) -> Fault:
    return Fault(
        what="footprint cannot be read",
        gate="geometry_present",
        expected="a geometry that is not empty",
        found=found,
        remedy=CORRECT_GEOMETRY,
    )
