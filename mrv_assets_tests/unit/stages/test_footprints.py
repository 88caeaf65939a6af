from __future__ import annotations

import struct

import numpy as np
import pyarrow as pa
import pytest
import shapely

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.footprints import canonical_wkb, polygonal, repaired, shapes_of, wkb_of_geojson

WHERE = "plots 2021"
SQUARE = "POLYGON ((0 0, 1000 0, 1000 1000, 0 1000, 0 0))"
POLYGON = "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))"
OTHER = "POLYGON ((5 5, 6 5, 6 6, 5 6, 5 5))"
UNCLOSED = struct.pack("<BIII6d", 1, 3, 1, 3, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0)


def shapes(*wkt: str | None) -> np.ndarray:
    """Return shapes from WKT."""
    return np.array([None if text is None else shapely.from_wkt(text) for text in wkt], dtype=object)


@pytest.mark.parametrize(
    ("wkt", "before", "after"),
    [
        pytest.param(
            "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((2 2, 6 2, 6 6, 2 6, 2 2)))",
            32.0,
            28.0,
            id="overlapping parts",
        ),
        pytest.param("POLYGON ((0 0, 4 0, 4 4, 8 4, 4 4, 0 4, 0 0))", 16.0, 16.0, id="spike"),
        pytest.param("POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))", 0.0, 2.0, id="bow-tie"),
        pytest.param("POLYGON ((0 0, 1 1, 2 2, 0 0))", 0.0, 0.0, id="collapsed ring"),
        pytest.param(SQUARE, 1e6, 1e6, id="valid"),
    ],
)
def test_repair_unites_overlaps_and_keeps_areas_apart(wkt: str, before: float, after: float) -> None:
    """Repair by structure gives 28 for two overlapping squares, where linework gives 24 and the raw sum 32."""
    repair = repaired(shapes(wkt))
    assert (repair.area_before[0], repair.area_after[0]) == (before, after)
    assert repair.shapes[0].geom_type in ("Polygon", "MultiPolygon")
    assert shapely.is_valid(repair.shapes[0])


def test_spike_is_repaired_to_a_polygon() -> None:
    """The other method of repair would make it a collection of a polygon and a line."""
    (shape,) = repaired(shapes("POLYGON ((0 0, 4 0, 4 4, 8 4, 4 4, 0 4, 0 0))")).shapes
    assert shape.geom_type == "Polygon"


@pytest.mark.parametrize(
    "encoded",
    [
        pytest.param(shapely.to_wkb(shapely.from_wkt(POLYGON), byte_order=1, flavor="iso"), id="ISO"),
        pytest.param(shapely.to_wkb(shapely.from_wkt(POLYGON), byte_order=0, flavor="iso"), id="big-endian"),
        pytest.param(
            shapely.to_wkb(shapely.set_srid(shapely.from_wkt(POLYGON), 4326), include_srid=True, flavor="extended"),
            id="extended, with an SRID",
        ),
        pytest.param(
            shapely.to_wkb(shapely.force_3d(shapely.from_wkt(POLYGON), 7.0), flavor="extended"), id="extended, with Z"
        ),
        pytest.param(
            shapely.to_wkb(shapely.from_wkt("POLYGON M ((0 0 1, 2 0 1, 2 2 1, 0 2 1, 0 0 1))"), flavor="iso"),
            id="with M",
        ),
    ],
)
def test_every_flavour_of_wkb_is_one_canonical_footprint(encoded: bytes) -> None:
    """Byte order, SRID, Z and M are gone from the canonical encoding."""
    assert canonical_wkb(shapes_of(pa.array([encoded]))) == [
        shapely.to_wkb(shapely.from_wkt(POLYGON), byte_order=1, flavor="iso")
    ]


