"""How a landing file maps to activity rows: its format, its columns, its geometry, and what the project allows.

What does not belong here: reading the file (stages) and fetching it (storage).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

SPATIAL = "spatial"
"""What stands for the region of a row until the regions of a factor release decide it by the row's footprint."""

MAPPED_COLUMNS = ("row_id", "activity_id", "region", "epoch", "activity_qty", "unit")
_TEXT_FORMATS = frozenset({"csv"})


class SourceFormat(StrEnum):
    """The formats a source may be delivered in."""

    CSV = "csv"
    XLSX = "xlsx"
    GEOJSON = "geojson"
    GEOPARQUET = "geoparquet"
    GEOPACKAGE = "geopackage"
    SHAPEFILE = "shapefile"
    KML = "kml"

    @property
    def has_geometry(self) -> bool:
        """Whether its records carry a geometry of their own."""
        return self not in (SourceFormat.CSV, SourceFormat.XLSX)


class GeometrySource(StrEnum):
    """Where an activity row's footprint comes from.

    The project boundary, a WKT column, a pair of longitude and latitude columns, the records of the file itself, or
    nowhere: then the region alone says where the activity was.
    """

    BOUNDARY = "boundary"
    WKT = "wkt"
    LONLAT = "lonlat"
    RECORD = "record"
    NONE = "none"

    @property
    def is_own(self) -> bool:
        """Whether each row brings a footprint of its own."""
        return self not in (GeometrySource.BOUNDARY, GeometrySource.NONE)


