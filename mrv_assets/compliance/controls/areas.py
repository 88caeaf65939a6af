"""Areas of a monitoring package as shapes: read from WKT in an equal-area CRS, and measured.

The CRS is the fact `areas_crs`. Areas are measured in it; distances are not, because an equal-area CRS stretches them:
they are measured in an azimuthal equidistant map around the project. What does not belong here: what a standard asks of
them (controls) and the footprints of activity rows (domain.geometry).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import shapely
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError

from mrv_assets.domain.monitoring import Monitoring

Shape: TypeAlias = Any
_SAME_AREA = 1e-4
_VERTEX_EVERY_M = 1000.0


def shapes_of(monitoring: Monitoring, table: str, key: str) -> Mapping[str, Shape]:
    """Return the shapes of a table with columns `key` and `wkt`; rows with one key are one shape.

    Raises ContractError naming the row for WKT that cannot be read and for what is no valid, filled area.
    """
    parts: dict[str, list[Shape]] = {}
    for row in monitoring.table(table, key, "wkt"):
        shape = shapely.from_wkt(row["wkt"], on_invalid="ignore")
        if shape is None or shape.is_empty or shape.area <= 0 or not shape.is_valid:
            found = "unreadable" if shape is None else shapely.is_valid_reason(shape)
            raise monitoring.unusable(
                f"table {table}, row {row[key]}", expected="WKT of a valid polygon or multipolygon", found=found
            )
        parts.setdefault(row[key].strip(), []).append(shape)
    return {name: shapely.union_all(shapes) for name, shapes in parts.items()}


def project_area(monitoring: Monitoring) -> Shape:
    """Return the project area, the union of the table `project_areas` with `id` and `wkt`.

    Raises ContractError when there is none, and when `areas_crs` does not keep areas where the project lies.
    """
    shapes = shapes_of(monitoring, "project_areas", "id")
    if not shapes:
        raise monitoring.missing("table project_areas, at least one row")
    area = shapely.union_all(list(shapes.values()))
    _require_equal_area(monitoring, area)
    return area


def distance_m(monitoring: Monitoring, area: Shape, other: Shape) -> float:
    """Return the least distance between two areas on the ellipsoid, metres, good to a metre within 100 km."""
    crs = _crs(monitoring)
    centre = _degrees(crs, area.centroid)
    local = CRS.from_dict({"proj": "aeqd", "lat_0": centre.y, "lon_0": centre.x, "ellps": "WGS84"})
    to_local = Transformer.from_crs(crs, local, always_xy=True)
    one, two = (_moved(to_local, shapely.segmentize(shape, _VERTEX_EVERY_M)) for shape in (area, other))
    return float(shapely.distance(one, two))


def _moved(transformer: Transformer, shape: Shape) -> Shape:
    return shapely.transform(shape, transformer.transform, interleaved=False)


def _degrees(crs: CRS, shape: Shape) -> Shape:
    """Return the shape in degrees on the datum of its own CRS."""
    return _moved(Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True), shape)


def _require_equal_area(monitoring: Monitoring, area: Shape) -> None:
    """Compare the area in the plane with that on the ellipsoid: a CRS that keeps areas of a sphere is off by 0.7 %."""
    crs = _crs(monitoring)
    geod = crs.get_geod()
    if crs.is_projected and geod is not None:
        fine = shapely.segmentize(area, _VERTEX_EVERY_M)
        on_ellipsoid, _ = geod.geometry_area_perimeter(shapely.orient_polygons(_degrees(crs, fine)))
        if abs(area.area / on_ellipsoid - 1) <= _SAME_AREA:
            return
    raise monitoring.unusable(
        "fact areas_crs", expected="an equal-area CRS in metres, such as EPSG:6933", found=crs.name
    )


def _crs(monitoring: Monitoring) -> CRS:
    text = monitoring.fact("areas_crs")
    try:
        return CRS.from_user_input(text)
    except CRSError:
        raise monitoring.unusable("fact areas_crs", expected="a CRS such as EPSG:6933", found=text) from None
