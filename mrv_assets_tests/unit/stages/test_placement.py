from __future__ import annotations

import numpy as np
import pytest
import shapely

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.stages.antimeridian import bounding_box
from mrv_assets.stages.footprints import Bounds
from mrv_assets.stages.placement import Misplaced, misplaced
from mrv_assets.stages.projection import operation_from

WHERE = "plots 2021"
ANOKA = (-93.5, 45.0, -93.0, 45.4)
FIJI = (177.0, -19.0, -179.0, -16.0)
SWAPPED = "axes in the order x, y (longitude, latitude): swapped, the footprint lies in the project's boundary"
ELSEWHERE = "footprints that touch the project's boundary"
LIKE_DEGREES = "metres, not degrees: the coordinates look like longitudes and latitudes"
OFF_THE_MAP = "coordinates on the map of WGS 84 / Pseudo-Mercator: these are beyond its edge"
LIKE_METRES = "degrees, not metres: the coordinates look like metres"


def box(west: float, south: float, east: float, north: float) -> str:
    """Return a box as WKT."""
    return str(shapely.box(west, south, east, north).wkt)


def faults(
    *wkt: str, crs: str = "EPSG:4326", boundary: Bounds | None = None, equal_area: str = "EPSG:6933"
) -> list[Misplaced]:
    """Return the rules that these footprints break."""
    policy = CrsPolicy.parse({"equal_area": equal_area, "because": "the programme demands it"})
    with np.errstate(invalid="ignore"):
        shapes = np.array([shapely.from_wkt(text) for text in wkt])
    return list(misplaced(shapes, operation_from(crs, policy=policy, where=WHERE), boundary=boundary))


def first_rule(*wkt: str, crs: str = "EPSG:4326", boundary: Bounds | None = None) -> str:
    """Return the first rule that these footprints break, empty when they break none."""
    return next((fault.rule for fault in faults(*wkt, crs=crs, boundary=boundary)), "")


