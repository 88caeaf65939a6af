"""The file of a factor release that says where its regions are: read as strictly as a source is, outlines told apart.

What does not belong here: in which region a row is (spatial_regions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely

from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import GateError, listed
from mrv_assets.domain.factor_head import REGIONS
from mrv_assets.domain.source import MAPPED_COLUMNS, Source
from mrv_assets.stages.footprints import POLYGONAL, Shapes
from mrv_assets.stages.formats.geoparquet import read_geoparquet

_FILE = Source.parse(
    {
        "path": REGIONS,
        "format": "geoparquet",
        "geometry": "record",
        "columns": {"region": "region"},
        "constants": {name: "" for name in MAPPED_COLUMNS if name != "region"},
    }
)
"""The file is read as strictly as a source is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionFile:
    """The regions of a release, sorted by id, in the CRS that the file names."""

    ids: list[str]
    shapes: Shapes
    crs: str


def read_regions(regions: bytes, *, where: str) -> RegionFile:
    """Read the GeoParquet file of a release: `region`, and valid polygons in a stated CRS.

    Raises GateError (gate `regions_located`) when it is malformed, has no CRS, or has a region twice.
    """
    try:
        delivery = read_geoparquet(regions, _FILE, where=where)
    except GateError as error:
        raise malformed_regions(error.where, error.expected, error.found) from error
    if delivery.crs is None:
        raise malformed_regions(where, "a CRS in the key crs of the file", "none")
    ids, geometry = delivery.columns.column("region").to_pylist(), delivery.geometry
    shapes = shapely.from_wkb(np.array([] if geometry is None else geometry.to_pylist(), dtype=object))
    _refuse_malformed(ids, shapes, where)
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return RegionFile(ids=[ids[n] for n in order], shapes=shapes[order], crs=delivery.crs)


def outlines(regions: bytes | None, *, where: str) -> Mapping[str, str]:
    """Return a digest of the outline of every region by id, none for a release without the file.

    It covers the CRS, as the file writes it, and the coordinates, and neither where a ring begins nor the order of
    rings and parts. Raises as `read_regions`.
    """
    if regions is None:
        return {}
    file = read_regions(regions, where=where)
    texts = shapely.to_wkb(shapely.normalize(file.shapes), hex=True, byte_order=1)
    return {
        name: sha256_hex(canonical_json([file.crs, text])) for name, text in zip(file.ids, texts.tolist(), strict=True)
    }


def _refuse_malformed(ids: list[object], shapes: Shapes, where: str) -> None:
    texts = [name for name in ids if isinstance(name, str) and name.strip()]
    if not texts or len(texts) < len(ids):
        raise malformed_regions(where, "at least one region, each with an id", f"{len(texts)} of {len(ids)} with one")
    if len(set(texts)) < len(texts):
        twice = sorted({name for name in texts if texts.count(name) > 1})
        raise malformed_regions(where, "every region once", f"more than one of {listed(twice)}")
    is_bad = ~np.isin(shapely.get_type_id(shapes), POLYGONAL) | shapely.is_empty(shapes) | ~shapely.is_valid(shapes)
    if is_bad.any():
        bad = [texts[n] for n in np.flatnonzero(is_bad)]
        raise malformed_regions(where, "valid polygons", f"{len(bad)} others: {listed(bad)}")


def malformed_regions(where: str, expected: str, found: str) -> GateError:
    """Return the refusal of a file that says of no place in which region it is (gate `regions_located`)."""
    return GateError(
        "regions of the factor release cannot be used",
        gate="regions_located",
        where=where,
        expected=expected,
        found=found,
        remedy="release corrected regions; a released file is corrected by a new release",
    )
