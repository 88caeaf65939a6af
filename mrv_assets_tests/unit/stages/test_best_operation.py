from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from pyproj import CRS, Transformer
from pyproj.network import set_network_enabled  # type: ignore[attr-defined]
from pyproj.transformer import TransformerGroup

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import GateError
from mrv_assets.stages.best_operation import Best, best_operation
from mrv_assets.stages.footprints import Bounds

WHERE = "plots 2021"
TARGET = CRS("EPSG:6933")
STRICT = CrsPolicy.parse({})
MINNESOTA, BRAZIL, ENGLAND = (-93.5, 45.0, -93.0, 45.4), (-50.0, -20.0, -49.0, -19.0), (-2.0, 52.0, -1.0, 53.0)


def waiving(*, max_accuracy_m: str = "5", without_best_grid: bool = True) -> CrsPolicy:
    """Return a policy that waives so much."""
    return CrsPolicy.parse(
        {
            "waiver": {
                "max_accuracy_m": max_accuracy_m,
                "without_best_grid": without_best_grid,
                "because": "the plots were digitised at 1:50 000",
            }
        }
    )


def best(crs: str, policy: CrsPolicy = STRICT, land: Bounds | None = None) -> Best:
    """Return the operation from this CRS to EPSG:6933."""
    return best_operation(CRS(crs), TARGET, policy=policy, land=land, where=WHERE)


def refused(crs: str, says: str, policy: CrsPolicy = STRICT, land: Bounds | None = None) -> None:
    """Expect a refusal by the gate of the operation, saying this."""
    with pytest.raises(GateError, match=says) as caught:
        best(crs, policy, land)
    assert caught.value.gate == "crs_operation_accurate"
    assert f"found {crs}" not in str(caught.value)


def skip_unless_missing(*grids: str) -> None:
    """Skip where the grids of the table are installed: PROJ then has a better operation to offer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        missing = {
            grid.short_name
            for crs in ("EPSG:4267", "EPSG:4618", "EPSG:4225", "EPSG:27700")
            for operation in TransformerGroup(crs, TARGET, always_xy=True).unavailable_operations
            for grid in operation.grids
        }
    if not missing.issuperset(grids):
        pytest.skip(f"{', '.join(grids)} are installed here")


@pytest.fixture
def with_network() -> Iterator[None]:
    """Let PROJ fetch grids from the network, as PROJ_NETWORK=ON does."""
    set_network_enabled(active=True)
    try:
        yield
    finally:
        set_network_enabled(active=False)


NAD27, SAD69, CORREGO, OSGB36 = "ca_nrc_ntv2_0", "br_ibge_SAD69_003", "br_ibge_CA7072_003", "uk_os_OSTN15_NTv2"


@pytest.mark.parametrize(
    ("crs", "grid", "used", "better"),
    [
        pytest.param("EPSG:4267", NAD27, r"NAD27 to WGS 84 \(3\) .*20\.0 m", "2.0 m", id="NAD27"),
        pytest.param("EPSG:4618", SAD69, r"SAD69 to WGS 84 \(1\) .*19\.0 m", "2.0 m", id="SAD69"),
        pytest.param("EPSG:4225", CORREGO, r"Corrego Alegre.*\(4\) .*5\.0 m", "2.0 m", id="Corrego Alegre"),
        pytest.param("EPSG:27700", OSGB36, r"OSGB36 to WGS 84 \(6\) .*2\.0 m", "1.0 m", id="OSGB36"),
    ],
)
def test_operation_without_its_grid_is_refused_with_both_accuracies(
    crs: str, grid: str, used: str, better: str
) -> None:
    """PROJ would quietly take the worse operation; the message names it, the better one and the grid to install."""
    skip_unless_missing("ca_nrc_ntv2_0.tif", "br_ibge_SAD69_003.tif", "br_ibge_CA7072_003.tif")
    refused(crs, rf"{used}; not installed: .*, accuracy {better}, grids {grid}")


@pytest.mark.parametrize(
    ("crs", "limit", "land", "used", "accuracy_m"),
    [
        pytest.param("EPSG:4267", "20", None, "NAD27 to WGS 84 (3)", 20.0, id="NAD27"),
        pytest.param("EPSG:4267", "7", MINNESOTA, "NAD27 to WGS 84 (6)", 7.0, id="NAD27 in Minnesota"),
        pytest.param("EPSG:4618", "5", BRAZIL, "SAD69 to WGS 84 (16)", 5.0, id="SAD69 in Brazil"),
        pytest.param("EPSG:4225", "5", BRAZIL, "Corrego Alegre 1970-72 to WGS 84 (4)", 5.0, id="Corrego Alegre"),
        pytest.param("EPSG:27700", "5", ENGLAND, "OSGB36 to WGS 84 (6)", 2.0, id="OSGB36"),
    ],
)
def test_waiver_takes_the_best_that_is_installed_and_says_what_is_missing(
    crs: str, limit: str, land: Bounds | None, used: str, accuracy_m: float
) -> None:
    """The waived operation is the best one for the project's land, and the better one stays on record."""
    skip_unless_missing("ca_nrc_ntv2_0.tif", "br_ibge_SAD69_003.tif", "br_ibge_CA7072_003.tif")
    found = best(crs, waiving(max_accuracy_m=limit), land)
    assert used in found.name
    assert (found.accuracy_m, found.is_best) == (accuracy_m, False)
    assert "grids" in found.missing