@pytest.mark.parametrize(
    "encoded",
    [
        pytest.param(None, id="null"),
        pytest.param(b"", id="no bytes"),
        pytest.param(b"\x01\x02", id="cut off"),
        pytest.param(b"POINT (1 1)", id="text"),
        pytest.param(UNCLOSED, id="ring that is not closed"),
    ],
)
def test_bytes_that_are_no_geometry_are_none(encoded: bytes | None) -> None:
    """They leave their neighbours alone, and a ring that is not closed is not closed in silence."""
    good = shapely.to_wkb(shapely.from_wkt(POLYGON))
    found = shapes_of(pa.chunked_array([pa.array([good, encoded], pa.binary()), pa.array([good], pa.binary())]))
    assert list(shapely.is_missing(found)) == [False, True, False]


def test_point_has_one_canonical_encoding() -> None:
    """A point is a footprint too: 21 bytes, flat."""
    assert canonical_wkb(shapes("POINT Z (1 2 3)")) == [struct.pack("<BI2d", 1, 1, 1.0, 2.0)]


@pytest.mark.parametrize(
    ("wkt", "unwrapped"),
    [
        pytest.param(f"GEOMETRYCOLLECTION ({POLYGON})", POLYGON, id="one polygon"),
        pytest.param(f"GEOMETRYCOLLECTION (GEOMETRYCOLLECTION ({POLYGON}))", POLYGON, id="nested"),
        pytest.param(
            f"GEOMETRYCOLLECTION ({POLYGON}, GEOMETRYCOLLECTION ({OTHER}))",
            f"MULTIPOLYGON ({POLYGON[8:]}, {OTHER[8:]})",
            id="two polygons, nested",
        ),
        pytest.param(
            f"GEOMETRYCOLLECTION (MULTIPOLYGON ({POLYGON[8:]}, {OTHER[8:]}))",
            f"MULTIPOLYGON ({POLYGON[8:]}, {OTHER[8:]})",
            id="multipolygon",
        ),
        pytest.param(f"GEOMETRYCOLLECTION ({POLYGON}, POINT EMPTY)", POLYGON, id="an empty member"),
        pytest.param(POLYGON, POLYGON, id="no collection"),
    ],
)
def test_collection_of_polygons_is_unwrapped(wkt: str, unwrapped: str) -> None:
    """Some tools wrap every geometry in a collection; what is land in it is beyond doubt."""
    found = polygonal(shapes(None, wkt))
    assert found[0] is None
    assert shapely.equals_exact(found[1], shapely.from_wkt(unwrapped))


@pytest.mark.parametrize(
    "wkt",
    [
        pytest.param(f"GEOMETRYCOLLECTION ({POLYGON}, POINT (1 1))", id="a point in it"),
        pytest.param(
            f"GEOMETRYCOLLECTION ({POLYGON}, GEOMETRYCOLLECTION (LINESTRING (0 0, 1 1)))", id="a line, nested"
        ),
        pytest.param("GEOMETRYCOLLECTION EMPTY", id="empty"),
        pytest.param("GEOMETRYCOLLECTION (GEOMETRYCOLLECTION EMPTY)", id="empty, nested"),
        pytest.param("POINT (1 1)", id="point"),
    ],
)
def test_collection_of_other_things_stays_a_collection(wkt: str) -> None:
    """Which of its members is the land is not for us to say; the caller refuses it as no area."""
    (found,) = polygonal(shapes(wkt))
    assert shapely.equals_exact(found, shapely.from_wkt(wkt))


@pytest.mark.parametrize(
    ("geometry", "says"),
    [
        pytest.param({"type": "Polygon", "coordinates": []}, "an empty geometry", id="empty"),
        pytest.param({"type": "Polygon"}, "cannot be read", id="no coordinates"),
        pytest.param({"type": "Square", "coordinates": [[0, 0]]}, "cannot be read", id="unknown type"),
        pytest.param({"type": "Polygon", "coordinates": "0 0"}, "cannot be read", id="text"),
    ],
)
def test_boundary_that_is_no_geometry_is_refused(geometry: dict[str, object], says: str) -> None:
    """A boundary gives every row its footprint, so it must be one."""
    with pytest.raises(GateError, match=says) as caught:
        wkb_of_geojson(geometry, where=WHERE)
    assert caught.value.gate == "geometry_present"
