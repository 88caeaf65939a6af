from __future__ import annotations

from dataclasses import replace

import pytest
import shapely
from pyproj.transformer import TransformerGroup

from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.contract import NORMALIZED
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.normalize import normalize
from mrv_assets_tests.builders import WHERE, good_case
from mrv_assets_tests.plots import EQUAL_AREA, Shape, activity, normalized, normalized_table, policy, source

SQUARE = "POLYGON ((0 0, 1000 0, 1000 1000, 0 1000, 0 0))"
OVERLAPPING = "MULTIPOLYGON (((0 0, 400 0, 400 400, 0 400, 0 0)), ((200 200, 600 200, 600 600, 200 600, 200 200)))"
SPIKE = "POLYGON ((0 0, 400 0, 400 400, 800 400, 400 400, 0 400, 0 0))"
BOW_TIE = "POLYGON ((0 0, 2000 2000, 2000 0, 0 2000, 0 0))"
COLLAPSED = "POLYGON ((0 0, 1000 1000, 2000 2000, 0 0))"


def refused(*shapes: Shape, crs: str = EQUAL_AREA, says: str) -> str:
    """Return the gate that refuses these footprints, saying this."""
    with pytest.raises(GateError, match=says) as caught:
        normalized(*shapes, crs=crs)
    return caught.value.gate


def area_ha(staged: Staged) -> float:
    """Return the area of the only row."""
    (area,) = staged.table.column("area_ha").to_pylist()
    return float(area)


def lonlat(west: float, south: float, east: float, north: float) -> str:
    """Return a box of longitudes and latitudes as WKT."""
    return str(shapely.box(west, south, east, north).wkt)


def test_area_is_planar_in_the_equal_area_crs() -> None:
    """A square kilometre in EPSG:6933 has 100 ha, and stays where it is."""
    staged = normalized(SQUARE)
    assert staged.crs == EQUAL_AREA
    assert area_ha(staged) == 100.0
    assert shapely.from_wkb(staged.table.column("geometry")[0].as_py()).equals(shapely.from_wkt(SQUARE))


def test_quantities_stay_as_given_and_units_become_canonical() -> None:
    """Only the unit's name and the footprint change; no quantity is converted here."""
    table = normalized(SQUARE).table
    assert table.column("activity_qty").to_pylist() == [1.0]
    assert table.column("unit").to_pylist() == ["megawatt_hour"]


@pytest.mark.parametrize("unit", ["ton", "gal", "Btu", "mWh", "furlongs per fortnite", "", None, "percent"])
def test_ambiguous_and_unknown_units_are_refused(unit: str | None) -> None:
    """A unit that means different quantities to different senders is refused by `units_known`, with the choices."""
    with pytest.raises(GateError, match="unit is refused") as caught:
        normalized_table(activity(SQUARE, columns={"unit": [unit]}))
    assert caught.value.gate == "units_known"


def test_a_unit_is_refused_with_the_rows_that_have_it() -> None:
    """The rows with a unit that is none are named, and the others are not, also when the unit is missing."""
    for unit in ("smoot", None):
        table = activity(SQUARE, SQUARE, SQUARE, columns={"unit": ["MWh", unit, "kWh"]})
        with pytest.raises(GateError, match=r"in 1 row\(s\), the first is row 2: 'r1'"):
            normalized_table(table)


def test_rows_that_share_a_footprint_all_get_it() -> None:
    """One shape for all rows is normalised once, and comes out for every row as it does for one."""
    alone, shared = normalized(SQUARE), normalized(*[SQUARE] * 50)
    assert shared.table.column("geometry").to_pylist() == alone.table.column("geometry").to_pylist() * 50
    assert shared.table.column("area_ha").to_pylist() == [100.0] * 50
    assert shared.evidence["area_planar_ha"] == "5000.0"
    assert shared.evidence["footprints_plain"] == "50"