@pytest.mark.parametrize(
    ("wkt", "crs", "rule"),
    [
        pytest.param("POLYGON ((0 0, 1 0, inf 1, 0 0))", "EPSG:4326", "finite coordinates", id="infinite"),
        pytest.param("POLYGON ((0 0, 1 0, nan 1, 0 0))", "EPSG:4326", "finite coordinates", id="NaN"),
        pytest.param("POINT (nan 1)", "EPSG:4326", "finite coordinates", id="NaN, point"),
        pytest.param("POLYGON ((0 0, 1 0, inf 1, 0 0))", "EPSG:26915", "finite coordinates", id="infinite metres"),
        pytest.param(box(45.0, -93.5, 45.4, -93.0), "EPSG:4326", "latitudes from -86.0 to 86.0", id="swapped axes"),
        pytest.param(box(0.0, 85.0, 1.0, 87.0), "EPSG:4326", "latitudes from -86.0 to 86.0", id="beyond 86 degrees"),
        pytest.param(box(361.0, 0.0, 362.0, 1.0), "EPSG:4326", "longitudes from -360 to 360", id="a turn too far"),
        pytest.param(box(1e300, 0.0, 2e300, 1.0), "EPSG:4326", LIKE_METRES, id="huge"),
        pytest.param(box(460_000, 4_980_000, 470_000, 4_990_000), "EPSG:4326", LIKE_METRES, id="metres called degrees"),
        pytest.param("POINT (460000 4980000)", "EPSG:4326", LIKE_METRES, id="metres called degrees, point"),
        pytest.param(box(-93.5, 45.0, -93.0, 45.4), "EPSG:26915", LIKE_DEGREES, id="degrees called metres"),
        pytest.param("POINT (-93.5 45)", "EPSG:6933", LIKE_DEGREES, id="degrees called metres, point"),
        pytest.param(box(9.0, 45.0, 10.0, 46.0), "EPSG:4269", "coordinates in the area of use of NAD83", id="Europe"),
        pytest.param(
            box(460_000, 12_000_000, 470_000, 12_010_000),
            "EPSG:32733",
            "coordinates in the area of use of WGS 84 / UTM zone 33S",
            id="other hemisphere",
        ),
        pytest.param("POLYGON ((1e3 1e3, 2e3 1e3, 1e9 2e3, 1e3 1e3))", "EPSG:3857", OFF_THE_MAP, id="a digit too many"),
        pytest.param("POLYGON ((1e3 1e3, 2e3 1e3, 1e13 2e3, 1e3 1e3))", "EPSG:3857", OFF_THE_MAP, id="many digits"),
        pytest.param(box(1e8, 1e3, 1.00001e8, 2e3), "EPSG:3857", OFF_THE_MAP, id="all of it turns away"),
        pytest.param("POINT (1e9 1000)", "EPSG:3857", OFF_THE_MAP, id="a digit too many, point"),
        pytest.param("POLYGON ((1e3 1e3, 2e3 1e3, 2e3 1e9, 1e3 1e3))", "EPSG:3857", OFF_THE_MAP, id="beyond the pole"),
        pytest.param(
            box(17_367_000, 0, 17_368_000, 1000),
            "EPSG:6933",
            "coordinates on the map of WGS 84 / NSIDC EASE-Grid 2.0 Global: these are beyond its edge",
            id="beyond the edge of the equal-area map",
        ),
        pytest.param(
            box(1e9, 1e9, 2e9, 2e9),
            "EPSG:26915",
            "coordinates that have a longitude and a latitude in NAD83 / UTM zone 15N",
            id="off the map",
        ),
        pytest.param(
            "POLYGON ((45 80, 135 80, -135 80, -45 80, 45 80))",
            "EPSG:4326",
            "rings that do not run around a pole",
            id="around the pole",
        ),
    ],
)
def test_misplaced_footprint_breaks_a_rule(wkt: str, crs: str, rule: str) -> None:
    """The first rule says what is wrong, and only the footprint at fault is marked."""
    sound = {"EPSG:26915": box(460_000, 4_980_000, 470_000, 4_990_000), "EPSG:6933": box(1e6, 1e6, 2e6, 2e6)}
    sound["EPSG:32733"] = box(460_000, 8_000_000, 470_000, 8_010_000)
    sound["EPSG:3857"] = box(1000, 1000, 2000, 2000)
    found = faults(sound.get(crs, box(-93.5, 45.0, -93.0, 45.4)), wkt, crs=crs)
    assert found[0].rule == rule
    assert found[0].shapes.tolist() == [False, True]


@pytest.mark.parametrize(
    ("wkt", "crs"),
    [
        pytest.param(box(-93.5, 45.0, -93.0, 45.4), "EPSG:4326", id="box"),
        pytest.param("POLYGON ((179 -17, -179 -17, -179 -16, 179 -16, 179 -17))", "EPSG:4326", id="antimeridian"),
        pytest.param(box(179.0, -17.0, 181.0, -16.0), "EPSG:4326", id="longitude 181"),
        pytest.param(box(266.5, 45.0, 267.0, 45.4), "EPSG:4326", id="longitudes of 0 to 360"),
        pytest.param(box(200_000, 4_980_000, 210_000, 4_990_000), "EPSG:26916", id="a zone beside its own"),
        pytest.param(box(20.0e6, 1e6, 20.1e6, 1.1e6), "EPSG:3857", id="across the antimeridian of a cylinder"),
        pytest.param(box(-20.1e6, 1e6, -20.0e6, 1.1e6), "EPSG:3857", id="across it to the west"),
        pytest.param(box(300, -50, 301, -49), "EPSG:4326", id="no metre is that small"),
        pytest.param("POINT (-93.5 45)", "EPSG:4326", id="point"),
        pytest.param("POLYGON EMPTY", "EPSG:4326", id="empty, which is for another gate"),
        pytest.param("MULTIPOLYGON (((0 0, 9 0, 9 9, 0 0)), ((20 0, 21 0, 21 1, 20 0)))", "EPSG:4326", id="parts"),
    ],
)
def test_footprint_in_its_place_breaks_no_rule(wkt: str, crs: str) -> None:
    """What crosses the antimeridian is split, not refused."""
    assert faults(wkt, crs=crs) == []


