from __future__ import annotations

import numpy as np
import pytest
from pyproj import CRS, Transformer

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.stages.projection import Operation, operation_from
from mrv_assets.stages.source_plane import on_plane

MERCATOR, CYLINDER = 20_037_508.342789244, 17_367_530.445161372  # half of the width of EPSG:3857 and of EPSG:6933


def operation(crs: str) -> Operation:
    """Return the operation from this CRS to EPSG:6933."""
    return operation_from(crs, policy=CrsPolicy.parse({}), where="plots 2021")


@pytest.mark.parametrize(
    ("crs", "x", "y", "expected"),
    [
        pytest.param("EPSG:3857", MERCATOR, 0.0, True, id="edge of the map"),
        pytest.param("EPSG:3857", MERCATOR + 100_000.0, 0.0, True, id="across the antimeridian"),
        pytest.param("EPSG:3857", -2.0 * MERCATOR + 1.0, 5e6, True, id="a turn from the middle"),
        pytest.param("EPSG:3857", 2.0 * MERCATOR + 100.0, 0.0, False, id="more than a turn"),
        pytest.param("EPSG:3857", 1e9, 0.0, False, id="mistyped"),
        pytest.param("EPSG:3857", 1e300, 0.0, False, id="huge"),
        pytest.param("EPSG:3857", 0.0, 1e9, False, id="beyond the pole"),
        pytest.param("EPSG:3832", 4_000_000.0, -2e6, True, id="Fiji on a map of the Pacific"),
        pytest.param("EPSG:6933", CYLINDER - 1.0, 0.0, True, id="edge of the equal-area map"),
        pytest.param("EPSG:6933", CYLINDER + 100.0, 0.0, False, id="beyond it, where nothing is cut"),
        pytest.param("EPSG:26915", 460_000.0, 4_980_000.0, True, id="UTM"),
        pytest.param("EPSG:26915", 1e9, 1e9, False, id="no longitude"),
        pytest.param("EPSG:27572", 600_000.0, 2_200_000.0, True, id="grads from Paris"),
        pytest.param("+proj=utm +zone=15 +datum=WGS84 +units=us-ft", 1.5e6, 1.6e7, True, id="US survey feet"),
        pytest.param("EPSG:4326", 1e9, 0.0, True, id="degrees, which are their own"),
        pytest.param("EPSG:26915", np.inf, 0.0, False, id="infinite"),
        pytest.param("EPSG:26915", np.nan, 0.0, False, id="NaN"),
    ],
)
def test_coordinate_is_a_place_when_its_longitude_and_latitude_lead_back(
    crs: str, x: float, y: float, *, expected: bool
) -> None:
    """PROJ has a longitude for all of them that are finite, and none of them may be taken for another place."""
    assert on_plane(np.array([x]), np.array([y]), operation(crs)).tolist() == [expected]


@pytest.mark.parametrize(
    "crs",
    ["EPSG:3857", "EPSG:3035", "EPSG:5070", "EPSG:8857", "EPSG:32760", "EPSG:31370", "EPSG:3832", "EPSG:27200"],
)
def test_every_place_in_an_area_of_use_and_a_zone_around_it_is_on_its_plane(crs: str) -> None:
    """The way back is not exact for every method, New Zealand's grid the least, and a metre is enough for all."""
    policy = CrsPolicy.parse({"waiver": {"max_accuracy_m": "100", "without_best_grid": True, "because": "any will do"}})
    area = CRS(crs).area_of_use
    assert area is not None
    east = area.east if area.west <= area.east else area.east + 360.0
    longitude, latitude = np.meshgrid(
        np.linspace(area.west - 6.0, east + 6.0, 20),
        np.linspace(max(area.south - 6.0, -86), min(area.north + 6.0, 86), 20),
    )
    to_crs = Transformer.from_crs(CRS(crs).geodetic_crs, crs, always_xy=True)
    x, y = to_crs.transform(longitude.ravel(), latitude.ravel())
    assert on_plane(np.array(x), np.array(y), operation_from(crs, policy=policy, where="plots 2021")).all()