def test_waiver_of_the_grid_is_none_of_the_accuracy() -> None:
    """20 m stay 20 m: each of the two has to be waived."""
    skip_unless_missing("ca_nrc_ntv2_0.tif")
    refused("EPSG:4267", "5 m or better; found .*20.0 m", waiving())
    refused("EPSG:4267", "20 m or better; found only .*20.0 m", waiving(max_accuracy_m="20", without_best_grid=False))


def test_land_counts_only_under_a_waiver() -> None:
    """Otherwise a plot added elsewhere would move all others; NAD83 in Minnesota keeps its one operation."""
    found = best("EPSG:4269", land=MINNESOTA)
    assert (found.accuracy_m, found.is_best, found.missing) == (4.0, True, "")
    assert found.transformer is best("EPSG:4269").transformer


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:4617", "EPSG:4258", "EPSG:31370", "EPSG:25832", "EPSG:3857"])
def test_operation_for_threads_gives_the_bits_of_the_one_that_proj_lists(crs: str) -> None:
    """It is made anew from the definition, with and without a datum shift, and a projection on the way."""
    listed = TransformerGroup(crs, TARGET, always_xy=True, allow_ballpark=False).transformers[0]
    area = CRS(crs).area_of_use
    assert area is not None
    x, y = Transformer.from_crs(CRS(crs).geodetic_crs, crs, always_xy=True).transform(
        np.linspace(area.west, area.east, 50), np.linspace(max(area.south, -85.0), min(area.north, 85.0), 50)
    )
    found = best(crs)
    assert np.array_equal(found.transformer.transform(x, y), listed.transform(x, y))
    assert found.transformer.definition == listed.definition
    assert (found.name, found.accuracy_m) == (listed.description, listed.accuracy)
    assert found.area == getattr(listed.area_of_use, "bounds", None)


@pytest.mark.parametrize(
    ("crs", "says"),
    [
        pytest.param("EPSG:4291", "none of known accuracy", id="ballpark only"),
        pytest.param("+proj=longlat +ellps=clrk66", "none of known accuracy", id="unknown datum"),
        pytest.param("ESRI:37207", "accuracy unknown", id="unknown accuracy"),
        pytest.param("EPSG:9474", "none that can be used", id="nothing that pyproj can make"),
    ],
)
def test_operation_of_unknown_accuracy_is_refused_with_and_without_a_waiver(crs: str, says: str) -> None:
    """What nobody has measured cannot be waived."""
    refused(crs, says)
    refused(crs, says, waiving(max_accuracy_m="1000"))


@pytest.mark.usefixtures("with_network")
def test_operation_does_not_depend_on_the_network() -> None:
    """Where PROJ may fetch grids, what is best would depend on the network; without grids there is nothing to fetch."""
    refused("EPSG:4267", "PROJ's network is on, and .*tif is a grid it may fetch")
    assert best("EPSG:4326").is_best