@pytest.mark.parametrize(
    ("wkt", "crs", "boundary", "rule"),
    [
        pytest.param(box(-93.2, 45.1, -93.1, 45.2), "EPSG:4326", ANOKA, "", id="inside"),
        pytest.param(box(-94.0, 44.0, -92.0, 46.0), "EPSG:4326", ANOKA, "", id="around it"),
        pytest.param(box(-93.1, 45.3, -92.0, 46.0), "EPSG:4326", ANOKA, "", id="across its edge"),
        pytest.param(box(-92.96, 45.1, -92.9, 45.2), "EPSG:4326", ANOKA, "", id="in its margin"),
        pytest.param(box(-92.94, 45.1, -92.9, 45.2), "EPSG:4326", ANOKA, ELSEWHERE, id="beyond its margin"),
        pytest.param(box(266.8, 45.1, 266.9, 45.2), "EPSG:4326", ANOKA, "", id="longitudes of 0 to 360"),
        pytest.param(box(45.1, -93.2, 45.2, -93.1), "EPSG:4326", ANOKA, SWAPPED, id="swapped"),
        pytest.param("POINT (45.1 -93.2)", "EPSG:4326", ANOKA, SWAPPED, id="swapped, point"),
        pytest.param("POINT (-93.2 45.1)", "EPSG:4326", ANOKA, "", id="inside, point"),
        pytest.param("POINT (-92 45.1)", "EPSG:4326", ANOKA, ELSEWHERE, id="elsewhere, point"),
        pytest.param(box(4_980_000, 460_000, 4_990_000, 470_000), "EPSG:26915", ANOKA, SWAPPED, id="swapped, UTM"),
        pytest.param(box(460_000, 4_990_000, 470_000, 4_999_000), "EPSG:26915", ANOKA, "", id="inside, UTM"),
        pytest.param(box(460_000, 4_990_000, 470_000, 4_999_000), "EPSG:26916", ANOKA, ELSEWHERE, id="other zone"),
        pytest.param(box(-93.2, 45.1, -93.1, 45.2), "EPSG:26915", ANOKA, LIKE_DEGREES, id="degrees called UTM"),
        pytest.param(box(5.0, 5.0, 9.0, 9.0), "EPSG:6933", (-1.0, -1.0, 1.0, 1.0), "", id="land at the origin"),
        pytest.param(box(5.0, 5.0, 9.0, 9.0), "EPSG:6933", ANOKA, LIKE_DEGREES, id="land that is not at the origin"),
        pytest.param(box(178.0, -18.0, 178.1, -17.9), "EPSG:4326", FIJI, "", id="west of the antimeridian"),
        pytest.param(box(-179.5, -18.0, -179.4, -17.9), "EPSG:4326", FIJI, "", id="east of the antimeridian"),
        pytest.param(box(180.5, -18.0, 180.6, -17.9), "EPSG:4326", FIJI, "", id="beyond 180"),
        pytest.param(
            "POLYGON ((179 -17, -179 -17, -179 -16, 179 -16, 179 -17))", "EPSG:4326", FIJI, "", id="across it"
        ),
        pytest.param(box(0.0, -18.0, 0.1, -17.9), "EPSG:4326", FIJI, ELSEWHERE, id="on the other side of the world"),
        pytest.param(box(1e6, 1e6, 2e6, 2e6), "EPSG:4326", ANOKA, LIKE_METRES, id="metres called degrees"),
        pytest.param("POLYGON ((0 0, 1 0, inf 1, 0 0))", "EPSG:4326", ANOKA, "finite coordinates", id="infinite"),
        pytest.param(box(1e9, 1e3, 1.00001e9, 2e3), "EPSG:3857", ANOKA, OFF_THE_MAP, id="off the map, so elsewhere"),
        pytest.param(
            "POLYGON ((1e3 1e3, 2e3 1e3, 1e9 2e3, 1e3 1e3))", "EPSG:3857", ANOKA, OFF_THE_MAP, id="one vertex off it"
        ),
    ],
)
def test_boundary_tells_swapped_axes_from_land_elsewhere(wkt: str, crs: str, boundary: Bounds, rule: str) -> None:
    """A footprint must touch the project's land, and when it does so with its axes swapped, the message says that."""
    assert first_rule(wkt, crs=crs, boundary=boundary) == rule


