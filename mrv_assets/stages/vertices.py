"""The vertices of polygons as one array of numbers, polygons made of them again, and more vertices along long edges.

What does not belong here: what the numbers mean (projection, antimeridian).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from mrv_assets.stages.footprints import POLYGONAL, Shapes

MAX_ADDED = 100_000  # vertices in between of one shape: a million kilometres of edges of ten kilometres


@dataclass(frozen=True, slots=True, kw_only=True)
class Vertices:
    """The vertices of all polygons of an array of shapes, ring by ring; shapes that are no polygons have none here.

    `xy` has one row per vertex, `ring` the number of its ring; `part_of_ring` and `shape_of_part` lead from there to
    the shape.
    """

    xy: NDArray[np.float64]
    ring: NDArray[np.int64]
    part_of_ring: NDArray[np.int64]
    shape_of_part: NDArray[np.int64]

    @classmethod
    def of(cls, shapes: Shapes) -> Vertices:
        """Take polygons apart, Z and M values aside."""
        is_area = np.flatnonzero(np.isin(shapely.get_type_id(shapes), POLYGONAL))
        parts, owner = shapely.get_parts(shapes[is_area], return_index=True)
        rings, part_of_ring = shapely.get_rings(parts, return_index=True)
        xy, ring = shapely.get_coordinates(rings, return_index=True)
        return cls(xy=xy, ring=ring, part_of_ring=part_of_ring, shape_of_part=is_area[owner])

    @property
    def shape(self) -> NDArray[np.int64]:
        """The number of the shape that each vertex belongs to."""
        return self.shape_of_part[self.part_of_ring[self.ring]]

    @property
    def shape_of_ring(self) -> NDArray[np.int64]:
        """The number of the shape that each ring belongs to."""
        return self.shape_of_part[self.part_of_ring]

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first vertex of each ring."""
        return np.flatnonzero(np.diff(self.ring, prepend=-1))

    @property
    def ends(self) -> NDArray[np.int64]:
        """The last vertex of each ring, which is the first one again."""
        return np.flatnonzero(np.diff(self.ring, append=-1))

    def put_back(self, shapes: Shapes, xy: NDArray[np.float64], ring: NDArray[np.int64]) -> Shapes:
        """Return `shapes`, which these vertices were taken from, with their polygons made of other vertices."""
        offsets = (_offsets(ring, len(self.part_of_ring)), _offsets(self.part_of_ring, len(self.shape_of_part)))
        polygons = shapely.from_ragged_array(shapely.GeometryType.POLYGON, xy, offsets)
        is_multi = (shapely.get_type_id(shapes) == shapely.GeometryType.MULTIPOLYGON)[self.shape_of_part]
        made = shapes.copy()
        made[self.shape_of_part[~is_multi]] = polygons[~is_multi]
        shapely.multipolygons(polygons[is_multi], indices=self.shape_of_part[is_multi], out=made)
        return made


def densified(shapes: Shapes, max_edge: float | NDArray[np.float64]) -> Shapes:
    """Add vertices to polygons so that no edge is longer than `max_edge`, and change nothing else about them.

    `max_edge` may be one for all or one for each. An edge gets the same vertices whichever way it runs, so neighbours
    that share an edge still share it. The densifying of GEOS is not used: it quietly repairs an invalid polygon, and
    drops half of a bow-tie. Coordinates must be finite, and `vertices_to_add` to each shape `MAX_ADDED` at most.
    """
    v = Vertices.of(shapes)
    xy, ring = _with_vertices(v, _pieces(v, max_edge, len(shapes)).astype(np.int64))
    return v.put_back(shapes, xy, ring)


def vertices_to_add(shapes: Shapes, max_edge: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many vertices `densified` would add to each shape, whatever their number; NaN where not finite."""
    v = Vertices.of(shapes)
    with np.errstate(invalid="ignore", over="ignore"):
        more = _pieces(v, max_edge, len(shapes)) - 1.0
    counts: NDArray[np.float64] = np.bincount(v.shape, weights=more, minlength=len(shapes)).astype(np.float64)
    return counts


def _pieces(v: Vertices, max_edge: float | NDArray[np.float64], shapes: int) -> NDArray[np.float64]:
    """Return into how many pieces the edge after each vertex is to be cut."""
    is_edge = np.roll(v.ring, -1) == v.ring
    length = np.where(is_edge, np.hypot(*(np.roll(v.xy, -1, axis=0) - v.xy).T), 0.0)
    longest = np.broadcast_to(max_edge, shapes)[v.shape]
    pieces: NDArray[np.float64] = np.maximum(np.ceil(length / longest), 1.0)
    return pieces


def _with_vertices(v: Vertices, pieces: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the vertices with those in between, and the ring of each."""
    start, end = v.xy, np.roll(v.xy, -1, axis=0)
    edge = np.repeat(np.arange(len(start)), pieces)
    piece = np.arange(len(edge)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    # Counted from the lesser end, so that the way the edge runs does not change the arithmetic.
    is_forward = (start[:, 0] < end[:, 0]) | ((start[:, 0] == end[:, 0]) & (start[:, 1] <= end[:, 1]))
    low = np.where(is_forward[:, None], start, end)[edge]
    high = np.where(is_forward[:, None], end, start)[edge]
    share = np.where(is_forward[edge], piece, pieces[edge] - piece) / pieces[edge]
    between = low + (high - low) * share[:, None]
    return np.where(piece[:, None] == 0, start[edge], between), v.ring[edge]


def _offsets(owner: NDArray[np.int64], owners: int) -> NDArray[np.int64]:
    """Return where the items of each owner start, and where the last ones end."""
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=owners))])
