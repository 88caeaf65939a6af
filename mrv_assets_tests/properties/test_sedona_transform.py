from __future__ import annotations

import numpy as np
import pyarrow as pa
import sedonadb
import shapely
from geoarrow import pyarrow as ga
from hypothesis import given
from hypothesis import strategies as st
from pyproj import Transformer

_EASE = Transformer.from_crs("EPSG:4326", "EPSG:6933", always_xy=True)
_degrees = st.tuples(st.floats(-180.0, 180.0), st.floats(-86.0, 86.0))


def by_sedona(given_shapes: np.ndarray) -> np.ndarray:
    """Return shapes in longitudes and latitudes moved to EPSG:6933 by SedonaDB."""
    session = sedonadb.connect()
    wkb = ga.as_wkb(pa.array(shapely.to_wkb(given_shapes, flavor="iso"), pa.binary()))
    session.create_data_frame(pa.table({"i": np.arange(len(given_shapes)), "g": wkb})).to_view("shapes")
    moved = session.sql(
        "select st_asbinary(st_transform(g, 'EPSG:4326', 'EPSG:6933')) as g from shapes order by i"
    ).to_arrow_table()
    return np.asarray(shapely.from_wkb(moved.column("g").to_numpy()))


@given(xy=st.lists(_degrees, min_size=1, max_size=50))
def test_sedona_moves_points_as_pyproj_does(xy: list[tuple[float, float]]) -> None:
    """SedonaDB's ST_Transform to the canonical CRS gives pyproj's coordinates to the last bit."""
    lonlat = np.array(xy)
    moved = shapely.get_coordinates(by_sedona(shapely.points(lonlat)))
    assert moved.tobytes() == np.column_stack(_EASE.transform(*lonlat.T)).tobytes()


@given(rings=st.lists(st.lists(_degrees, min_size=3, max_size=9), min_size=1, max_size=8))
def test_sedona_moves_polygons_as_pyproj_does(rings: list[list[tuple[float, float]]]) -> None:
    """Vertex by vertex, in the order they have, closing vertices included."""
    polygons = np.array([shapely.Polygon(ring) for ring in rings])
    moved = shapely.transform(polygons, lambda lonlat: np.column_stack(_EASE.transform(*lonlat.T)))
    assert shapely.get_coordinates(by_sedona(polygons)).tobytes() == shapely.get_coordinates(moved).tobytes()
