from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import shapely
from pyproj.transformer import TransformerGroup

from mrv_assets.domain.contract import NORMALIZED
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.footprints import densified, repaired
from mrv_assets.stages.normalize import normalize
from mrv_assets_tests.builders import WHERE, table_of

EQUAL_AREA = "EPSG:6933"
SQUARE = "POLYGON ((0 0, 1000 0, 1000 1000, 0 1000, 0 0))"
OVERLAPPING = "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((2 2, 6 2, 6 6, 2 6, 2 2)))"
SPIKE = "POLYGON ((0 0, 4 0, 4 4, 8 4, 4 4, 0 4, 0 0))"
BOW_TIE = "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))"
COLLAPSED = "POLYGON ((0 0, 1 1, 2 2, 0 0))"


def activity(*shapes: str | bytes | None, unit: str | None = "MWh") -> pa.Table:
    """Return activity rows r0, r1, … with these footprints."""
    with np.errstate(invalid="ignore"):
        encoded = [
            shapely.to_wkb(shapely.from_wkt(shape), byte_order=1, flavor="iso") if isinstance(shape, str) else shape
            for shape in shapes
        ]
    rows = [
        {
            "row_id": f"r{number}",
            "activity_id": "electricity.delivered",
            "region": "US/MROW",
            "epoch": "2021",
            "activity_qty": 1.0,
            "unit": unit,
            "geometry": shape,
        }
        for number, shape in enumerate(encoded)
    ]
    return table_of(Asset.ACTIVITY, rows)


def normalized(*shapes: str | bytes | None, crs: str = EQUAL_AREA) -> Staged:
    """Normalise rows with these footprints."""
    return normalize(activity(*shapes), crs=crs, where=WHERE)


def refused(*shapes: str | bytes | None, crs: str = EQUAL_AREA, says: str) -> str:
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
        normalize(activity(SQUARE, unit=unit), crs=EQUAL_AREA, where=WHERE)
    assert caught.value.gate == "units_known"


def test_rows_that_share_a_footprint_share_its_transformation() -> None:
    """A footprint is transformed once however many rows have it, and every row gets it."""
    staged = normalized(*[SQUARE] * 50, SQUARE.replace("1000", "500"))
    assert staged.evidence["footprints_distinct"] == "2"
    assert staged.table.column("area_ha").to_pylist().count(100.0) == 50


@pytest.mark.parametrize(
    ("wkt", "before", "after"),
    [(OVERLAPPING, 32.0, 28.0), (SPIKE, 16.0, 16.0), (BOW_TIE, 0.0, 2.0), (COLLAPSED, 0.0, 0.0), (SQUARE, 1e6, 1e6)],
    ids=["overlapping parts", "spike", "bow-tie", "collapsed ring", "valid"],
)
def test_repair_unites_overlaps_and_keeps_areas_apart(wkt: str, before: float, after: float) -> None:
    """Repair by structure gives 28 for two overlapping squares, where linework gives 24 and the raw sum 32."""
    repair = repaired(np.array([shapely.from_wkt(wkt)]))
    assert (repair.area_before[0], repair.area_after[0]) == (before, after)
    assert repair.shapes[0].geom_type in ("Polygon", "MultiPolygon")
    assert shapely.is_valid(repair.shapes[0])


def test_spike_is_repaired_to_a_polygon_of_the_same_area() -> None:
    """A spike vanishes, the polygon stays; the record says what was repaired and by how much."""
    staged = normalized(SPIKE)
    assert shapely.from_wkb(staged.table.column("geometry")[0].as_py()).geom_type == "Polygon"
    assert area_ha(staged) == pytest.approx(0.0016)
    measured = {name: staged.evidence[name] for name in staged.evidence if "repair" in name}
    assert measured == {
        "footprints_repaired": "1",
        "repair_area_before_ha": "0.0016",
        "repair_area_after_ha": "0.0016",
        "repair_max_relative_change": "0.0",
    }


