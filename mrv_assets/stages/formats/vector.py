"""GeoPackage and zipped Shapefile into a delivery, from bytes alone: nothing is written and no other file is opened.

What does not belong here: how GDAL is listened to (gdal), SQLite (sqlite_cells), tables of dBase (dbf) and the parts
of a shapefile (shapefile).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyogrio
from pyogrio.raw import read_arrow

from mrv_assets.domain.errors import listed
from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import Delivery, unreadable
from mrv_assets.stages.formats.dbf import dbf_columns
from mrv_assets.stages.formats.gdal import asked
from mrv_assets.stages.formats.headers import places_in
from mrv_assets.stages.formats.shapefile import Shapefile, shapefile
from mrv_assets.stages.formats.sqlite_cells import check_cells, check_database, journal_facts
from mrv_assets.stages.formats.tags import crs_tag
from mrv_assets.stages.formats.typed import typed_columns
from mrv_assets.stages.formats.wkb import iso_wkb

_UNDEFINED = ("Undefined geographic SRS", "Undefined Cartesian SRS")
"""What GDAL makes of the srs_id 0 and -1, by which a GeoPackage says that it does not know."""


def read_geopackage(data: bytes, source: Source, *, where: str) -> Delivery:
    """Read the wanted columns, the primary key among them, and the geometry of one layer of a GeoPackage.

    `crs` is that of the layer, None when it is undefined. A layer without geometry is a delivery without. Feature 1 is
    the first in the order of the primary key, whatever its number.

    Raises GateError: gate `source_readable` for bytes that are no whole SQLite database of the application GeoPackage,
    a layer that is not named though there are several, or is not there, anything that GDAL warns of, and cells of
    another type than their column, which SQLite allows; gate `columns_present` when a wanted column is not there.
    """
    check_database(data, where=where)
    layer = _layer(data, source, where)
    at = f"{where}, layer {layer!r}"
    info = asked(lambda: pyogrio.read_info(data, layer=layer), where=at)
    fields, key = list(info["fields"]), info["fid_column"]
    places_in([*fields, *[key] * bool(key)], source.wanted, where=at)
    columns = [name for name in source.wanted if name in fields]
    _, table = asked(lambda: read_arrow(data, layer=layer, columns=columns, return_fids=bool(key)), where=at)
    check_cells(data, info, table, where=at)
    geometry: pa.ChunkedArray | None = None
    facts: Mapping[str, str] = {}
    if info["geometry_name"]:
        column = table.column(info["geometry_name"])
        geometry, facts = iso_wkb(column, where=at, record="feature", first=1)
    crs = _crs(info["crs"], at)
    stated = {"driver": info["driver"], "layer": layer, "crs_stated_by": "layer" if crs else "none"}
    return Delivery(
        columns=typed_columns(table, source, where=at, record="feature"),
        geometry=geometry,
        crs=crs,
        record="feature",
        first=1,
        facts={**stated, **journal_facts(data), **facts},
    )


def _layer(data: bytes, source: Source, where: str) -> str:
    """Return the layer to read; layers without geometry, such as styles, count only when they are named."""
    layers: dict[str, str | None] = dict(asked(lambda: pyogrio.list_layers(data), where=where).tolist())
    fitting = [name for name, kind in layers.items() if source.layer == name or (source.layer is None and kind)]
    if len(fitting) != 1:
        raise unreadable(
            where,
            expected="one layer with geometry" if source.layer is None else f"the layer {source.layer!r}",
            found=f"layers {listed(list(layers))}" if layers else "no layers",
            remedy="name one of them as layer under [source] in the project file" if layers else "",
        )
    return fitting[0]


def _crs(stated: str | None, at: str) -> str | None:
    return None if stated is None or any(text in stated for text in _UNDEFINED) else crs_tag(stated, where=at)


def read_shapefile(data: bytes, source: Source, *, where: str) -> Delivery:
    """Read the wanted columns and the geometry of one shapefile out of a zip archive.

    `crs` is what the .prj states, None without one. Text is decoded as the .cpg says, else as the project declares,
    strictly; blanks at its end are padding, and a blank cell is null. Records that are marked as deleted are left out,
    counted (fact `deleted_records`) and not numbered.

    Raises GateError: gate `source_readable` for anything but a safe and whole archive, one .shp (or the one that
    `layer` names) with its .shx and .dbf, all three whole and of the same number of records; a .cpg that contradicts
    the declared encoding, non-ASCII text with neither, text, numbers and dates that are none, multipatches, and
    anything that GDAL warns of; gate `columns_present` when a wanted column is not there once.
    """
    parts = shapefile(data, source.layer, where=where)
    at = f"{where}, member {parts.name!r}"
    table, is_kept = dbf_columns(parts.dbf, parts.cpg, source, records=parts.records, where=at)
    column = _shapes(parts, at).filter(is_kept)
    geometry, facts = iso_wkb(column, where=at, record="record", first=1)
    stated = {
        "driver": "ESRI Shapefile",
        "container_member": parts.name,
        "crs_stated_by": ".prj" if parts.prj else "none",
        "deleted_records": str(np.sum(~np.asarray(is_kept))),
    }
    return Delivery(
        columns=table,
        geometry=geometry,
        crs=None if parts.prj is None else crs_tag(parts.prj, where=f"{at}, .prj"),
        record="record",
        first=1,
        facts={**stated, **facts},
    )


def _shapes(parts: Shapefile, at: str) -> pa.ChunkedArray:
    """Return the shapes of all records. Raises GateError where GDAL takes a damaged one for null."""
    meta, table = asked(lambda: read_arrow(parts.shapes_only(), columns=[]), where=at)
    shapes = table.column(meta["geometry_name"] or "wkb_geometry")
    lost = np.flatnonzero(np.asarray(shapes.is_null()) != parts.is_null) if len(shapes) == parts.records else [0]
    if len(lost):
        found = f"{len(shapes)} shapes, {shapes.null_count} of them null or damaged"
        expected = f"{parts.records} whole shapes, {parts.is_null.sum()} of them null"
        raise unreadable(f"{at}, record {lost[0] + 1}", expected=expected, found=found)
    return shapes
