"""Plain rings: polygons of one short ring without a hole, as dense coordinate arrays that numpy moves in bulk.

A shape is plain when nothing about it needs a second look: 2-D little-endian ISO WKB, one closed ring of at most 64
vertices, none repeated in a row. For plain rings this is the same arithmetic as the careful route with shapely, to the
last bit, at a tenth of its cost. What does not belong here: shapes that are not plain (footprints) and the choice
between the two (normalize).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.int64]

MAX_VERTICES = 64
_HEADER = 13  # byte order, type, number of rings, number of vertices
_VERTEX = 16
_POLYGON = b"\x01\x03\x00\x00\x00\x01\x00\x00\x00"
_ONE_PART = b"\x01\x06\x00\x00\x00\x01\x00\x00\x00"


@dataclass(frozen=True, kw_only=True)
class Rings:
    """Closed rings with the same number of vertices: which `rows` they are, and x and y by ring and vertex.

    In memory the first vertices of all rings stand together, then the second ones: rings are many and vertices few, so
    that is how numpy goes through them fastest.
    """

    rows: Indices
    x: Floats
    y: Floats

    @classmethod
    def of(cls, rows: Indices, x: Floats, y: Floats) -> Rings:
        """Lay the coordinates out as they are gone through."""
        return cls(rows=rows, x=np.asfortranarray(x), y=np.asfortranarray(y))

    def only(self, keep: Mask) -> Rings:
        """Return the rings that the mask marks: these themselves when it marks all."""
        return self if keep.all() else Rings.of(self.rows[keep], self.x[keep], self.y[keep])

    def moved(self, move: Callable[[Floats, Floats], tuple[Floats, Floats]]) -> Rings:
        """Return the rings where `move` takes them, which is given all x and all y; themselves where it does not."""
        flat_x, flat_y = self.x.ravel(order="K"), self.y.ravel(order="K")
        x, y = move(flat_x, flat_y)
        if x is flat_x and y is flat_y:
            return self
        shape = self.x.shape
        return Rings(rows=self.rows, x=x.reshape(shape, order="F"), y=y.reshape(shape, order="F"))

    @cached_property
    def bounds(self) -> tuple[Floats, Floats, Floats, Floats]:
        """West, south, east and north of each ring."""
        return self.x.min(axis=1), self.y.min(axis=1), self.x.max(axis=1), self.y.max(axis=1)

    @property
    def is_simple(self) -> Mask:
        """Whether a ring is closed, finite, and has no vertex twice in a row; it may cross itself."""
        with np.errstate(invalid="ignore"):
            is_step = (np.diff(self.x, axis=1) != 0.0) | (np.diff(self.y, axis=1) != 0.0)
            is_closed = (self.x[:, 0] == self.x[:, -1]) & (self.y[:, 0] == self.y[:, -1])
            total = self.x.sum(axis=1) + self.y.sum(axis=1)
        simple: Mask = is_step.all(axis=1) & is_closed & np.isfinite(total)
        return simple

    @property
    def signed_area(self) -> Floats:
        """The planar area of each ring, negative when it runs counter-clockwise; in the order of terms of GEOS."""
        total = np.zeros(len(self.rows))
        for k in range(1, self.x.shape[1] - 1):
            total += (self.x[:, k] - self.x[:, 0]) * (self.y[:, k - 1] - self.y[:, k + 1])
        return total / 2.0

    @property
    def normalised(self) -> Rings:
        """The same rings, clockwise from their lowest vertex: the least x, and of these the least y."""
        vertices = self.x.shape[1] - 1
        x, y = self.x[:, :vertices], self.y[:, :vertices]
        start = np.where(x == x.min(axis=1, keepdims=True), y, np.inf).argmin(axis=1)
        step = np.where(self.signed_area < 0.0, -1, 1)
        order = (start[:, None] + step[:, None] * np.arange(vertices + 1)) % vertices
        return Rings(rows=self.rows, x=np.take_along_axis(x, order, axis=1), y=np.take_along_axis(y, order, axis=1))

    def area_on(self, *, radius: float, authalic: Floats) -> Floats:
        """Return the area of each ring of degrees on a sphere, its edges great circles.

        `authalic` are the latitudes of the vertices on the sphere of `radius` that has the area of the ellipsoid, in
        radians.
        """
        tan_half = np.tan(authalic / 2.0)
        tan_half_step = np.tan(np.radians(np.diff(self.x, axis=1)) / 2.0)
        south, north = tan_half[:, :-1], tan_half[:, 1:]
        excess = 2.0 * np.arctan2(tan_half_step * (south + north), 1.0 + south * north)
        areas: Floats = np.abs(excess.sum(axis=1)) * radius * radius
        return areas


def plain_rings(wkb: pa.Array) -> Iterator[Rings]:
    """Yield the plain rings among the footprints of a column, those with equally many vertices together.

    Whether a ring is closed and simple is not looked at yet.
    """
    rows, vertices, starts, data = _headers(wkb)
    for count in np.unique(vertices):
        is_alike = vertices == count
        yield _ring_block(data, starts[is_alike], rows[is_alike], int(count))


def _headers(wkb: pa.Array) -> tuple[Indices, Indices, Indices, NDArray[np.uint8]]:
    """Return row, number of vertices and place of each shape that is a plain ring by its header and length.

    A multipolygon of one part counts as that part: many programs write nothing else.
    """
    offsets = np.frombuffer(wkb.buffers()[1], dtype=np.int32)[wkb.offset : wkb.offset + len(wkb) + 1].astype(np.int64)
    data = np.frombuffer(wkb.buffers()[2] or b"", dtype=np.uint8)
    lengths, starts = np.diff(offsets), offsets[:-1].copy()
    is_there = wkb.is_valid().to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(is_there & (lengths >= _HEADER + 4 * _VERTEX))
    is_wrapped = rows[_begins(data, starts[rows], _ONE_PART)]
    starts[is_wrapped] += len(_ONE_PART)
    lengths[is_wrapped] -= len(_ONE_PART)
    rows = rows[(lengths[rows] >= _HEADER + 4 * _VERTEX) & (lengths[rows] <= _HEADER + MAX_VERTICES * _VERTEX)]
    rows = rows[_begins(data, starts[rows], _POLYGON)]
    counts = data[starts[rows][:, None] + np.arange(len(_POLYGON), _HEADER)]
    vertices = np.ascontiguousarray(counts).view("<u4")[:, 0].astype(np.int64)
    is_plain = lengths[rows] == _HEADER + vertices * _VERTEX
    return rows[is_plain], vertices[is_plain], starts[rows[is_plain]], data


def _begins(data: NDArray[np.uint8], starts: Indices, prefix: bytes) -> Mask:
    """Tell at which of the places the prefix stands."""
    begins: Mask = (data[starts[:, None] + np.arange(len(prefix))] == np.frombuffer(prefix, np.uint8)).all(axis=1)
    return begins


def _ring_block(data: NDArray[np.uint8], starts: Indices, rows: Indices, vertices: int) -> Rings:
    size = _HEADER + vertices * _VERTEX
    if len(starts) and (np.diff(starts) == size).all():
        block = data[starts[0] : starts[0] + len(starts) * size].reshape(-1, size)
    else:
        block = data[starts[:, None] + np.arange(size)]
    xy = np.ascontiguousarray(block[:, _HEADER:]).view("<f8").reshape(-1, vertices, 2)
    return Rings.of(rows, xy[:, :, 0], xy[:, :, 1])


def encoded(rings: Rings) -> pa.Array:
    """Return the rings as 2-D little-endian ISO WKB, in their order."""
    count, vertices = rings.x.shape
    size = _HEADER + vertices * _VERTEX
    # Arrow's memory: what stays would lie scattered among what numpy frees, which then could not be given back.
    buffer = pa.allocate_buffer(count * size)
    block = np.frombuffer(buffer, dtype=np.uint8).reshape(count, size)
    block[:, :9] = np.frombuffer(_POLYGON, dtype=np.uint8)
    block[:, 9:_HEADER] = np.array([vertices], dtype="<u4").view(np.uint8)
    xy = np.empty((count, vertices, 2), dtype="<f8")
    xy[:, :, 0], xy[:, :, 1] = rings.x, rings.y
    block[:, _HEADER:] = xy.reshape(count, vertices * 2).view(np.uint8)
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(size)
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), buffer])
