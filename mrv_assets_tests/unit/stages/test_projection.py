from __future__ import annotations

import numpy as np
import pytest
import shapely
from pyproj import CRS, Geod, Transformer

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import GateError
from mrv_assets.stages.footprints import Bounds, Shapes, canonical_wkb
from mrv_assets.stages.projection import Carried, Operation, operation_from

WHERE = "plots 2021"
EASE = CRS("EPSG:6933")
SPELLINGS = [
    pytest.param("EPSG:6933", id="code"),
    pytest.param("urn:ogc:def:crs:EPSG::6933", id="URN"),
    pytest.param(EASE.to_wkt("WKT1_GDAL"), id="WKT 1"),
    pytest.param(EASE.to_wkt("WKT1_ESRI"), id="WKT 1 of a .prj file"),
    pytest.param(EASE.to_wkt("WKT2_2019"), id="WKT 2"),
    pytest.param(EASE.to_json(), id="PROJJSON"),
    pytest.param("+proj=cea +lat_ts=30 +lon_0=0 +x_0=0 +y_0=0 +datum=WGS84 +units=m", id="PROJ string"),
]
FIJI = "POLYGON ((179 -17, -179 -17, -179 -16, 179 -16, 179 -17))"
FIJI_181 = "POLYGON ((179 -17, 181 -17, 181 -16, 179 -16, 179 -17))"
SPLIT_FIJI = (
    "MULTIPOLYGON (((179 -17, 180 -17, 180 -16, 179 -16, 179 -17)), "
    "((-180 -17, -179 -17, -179 -16, -180 -16, -180 -17)))"
)
TRIANGLE = "POLYGON ((0 -20, 30 -20, 0 10, 0 -20))"


def policy(equal_area: str = "EPSG:6933") -> CrsPolicy:
    """Return the policy of a project that waives nothing and measures areas in this CRS."""
    return CrsPolicy.parse({"equal_area": equal_area, "because": "the programme demands it"})


def operation(crs: str, equal_area: str = "EPSG:6933") -> Operation:
    """Return the operation between the two."""
    return operation_from(crs, policy=policy(equal_area), where=WHERE)


def shapes(*wkt: str) -> Shapes:
    """Return an array of these shapes."""
    return np.array([shapely.from_wkt(text) for text in wkt])


def carried(wkt: str, crs: str, equal_area: str = "EPSG:6933") -> Carried:
    """Return what becomes of one footprint."""
    return operation(crs, equal_area).carried(shapes(wkt))


def hectares(carried: Carried) -> tuple[float, float]:
    """Return the planar area of the only footprint and its area on the ellipsoid, ha."""
    return float(shapely.area(carried.shapes)[0]) / 1e4, float(carried.geodesic_m2[0]) / 1e4


@pytest.mark.parametrize("crs", SPELLINGS)
def test_equal_area_source_keeps_its_coordinates_under_every_name(crs: str) -> None:
    """The operation is the identity, exact, and not even vertices are added to an edge of 100 km."""
    done = operation(crs)
    square = shapes("POLYGON ((0.1 0.1, 100000.3 0.1, 100000.3 0.7, 0.1 0.7, 0.1 0.1))")
    assert (done.is_identity, done.name, done.accuracy_m, done.missing) == (True, "identity", 0.0, "")
    assert canonical_wkb(done.carried(square).shapes) == canonical_wkb(square)
    assert done.evidence["max_edge_source_units"] == "inf"


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:8857", "EPSG:3975"])
def test_other_sources_are_moved(crs: str) -> None:
    """A relative of the equal-area CRS is not taken for it."""
    assert not operation(crs).is_identity


def test_land_on_the_ground_is_no_square_of_the_sphere() -> None:
    """A CRS on the datum of a sphere has no operation of known accuracy, however alike it looks."""
    with pytest.raises(GateError, match="none of known accuracy"):
        operation("EPSG:3410")