def test_spike_is_repaired_to_a_polygon_of_the_same_area() -> None:
    """A spike vanishes, the polygon stays; the record says what was repaired and by how much."""
    staged = normalized(SPIKE)
    assert shapely.from_wkb(staged.table.column("geometry")[0].as_py()).geom_type == "Polygon"
    assert area_ha(staged) == pytest.approx(16.0)
    measured = {name: staged.evidence[name] for name in staged.evidence if "repair" in name}
    assert measured == {
        "footprints_repaired": "1",
        "repair_area_before_ha": "16.0",
        "repair_area_after_ha": "16.0",
        "repair_max_relative_change": "0.0",
    }


@pytest.mark.parametrize(
    ("wkt", "says"),
    [
        (OVERLAPPING, "found a change of 12.500% at most in 1 row"),
        (BOW_TIE, "found a repair that makes area out of none in 1 row"),
    ],
    ids=["overlapping parts", "bow-tie"],
)
def test_repair_that_changes_an_area_by_more_than_a_percent_is_refused(wkt: str, says: str) -> None:
    """What the sender meant cannot be known, so a large repair is refused with the row."""
    assert refused(SQUARE, wkt, says=says + ".*'r1'") == "geometry_repair_bounded"


@pytest.mark.parametrize(
    "shape",
    [
        None,
        b"\x01\x02",
        "POLYGON EMPTY",
        "POINT (1000 1000)",
        "LINESTRING (0 0, 1000 1000)",
        "GEOMETRYCOLLECTION EMPTY",
        COLLAPSED,
    ],
    ids=["null", "unreadable", "empty", "point", "line", "empty collection", "collapsed"],
)
def test_row_without_a_polygon_is_refused(shape: Shape) -> None:
    """A footprint is a polygon with an area; anything else is refused with its row."""
    assert refused(SQUARE, shape, says="'r1'") == "geometry_present"


def test_z_values_are_dropped_and_counted() -> None:
    """Heights do not reach the canonical footprint, and their number is in the record."""
    staged = normalized("POLYGON Z ((0 0 7, 1000 0 7, 1000 1000 7, 0 1000 7, 0 0 7))", SQUARE.replace("0 0", "1 0"))
    assert staged.evidence["footprints_z_dropped"] == "1"
    assert not shapely.has_z(shapely.from_wkb(staged.table.column("geometry").to_pylist())).any()


@pytest.mark.parametrize(
    "same",
    [
        "POLYGON ((1000 0, 1000 1000, 0 1000, 0 0, 1000 0))",
        "POLYGON ((0 0, 0 1000, 1000 1000, 1000 0, 0 0))",
        "POLYGON ((-0.0 -0.0, 1000 -0.0, 1000 1000, -0.0 1000, -0.0 -0.0))",
    ],
    ids=["other first vertex", "other direction", "negative zero"],
)
def test_one_place_has_one_canonical_footprint(same: str) -> None:
    """Start, direction and the sign of zero are spellings of one place and give the same content digest."""
    assert NORMALIZED.digest(normalized(same).table) == NORMALIZED.digest(normalized(SQUARE).table)


@pytest.mark.parametrize("crs", ["EPSG:4326", "OGC:CRS84", "EPSG:4979"])
def test_geographic_footprints_are_longitude_first_whatever_the_crs_says(crs: str) -> None:
    """Axis order follows GeoJSON and WKB use: x is longitude, also for EPSG:4326."""
    staged = normalized(lonlat(-93.5, 45.0, -93.0, 45.4), crs=crs)
    assert area_ha(staged) == pytest.approx(float(staged.evidence["area_geodesic_ha"]), rel=1e-6)


def test_projected_footprints_come_to_the_same_land() -> None:
    """The same land delivered in UTM zone 15N has the same area to a hundredth of a percent."""
    square = "POLYGON ((460000 4980000, 470000 4980000, 470000 4990000, 460000 4990000, 460000 4980000))"
    staged = normalized(square, crs="EPSG:26915")
    assert area_ha(staged) == pytest.approx(10_000.0, rel=1e-3)
    assert float(staged.evidence["area_max_relative_difference"]) < 1e-5


def test_long_edges_are_straight_in_the_source_crs() -> None:
    """A triangle with sides of 30 degrees keeps its planar edges; vertex by vertex it would lose 2 percent."""
    staged = normalized("POLYGON ((0 0, 30 0, 0 30, 0 0))", crs="EPSG:4326")
    assert area_ha(staged) / 100.0 == pytest.approx(5_416_780.5, abs=1.0)
    assert float(staged.evidence["area_max_relative_difference"]) < 1e-6


