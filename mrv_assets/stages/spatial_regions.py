"""In which region of a factor release a row is: that in which the representative point of its footprint lies.

A point on a shared border, to a millimetre, belongs to the region with the smaller id in text order, so that every row
has one owner and tonnes are conserved (geopandas/geopandas#1265: counted twice by `intersects`, not at all by
`within`). What does not belong here: the file of the regions (region_file), and which factor a region has
(factor_match).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray
from pyproj.enums import TransformDirection

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import GateError, listed
from mrv_assets.domain.factor_head import REGIONS
from mrv_assets.stages.footprints import Shapes
from mrv_assets.stages.projection import Operation, operation_from
from mrv_assets.stages.region_file import malformed_regions, read_regions

_BORDER_DEG = 1e-8
_BORDER_M = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Regions:
    """The regions of a release, sorted by id, in the CRS of their file, which `operation` leads from."""

    ids: list[str]
    shapes: Shapes
    operation: Operation

    @property
    def border(self) -> float:
        """How far from a border, in units of the CRS, a point is still on it."""
        source = self.operation.source
        return _BORDER_DEG if source.is_geographic else _BORDER_M / source.axis_info[0].unit_conversion_factor


def in_regions(
    normalized: pa.Table, *, regions: bytes | None, policy: CrsPolicy, where: str
) -> tuple[pa.Table, Mapping[str, str]]:
    """Return the normalised table with the region of every row, without footprints, and how rows were located.

    `regions` is the GeoParquet file of the release: `region`, and polygons in a stated CRS. Raises GateError (gate
    `regions_located`) when the release has none or it is malformed, when no accurate operation leads from its CRS, and
    for rows without a footprint, outside of all regions or inside of two, by their ids.
    """
    known = _read(regions, policy, f"{where}, {REGIONS}")
    row_ids = normalized.column("row_id").to_pylist()
    points = _points(normalized, known.operation)
    missing = np.flatnonzero(shapely.is_missing(points) | shapely.is_empty(points))
    if len(missing):
        names = [row_ids[row] for row in missing]
        raise _astray(where, "a footprint of every row", f"{len(names)} row(s) without one: {listed(names)}")
    owners, on_border = _owners(points, known, row_ids, where)
    places = pa.array([known.ids[owner] for owner in owners], pa.string())
    bare = normalized.drop_columns(["geometry"])
    table = bare.set_column(bare.column_names.index("region"), "region", places)
    evidence = {
        "located_rows": str(len(owners)),
        "rows_on_borders": str(on_border),
        "regions_crs": known.operation.source_name,
        "regions_crs_operation": known.operation.name,
    }
    return table, evidence


def _read(regions: bytes | None, policy: CrsPolicy, where: str) -> _Regions:
    if regions is None:
        raise _astray(where, "a factor release that knows where its regions are", f"a release without {REGIONS}")
    file = read_regions(regions, where=where)
    try:
        operation = operation_from(file.crs, policy=policy, where=where)
    except GateError as error:
        raise malformed_regions(error.where, error.expected, error.found) from error
    return _Regions(ids=file.ids, shapes=file.shapes, operation=operation)


def _points(normalized: pa.Table, operation: Operation) -> Shapes:
    """Return a point of each footprint in the CRS of the regions, on its surface also where its centre is not."""
    chunks = normalized.column("geometry").chunks
    pieces = [shapely.point_on_surface(shapely.from_wkb(c.to_numpy(zero_copy_only=False))) for c in chunks]
    points = np.concatenate([np.array([], dtype=object), *pieces])
    moved: Shapes = shapely.transform(
        points,
        lambda xy: np.column_stack(
            operation.to_target.transform(xy[:, 0], xy[:, 1], direction=TransformDirection.INVERSE)
        ),
    )
    return moved


def _owners(points: Shapes, known: _Regions, row_ids: list[str], where: str) -> tuple[NDArray[np.int64], int]:
    """Return the region of each point and how many points are on a border that regions share."""
    # Asked region by region, because the shape that asks is the one that is prepared.
    near, rows = shapely.STRtree(points).query(known.shapes, predicate="dwithin", distance=known.border)
    owners = np.full(len(points), len(known.ids), dtype=np.int64)
    np.minimum.at(owners, rows, near)  # regions are sorted by id
    outside = np.flatnonzero(owners == len(known.ids))
    if len(outside):
        found = f"{len(outside)} row(s) outside of all: {listed([row_ids[n] for n in outside])}"
        raise _astray(where, f"footprints in one of the {len(known.ids)} regions of the release", found)
    is_shared = np.bincount(rows, minlength=len(points)) > 1
    near, rows = near[is_shared[rows]], rows[is_shared[rows]]
    # Far from the border of a region that it is near to, a point is inside of it.
    is_inside = ~shapely.dwithin(points[rows], shapely.boundary(known.shapes[near]), known.border)
    inside = np.bincount(rows[is_inside], minlength=len(points))
    claimed = np.flatnonzero(inside > 1)
    if len(claimed):
        names = [known.ids[n] for n in sorted(near[is_inside & (rows == claimed[0])])]
        found = (
            f"{len(claimed)} row(s) inside of several: {listed([row_ids[n] for n in claimed])}, the first of {names}"
        )
        raise _astray(where, "regions that share borders and no land", found)
    owners[rows[is_inside]] = near[is_inside]
    return owners, int((is_shared & (inside == 0)).sum())


def _astray(where: str, expected: str, found: str) -> GateError:
    return GateError(
        "row is in no region, or nobody can tell in which",
        gate="regions_located",
        where=where,
        expected=expected,
        found=found,
        remedy='correct the footprints, release the missing regions, or map region instead of region = "spatial"',
    )