def test_long_edges_are_straight_in_the_source_crs() -> None:
    """A triangle with sides of 30 degrees keeps its planar edges; vertex by vertex it would gain 40 799 km2."""
    done = carried(TRIANGLE, "EPSG:4326")
    vertex_by_vertex = shapely.transform(
        shapely.from_wkt(TRIANGLE),
        lambda xy: np.column_stack(operation("EPSG:4326").to_target.transform(xy[:, 0], xy[:, 1])),
    )
    geodesic_edges = abs(Geod(ellps="WGS84").geometry_area_perimeter(shapely.from_wkt(TRIANGLE))[0])
    assert hectares(done)[0] / 100 == pytest.approx(5_416_525.4, rel=1e-6)
    assert hectares(done)[1] / 100 == pytest.approx(5_416_525.4, rel=1e-6)
    assert vertex_by_vertex.area / 1e6 == pytest.approx(5_457_324.7, abs=0.1)
    assert geodesic_edges / 1e6 == pytest.approx(5_435_885.4, abs=0.1)


@pytest.mark.parametrize(
    ("wkt", "crs"),
    [
        pytest.param(FIJI, "EPSG:4326", id="179 to -179"),
        pytest.param(FIJI_181, "EPSG:4326", id="179 to 181"),
        pytest.param(FIJI_181, "OGC:CRS84", id="179 to 181 in CRS84"),
        pytest.param(SPLIT_FIJI, "EPSG:4326", id="split already"),
    ],
)
def test_fiji_has_its_area(wkt: str, crs: str) -> None:
    """2 362 958 ha, not the 422 969 507 ha of a ring that was projected vertex by vertex."""
    planar, geodesic = hectares(carried(wkt, crs))
    assert planar == pytest.approx(2_362_958, abs=1.0)
    assert geodesic == pytest.approx(planar, rel=1e-6)
    edges_not_densified = abs(Geod(ellps="WGS84").geometry_area_perimeter(shapely.from_wkt(FIJI_181))[0]) / 1e4
    assert edges_not_densified == pytest.approx(2_363_141, abs=1.0)


def _in(crs: str, wkt: str) -> str:
    """Return a shape of longitudes and latitudes in a projected CRS, its edges straight there."""
    to_crs = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    moved = shapely.transform(shapely.from_wkt(wkt), lambda xy: np.column_stack(to_crs.transform(xy[:, 0], xy[:, 1])))
    return str(moved.wkt)


@pytest.mark.parametrize(
    ("crs", "planar_ha"),
    [
        pytest.param("EPSG:3832", 2_362_958, id="PDC Mercator, parallels are straight"),
        pytest.param("EPSG:3460", 2_363_082, id="Fiji Map Grid, they are not"),
        pytest.param("EPSG:32760", 2_363_082, id="UTM zone 60S, beyond its edge"),
    ],
)
def test_projected_source_across_the_antimeridian_has_its_area(crs: str, planar_ha: float) -> None:
    """On such a map nothing crosses anything; the longitudes jump only on the way to the other."""
    done = carried(_in(crs, FIJI_181), crs)
    planar, geodesic = hectares(done)
    assert planar == pytest.approx(planar_ha, abs=1.0)
    assert planar == pytest.approx(geodesic, rel=1e-5)
    assert done.is_split.tolist() == [True]
    assert shapely.is_valid(done.shapes).all()


@pytest.mark.parametrize("crs", ["EPSG:3832", "EPSG:3460", "EPSG:4720"])
@pytest.mark.parametrize("west", [179.0, 180.0], ids=["west of it", "east of it"])
def test_edge_along_the_antimeridian_stays_one_edge(west: float, crs: str) -> None:
    """Its vertices come out on both sides by the last bit or by a datum, and the polygon is not turned inside out."""
    done = carried(_in(crs, shapely.box(west, -17.0, west + 1.0, -16.0).wkt), crs)
    planar, geodesic = hectares(done)
    assert planar == pytest.approx(1_181_500, rel=1e-4)
    assert planar == pytest.approx(geodesic, rel=1e-5)
    assert shapely.is_valid(done.shapes).all()


def test_polygon_that_cannot_be_cut_is_none() -> None:
    """The caller refuses it; its neighbours are carried."""
    bow_tie = "POLYGON ((179 0, -179 2, -179 0, 179 2, 179 0))"
    done = operation("EPSG:4326").carried(shapes(bow_tie, FIJI))
    assert done.shapes[0] is None
    assert done.is_split.tolist() == [True, True]
    assert shapely.area(done.shapes)[1] / 1e4 == pytest.approx(2_362_958, abs=1.0)


