from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from pyproj import Geod

from mrv_assets.stages.authalic import ring_areas_m2
from mrv_assets.stages.plain_rings import Rings

WGS84 = Geod(ellps="WGS84")
CLARKE = Geod(ellps="clrk66")
SPHERE = Geod(a=6_371_000.0, b=6_371_000.0)


def rings(*polygons: shapely.Polygon) -> Rings:
    """Return polygons of equally many vertices as rings."""
    xy = np.array([shapely.get_coordinates(polygon) for polygon in polygons])
    return Rings(rows=np.arange(len(polygons)), x=xy[:, :, 0], y=xy[:, :, 1])


@pytest.mark.parametrize("geod", [pytest.param(g, id=n) for n, g in (("WGS 84", WGS84), ("Clarke", CLARKE))])
@pytest.mark.parametrize("size", [0.0001, 0.01, 0.1])
@pytest.mark.parametrize("latitude", [-85.9, -60.0, -0.03, 0.0, 23.4, 45.1, 71.0, 85.8])
def test_areas_are_those_of_the_geodesics(latitude: float, size: float, geod: Geod) -> None:
    """At every latitude, for rings of ten metres to ten kilometres, whichever way they run."""
    box = shapely.box(10.0, latitude, 10.0 + size, latitude + size)
    found = ring_areas_m2(rings(box, shapely.reverse(box)), geod)
    expected = abs(geod.geometry_area_perimeter(box)[0])
    assert found == pytest.approx([expected] * 2, rel=1e-6, abs=1e-4)


def test_a_sphere_is_its_own_authalic_sphere() -> None:
    """Without a flattening the formula of the ellipsoid would divide by 0."""
    [found] = ring_areas_m2(rings(shapely.box(10.0, 45.0, 10.1, 45.1)), SPHERE)
    band = math.sin(math.radians(45.1)) - math.sin(math.radians(45.0))
    assert found == pytest.approx(SPHERE.a**2 * math.radians(0.1) * band, rel=1e-6)
