"""Areas of a monitoring package as shapes: read from WKT in an equal-area CRS, and measured.

The CRS is the fact `areas_crs`. Areas are measured in it; distances are not, because an equal-area CRS stretches them:
they are measured in an azimuthal equidistant map around the project. What does not belong here: what a standard asks of
them (controls) and the footprints of activity rows (domain.geometry).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import shapely
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError

from mrv_assets.domain.monitoring import Monitoring

Shape: TypeAlias = Any
_SAME_AREA = 1e-4
_VERTEX_EVERY_M = 1000.0
_FARTHEST_M = 5e7  # more than once round the Earth


def shapes_of(monitoring: Monitoring, table: str, key: str) -> Mapping[str, Shape]:
    """Return the shapes of a table with columns `key` and `wkt`; rows with one key are one shape.

    Raises ContractError naming the row for WKT that cannot be read, for what is no valid, filled area, and for one that
    is larger than the Earth.
    """
    parts: dict[str, list[Shape]] = {}
    for row in monitoring.table(table, key, "wkt"):
        shape = shapely.from_wkt(row["wkt"], on_invalid="ignore")
        if found := _fault(shape):
            raise monitoring.unusable(
                f"table {table}, row {row[key]}", expected="WKT of a valid polygon or multipolygon", found=found
            )
        parts.setdefault(row[key].strip(), []).append(shape)
    return {name: shapely.union_all(shapes) for name, shapes in parts.items()}


def _fault(shape: Shape) -> str:
    if shape is None:
        return "unreadable"
    if shape.is_empty or shape.area <= 0 or not shape.is_valid:
        return str(shapely.is_valid_reason(shape))
    # Vertices are set every kilometre below: of a shape without measure there would be no end of them.
    return "" if np.abs(shape.bounds).max() <= _FARTHEST_M else "coordinates beyond the Earth"


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
    """Return the least distance between two areas on the ellipsoid, metres, good to a metre within 100 km.

    Raises ContractError for an area that is not on the map of `areas_crs`.
    """
    crs = _crs(monitoring)
    centre = _degrees(monitoring, crs, area.centroid)
    _degrees(monitoring, crs, other)
    local = CRS.from_dict({"proj": "aeqd", "lat_0": centre.y, "lon_0": centre.x, "ellps": "WGS84"})
    to_local = Transformer.from_crs(crs, local, always_xy=True)
    one, two = (_moved(to_local, shapely.segmentize(shape, _VERTEX_EVERY_M)) for shape in (area, other))
    return float(shapely.distance(one, two))


def _moved(transformer: Transformer, shape: Shape) -> Shape:
    return shapely.transform(shape, transformer.transform, interleaved=False)


def _degrees(monitoring: Monitoring, crs: CRS, shape: Shape) -> Shape:
    """Return the shape in degrees on the datum of its own CRS. Raises ContractError where its map has no such place."""
    found = _moved(Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True), shape)
    if not np.isfinite(shapely.get_coordinates(found)).all():
        bounds = ", ".join(f"{each:.0f}" for each in shape.bounds)
        raise monitoring.unusable(
            "table project_areas or other_afolu_areas", expected=f"places on the map of {crs.name}", found=bounds
        )
    return found


def _require_equal_area(monitoring: Monitoring, area: Shape) -> None:
    """Compare the area in the plane with that on the ellipsoid: a CRS that keeps areas of a sphere is off by 0.7 %."""
    crs = _crs(monitoring)
    geod = crs.get_geod()
    if crs.is_projected and geod is not None:
        fine = shapely.segmentize(area, _VERTEX_EVERY_M)
        on_ellipsoid, _ = geod.geometry_area_perimeter(shapely.orient_polygons(_degrees(monitoring, crs, fine)))
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