def test_record_says_which_operation_and_how_accurate() -> None:
    """The operation, its accuracy and both CRSs are measured for the record."""
    evidence = normalized(lonlat(-93.5, 45.0, -93.0, 45.4), crs="EPSG:4269").evidence
    assert evidence["crs_operation"].startswith("axis order change (2D) + NAD83 to WGS 84 (1)")
    assert (evidence["crs_source"], evidence["crs_target"]) == ("EPSG:4269", EQUAL_AREA)
    assert evidence["crs_operation_accuracy_m"] == "4.0"


@pytest.mark.parametrize(
    ("wkt", "crs", "rule"),
    [
        pytest.param(lonlat(45.0, -93.5, 45.4, -93.0), "EPSG:4326", "latitudes from -86.0 to 86.0", id="swapped axes"),
        pytest.param(lonlat(0.0, 85.0, 1.0, 87.0), "EPSG:4326", "latitudes from -86.0 to 86.0", id="near the pole"),
        pytest.param(lonlat(361.0, 0.0, 362.0, 1.0), "EPSG:4326", "longitudes from -360 to 360", id="longitude 361"),
        pytest.param(lonlat(9.0, 45.0, 10.0, 46.0), "EPSG:4269", "in the area of use of NAD83", id="Europe in NAD83"),
        pytest.param(lonlat(4_980_000, 460_000, 4_990_000, 470_000), "EPSG:26915", "coordinates", id="swapped UTM"),
        pytest.param(lonlat(-93.5, 45.0, -93.0, 45.4), "EPSG:26915", "metres, not degrees", id="degrees called UTM"),
        pytest.param(lonlat(1e300, 0.0, 2e300, 1.0), "EPSG:4326", "degrees, not metres", id="huge"),
        pytest.param("POLYGON ((0 0, 1 0, inf 1, 0 0))", "EPSG:4326", "finite coordinates", id="infinite"),
        pytest.param("POLYGON ((0 0, 1 0, nan 1, 0 0))", "EPSG:4326", "finite coordinates", id="NaN"),
    ],
)
def test_misplaced_footprint_is_refused(wkt: str, crs: str, rule: str) -> None:
    """Coordinates that cannot be where they say are refused with the row, before they are projected."""
    assert refused(wkt, crs=crs, says=f"expected .*{rule}.*'r0'") == "geometry_finite"


@pytest.mark.parametrize(
    "wkt",
    [
        pytest.param("POLYGON ((179 -17, -179 -17, -179 -16, 179 -16, 179 -17))", id="as it jumps"),
        pytest.param(lonlat(179.0, -17.0, 181.0, -16.0), id="beyond 180"),
        pytest.param(
            shapely.union_all([shapely.box(179.0, -17.0, 180.0, -16.0), shapely.box(-180.0, -17.0, -179.0, -16.0)]).wkt,
            id="split by the sender",
        ),
    ],
)
def test_land_on_both_sides_of_the_antimeridian_is_as_large_as_it_is(wkt: str) -> None:
    """Two degrees of Fiji are 2 362 958 ha, not the 422 969 507 ha of the ring that runs around the world."""
    staged = normalized(wkt, crs="EPSG:4326")
    assert area_ha(staged) == pytest.approx(2_362_958, abs=1.0)
    assert float(staged.evidence["area_geodesic_ha"]) == pytest.approx(2_363_141, abs=400.0)
    assert shapely.from_wkb(staged.table.column("geometry")[0].as_py()).geom_type == "MultiPolygon"


def test_footprints_that_were_cut_are_counted() -> None:
    """The record says how many footprints lay across the antimeridian."""
    fiji = lonlat(179.0, -17.0, 181.0, -16.0)
    assert normalized(fiji, lonlat(1.0, 1.0, 1.1, 1.1), crs="EPSG:4326").evidence["footprints_split"] == "1"


def _lacks_grid(crs: str) -> bool:
    with pytest.warns(UserWarning, match="Best transformation is not available"):
        return not TransformerGroup(crs, EQUAL_AREA, always_xy=True).best_available


