"""GeoJSON (RFC 7946) into a delivery, checked member by member by ourselves.

GDAL reads a type in lower case or a null feature as an empty file, and a geometry under a wrong name as none. What does
not belong here: JSON text (json_text), coordinates (positions) and bounding boxes (boxes).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import Delivery, columns_missing, unreadable
from mrv_assets.stages.formats.boxes import Boxes
from mrv_assets.stages.formats.headers import refuse_no_text
from mrv_assets.stages.formats.json_columns import json_column
from mrv_assets.stages.formats.json_text import parsed_json
from mrv_assets.stages.formats.positions import GEOMETRY_TYPES, geometry_wkb, shown
from mrv_assets.stages.formats.tags import crs_tag

_OF_GEOMETRIES = {"coordinates", "geometries"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Records:
    """The features of a file and their paths; `kind` is what the root is: many, one, or a bare geometry.

    `member` is how the path of a geometry goes on from the path of its feature.
    """

    kind: str
    paths: Sequence[str]
    features: Sequence[Any]
    member: str = ".geometry"

    def path_of(self, name: str, index: int) -> str:
        """Return the path of a property of one feature."""
        return f"{self.paths[index]}.properties.{name}"


def read_geojson(data: bytes, source: Source, *, where: str) -> Delivery:
    """Read the features of a GeoJSON text in UTF-8, with or without a byte order mark.

    A FeatureCollection has one record per feature; a Feature or a bare geometry is one record. `crs` is what a `crs`
    member (GeoJSON of 2008) names, None without one: RFC 7946 has a default, but a default is no statement. Feature 1
    is `features[0]`. Columns are properties; the `id` of a feature is not one.

    Raises GateError naming the member by its path: gate `source_readable` for anything that RFC 7946 does not allow,
    a fourth coordinate, a bounding box that contradicts its geometry, values of several kinds under one property
    and a property that is an object or an array; gate `columns_present` for a feature without a wanted property.
    """
    root = parsed_json(data, where=where)
    records = _records(root, where)
    crs = _crs(root, where)
    boxes = Boxes()
    shapes = []
    for index, (feature, at) in enumerate(zip(records.features, records.paths, strict=True)):
        _check_feature(feature, at)
        geometry, shape_at = feature["geometry"], at + records.member
        shapes.append(None if geometry is None else geometry_wkb(geometry, at=shape_at))
        for part, path in ((feature, at), *_geometries(geometry, shape_at)):
            if "crs" in part and part is not root:
                raise unreadable(f"{path}.crs", expected="a crs member of the whole file", found="one of a part of it")
            if "bbox" in part:
                is_whole = part is feature or part is geometry
                boxes.note(part["bbox"], at=f"{path}.bbox", index=index if is_whole else None)
    if records.kind == "FeatureCollection" and "bbox" in root:
        boxes.note_all(root["bbox"], at=f"{where}, bbox")
    boxes.refuse_contradictions(shapes)
    return Delivery(
        columns=_columns(records, source, where),
        geometry=pa.chunked_array([pa.array(shapes, pa.binary())]),
        crs=crs,
        record="feature",
        first=1,
        facts={"geojson_root": records.kind, "crs_stated_by": "none" if crs is None else "crs member"},
    )


def _records(root: Any, where: str) -> _Records:
    if not isinstance(root, dict):
        raise unreadable(where, expected="a GeoJSON object", found=shown(root))
    kind = root.get("type")
    if kind == "FeatureCollection":
        features = root.get("features")
        if not isinstance(features, list):
            found = shown(features) if "features" in root else "no such member"
            raise unreadable(f"{where}, features", expected="an array of features", found=found)
        paths = [f"{where}, features[{index}]" for index in range(len(features))]
        return _Records(kind=kind, paths=paths, features=features)
    if kind == "Feature":
        return _Records(kind=kind, paths=[f"{where}, feature"], features=[root])
    if kind in GEOMETRY_TYPES or not _OF_GEOMETRIES.isdisjoint(root):
        feature = {"type": "Feature", "properties": None, "geometry": root}
        return _Records(kind="geometry", paths=[f"{where}, root"], features=[feature], member="")
    found = shown(kind) if "type" in root else "no such member"
    raise unreadable(f"{where}, type", expected="FeatureCollection or Feature, spelled so, or a geometry", found=found)


def _check_feature(feature: Any, at: str) -> None:
    """Check all members of a feature but its geometry and the values of its properties."""
    if not isinstance(feature, dict):
        raise unreadable(at, expected="a Feature object", found=shown(feature))
    if feature.get("type") != "Feature":
        raise unreadable(f"{at}.type", expected="'Feature', spelled so", found=shown(feature.get("type")))
    for member in ("properties", "geometry"):
        if member not in feature:
            raise unreadable(f"{at}.{member}", expected="an object or null, not left out", found=shown(feature))
    if not isinstance(feature["properties"], dict | None):
        raise unreadable(f"{at}.properties", expected="an object or null", found=shown(feature["properties"]))
    if type(feature.get("id", "")) not in (str, int, float):
        raise unreadable(f"{at}.id", expected="text or a number", found=shown(feature["id"]))


def _geometries(geometry: Mapping[str, Any] | None, at: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Give a checked geometry, if there is one, and the geometries in it, with their paths."""
    if geometry is None:
        return
    yield geometry, at
    for index, part in enumerate(geometry.get("geometries", ())):
        yield from _geometries(part, f"{at}.geometries[{index}]")


def _crs(root: Mapping[str, Any], where: str) -> str | None:
    stated = root.get("crs")
    if stated is None:
        return None
    named = stated.get("properties") if isinstance(stated, dict) and stated.get("type") == "name" else None
    name = named.get("name") if isinstance(named, dict) else None
    if not isinstance(name, str):
        raise unreadable(f"{where}, crs", expected="a CRS by its name (GeoJSON of 2008) or null", found=shown(stated))
    return crs_tag(name, where=f"{where}, crs")


def _columns(records: _Records, source: Source, where: str) -> pa.Table:
    properties = [feature["properties"] or {} for feature in records.features]
    for name in source.wanted:
        without = [at for each, at in zip(properties, records.paths, strict=True) if name not in each]
        if without:
            raise columns_missing(
                f"{without[0]}.properties",
                expected=f"properties {', '.join(source.wanted)} in every feature",
                found=f"no {name!r} in {len(without)} of {len(properties)} feature(s)",
            )
    columns = {
        name: json_column([each[name] for each in properties], at=partial(records.path_of, name))
        for name in source.wanted
    }
    table = pa.table(columns)
    refuse_no_text(table, where=where, record="feature", first=1)
    return table