@pytest.mark.parametrize(
    ("wkt", "says"),
    [(OVERLAPPING, "found a change of 12.500% in 1 row"), (BOW_TIE, "found a change of inf% in 1 row")],
    ids=["overlapping parts", "bow-tie"],
)
def test_repair_that_changes_an_area_by_more_than_a_percent_is_refused(wkt: str, says: str) -> None:
    """What the sender meant cannot be known, so a large repair is refused with the row."""
    assert refused(SQUARE, wkt, says=says + ".*'r1'") == "geometry_repair_bounded"


@pytest.mark.parametrize(
    "shape",
    [None, b"\x01\x02", "POLYGON EMPTY", "POINT (1 1)", "LINESTRING (0 0, 1 1)", "GEOMETRYCOLLECTION EMPTY", COLLAPSED],
    ids=["null", "unreadable", "empty", "point", "line", "empty collection", "collapsed"],
)
def test_row_without_a_polygon_is_refused(shape: str | bytes | None) -> None:
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


@pytest.mark.parametrize(
    "wkt",
    [
        SQUARE,
        OVERLAPPING,
        SPIKE,
        BOW_TIE,
        COLLAPSED,
        "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1), (5 5, 5 6, 6 6, 6 5, 5 5))",
        "MULTIPOLYGON (((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1)), ((20 0, 21 0, 21 1, 20 0)))",
        "MULTIPOLYGON (((0 0, 9 0, 9 9, 0 0)))",
    ],
    ids=["square", "overlapping", "spike", "bow-tie", "collapsed", "holes", "parts with holes", "one part"],
)
def test_densifying_adds_vertices_and_repairs_nothing(wkt: str) -> None:
    """An invalid footprint stays as it was, so that its repair is measured; GEOS alone would repair it unseen."""
    shapes = np.array([shapely.from_wkt(SQUARE), shapely.from_wkt(wkt)])
    dense = densified(shapes, 0.5)
    assert shapely.get_num_coordinates(dense[1]) > 2 * shapely.get_num_coordinates(shapes[1])
    assert shapely.equals_exact(shapely.from_wkt(wkt), densified(shapes, 1e9)[1])
    assert shapely.is_valid(dense[1]) == shapely.is_valid(shapes[1])
    assert dense[1].geom_type == shapes[1].geom_type
    assert shapely.area(dense) == pytest.approx(shapely.area(shapes))


def test_neighbours_still_share_their_edge_when_it_is_densified() -> None:
    """Two footprints that meet along a slanted edge neither overlap nor leave a gap, whichever way their rings run."""
    left = shapely.from_wkt("POLYGON ((0 0, 0.7 3.3, 0 3.3, 0 0))")
    right = shapely.from_wkt("POLYGON ((0 0, 0.7 0, 0.7 3.3, 0 0))")
    one, other = densified(np.array([left, right]), 0.1)
    assert len(set(one.exterior.coords) & set(other.exterior.coords)) == 35
    assert shapely.intersection(one, other).area == 0.0


def test_record_says_which_operation_and_how_accurate() -> None:
    """The operation, its accuracy and both CRSs are measured for the record."""
    evidence = normalized(lonlat(-93.5, 45.0, -93.0, 45.4), crs="EPSG:4269").evidence
    assert evidence["crs_operation"].startswith("axis order change (2D) + NAD83 to WGS 84 (1)")
    assert (evidence["crs_source"], evidence["crs_target"]) == ("EPSG:4269", EQUAL_AREA)
    assert evidence["crs_operation_accuracy_m"] == "4.0"


