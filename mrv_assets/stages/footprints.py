"""Footprints and their encodings: WKB and GeoJSON in, ISO WKB out, and repair with measured areas.

What does not belong here: coordinate reference systems (projection), vertices in between (vertices) and which rows
share a footprint (normalize).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import shapely
import shapely.geometry
from numpy.typing import NDArray

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.remedies import CORRECT_GEOMETRY

Shapes: TypeAlias = NDArray[Any]  # of shapely geometries, None where there is none
Mask: TypeAlias = NDArray[np.bool_]
Areas: TypeAlias = NDArray[np.float64]
Bounds: TypeAlias = tuple[float, float, float, float]

POLYGONAL = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """Valid, normalised shapes, which were repaired, and areas before and after, in squared units of the CRS."""

    shapes: Shapes
    is_repaired: Mask
    area_before: Areas
    area_after: Areas

    @property
    def relative_change(self) -> Areas:
        """Change of area relative to the area before the repair; infinite where there was no area before."""
        change = np.abs(self.area_after - self.area_before)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(change == 0.0, 0.0, change / self.area_before)


def repaired(shapes: Shapes) -> Repaired:
    """Make polygonal shapes valid by their structure and normalise them: overlaps are united, collapsed parts vanish.

    The other method of `make_valid`, linework, keeps only the outside of an overlap and turns spikes into lines.
    """
    is_repaired = ~shapely.is_valid(shapes)
    after = shapes.copy()
    after[is_repaired] = shapely.make_valid(shapes[is_repaired], method="structure", keep_collapsed=False)
    # Areas are of the normalised shapes, so that they do not depend on where a ring starts.
    after = shapely.normalize(after)
    return Repaired(
        shapes=after,
        is_repaired=is_repaired,
        area_before=shapely.area(shapes),
        area_after=shapely.area(after),
    )


def shapes_of(wkb: pa.Array | pa.ChunkedArray) -> Shapes:
    """Return the shapes that WKB of any flavour encodes (ISO or extended, either byte order), Z and M as they are.

    None stands for null and for bytes that are no geometry; a ring that is not closed is none, and is not closed here.
    """
    encoded = wkb.combine_chunks() if isinstance(wkb, pa.ChunkedArray) else wkb
    with np.errstate(invalid="ignore"):  # NaN coordinates are refused as misplaced
        shapes = shapely.from_wkb(encoded.to_numpy(zero_copy_only=False), on_invalid="ignore")
    return np.asarray(shapes, dtype=object)


def polygonal(shapes: Shapes) -> Shapes:
    """Unwrap collections, nested ones too, that hold polygons and nothing else: to a polygon, or several as one shape.

    Empty members do not count. A collection with a point or a line in it stays as it is, because which of its members
    is the land is not for us to say; so does an empty one.
    """
    unwrapped = shapes.copy()
    is_collection = shapely.get_type_id(shapes) == shapely.GeometryType.GEOMETRYCOLLECTION
    for index in np.flatnonzero(is_collection):
        members = _members(shapes[index])
        if len(members) and np.isin(shapely.get_type_id(members), POLYGONAL).all():
            parts = shapely.get_parts(members)
            unwrapped[index] = parts[0] if len(parts) == 1 else shapely.multipolygons(parts)
    return unwrapped


def _members(collection: shapely.Geometry) -> Shapes:
    members: Shapes = shapely.get_parts(collection)
    while (shapely.get_type_id(members) == shapely.GeometryType.GEOMETRYCOLLECTION).any():
        members = shapely.get_parts(members)
    present: Shapes = members[~shapely.is_empty(members)]
    return present


def wkb_of_geojson(geometry: Mapping[str, Any], *, where: str) -> bytes:
    """Return a GeoJSON geometry as ISO WKB, its Z values kept.

    Raises GateError (gate `geometry_present`) when it is malformed or empty.
    """
    try:
        shape = shapely.geometry.shape(dict(geometry))
    except (
        shapely.errors.ShapelyError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        IndexError,
    ) as error:
        raise _absent(where, f"a geometry that cannot be read: {type(error).__name__} {error}") from error
    if shape.is_empty:
        raise _absent(where, "an empty geometry")
    return bytes(shapely.to_wkb(shape, byte_order=1, flavor="iso"))


def canonical_wkb(shapes: Shapes) -> list[bytes]:
    """Return normalised shapes in the one encoding that stands for them: little-endian ISO WKB without Z and M."""
    encoded: list[bytes] = shapely.to_wkb(shapes, output_dimension=2, byte_order=1, flavor="iso").tolist()
    return encoded


def _absent(where: str, found: str) -> GateError:
    return GateError(
        "footprint cannot be read",
        gate="geometry_present",
        where=where,
        expected="a geometry that is not empty",
        found=found,
        remedy=CORRECT_GEOMETRY,
    )