class Footprint(StrEnum):
    """What a row's footprint is: an area of land, a point without area, or nothing."""

    AREA = "area"
    POINT = "point"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredCrs:
    """A CRS that the project declares for an untagged file, and why it may."""

    crs: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine:
    """That rows may be set aside with their reason instead of refusing the partition: up to which share, and why."""

    max_share: Decimal
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """How a landing file maps to activity rows.

    `where` selects this project's rows by text equality; `columns` maps our column to theirs; `constants`
    gives a column one value for all rows. Together they name each of `MAPPED_COLUMNS` exactly once. `layer` is the
    layer of a GeoPackage or KML, the sheet of a workbook or the member of a zip, None where there is only one.
    `encoding` is None where the project declares none, so that what a file says of itself is not held against it.
    `overlaps_because` says why footprints of one activity may overlap, None where they may not. `is_spatial` says that
    rows are in the region of the factor release in which their footprint lies.
    """

    path: str
    format: SourceFormat
    layer: str | None
    encoding: str | None
    delimiter: str
    decimal_mark: str
    geometry: GeometrySource
    footprint: Footprint
    geometry_columns: tuple[str, ...]
    declared: DeclaredCrs | None
    where: Mapping[str, str]
    columns: Mapping[str, str]
    constants: Mapping[str, str]
    quarantine: Quarantine | None
    overlaps_because: str | None
    is_spatial: bool

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns of the file that are needed, by their names in the file, sorted."""
        return tuple(sorted({*self.columns.values(), *self.where, *self.geometry_columns}))

    @property
    def text_encoding(self) -> str:
        """The encoding of a file that cannot say its own: as declared, else UTF-8."""
        return self.encoding or "utf-8"

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Source:
        """Read the `[source]` table of a project. Raises KeyError, ValueError or TypeError when it is malformed."""
        _refuse_unknown(d)
        format_, geometry = SourceFormat(d["format"]), GeometrySource(d["geometry"])
        if geometry is GeometrySource.RECORD and not format_.has_geometry:
            raise ValueError(f'geometry = "record" needs a format with geometry, not {format_}')
        return cls(
            path=_text(d, "path"),
            format=format_,
            layer=d.get("layer"),
            encoding=_text(d, "encoding") if "encoding" in d else None,
            delimiter=_one_character(d, "delimiter", ","),
            decimal_mark=_decimal_mark(d),
            geometry=geometry,
            footprint=_footprint(d, geometry),
            geometry_columns=_geometry_columns(d, geometry),
            declared=declared(d),
            where=_texts(d, "where"),
            columns=_mapped(d)[0],
            constants=_mapped(d)[1],
            quarantine=_quarantine(d),
            overlaps_because=_overlaps(d),
            is_spatial=_is_spatial(d, geometry),
        )


_KEYS = frozenset(
    {
        *("path", "format", "layer", "encoding", "delimiter", "decimal_mark"),
        *("geometry", "footprint", "geometry_column", "lon_column", "lat_column", "declared_crs", "declared_because"),
        *("where", "columns", "constants", "quarantine", "overlaps", "region"),
    }
)


def declared(d: Mapping[str, Any]) -> DeclaredCrs | None:
    """Read the declared CRS of a `[source]` or `[boundary]` table, if it has one; the reason is not optional."""
    if "declared_crs" not in d:
        return None
    return DeclaredCrs(crs=_text(d, "declared_crs"), because=_text(d, "declared_because"))


def _refuse_unknown(d: Mapping[str, Any]) -> None:
    unknown = sorted(set(d) - _KEYS)
    if unknown:
        raise ValueError(f"[source] does not know {', '.join(unknown)}; it knows {', '.join(sorted(_KEYS))}")


def _mapped(d: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    columns, constants = _texts(d, "columns"), _texts(d, "constants")
    mapped = sorted([*columns, *constants, *(["region"] if "region" in d else [])])
    if mapped != sorted(MAPPED_COLUMNS):
        raise ValueError(
            f"[source] must map each of {', '.join(MAPPED_COLUMNS)} exactly once; it maps {', '.join(mapped)}"
        )
    return columns, {**constants, **({"region": SPATIAL} if "region" in d else {})}


def _is_spatial(d: Mapping[str, Any], geometry: GeometrySource) -> bool:
    if "region" not in d:
        return False
    if d["region"] != SPATIAL:
        raise ValueError(f'region {d["region"]!r} is not "{SPATIAL}"; one region for all rows is a constant')
    if geometry is GeometrySource.NONE:
        raise ValueError(f'region = "{SPATIAL}" needs footprints, and geometry = "none" has none')
    return True


def _geometry_columns(d: Mapping[str, Any], geometry: GeometrySource) -> tuple[str, ...]:
    needed = {GeometrySource.WKT: ("geometry_column",), GeometrySource.LONLAT: ("lon_column", "lat_column")}
    keys = needed.get(geometry, ())
    given = [key for key in ("geometry_column", "lon_column", "lat_column") if key in d]
    if sorted(given) != sorted(keys):
        raise ValueError(f'geometry = "{geometry}" goes with {" and ".join(keys) or "no column"}, not {given}')
    return tuple(_text(d, key) for key in keys)


def _footprint(d: Mapping[str, Any], geometry: GeometrySource) -> Footprint:
    usual = {GeometrySource.LONLAT: Footprint.POINT, GeometrySource.NONE: Footprint.NONE}.get(geometry, Footprint.AREA)
    footprint = Footprint(d.get("footprint", usual))
    is_fixed = geometry in (GeometrySource.LONLAT, GeometrySource.NONE, GeometrySource.BOUNDARY)
    if footprint is not usual and (is_fixed or footprint is Footprint.NONE):
        raise ValueError(f'geometry = "{geometry}" gives {usual}, not {footprint}')
    return footprint


def _quarantine(d: Mapping[str, Any]) -> Quarantine | None:
    if "quarantine" not in d:
        return None
    table = d["quarantine"]
    try:
        share = Decimal(_text(table, "max_share"))
    except InvalidOperation as error:
        raise ValueError(f"max_share {table['max_share']!r} is no decimal text") from error
    if not (share.is_finite() and 0 < share < 1):
        raise ValueError(f"max_share {share} does not lie between 0 and 1")
    return Quarantine(max_share=share, because=_text(table, "because"))


def _overlaps(d: Mapping[str, Any]) -> str | None:
    return _text(d["overlaps"], "because") if "overlaps" in d else None


def _decimal_mark(d: Mapping[str, Any]) -> str:
    mark = _one_character(d, "decimal_mark", ".")
    if mark not in ".,":
        raise ValueError(f"decimal_mark {mark!r} is neither . nor ,")
    if mark == d.get("delimiter", ",") and d["format"] in _TEXT_FORMATS:
        raise ValueError("decimal_mark and delimiter are the same character")
    return mark


def _one_character(d: Mapping[str, Any], key: str, default: str) -> str:
    text = d.get(key, default)
    if not isinstance(text, str) or len(text) != 1:
        raise ValueError(f"{key} {text!r} is not one character")
    return text


def _text(d: Mapping[str, Any], key: str) -> str:
    text = d[key]
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{key} {text!r} is not text that says something")
    return text


def _texts(d: Mapping[str, Any], key: str) -> dict[str, str]:
    table = d.get(key, {})
    if not all(isinstance(text, str) for text in table.values()):
        raise ValueError(f"[source.{key}] holds something else than text: {table}")
    return dict(table)