@pytest.mark.parametrize(
    ("crs", "says"),
    [
        ("EPSG:4291", "none of known accuracy"),
        ("+proj=longlat +ellps=clrk66", "none of known accuracy"),
        ("EPSG:4807", "angles in grad"),
        ("EPSG:1", "a CRS that PROJ knows"),
    ],
    ids=["SAD69, ballpark only", "unknown datum", "grads", "unknown CRS"],
)
def test_crs_without_an_accurate_operation_is_refused(crs: str, says: str) -> None:
    """Ballpark operations and units other than degrees are refused, not used with a shrug."""
    gate = refused(lonlat(-60.0, -20.0, -59.0, -19.0), crs=crs, says=f"(no accurate operation|no usable CRS).*{says}")
    assert gate == "crs_operation_accurate"


@pytest.mark.parametrize(
    ("crs", "best"),
    [
        pytest.param("EPSG:4267", r"NAD27 to WGS 84 \(33\)", id="NAD27"),
        pytest.param("EPSG:27700", "Inverse of British National Grid", id="OSGB36"),
    ],
)
def test_crs_whose_best_operation_is_not_installed_is_refused(crs: str, best: str) -> None:
    """A worse operation is not taken for a missing grid, or two machines would give two figures."""
    if not _lacks_grid(crs):
        pytest.skip("the grids of this CRS are installed here")
    gate = refused(lonlat(-93.5, 45.0, -93.0, 45.4), crs=crs, says=f"not installed: {best}")
    assert gate == "crs_operation_accurate"


def test_no_rows_normalise_to_no_rows() -> None:
    """An empty table is no error here; the gates of both tables are red about it."""
    staged = normalized()
    assert staged.rows == 0
    assert staged.crs == EQUAL_AREA
    case = replace(good_case(Asset.NORMALIZED), staged=staged)
    red = {outcome.gate for outcome in judge_all(Asset.NORMALIZED, case) if not outcome.passed}
    assert {"rows_conserved", "geometry_present", "area_plausible", "land_counted_once"} <= red


def test_another_equal_area_crs_is_measured_in_and_said() -> None:
    """A project that declares Albers for the contiguous US gets its hectares there, and the table says so."""
    staged = normalized(lonlat(-93.2, 45.1, -93.1, 45.2), crs="EPSG:4326", equal_area="EPSG:5070")
    assert (staged.crs, staged.evidence["crs_target"]) == ("EPSG:5070", "EPSG:5070")
    assert area_ha(staged) == pytest.approx(float(staged.evidence["area_geodesic_ha"]), rel=1e-4)


def test_a_crs_that_keeps_no_areas_is_refused() -> None:
    """Hectares of web Mercator are none."""
    with pytest.raises(GateError, match="areas cannot be measured in this CRS") as caught:
        normalized(SQUARE, equal_area="EPSG:3857")
    assert caught.value.gate == "crs_operation_accurate"


def test_footprints_must_touch_the_land_of_the_project() -> None:
    """With the box of the project's land, swapped axes and land elsewhere are refused with the row."""
    land = (-93.5, 45.0, -93.0, 45.4)
    here = lonlat(-93.2, 45.1, -93.19, 45.11)
    assert normalized_table(activity(here, crs="EPSG:4326"), land=land).rows == 1
    for shape, says in (
        (lonlat(45.1, -93.2, 45.11, -93.19), "swapped, the footprint lies in the project's boundary"),
        (lonlat(-83.2, 45.1, -83.19, 45.11), "expected footprints that touch the project's boundary"),
    ):
        with pytest.raises(GateError, match=f"{says}.*'r1'") as caught:
            normalized_table(activity(here, shape, crs="EPSG:4326"), land=land)
        assert caught.value.gate == "geometry_finite"


def test_what_the_project_says_about_overlaps_reaches_the_gates() -> None:
    """The reason why footprints may overlap stands in the evidence."""
    rules = replace(source(overlaps="two crops a year"))
    staged = normalize(activity(SQUARE), source=rules, policy=policy(), land=None, where=WHERE)
    assert staged.evidence["overlaps_because"] == "two crops a year"