@pytest.mark.parametrize(
    ("wkt", "crs", "rule"),
    [
        (lonlat(45.0, -93.5, 45.4, -93.0), "EPSG:4326", "latitudes from -86.0 to 86.0"),
        (lonlat(0.0, 85.0, 1.0, 87.0), "EPSG:4326", "latitudes from -86.0 to 86.0"),
        (lonlat(178.0, -17.0, 181.0, -16.0), "EPSG:4326", "longitudes from -180 to 180"),
        ("POLYGON ((179 -17, -179 -17, -179 -16, 179 -16, 179 -17))", "EPSG:4326", "split at the antimeridian"),
        (lonlat(9.0, 45.0, 10.0, 46.0), "EPSG:4269", "in the area of use of NAD83"),
        (lonlat(4_980_000, 460_000, 4_990_000, 470_000), "EPSG:26915", "coordinates"),
        (lonlat(-93.5, 45.0, -93.0, 45.4), "EPSG:26915", "in the area of use of NAD83 / UTM zone 15N"),
        (lonlat(1e300, 0.0, 2e300, 1.0), "EPSG:4326", "longitudes from -180 to 180"),
        ("POLYGON ((0 0, 1 0, inf 1, 0 0))", "EPSG:4326", "finite coordinates"),
        ("POLYGON ((0 0, 1 0, nan 1, 0 0))", "EPSG:4326", "finite coordinates"),
    ],
    ids=[
        "swapped axes",
        "beyond 86 degrees",
        "longitude 181",
        "across the antimeridian",
        "Europe in NAD83",
        "swapped UTM",
        "degrees called UTM",
        "huge",
        "infinite",
        "NaN",
    ],
)
def test_misplaced_footprint_is_refused(wkt: str, crs: str, rule: str) -> None:
    """Coordinates that cannot be where they say are refused with the row, before they are projected."""
    assert refused(wkt, crs=crs, says=f"expected .*{rule}.*'r0'") == "geometry_finite"


def test_land_on_both_sides_of_the_antimeridian_is_right_when_it_is_split() -> None:
    """Two degrees of Fiji are 2 362 958 ha, not the 422 969 507 ha of the ring that was not split."""
    east, west = lonlat(179.0, -17.0, 180.0, -16.0), lonlat(-180.0, -17.0, -179.0, -16.0)
    split = shapely.union_all([shapely.from_wkt(east), shapely.from_wkt(west)]).wkt
    staged = normalized(split, crs="EPSG:4326")
    assert area_ha(staged) == pytest.approx(2_362_958, abs=1.0)
    assert float(staged.evidence["area_geodesic_ha"]) == pytest.approx(2_363_141, abs=400.0)


def _lacks_grid(crs: str) -> bool:
    with pytest.warns(UserWarning, match="Best transformation is not available"):
        return not TransformerGroup(crs, EQUAL_AREA, always_xy=True).best_available


@pytest.mark.parametrize(
    ("crs", "says"),
    [
        ("EPSG:4291", "any of known accuracy"),
        ("+proj=longlat +ellps=clrk66", "any of known accuracy"),
        ("EPSG:4807", "angles in grad"),
        ("EPSG:1", "a CRS that PROJ knows"),
    ],
    ids=["SAD69, ballpark only", "unknown datum", "grads", "unknown CRS"],
)
def test_crs_without_an_accurate_operation_is_refused(crs: str, says: str) -> None:
    """Ballpark operations and units other than degrees are refused, not used with a shrug."""
    gate = refused(lonlat(-60.0, -20.0, -59.0, -19.0), crs=crs, says=f"(no accurate operation|no usable CRS).*{says}")
    assert gate == "crs_operation_accurate"


@pytest.mark.parametrize("crs", ["EPSG:4267", "EPSG:27700"], ids=["NAD27", "OSGB36"])
def test_crs_whose_best_operation_is_not_installed_is_refused(crs: str) -> None:
    """A worse operation is not taken for a missing grid, or two machines would give two figures."""
    if not _lacks_grid(crs):
        pytest.skip("the grids of this CRS are installed here")
    gate = refused(lonlat(-93.5, 45.0, -93.0, 45.4), crs=crs, says="found not installed: ")
    assert gate == "crs_operation_accurate"


def test_no_rows_normalise_to_no_rows() -> None:
    """An empty table is no error here; the gates of both tables are red about it."""
    assert normalized().rows == 0