@pytest.mark.parametrize("wkt", [FIJI, FIJI_181, SPLIT_FIJI], ids=["179 to -179", "179 to 181", "split already"])
def test_datum_shift_across_the_antimeridian_splits_once_more(wkt: str) -> None:
    """Fiji 1986 lies a few metres beside WGS 84, so land split on its antimeridian is not split on ours."""
    done = carried(wkt, "EPSG:4720")
    planar, geodesic = hectares(done)
    assert planar == pytest.approx(2_362_959, abs=1.0)
    assert planar == pytest.approx(geodesic, rel=1e-5)
    assert done.is_split.tolist() == [True]


@pytest.mark.parametrize(
    ("equal_area", "is_split"),
    [
        pytest.param("EPSG:8857", True, id="cut at 180"),
        pytest.param("EPSG:8859", False, id="cut at 30 west"),
        pytest.param("EPSG:6932", False, id="not cut"),
    ],
)
def test_footprint_is_split_where_the_plane_is_cut(equal_area: str, *, is_split: bool) -> None:
    """Fiji is one piece on a map of the Pacific."""
    done = carried(FIJI, "EPSG:4326", equal_area)
    planar, geodesic = hectares(done)
    assert planar == pytest.approx(geodesic, rel=1e-6)
    assert done.is_split.tolist() == [is_split]
    assert done.shapes[0].geom_type == ("MultiPolygon" if is_split else "Polygon")


def test_land_at_the_cut_of_another_plane_is_split_there() -> None:
    """A map of the Pacific is cut in the Atlantic, along a curve."""
    done = carried("POLYGON ((-31 38, -29 38, -29 39, -31 39, -31 38))", "EPSG:4326", "EPSG:8859")
    planar, geodesic = hectares(done)
    assert planar == pytest.approx(geodesic, rel=1e-4)
    assert done.is_split.tolist() == [True]


def test_hole_across_the_antimeridian_is_taken_from_both_areas() -> None:
    """While rings lie on both sides they seem to run the other way; on the ellipsoid a hole must not be added."""
    done = carried(
        "POLYGON ((170 0, -170 0, -170 9, 170 9, 170 0), (178 1, -178 1, -178 8, 178 8, 178 1))", "EPSG:4326"
    )
    planar, geodesic = hectares(done)
    whole, _ = hectares(carried("POLYGON ((170 0, 190 0, 190 9, 170 9, 170 0))", "EPSG:4326"))
    assert planar == pytest.approx(geodesic, rel=1e-6)
    assert planar == pytest.approx(whole * (1 - 28 / 180), rel=1e-3)


def test_points_are_carried() -> None:
    """A point has no area and no edges; beyond 180 it is where it is."""
    done = operation("EPSG:4326").carried(shapes("POINT (-179 -17)", "POINT (181 -17)"))
    assert done.shapes[0].distance(done.shapes[1]) < 1e-6
    assert done.geodesic_m2.tolist() == [0.0, 0.0]


def test_no_footprints_are_carried_to_none() -> None:
    """An empty partition is for the gates to refuse."""
    assert len(operation("EPSG:4326").carried(np.empty(0, dtype=object)).shapes) == 0


def test_negative_zero_is_zero() -> None:
    """One place, one spelling, also where coordinates are kept."""
    zero = "POLYGON ((-0.0 -0.0, 1000 -0.0, 1000 1000, -0.0 1000, -0.0 -0.0))"
    for crs in ("EPSG:6933", "EPSG:26915"):
        found = shapely.get_coordinates(carried(zero, crs).shapes)
        assert not np.signbit(found[found == 0.0]).any()


@pytest.mark.parametrize(
    ("crs", "x", "y", "longitude", "latitude"),
    [
        pytest.param("EPSG:4326", -93.5, 45.0, -93.5, 45.0, id="degrees"),
        pytest.param("EPSG:4818", 32.0, 50.0, 14.33333333, 50.0, id="from Ferro"),
        pytest.param("EPSG:27572", 600_000.0, 2_200_000.0, 2.33722917, 46.8, id="projected, grads from Paris"),
        pytest.param("EPSG:26915", 500_000.0, 4_982_950.4, -93.0, 45.0, id="UTM"),
    ],
)
def test_degrees_are_counted_from_greenwich(crs: str, x: float, y: float, longitude: float, latitude: float) -> None:
    """Whatever the CRS counts in and from, on its own datum."""
    found = operation(crs).degrees(np.array([x]), np.array([y]))
    assert np.array(found).ravel() == pytest.approx([longitude, latitude], abs=1e-6)