def test_margin_is_a_tenth_of_the_land() -> None:
    """A large project has a wider margin than the least one of 0.05 degrees."""
    wide = (-100.0, 40.0, -90.0, 50.0)
    assert first_rule(box(-89.1, 45.0, -89.05, 45.1), boundary=wide) == ""
    assert first_rule(box(-88.9, 45.0, -88.8, 45.1), boundary=wide) == ELSEWHERE


def test_boundary_of_split_land_takes_both_sides() -> None:
    """The box of Fiji is the one across the antimeridian."""
    land = shapely.union_all([shapely.box(177.0, -19.0, 180.0, -16.0), shapely.box(-180.0, -19.0, -179.0, -16.0)])
    assert bounding_box(np.array([land])) == FIJI


def test_footprints_outside_the_target_are_misplaced_too() -> None:
    """Far from its area of use an equal-area map of Europe still has coordinates."""
    (fault, *_) = faults(box(-93.5, 45.0, -93.0, 45.4), equal_area="EPSG:3035")
    assert fault.rule == "coordinates in the area of use of ETRS89-extended / LAEA Europe"


def test_footprints_outside_the_operation_are_misplaced_too() -> None:
    """NAD83 reaches the western Aleutians, and its operation to WGS 84 of known 4 m does not."""
    found = faults(box(172.6, 52.0, 187.0, 53.0), box(-93.5, 45.0, -93.0, 45.4), crs="EPSG:4269")
    assert [fault.shapes.tolist() for fault in found] == [[True, False]]
    assert "coordinates in the area of use of axis order change (2D) + NAD83 to WGS 84 (1)" in found[0].rule


def test_example_of_a_mistyped_coordinate_is_that_one() -> None:
    """Not another one of the same shape."""
    (fault, *_) = faults("POLYGON ((1000 1000, 2000 1000, 123456789 2000, 1000 1000))", crs="EPSG:3857")
    assert (fault.rule, fault.example) == (OFF_THE_MAP, "x 123456789.0, y 2000.0")


@pytest.mark.parametrize(
    ("wkt", "crs", "is_refused"),
    [
        pytest.param(
            "POLYGON ((0 4e6, 1e12 4e6, 1e12 4.1e6, 0 4e6))", "+proj=stere +lat_0=90", True, id="stereographic"
        ),
        pytest.param(box(-170.0, -80.0, 170.0, 80.0), "EPSG:4326", False, id="most of the world"),
        pytest.param(box(-1.9e7, -1.9e7, 1.9e7, 1.9e7), "EPSG:3857", False, id="most of the world, m"),
    ],
)
def test_edges_that_never_end_are_refused(wkt: str, crs: str, *, is_refused: bool) -> None:
    """Before vertices are added to them, which would take all memory; the largest land needs 8 % of what is allowed."""
    assert any("100000 vertices" in fault.rule for fault in faults(wkt, crs=crs)) is is_refused


def test_example_is_the_first_coordinate_at_fault_as_delivered() -> None:
    """The sender finds it in the file."""
    (fault,) = faults("POLYGON ((1 1, 2 1, 2 2, 1 1))", "POLYGON ((3 3, 3.5 86.5, 4 4, 3 3))", "POINT (0 89)")
    assert (fault.shapes.tolist(), fault.example) == ([False, True, True], "x 3.5, y 86.5")


def test_a_shape_may_break_several_rules() -> None:
    """All are told, the one that explains most first."""
    rules = [fault.rule for fault in faults(box(45.1, -93.2, 45.2, -93.1), boundary=ANOKA)]
    assert rules[:2] == [SWAPPED, "latitudes from -86.0 to 86.0"]


def test_no_footprints_break_no_rule() -> None:
    """An empty partition is for the gates to refuse."""
    assert faults(boundary=ANOKA) == []
