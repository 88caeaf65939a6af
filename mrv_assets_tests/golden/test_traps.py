"""Faults that others reported in public, each as a small file through the whole path, with the value that is right.

The numbers are those of the reports in the design. Some facts are shown elsewhere already, and are not shown again:

- B28, identity stays text through every writer and reader: `unit/storage/test_slots.py`
  (`test_ids_that_look_like_numbers_stay_text`), `unit/storage/test_published.py`
  (`test_the_published_file_carries_its_identity_as_text`), `unit/storage/test_parquet.py`
  (`test_identity_columns_are_read_as_they_were_written`).
- B31, one content has one digest whoever built the table: `properties/test_content_digest.py`.
- B33, decimals are exact or refused: `unit/domain/test_contract.py`, `properties/test_arithmetic.py`.
- B35, what the reader alone makes of a CRS key: `unit/stages/formats/test_geoparquet.py`.
- B45 between projects: a later part of the platform; within one partition, below.
- B54, two factors for one row: `unit/domain/test_factor_release.py`
  (`test_two_factors_for_one_row_are_refused_by_their_lines`), `unit/stages/test_factor.py`
  (`test_one_row_stays_one_row`).
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import geopandas as gpd
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from pyproj import Transformer

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import GateError, IdentityError
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.project import Project
from mrv_assets.stages.aggregate import aggregate
from mrv_assets.stages.factor import apply_factors
from mrv_assets_tests.builders import box, release, table_of
from mrv_assets_tests.chains import chained, coefficient
from mrv_assets_tests.golden.whole_path import Accepted, assert_one_screen, declared, project_of, walk
from mrv_assets_tests.regions import EAST, WEST, normalized_at, regions_parquet
from mrv_assets_tests.unit.stages.test_best_operation import skip_unless_missing

MINNESOTA = box(-93.5, 45.0, -93.0, 45.4)
FIJI, FIJI_181 = (f"POLYGON ((179 -17, {east} -17, {east} -16, 179 -16, 179 -17))" for east in (-179, 181))
HA = 100.0  # m; the squares of the reports have sides of four units, here of 400 m
SOMEWHERE = (-8_900_000.0, 5_000_000.0)  # m in EPSG:6933, in Minnesota


def drawn(*wkt: str) -> bytes:
    """Return a CSV file of outlines, the rows `plot 1`, `plot 2` and so on."""
    rows = [f"plot {number};{outline}" for number, outline in enumerate(wkt, start=1)]
    return "\n".join(["id;outline", *rows, ""]).encode()


def drawn_in(crs: str, *, tables: str = "") -> Project:
    """Return the project of such a file."""
    source = f'delimiter = ";"\ngeometry = "wkt"\ngeometry_column = "outline"\n{declared(crs)}'
    return project_of("plots.csv", "csv", columns={"row_id": "id"}, source=source, tables=tables)


def lonlat(west: float, south: float, east: float, north: float) -> str:
    """Return a box of x and y as WKT."""
    return str(shapely.box(west, south, east, north).wkt)


def to_scale(wkt: str) -> str:
    """Return a shape of the reports so large that its square units are hectares, somewhere in Minnesota."""
    return str(shapely.transform(shapely.from_wkt(wkt), lambda xy: xy * HA + SOMEWHERE).wkt)


def table(header: str, *rows: str) -> bytes:
    """Return a CSV file of one header line and ready-made row lines."""
    return "\n".join([header, *rows, ""]).encode()


def in_table(*columns: str, format_: str = "csv", source: str = "") -> Project:
    """Return the project of a table without geometry that has these of our columns, under our names."""
    mapped = {name: name for name in columns}
    return project_of(f"table.{format_}", format_, columns=mapped, source=f'geometry = "none"\n{source}')


def workbook(*rows: tuple[object, ...]) -> bytes:
    """Return an XLSX file of one sheet."""
    book, target = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(target)
    return target.getvalue()


def parquet(quantities: pa.Array, *, change: Callable[[dict[str, Any]], object] | None = None) -> bytes:
    """Return a GeoParquet file of plots side by side; `change` edits the metadata of its geometry column."""
    plots = [shapely.box(x, 45.1, x + 0.01, 45.11) for x in -93.4 + 0.02 * np.arange(len(quantities))]
    target = io.BytesIO()
    ids = [f"plot {number}" for number in range(1, len(plots) + 1)]
    gpd.GeoDataFrame({"row_id": ids}, geometry=plots, crs="EPSG:4326").to_parquet(target)
    whole = pq.read_table(pa.BufferReader(target.getvalue())).append_column("activity_qty", quantities)
    geo = json.loads(whole.schema.metadata[b"geo"])
    if change is not None:
        change(geo["columns"]["geometry"])
    sink = io.BytesIO()
    pq.write_table(whole.replace_schema_metadata({"geo": json.dumps(geo)}), sink)
    return sink.getvalue()


def in_parquet(*, declares: str = "") -> Project:
    """Return the project of such a file."""
    columns = {name: name for name in ("row_id", "activity_qty")}
    return project_of("plots.parquet", "geoparquet", columns=columns, source=f'geometry = "record"\n{declares}')


def refused(data: bytes, project: Project, *, gate: str, match: str, row: str = "", land: Any = None) -> GateError:
    """Expect the whole path to refuse a file by this gate, on one screen that names the row, and return the error."""
    with pytest.raises(GateError, match=match) as caught:
        walk(data, project, land=land)
    assert caught.value.gate == gate
    assert_one_screen(caught.value, file=project.source.path, row=row)
    return caught.value


def quantities(accepted: Accepted) -> dict[str, float]:
    """Return the normalised quantity of each row by its id."""
    rows = accepted.normalized.table.select(["row_id", "activity_qty"]).to_pylist()
    return {row["row_id"]: row["activity_qty"] for row in rows}


# B29


@pytest.mark.parametrize(
    "pins",
    [
        pytest.param('"2021" = 2024.0', id="2024.0"),
        pytest.param('"2021" = 2024.10', id="2024.10 is 2024.1"),
        pytest.param('"2021" = 2024', id="2024"),
        pytest.param('"2021" = 2024-01-01', id="a date"),
    ],
)
def test_a_factor_version_that_is_no_text_in_the_project_file_is_refused(pins: str) -> None:
    """TOML has numbers and dates, and `2024.10` would be `2024.1`; a version is text from end to end."""
    with pytest.raises(IdentityError, match=r"factor_version is not a canonical id .*ids are text from end to end"):
        project_of("table.csv", "csv", source='geometry = "none"\n', tables=f"[pins]\n{pins}\n")


# B32


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        pytest.param(pa.array([1.0, float("nan")]), "1 nan", id="NaN"),
        pytest.param(pa.array([1.0, None]), "1 null", id="null"),
        pytest.param(pa.array([1.0, float("inf")]), "1 infinite", id="infinity"),
        pytest.param(pa.array([1.0, -0.5]), "1 negative", id="negative"),
        pytest.param(pa.array([None, None], pa.float64()), "2 null", id="all null"),
    ],
)
def test_a_poisoned_quantity_of_parquet_fails_and_is_no_zero(given: pa.Array, kind: str) -> None:
    """A sum of pandas would pass over each of them; here the partition fails, and the row is named."""
    match = rf"every quantity a finite number of 0 or more; found {kind}: .*'plot 2'"
    refused(parquet(given), in_parquet(), gate="quantity_valid", match=match, row="plot 2")


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        pytest.param("NaN", "1 nan", id="NaN"),
        pytest.param("", "1 null", id="empty"),
        pytest.param("NA", "1 null", id="NA"),
        pytest.param("inf", "1 infinite", id="inf"),
        pytest.param("-1", "1 negative", id="negative"),
    ],
)
@pytest.mark.parametrize("format_", ["csv", "xlsx"])
def test_a_poisoned_quantity_of_a_table_fails_and_is_no_zero(format_: str, cell: str, kind: str) -> None:
    """The same five in text and in a workbook."""
    rows = [("row_id", "activity_qty"), ("a", "1"), ("b", cell)]
    data = workbook(*rows) if format_ == "xlsx" else table(*(f'{name},"{text}"' for name, text in rows))
    project = in_table("row_id", "activity_qty", format_=format_)
    refused(data, project, gate="quantity_valid", match=rf"found {kind}: 'b'", row="'b'")


# B34


def test_a_decimal_is_its_digits_or_refused() -> None:
    """1.2345 comes through as 1.2345; what a binary64 cannot give back is refused with its digits, never cut."""
    exact = pa.array([Decimal("1.2345"), Decimal("2.0000")], pa.decimal128(10, 4))
    assert quantities(walk(parquet(exact), in_parquet())) == {"plot 1": 1.2345, "plot 2": 2.0}
    long = pa.array([Decimal("2.0000"), Decimal("12345678901234567890.1234")], pa.decimal128(38, 4))
    match = r"a number that a binary64 holds exactly.*found 12345678901234567890\.1234 in 1 row"
    refused(parquet(long), in_parquet(), gate="quantity_valid", match=match, row="plot 2")
    whole = pa.array([2, 2**53 + 1])
    match = r"a number that a binary64 holds exactly.*found 9007199254740993 in 1 row"
    refused(parquet(whole), in_parquet(), gate="quantity_valid", match=match, row="plot 2")


# B35


@pytest.mark.parametrize(
    ("change", "key"),
    [
        pytest.param(lambda column: column.pop("crs"), "absent", id="absent"),
        pytest.param(lambda column: column.update(crs=None), "null", id="null"),
    ],
)
def test_geoparquet_without_a_crs_is_untagged_until_the_project_declares_one(
    change: Callable[[dict[str, Any]], object], key: str
) -> None:
    """The standard would take an absent key for OGC:CRS84; here somebody has to say so, with a reason, on record."""
    data = parquet(pa.array([1.0]), change=change)
    match = "expected a CRS in the file or declared_crs in the project; found neither"
    refused(data, in_parquet(), gate="crs_declared", match=match)
    evidence = walk(data, in_parquet(declares=declared("OGC:CRS84"))).activity.evidence
    said = (evidence["crs"], evidence["crs_declared_because"], evidence["crs_key"])
    assert said == ("OGC:CRS84", "the sender says so", key)


# B37

OVERLAPPING = "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((2 2, 6 2, 6 6, 2 6, 2 2)))"
BARELY = "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((3.9 3.9, 7.9 3.9, 7.9 7.9, 3.9 7.9, 3.9 3.9)))"
SPIKE = "POLYGON ((0 0, 4 0, 4 4, 8 4, 4 4, 0 4, 0 0))"
WITH_A_COLLAPSED_PART = "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((5 5, 6 6, 7 7, 5 5)))"
COLLAPSED = "POLYGON ((0 0, 1 1, 2 2, 0 0))"
BOW_TIE = "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))"


@pytest.mark.parametrize(
    ("wkt", "before", "after"),
    [
        pytest.param(BARELY, 32.0, 31.99, id="parts that overlap a little"),
        pytest.param(SPIKE, 16.0, 16.0, id="spike"),
        pytest.param(WITH_A_COLLAPSED_PART, 16.0, 16.0, id="collapsed part"),
    ],
)
def test_a_small_repair_unites_and_drops_what_has_no_area(wkt: str, before: float, after: float) -> None:
    """An overlap counts once, a spike and a collapsed part vanish; the record has the area before and after, ha."""
    accepted = walk(drawn(to_scale(wkt)), drawn_in("EPSG:6933"))
    assert accepted.area_ha == {"plot 1": pytest.approx(after, rel=1e-9)}
    (shape,) = shapely.from_wkb(list(accepted.shapes.values()))
    assert (shape.geom_type, shape.is_valid) == ("Polygon", True)
    assert accepted.measured("footprints_repaired") == 1
    assert accepted.measured("repair_area_before_ha") == pytest.approx(before, rel=1e-9)
    assert accepted.measured("repair_area_after_ha") == pytest.approx(after, rel=1e-9)


@pytest.mark.parametrize(
    ("wkt", "gate", "match"),
    [
        pytest.param(
            OVERLAPPING,
            "geometry_repair_bounded",
            r"changes the area by 1% at most; found a change of 12\.500%",
            id="32 to 28",
        ),
        pytest.param(
            BOW_TIE,
            "geometry_repair_bounded",
            "found a (repair that makes area out of none|change of inf%)",
            id="bow-tie, 0 to 2",
        ),
        pytest.param(COLLAPSED, "geometry_present", "found one that vanishes when made valid", id="collapsed ring"),
    ],
)
def test_a_large_repair_is_refused(wkt: str, gate: str, match: str) -> None:
    """Two overlapping squares of 16 ha come to 28, and nobody signs for the 4 that went: the sender is asked."""
    refused(drawn(to_scale(wkt)), drawn_in("EPSG:6933"), gate=gate, match=match, row="'plot 1'")


def test_two_overlapping_squares_are_28_hectares_when_they_are_delivered_as_one_shape() -> None:
    """The union that repair by structure finds is the land; linework would say 24."""
    union = shapely.unary_union(shapely.from_wkt(to_scale(OVERLAPPING)))
    accepted = walk(drawn(str(union.wkt)), drawn_in("EPSG:6933"))
    assert accepted.area_ha == {"plot 1": pytest.approx(28.0, rel=1e-9)}


# B38


def moved(wkt: str, crs: str) -> str:
    """Return longitudes and latitudes in a projected CRS, vertices every twentieth of a degree."""
    move = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    dense = shapely.segmentize(shapely.from_wkt(wkt), 0.05)
    return str(shapely.transform(dense, lambda xy: np.column_stack(move.transform(xy[:, 0], xy[:, 1]))).wkt)


@pytest.mark.parametrize(
    ("wkt", "crs"),
    [
        pytest.param(FIJI, "EPSG:4326", id="179 to -179"),
        pytest.param(FIJI_181, "EPSG:4326", id="179 to 181"),
        pytest.param(moved(FIJI_181, "EPSG:3460"), "EPSG:3460", id="Fiji Map Grid"),
        pytest.param(moved(FIJI_181, "EPSG:3832"), "EPSG:3832", id="PDC Mercator"),
        pytest.param(moved(FIJI_181, "EPSG:32760"), "EPSG:32760", id="UTM 60S"),
    ],
)
def test_two_degrees_of_fiji_are_2_362_958_hectares(wkt: str, crs: str) -> None:
    """Not 422 969 507, however they are delivered; and as much on the ellipsoid, which is told with them."""
    accepted = walk(drawn(wkt), drawn_in(crs))
    assert accepted.area_ha == {"plot 1": pytest.approx(2_362_958, abs=1.0)}
    assert accepted.measured("area_geodesic_ha") == pytest.approx(2_362_958, rel=1e-5)
    assert accepted.measured("footprints_split") == 1
    west, _, east, _ = shapely.bounds(shapely.from_wkb(next(iter(accepted.shapes.values()))))
    assert (west, east) == pytest.approx((-17_367_530.4, 17_367_530.4), abs=0.1)


# B39


@pytest.mark.parametrize(
    ("wkt", "crs", "match"),
    [
        pytest.param(
            lonlat(45.1, -93.4, 45.2, -93.3),
            "EPSG:4326",
            r"axes in the order x, y .*x 45\.2, y -93\.4",
            id="swapped axes",
        ),
        pytest.param(lonlat(2.0, 45.1, 2.1, 45.2), "EPSG:4326", "touch the project's boundary", id="another country"),
        pytest.param(
            lonlat(460_000, 4_980_000, 461_000, 4_981_000), "EPSG:4326", "degrees, not metres", id="metres as degrees"
        ),
        pytest.param(lonlat(-93.4, 45.1, -93.3, 45.2), "EPSG:26915", "metres, not degrees", id="degrees as metres"),
        pytest.param(
            "POLYGON ((-93.4 45.1, nan 45.1, -93.3 45.2, -93.4 45.1))", "EPSG:4326", "finite coordinates", id="NaN"
        ),
    ],
)
def test_a_footprint_in_the_wrong_place_is_refused_by_what_is_wrong(wkt: str, crs: str, match: str) -> None:
    """Never infinite, never an area of NaN: the row, the rule and the coordinates at fault are on the screen."""
    data, at = drawn(lonlat(-93.45, 45.05, -93.44, 45.06) if crs == "EPSG:4326" else wkt, wkt), drawn_in(crs)
    refused(data, at, gate="geometry_finite", match=match, row="'plot 2'", land=MINNESOTA)


def test_a_latitude_beyond_the_pole_is_refused_without_a_boundary_to_tell_by() -> None:
    """Swapped axes with |latitude| > 90 came out as infinities from elsewhere, without an error."""
    match = r"latitudes from -86\.0 to 86\.0; found coordinates such as x 45\.2, y -93\.4"
    data = drawn(lonlat(45.1, -93.4, 45.2, -93.3))
    refused(data, drawn_in("EPSG:4326"), gate="geometry_finite", match=match, row="'plot 1'")


def test_an_infinite_coordinate_is_refused() -> None:
    """It is no place, and its row is named."""
    data = drawn("POLYGON ((-93.4 45.1, inf 45.1, -93.3 45.2, -93.4 45.1))")
    match = "a readable footprint, finite and not empty, in every row; found 1 rows; without a footprint: 'plot 1'"
    refused(data, drawn_in("EPSG:4326"), gate="geometry_present", match=match, row="'plot 1'")


# B42

WAIVER = '[crs.waiver]\nmax_accuracy_m = "20"\nwithout_best_grid = true\nbecause = "plots were digitised at 1:50 000"\n'
DATUMS = [
    pytest.param("EPSG:4267", (-93.4, 45.1), "ca_nrc_ntv2_0.tif", 7.0, id="NAD27"),
    pytest.param("EPSG:4618", (-50.0, -20.0), "br_ibge_SAD69_003.tif", 5.0, id="SAD69"),
    pytest.param("EPSG:4225", (-50.0, -20.0), "br_ibge_CA7072_003.tif", 5.0, id="Corrego Alegre"),
    pytest.param("EPSG:4277", (-1.5, 52.0), "uk_os_OSTN15_NTv2_OSGBtoETRS.tif", 2.0, id="OSGB36"),
]


def there(corner: tuple[float, float], size: float = 0.01, *, margin: float = 0.0) -> tuple[float, float, float, float]:
    """Return a box north-east of a corner."""
    x, y = corner
    return x - margin, y - margin, x + size + margin, y + size + margin


@pytest.mark.parametrize(("crs", "corner", "grid", "accuracy_m"), DATUMS)
def test_a_datum_whose_best_grid_is_not_here_is_refused(
    crs: str,
    corner: tuple[float, float],
    grid: str,
    accuracy_m: float,  # noqa: ARG001 # of the same table
) -> None:
    """The better operation, its accuracy and its grid are on the screen; the second best is not taken in silence."""
    skip_unless_missing(grid)
    match = rf"PROJ's best operation, installed, of known accuracy.*not installed: .* accuracy .* m, grids {grid}"
    data = drawn(lonlat(*there(corner)))
    refused(data, drawn_in(crs), gate="crs_operation_accurate", match=match, land=box(*there(corner, margin=0.5)))


@pytest.mark.parametrize(("crs", "corner", "grid", "accuracy_m"), DATUMS)
def test_a_waiver_is_on_record_with_its_reason_and_the_grid_that_is_missing(
    crs: str, corner: tuple[float, float], grid: str, accuracy_m: float
) -> None:
    """Operation, accuracy, what would have been better, and why it was waived: an auditor sees all of it."""
    skip_unless_missing(grid)
    land = box(*there(corner, margin=0.5))
    accepted = walk(drawn(lonlat(*there(corner))), drawn_in(crs, tables=WAIVER), land=land)
    evidence = accepted.normalized.evidence
    assert evidence["crs_waived_because"] == "plots were digitised at 1:50 000"
    assert (evidence["crs_best_available"], accepted.measured("crs_operation_accuracy_m")) == ("no", accuracy_m)
    assert grid in evidence["crs_missing_grids"]
    assert evidence["crs_pipeline"].startswith("proj=pipeline ")
    assert evidence["crs_operation"] not in ("", "identity")


# B43


def test_a_triangle_of_30_degrees_keeps_its_straight_edges() -> None:
    """5 416 525.4 km2 as drawn in longitude and latitude, not the 5 457 324.7 of three vertices; the rule is told."""
    accepted = walk(drawn("POLYGON ((0 -20, 30 -20, 0 10, 0 -20))"), drawn_in("EPSG:4326"))
    assert accepted.area_ha == {"plot 1": pytest.approx(541_652_540, rel=1e-6)}
    assert accepted.measured("area_geodesic_ha") == pytest.approx(541_652_540, rel=1e-6)
    assert (accepted.normalized.evidence["edges"], accepted.measured("max_edge_source_units")) == ("planar", 0.1)


# B44 and B45, within one partition

LEFT, RIGHT = lonlat(-93.4, 45.1, -93.3, 45.2), lonlat(-93.35, 45.1, -93.25, 45.2)
NEXT = lonlat(-93.3, 45.1, -93.2, 45.2)


def test_land_that_two_rows_count_is_refused_until_it_is_explained() -> None:
    """Two squares that share half: the pair and the shared hectares are named; neither is cut to make it fit."""
    match = r"1 overlapping pairs: 'plot 1 and plot 2'; 4369\.8626 ha counted twice"
    refused(drawn(LEFT, RIGHT), drawn_in("EPSG:4326"), gate="land_counted_once", match=match, row="plot 1 and plot 2")
    explained = '[source.overlaps]\nbecause = "two harvests of one year"\n'
    accepted = walk(drawn(LEFT, RIGHT), drawn_in("EPSG:4326", tables=explained))
    assert accepted.area_ha == {row: pytest.approx(8_739.725, abs=0.001) for row in ("plot 1", "plot 2")}
    assert accepted.normalized.evidence["overlaps_because"] == "two harvests of one year"


def test_the_same_row_under_another_id_is_land_counted_twice() -> None:
    """Delivered twice, a plot overlaps itself."""
    match = r"1 overlapping pairs: 'plot 1 and plot 2'; 8739\.7253 ha counted twice"
    refused(drawn(LEFT, LEFT), drawn_in("EPSG:4326"), gate="land_counted_once", match=match, row="plot 1 and plot 2")


def test_neighbours_and_other_activities_count_no_land_twice() -> None:
    """A shared edge is no overlap, and what is burnt on a field is not what is grown on it."""
    assert len(walk(drawn(LEFT, NEXT), drawn_in("EPSG:4326")).area_ha) == 2
    rows = [f"a;land_cover.tree;{LEFT}", f"b;electricity.delivered;{LEFT}"]
    columns = {"row_id": "id", "activity_id": "activity"}
    source = f'delimiter = ";"\ngeometry = "wkt"\ngeometry_column = "outline"\n{declared("EPSG:4326")}'
    project = project_of("plots.csv", "csv", columns=columns, source=source)
    assert len(walk(table("id;activity;outline", *rows), project).area_ha) == 2


# B56

IDS = ("891e3", "0042", "1914310000010100016", "3-4")


@pytest.mark.parametrize("format_", ["csv", "xlsx"])
def test_ids_that_look_like_numbers_come_through_as_they_are(format_: str) -> None:
    """891000.0, 42, 1.9143100000101e18 and the fourth of March are what other readers make of them."""
    rows = [("row_id", "activity_qty"), *((text, "1") for text in IDS)]
    data = workbook(*rows) if format_ == "xlsx" else table(*(",".join(row) for row in rows))
    accepted = walk(data, in_table("row_id", "activity_qty", format_=format_))
    assert quantities(accepted) == dict.fromkeys(IDS, 1.0)


@pytest.mark.parametrize(
    "mangled", ["8.91E+05", "1.91431E+18", "1E+05", "4-Mar", "03-Apr", "Mar-04", "3/4/2024", "2024-03-04"]
)
@pytest.mark.parametrize("format_", ["csv", "xlsx"])
def test_an_id_that_a_spreadsheet_has_mangled_is_refused(format_: str, mangled: str) -> None:
    """What is left of an id is text by now, and it is seen for what it is."""
    rows = [("row_id", "activity_qty"), ("a", "1"), (mangled, "1")]
    data = workbook(*rows) if format_ == "xlsx" else table(*(",".join(row) for row in rows))
    project = in_table("row_id", "activity_qty", format_=format_)
    refused(data, project, gate="row_ids_unique", match=rf"mangled '{mangled.replace('+', '.')}'", row=mangled)


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        pytest.param(891000.0, "891000, kept as a number", id="number"),
        pytest.param(1914310000010100016, r"1.9143100000101e\+18, kept as a number", id="long number"),
        pytest.param(date(2024, 3, 4), "2024-03-04, kept as a date", id="date"),
    ],
)
def test_an_id_that_a_workbook_keeps_as_something_else_is_refused_by_its_cell(cell: object, found: str) -> None:
    """The cell is named, and what to do about the column."""
    data = workbook(("row_id", "activity_qty"), ("a", 1), (cell, 1))
    project = in_table("row_id", "activity_qty", format_="xlsx")
    refused(data, project, gate="source_readable", match=f"expected text in column 'row_id'.*{found}", row="cell A3")


def test_an_id_that_json_has_as_a_fraction_is_refused() -> None:
    """`891e3` without quotes is a number, and which digits it had, nobody can know."""
    feature = f'{{"type":"Feature","properties":{{"id":891e3}},"geometry":{json.dumps(MINNESOTA)}}}'
    source = f'geometry = "record"\n{declared("EPSG:4326")}'
    project = project_of("plots.geojson", "geojson", columns={"row_id": "id"}, source=source)
    match = "expected text or whole numbers.*found double, which has lost leading zeros"
    refused(feature.encode(), project, gate="columns_present", match=match, row="column id")


# B57

MARK = b"\xef\xbb\xbf"


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    """The first column is `row_id`, in a table and in JSON, quoted or not."""
    project = in_table("row_id", "activity_qty")
    for header in ("row_id,activity_qty", '"row_id",activity_qty'):
        assert quantities(walk(MARK + table(header, "a,1"), project)) == {"a": 1.0}
    feature = {"type": "Feature", "properties": {"row_id": "a", "activity_qty": 1}, "geometry": MINNESOTA}
    source = f'geometry = "record"\n{declared("EPSG:4326")}'
    columns = {name: name for name in ("row_id", "activity_qty")}
    in_json = project_of("plots.geojson", "geojson", columns=columns, source=source)
    assert quantities(walk(MARK + json.dumps(feature).encode(), in_json)) == {"a": 1.0}


def test_latin_1_is_read_when_it_is_declared_and_refused_when_it_is_not() -> None:
    """No letter is replaced; the screen shows the line, the byte, and how it reads in the encoding it looks like."""
    data = table("row_id,activity_qty", "München,1").decode().encode("latin-1")
    match = r"line 2.*expected text in utf-8; found byte 0xFC .*as cp1252 it reads .*München,1.*encoding = "
    refused(data, in_table("row_id", "activity_qty"), gate="source_readable", match=match, row="line 2")
    as_declared = in_table("row_id", "activity_qty", source='encoding = "latin-1"\n')
    assert quantities(walk(data, as_declared)) == {"München": 1.0}


def test_utf_8_that_is_declared_to_be_latin_1_is_refused() -> None:
    """It would read without an error, every letter beyond ASCII as two others."""
    project = in_table("row_id", "activity_qty", source='encoding = "latin-1"\n')
    data = table("row_id,activity_qty", "München,1")
    refused(data, project, gate="source_readable", match="bytes are UTF-8: line 2 would read", row="line 2")


# B44, between the regions of a factor release


def owned(crs: str) -> dict[str, Decimal]:
    """Return the tonnes of each region when three points of 10 t lie west of, on and east of the border of two."""
    points = normalized_at("POINT (0.5 0.5)", "POINT (1 0.5)", "POINT (1.5 0.5)", quantity=10.0)
    factors = [{"region": region, "ef_value": "1", "numerator_unit": "t"} for region in ("A", "B")]
    made = replace(release(factors), regions=regions_parquet({"B": EAST, "A": WEST}, to=crs))
    strata = aggregate(apply_factors(points, release=made, where="plots 2021", spatial=CrsPolicy.parse({})).table).table
    rows = strata.column("rows").to_pylist()
    assert sum(rows) == 3
    return dict(zip(strata.column("region").to_pylist(), strata.column("emissions_tco2e").to_pylist(), strict=True))


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:6933", "EPSG:3857"])
def test_a_point_on_a_shared_border_has_one_owner(crs: str) -> None:
    """30 t, of which 20 are those of the smaller id; `intersects` and `covered_by` give 40, `within` gives 20."""
    assert owned(crs) == {"A": Decimal(20), "B": Decimal(10)}


# Chained factors: 44/12 has no last decimal


def test_carbon_becomes_carbon_dioxide_without_a_rounding_in_between() -> None:
    """Three tonnes of carbon are 11 t of CO2; three times 3.6667 would be 11.0001, three times 3.67 11.01."""
    carbon = [coefficient("carbon-to-co2", "44/12", "t of CO2", "t of C")]
    made = chained([{"chain": "carbon-to-co2", "denominator_unit": "t", "activity_id": "carbon.stored"}], carbon)
    row = {"activity_id": "carbon.stored", "region": "US/MROW", "unit": "metric_ton", "activity_qty": 3.0}
    table = table_of(Asset.NORMALIZED, [{"row_id": "a", "epoch": "2021", "area_ha": 0.0, **row}])
    (factored,) = apply_factors(table, release=made, where="plots 2021").table.to_pylist()
    assert factored["removals_tco2e"] == Decimal("11.000000000")


# B59 and B60

UNITED: Mapping[str, str] = {
    "activity_id": "land_cover.tree",
    "region": "US/METC",
    "gas": "CO2",
    "ef_value": "1",
    "numerator_unit": "short_ton",
    "denominator_unit": "short_ton",
}


@pytest.mark.parametrize("unit", ["ton", "tons"])
def test_a_ton_is_refused_with_the_choices(unit: str) -> None:
    """Taken for the wrong one it would be 10 % off, and a ton says nothing about which it is."""
    project = in_table("row_id", "activity_qty", "unit")
    match = rf"expected one of t \(metric\), short_ton or long_ton; found unit '{unit}'"
    data = table("row_id,activity_qty,unit", f"a,1000,{unit}")
    refused(data, project, gate="units_known", match=match, row="'a'")


def test_a_unit_travels_with_its_quantity_and_mass_becomes_tonnes_once() -> None:
    """1000 short tons stay 1000 short tons until the factor step makes them 907.18474 t; twice would be 822.98."""
    project = in_table("row_id", "activity_qty", "unit")
    accepted = walk(table("row_id,activity_qty,unit", "a,1000,short_ton"), project)
    for staged in (accepted.activity, accepted.normalized):
        assert staged.table.select(["activity_qty", "unit"]).to_pylist() == [
            {"activity_qty": 1000.0, "unit": "short_ton"}
        ]
    factored = apply_factors(accepted.normalized.table, release=release([UNITED]), where="plots 2021")
    (row,) = factored.table.to_pylist()
    assert (row["activity_qty"], row["unit"]) == (1000.0, "short_ton")
    assert row["emissions_tco2e"] == Decimal("907.184740000")


def test_a_quantity_in_another_unit_than_the_factor_is_refused() -> None:
    """The step checks the unit that it receives, and converts nothing to make it fit."""
    accepted = walk(table("row_id,activity_qty,unit", "a,907.18474,t"), in_table("row_id", "activity_qty", "unit"))
    with pytest.raises(GateError, match="metric_ton") as caught:
        apply_factors(accepted.normalized.table, release=release([UNITED]), where="plots 2021")
    assert caught.value.gate == "factors_matched"


# Found on the way


@pytest.mark.parametrize("format_", ["csv", "xlsx"])
def test_a_table_of_which_nothing_is_mapped_is_refused(format_: str) -> None:
    """When all of a row is constant, only geometries could say how many rows there are, and a table has none."""
    rows = [("name",), ("a",), ("b",)]
    data = workbook(*rows) if format_ == "xlsx" else table(*(name for (name,) in rows))
    refused(data, in_table(format_=format_), gate="columns_present", match="a mapped column.*found constants alone")


def test_a_file_without_features_is_refused_and_ends_no_process() -> None:
    """Geoarrow aborts on a column without a piece, which is what no rows, or none of the period, come as."""
    source = f'geometry = "record"\n{declared("EPSG:4326")}'
    project = project_of("plots.geojson", "geojson", columns={"row_id": "id", "epoch": "year"}, source=source)
    feature = {"type": "Feature", "properties": {"id": "a", "year": "2020"}, "geometry": MINNESOTA}
    for features in ([], [feature]):
        data = json.dumps({"type": "FeatureCollection", "features": features}).encode()
        refused(data, project, gate="rows_present", match="found 0 rows of plots in 2021")


def test_an_empty_footprint_is_set_aside_like_one_that_is_not_there() -> None:
    """Where the project allows it: a shape without a point in it is no more of a place than none."""
    allowed = '[source.quarantine]\nmax_share = "0.5"\nbecause = "the sender mends them by May"\n'
    data = drawn(LEFT, NEXT, "", "POLYGON EMPTY")
    accepted = walk(data, drawn_in("EPSG:4326", tables=allowed))
    assert list(accepted.area_ha) == ["plot 1", "plot 2"]
    assert accepted.activity.quarantined is not None
    assert accepted.activity.quarantined.column("row_id").to_pylist() == ["plot 3", "plot 4"]


def test_too_many_rows_set_aside_are_refused_with_their_reason() -> None:
    """Nothing is kept of a refused partition, so the screen is the only place where the reason can stand."""
    allowed = '[source.quarantine]\nmax_share = "0.2"\nbecause = "the sender mends them by May"\n'
    data, project = drawn(LEFT, NEXT, ""), drawn_in("EPSG:4326", tables=allowed)
    match = r"1 set aside \(33\.3333%\), because the sender mends them by May; set aside: 'plot 3', the first for: "
    refused(data, project, gate="rows_accounted", match=match, row="'plot 3'")


def test_one_polygon_called_several_is_the_same_content() -> None:
    """GDAL writes every plot of a layer as a multipolygon when one of them is: the same land, the same digest."""
    several = str(shapely.multipolygons([shapely.from_wkt(LEFT)]).wkt)
    one, other = (walk(drawn(wkt), drawn_in("EPSG:4326")).shapes for wkt in (LEFT, several))
    assert one == other