def test_geographic_source_in_grads_is_refused() -> None:
    """The length of its edges and its rules of placement are in degrees."""
    with pytest.raises(GateError, match=r"in degrees; found angles in grad") as caught:
        operation("EPSG:4807")
    assert caught.value.gate == "crs_operation_accurate"


@pytest.mark.parametrize("equal_area", ["EPSG:3857", "EPSG:32615", "ESRI:54009"])
def test_policy_cannot_name_a_crs_that_is_not_equal_area(equal_area: str) -> None:
    """It is checked, not believed."""
    with pytest.raises(GateError, match="areas cannot be measured in this CRS"):
        operation("EPSG:4326", equal_area)


@pytest.mark.parametrize(
    ("crs", "max_edge"),
    [
        pytest.param("EPSG:4326", 0.1, id="degrees"),
        pytest.param("EPSG:26915", 10_000.0, id="metres"),
        pytest.param("+proj=utm +zone=15 +datum=WGS84 +units=us-ft", 32_808.3333, id="US survey feet"),
    ],
)
def test_longest_edge_is_in_units_of_the_source(crs: str, max_edge: float) -> None:
    """A tenth of a degree, or ten kilometres."""
    done = operation(crs)
    assert done.max_edge == pytest.approx(max_edge)
    assert done.is_geographic_source is (crs == "EPSG:4326")


def test_evidence_lets_an_auditor_do_the_same_again() -> None:
    """Names, accuracy, pipeline and version are kept as text."""
    evidence = operation("EPSG:4269").evidence
    assert evidence["crs_operation"].startswith("axis order change (2D) + NAD83 to WGS 84 (1)")
    assert evidence["proj_version"].startswith("9.")
    assert ", EPSG v" in evidence["proj_version"]
    kept = {name: text for name, text in evidence.items() if name not in ("crs_operation", "proj_version")}
    assert kept == {
        "crs_source": "EPSG:4269",
        "crs_target": "EPSG:6933",
        "crs_target_extent_m": "-17367531 -7324185 17367531 7324185",
        "crs_operation_accuracy_m": "4.0",
        "crs_pipeline": "proj=pipeline step proj=unitconvert xy_in=deg xy_out=rad "
        "step proj=cea lat_ts=30 lon_0=0 x_0=0 y_0=0 ellps=WGS84",
        "crs_best_available": "yes",
        "crs_missing_grids": "",
        "crs_waived_because": "",
        "max_edge_source_units": "0.1",
    }


def test_pipeline_on_record_gives_the_same_coordinates() -> None:
    """Nothing but the pipeline is needed to get the same bits."""
    done = operation("EPSG:31370")
    x, y = np.array([150_000.0, 151_234.5]), np.array([170_000.0, 171_234.5])
    again = Transformer.from_pipeline(done.evidence["crs_pipeline"])
    assert np.array_equal(again.transform(x, y), done.to_target.transform(x, y))


def test_waiver_is_on_record_with_what_is_missing() -> None:
    """The reason of the waiver stands beside the better operation that was not used."""
    land: Bounds = (-50.0, -20.0, -49.0, -19.0)
    waiver = {"max_accuracy_m": "5", "without_best_grid": True, "because": "no grid at the field office"}
    done = operation_from("EPSG:4225", policy=CrsPolicy.parse({"waiver": waiver}), where=WHERE, land=land)
    if done.is_best_available:
        pytest.skip("the grid of Corrego Alegre is installed here")
    assert done.evidence["crs_best_available"] == "no"
    assert done.evidence["crs_waived_because"] == "no grid at the field office"
    assert done.evidence["crs_missing_grids"].endswith("accuracy 2.0 m, grids br_ibge_CA7072_003.tif")
    assert done.area == pytest.approx((-58.16, -33.78, -34.74, -2.68))
