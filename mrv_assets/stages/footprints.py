"""Footprints and their encodings: GeoJSON and WKT in, ISO WKB out, and repair with measured areas.

What does not belong here: coordinate reference systems (projection) and which rows share a footprint
(normalize).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import shapely
import shapely.geometry
from numpy.typing import NDArray

from mrv_assets.domain.errors import GateError

Shapes: TypeAlias = NDArray[Any]  # of shapely geometries, None where there is none
Mask: TypeAlias = NDArray[np.bool_]
Areas: TypeAlias = NDArray[np.float64]


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


def densified(shapes: Shapes, max_edge: float) -> Shapes:
    """Add vertices to polygons so that no edge is longer than `max_edge`, and change nothing else about them.

    An edge gets the same vertices whichever way it runs, so neighbours that share an edge still share it. The
    densifying of GEOS is not used: it quietly repairs an invalid polygon, and drops half of a bow-tie.
    """
    parts, shape_of_part = shapely.get_parts(shapes, return_index=True)
    rings, part_of_ring = shapely.get_rings(parts, return_index=True)
    vertices, ring = shapely.get_coordinates(rings, return_index=True)
    coordinates, ring_of_vertex = _with_vertices(vertices, ring, max_edge)
    offsets = (_offsets(ring_of_vertex, len(rings)), _offsets(part_of_ring, len(parts)))
    polygons = shapely.from_ragged_array(shapely.GeometryType.POLYGON, coordinates, offsets)
    is_multi = (shapely.get_type_id(shapes) == shapely.GeometryType.MULTIPOLYGON)[shape_of_part]
    dense = np.empty(len(shapes), dtype=object)
    dense[shape_of_part[~is_multi]] = polygons[~is_multi]
    shapely.multipolygons(polygons[is_multi], indices=shape_of_part[is_multi], out=dense)
    return dense


def _with_vertices(
    vertices: NDArray[np.float64], ring: NDArray[np.int64], max_edge: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the vertices with those in between, and the ring of each."""
    start, end = vertices, np.roll(vertices, -1, axis=0)
    is_edge = np.roll(ring, -1) == ring
    length = np.where(is_edge, np.hypot(*(end - start).T), 0.0)
    pieces = np.maximum(np.ceil(length / max_edge), 1.0).astype(np.int64)
    edge = np.repeat(np.arange(len(vertices)), pieces)
    piece = np.arange(len(edge)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    # Counted from the lesser end, so that the way the edge runs does not change the arithmetic.
    is_forward = (start[:, 0] < end[:, 0]) | ((start[:, 0] == end[:, 0]) & (start[:, 1] <= end[:, 1]))
    low = np.where(is_forward[:, None], start, end)[edge]
    high = np.where(is_forward[:, None], end, start)[edge]
    share = np.where(is_forward[edge], piece, pieces[edge] - piece) / pieces[edge]
    between = low + (high - low) * share[:, None]
    return np.where(piece[:, None] == 0, start[edge], between), ring[edge]


def _offsets(owner: NDArray[np.int64], owners: int) -> NDArray[np.int64]:
    """Return where the items of each owner start, and where the last ones end."""
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=owners))])


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


def wkb_of_wkt(texts: Sequence[str], row_ids: Sequence[str], *, where: str) -> list[bytes | None]:
    """Return WKT cells as ISO WKB, None for an empty cell.

    Raises GateError (gate `geometry_present`) naming the first row whose text is no WKT.
    """
    known: dict[str, bytes | None] = {"": None}
    for text, row_id in zip(texts, row_ids, strict=True):
        if text not in known:
            with np.errstate(invalid="ignore"):  # NaN coordinates are for the gates
                shape = shapely.from_wkt(text, on_invalid="ignore")
            if shape is None:
                raise _absent(f"{where}, row {row_id!r}", f"text that is no WKT: {text[:60]!r}")
            known[text] = bytes(shapely.to_wkb(shape, byte_order=1, flavor="iso"))
    return [known[text] for text in texts]


def canonical_wkb(shapes: Shapes) -> list[bytes]:
    """Return normalised shapes in the one encoding that stands for them: 2-D, little-endian ISO WKB."""
    encoded: list[bytes] = shapely.to_wkb(shapes, output_dimension=2, byte_order=1, flavor="iso").tolist()
    return encoded


def _absent(where: str, found: str) -> GateError:
    return GateError(
        "footprint cannot be read",
        gate="geometry_present",
        where=where,
        expected="a geometry that is not empty",
        found=found,
        remedy="correct the geometry in the boundary file or in the source",
    )
