from __future__ import annotations

import numpy as np
import pytest
import shapely
from pyproj import CRS, Geod

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.equal_area import centre_of, equal_area_crs, extent, is_same_plane, plane_of

WHERE = "plots 2021"


@pytest.mark.parametrize(
    ("crs", "centre"),
    [
        pytest.param("EPSG:6933", 0.0, id="EASE-Grid 2.0, the canonical one"),
        pytest.param("EPSG:8857", 0.0, id="Equal Earth"),
        pytest.param("EPSG:8859", 150.0, id="Equal Earth about the Pacific"),
        pytest.param("EPSG:5070", -96.0, id="Albers, United States"),
        pytest.param("EPSG:3338", -154.0, id="Albers, Alaska, across the antimeridian"),
        pytest.param("EPSG:3577", 132.0, id="Albers, Australia"),
        pytest.param("ESRI:54034", 0.0, id="cylindrical, Esri"),
        pytest.param("EPSG:3035", None, id="LAEA Europe, no cut"),
        pytest.param("EPSG:6931", None, id="EASE-Grid 2.0 North, no cut"),
    ],
)
def test_equal_area_crs_is_accepted_with_its_cut(crs: str, centre: float | None) -> None:
    """Areal scale is 1 on the ellipsoid, and it is known where the plane is cut."""
    assert centre_of(equal_area_crs(crs, where=WHERE)) == centre


@pytest.mark.parametrize(
    ("crs", "says"),
    [
        pytest.param("EPSG:3857", r"Pseudo-Mercator\): 133\.8\d+ at latitude -85\.1", id="web Mercator"),
        pytest.param("EPSG:32615", r"UTM zone 15N\): 1\.00195\d+ at latitude 0\.0", id="UTM"),
        pytest.param("ESRI:54009", r"World_Mollweide\): 1\.00673\d+ at latitude 0\.0", id="formulas for a sphere"),
        pytest.param("EPSG:3975", r"EASE-Grid Global\): 0\.99115\d+ at latitude -86\.0", id="EASE-Grid 1"),
        pytest.param("EPSG:4326", "a projected CRS in metres; found .* in degree", id="geographic"),
        pytest.param("EPSG:2225", "a projected CRS in metres; found .* in US survey foot", id="feet"),
        pytest.param(
            "+proj=cea +lat_ts=30 +datum=WGS84", "area of use.*; found unknown without one", id="no area of use"
        ),
        pytest.param("EPSG:54321", "a CRS that PROJ knows", id="unknown"),
    ],
)
def test_crs_that_is_not_equal_area_is_refused_with_its_scale(crs: str, says: str) -> None:
    """Hectares measured in it would be wrong by the areal scale, so the largest one is named."""
    with pytest.raises(GateError, match=says) as caught:
        equal_area_crs(crs, where=WHERE)
    assert caught.value.gate == "crs_operation_accurate"


def test_equal_area_on_a_sphere_is_not_equal_area() -> None:
    """PROJ's own factors call Mollweide equal-area, and a degree at the equator comes out 0.67 percent too large."""
    plane = plane_of(CRS("ESRI:54009"))
    cell = shapely.segmentize(shapely.box(0.0, 0.0, 1.0, 1.0), 0.01)
    planar = shapely.transform(cell, lambda xy: np.column_stack(plane.transform(xy[:, 0], xy[:, 1]))).area
    geodesic = Geod(ellps="WGS84").geometry_area_perimeter(cell)[0]
    assert planar / geodesic == pytest.approx(1.0067, abs=1e-4)


def test_extent_of_the_canonical_crs_is_the_one_the_gates_know() -> None:
    """±180 degrees and ±86 degrees in EPSG:6933, rounded outwards to whole metres."""
    assert extent(CRS("EPSG:6933")) == (-17_367_531.0, -7_324_185.0, 17_367_531.0, 7_324_185.0)


@pytest.mark.parametrize(
    ("crs", "width", "height"),
    [
        pytest.param("EPSG:8857", 34_487_920.0, 16_724_718.0, id="the world"),
        pytest.param("EPSG:8859", 34_487_920.0, 16_724_718.0, id="the world about the Pacific"),
        pytest.param("EPSG:3338", 5_308_277.0, 3_834_621.0, id="across the antimeridian"),
    ],
)
def test_extent_is_the_area_of_use_with_a_margin(crs: str, width: float, height: float) -> None:
    """An area of use of the whole world is not widened beyond the cut, and one across the antimeridian stays small."""
    xmin, ymin, xmax, ymax = extent(CRS(crs))
    assert (xmax - xmin, ymax - ymin) == (width, height)


@pytest.mark.parametrize("crs", ["EPSG:6933", "EPSG:8859", "EPSG:3338"])
def test_both_sides_of_the_cut_have_a_place(crs: str) -> None:
    """Longitudes from the central meridian lead to the two edges of the map, which PROJ would call one place."""
    x, _ = plane_of(CRS(crs)).transform(np.array([-180.0, 180.0]), np.array([60.0, 60.0]))
    assert x[0] < 0.0 < x[1]


def test_extent_needs_an_area_of_use() -> None:
    """Without one there is no telling where the plane is in use."""
    with pytest.raises(TypeError, match="no area of use"):
        extent(CRS("+proj=cea +lat_ts=30 +datum=WGS84"))


@pytest.mark.parametrize(
    ("crs", "is_same"),
    [
        pytest.param("+proj=cea +lat_ts=30 +datum=WGS84 +units=m", True, id="PROJ string"),
        pytest.param("EPSG:3975", False, id="on a sphere"),
        pytest.param("EPSG:3410", False, id="EASE-Grid 1"),
        pytest.param("+proj=cea +lat_ts=30 +ellps=WGS84 +units=m", False, id="no datum"),
        pytest.param("+proj=cea +lat_ts=30 +datum=WGS84 +units=km", False, id="kilometres"),
        pytest.param("+proj=cea +lat_ts=30 +lon_0=1 +datum=WGS84", False, id="other meridian"),
    ],
)
def test_same_plane_is_the_same_numbers_for_the_same_place(crs: str, *, is_same: bool) -> None:
    """A relative of EPSG:6933 with the same look is another CRS."""
    assert is_same_plane(CRS(crs), CRS("EPSG:6933")) is is_same
