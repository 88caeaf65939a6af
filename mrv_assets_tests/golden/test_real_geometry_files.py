"""Real public geometry through the whole path: counties, cities, gas utilities, and the samples of GeoParquet.

Every figure stands here as it was measured, and is found again by geopandas or shapely with pyproj, which share no code
with ours but the libraries below them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import geopandas as gpd
import numpy as np
import polars as pl
import pytest
import shapely
from numpy.typing import NDArray
from pyproj import Geod, Transformer

from mrv_assets.domain.contract import NORMALIZED
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.project import Project
from mrv_assets_tests.builders import box
from mrv_assets_tests.golden.whole_path import Accepted, assert_one_screen, declared, project_of, walk
from mrv_assets_tests.world import PUBLIC_DATA

GEO = PUBLIC_DATA / "metc-twin-cities" / "geo"
SAMPLES = PUBLIC_DATA / "geometry-awkward" / "geoparquet"
MIDWEST = box(-94.6, 41.5, -86.0, 47.8)
COUNTIES, CITIES = GEO / "counties_epsg4269.geojson", GEO / "cities_townships_epsg4326.gpkg"
UTILITIES = GEO / "wi_gas_utilities_epsg3071.parquet"
EXPLAINED = '[source.overlaps]\nbecause = "boundaries were digitised apart from each other"\n'

needs_metc = pytest.mark.skipif(not GEO.is_dir(), reason="the public data set is not here: no ../shared/data/metc-…")
needs_samples = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="the public data set is not here: no ../shared/data/geometry-awkward"
)

Areas = NDArray[np.float64]


def accepted(path: Path, project: Project) -> Accepted:
    """Take a file of the Midwest through the whole path, land and all."""
    return walk(path.read_bytes(), project, land=MIDWEST)


@cache
def counties() -> Accepted:
    """The eleven counties, as they are tagged."""
    return accepted(COUNTIES, project_of(COUNTIES.name, "geojson", columns={"row_id": "geoid"}))


@cache
def cities() -> Accepted:
    """The 288 cities and townships by the key of their layer, their overlaps explained."""
    return accepted(CITIES, project_of(CITIES.name, "geopackage", columns={"row_id": "fid"}, tables=EXPLAINED))


@cache
def utilities() -> Accepted:
    """The eleven gas utilities, whose territories need no explanation."""
    return accepted(UTILITIES, project_of(UTILITIES.name, "geoparquet", columns={"row_id": "Util_ID"}))


def frame(path: Path) -> gpd.GeoDataFrame:
    """Return a file as geopandas has it."""
    return gpd.read_parquet(path) if path.suffix == ".parquet" else gpd.read_file(path)


@cache
def planar(path: Path, step: float) -> gpd.GeoSeries:
    """Return the shapes of a file on the plane of EPSG:6933, repaired, by geopandas; `step` is in units of the file."""
    shapes = frame(path).geometry
    repaired = shapes.where(shapes.is_valid, shapes.make_valid(method="structure", keep_collapsed=False))
    return repaired.segmentize(step).to_crs("EPSG:6933")


def hectares(accepted: Accepted) -> Areas:
    """Return the area of each row, ha, in the order of the ids."""
    return np.array(list(accepted.area_ha.values()), dtype=np.float64)


def shared_ha(shapes: gpd.GeoSeries) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the area, ha, that two shapes share and its part of the smaller one, by their positions, by shapely."""
    values = shapes.to_numpy()
    a, b = shapely.STRtree(values).query(values, predicate="intersects")
    a, b = a[a < b], b[a < b]
    shared = shapely.area(shapely.intersection(values[a], values[b])) / 1e4
    smaller = np.minimum(shapely.area(values[a]), shapely.area(values[b])) / 1e4
    pairs = zip(a, b, shared, smaller, strict=True)
    return {(int(i), int(j)): (float(ha), float(ha / of)) for i, j, ha, of in pairs if ha > 0.0}


@needs_metc
def test_eleven_counties_have_their_published_area() -> None:
    """1 346 442.6 ha, valid, and each within 0.13 % of the pixels that the land cover counts in it."""
    ours = counties()
    assert hectares(ours).sum() == pytest.approx(1_346_442.5741, rel=1e-9)
    theirs = dict(zip(frame(COUNTIES).geoid, planar(COUNTIES, 0.1).area / 1e4, strict=True))
    assert ours.area_ha == {geoid: pytest.approx(ha, rel=1e-9) for geoid, ha in theirs.items()}
    assert ours.measured("footprints_repaired") == 0
    pixels = pl.read_csv(PUBLIC_DATA / "metc-twin-cities/csv/nlcd_county_landcover_allyrs.csv")
    km2 = dict(pixels.select(pl.col("county_id").cast(pl.String), "total_area").unique("county_id").iter_rows())
    assert ours.area_ha == {geoid: pytest.approx(area * 100.0, rel=0.0013) for geoid, area in km2.items()}


@needs_metc
def test_counties_are_as_large_on_the_ellipsoid() -> None:
    """The plane differs by less than a millionth for every county; in degrees, or in UTM, the figure would be another.

    NAD83 comes to WGS 84 by the one operation there is, 4 m.
    """
    ours = counties()
    geod = Geod(ellps="GRS80")
    theirs = [abs(geod.geometry_area_perimeter(shape)[0]) / 1e4 for shape in frame(COUNTIES).geometry.segmentize(0.1)]
    assert ours.measured("area_geodesic_ha") == pytest.approx(1_346_442.7203, rel=1e-9)
    assert ours.measured("area_geodesic_ha") == pytest.approx(sum(theirs), rel=1e-9)
    assert ours.measured("area_max_relative_difference") < 1e-6
    assert ours.measured("crs_operation_accuracy_m") == 4.0
    utm = frame(COUNTIES).to_crs("EPSG:26915").area.sum() / 1e4
    assert utm / hectares(ours).sum() - 1 == pytest.approx(-0.00076, abs=2e-5)


@needs_metc
def test_cities_have_no_id_in_their_attributes() -> None:
    """The code of the gazetteer is blank for 60 townships of Wisconsin and repeats elsewhere, so it names no row."""
    project = project_of(CITIES.name, "geopackage", columns={"row_id": "gnis"})
    with pytest.raises(
        GateError, match=r"288 ids; repeated '02393799', .* and 3 more; 60 blank; mangled none"
    ) as caught:
        accepted(CITIES, project)
    assert caught.value.gate == "row_ids_unique"
    assert_one_screen(caught.value, file=CITIES.name, row="02393799")


@needs_metc
def test_cities_that_overlap_are_refused_with_their_names() -> None:
    """Four pairs share 27.7 ha, more than a thousandth of the smaller; the seventy slivers below that are let pass."""
    project = project_of(CITIES.name, "geopackage", columns={"row_id": "fid"})
    with pytest.raises(GateError, match=r"4 overlapping pairs: .*; 27\.6629 ha counted twice") as caught:
        accepted(CITIES, project)
    assert caught.value.gate == "land_counted_once"
    assert_one_screen(caught.value, file=CITIES.name, row="'123 and 279', '152 and 277', '202 and 277', '203 and 279'")
    shared = shared_ha(planar(CITIES, 0.1))
    much = {f"{i + 1} and {j + 1}": ha for (i, j), (ha, part) in shared.items() if part > 0.001}
    assert sorted(much) == ["123 and 279", "152 and 277", "202 and 277", "203 and 279"]
    assert len(shared) == 74
    assert sum(much.values()) == pytest.approx(27.6629, abs=1e-4)


@needs_metc
def test_cities_that_are_explained_have_their_area() -> None:
    """1 346 282.5 ha, as much as the counties but for their borders; two are repaired and lose nothing by it."""
    ours = cities()
    by_fid = {str(position): ha for position, ha in enumerate(planar(CITIES, 0.1).area / 1e4, start=1)}
    assert ours.area_ha == {fid: pytest.approx(ha, rel=1e-9) for fid, ha in by_fid.items()}
    assert hectares(ours).sum() == pytest.approx(1_346_282.5212, rel=1e-9)
    assert hectares(ours).sum() == pytest.approx(hectares(counties()).sum(), rel=2e-4)
    assert ours.measured("footprints_repaired") == 2 == (~frame(CITIES).is_valid).sum()
    assert ours.measured("repair_area_before_ha") == pytest.approx(14_374.395676, abs=1e-6)
    assert ours.measured("repair_area_after_ha") == pytest.approx(14_374.395676, abs=1e-6)
    assert ours.measured("area_geodesic_ha") == pytest.approx(1_346_282.4803, rel=1e-9)
    assert shapely.is_valid(shapely.from_wkb(list(ours.shapes.values()))).all()


@needs_metc
@pytest.mark.slow
def test_gas_utilities_keep_their_area_when_six_are_repaired() -> None:
    """9 785 453 ha; six of eleven have rings that touch themselves, and come out valid with the area that they had."""
    ours = utilities()
    theirs = dict(zip(frame(UTILITIES).Util_ID, planar(UTILITIES, 10_000.0).area / 1e4, strict=True))
    assert ours.area_ha == {utility: pytest.approx(ha, rel=1e-9) for utility, ha in theirs.items()}
    assert hectares(ours).sum() == pytest.approx(9_785_452.9301, rel=1e-9)
    assert ours.measured("footprints_repaired") == 6 == (~frame(UTILITIES).is_valid).sum()
    assert ours.measured("repair_area_before_ha") == pytest.approx(8_496_437.3127, rel=1e-10)
    assert ours.measured("repair_area_after_ha") == pytest.approx(8_496_437.3127, rel=1e-10)
    assert shapely.is_valid(shapely.from_wkb(list(ours.shapes.values()))).all()


@needs_metc
@pytest.mark.slow
def test_gas_utilities_are_as_large_on_the_ellipsoid_of_their_own_datum() -> None:
    """Straight edges of the Wisconsin map, on GRS 80: the plane differs by less than a millionth in all."""
    ours = utilities()
    to_degrees = Transformer.from_crs("EPSG:3071", "EPSG:4152", always_xy=True)
    shapes = frame(UTILITIES).geometry.make_valid(method="structure").segmentize(10_000.0).to_numpy()
    degrees = shapely.transform(shapes, lambda xy: np.column_stack(to_degrees.transform(xy[:, 0], xy[:, 1])))
    geod = Geod(ellps="GRS80")
    theirs = sum(abs(geod.geometry_area_perimeter(shape)[0]) for shape in shapely.orient_polygons(degrees)) / 1e4
    assert ours.measured("area_geodesic_ha") == pytest.approx(9_785_447.1121, rel=1e-9)
    assert ours.measured("area_geodesic_ha") == pytest.approx(theirs, rel=1e-9)
    assert ours.measured("crs_operation_accuracy_m") == 1.0


@needs_metc
@pytest.mark.slow
def test_gas_utilities_share_slivers_and_no_territory() -> None:
    """Twelve pairs share 69.6 ha along their borders, at most 0.0042 % of the smaller one: nothing to explain."""
    assert utilities().normalized.evidence["overlaps_because"] == ""
    shared = shared_ha(planar(UTILITIES, 10_000.0))
    assert len(shared) == 12
    assert sum(ha for ha, _ in shared.values()) == pytest.approx(69.572, abs=0.001)
    assert max(part for _, part in shared.values()) == pytest.approx(4.2073e-5, rel=1e-4)


def twins(kind: str, *, footprint: str, tables: str = "") -> list[tuple[Path, Project]]:
    """Return a sample of the standard in both of its formats, each with the project that it is the source of."""
    columns, says = {"row_id": "col"}, f'footprint = "{footprint}"\n{declared("EPSG:4326")}'
    parquet, text = (SAMPLES / "test_data" / f"data-{kind}-{rest}" for rest in ("encoding_wkb.parquet", "wkt.csv"))
    by_record, by_text = f'geometry = "record"\n{says}', f'geometry = "wkt"\ngeometry_column = "geometry"\n{says}'
    return [
        (parquet, project_of(parquet.name, "geoparquet", columns=columns, source=by_record, tables=tables)),
        (text, project_of(text.name, "csv", columns=columns, source=by_text, tables=tables)),
    ]


SAMPLE_TABLES = (
    '[source.quarantine]\nmax_share = "0.5"\nbecause = "samples hold nothing on purpose"\n'
    '[source.overlaps]\nbecause = "samples are drawn on top of each other"\n'
)


@needs_samples
@pytest.mark.parametrize(
    ("kind", "footprint", "area_ha"),
    [
        pytest.param("polygon", "area", {"0": 599_913_395.795, "1": 722_069_674.345}, id="polygon"),
        pytest.param(
            "multipolygon",
            "area",
            {"0": 599_913_395.795, "1": 676_317_533.922, "2": 806_389_945.309},
            id="multipolygon",
        ),
        pytest.param("point", "point", {"0": 0.0, "3": 0.0}, id="point"),
    ],
)
def test_a_sample_of_the_standard_is_the_same_in_both_of_its_formats(
    kind: str, footprint: str, area_ha: dict[str, float]
) -> None:
    """WKB and WKT give the same shapes bit by bit; rows without a shape or with an empty one are set aside in both."""
    both = [walk(path.read_bytes(), of) for path, of in twins(kind, footprint=footprint, tables=SAMPLE_TABLES)]
    assert both[0].shapes == both[1].shapes
    assert both[0].area_ha == both[1].area_ha == {row: pytest.approx(ha, rel=1e-9) for row, ha in area_ha.items()}
    aside = [each.activity.quarantined for each in both]
    assert [None if table is None else table.column("gate").to_pylist() for table in aside] == [
        ["geometry_present"] * 2
    ] * 2


@needs_samples
@pytest.mark.parametrize(
    ("kind", "footprint", "rows"),
    [
        pytest.param("polygon", "area", "'2', '3'", id="polygon"),
        pytest.param("multipolygon", "area", "'3', '4'", id="multipolygon"),
        pytest.param("point", "point", "'1', '2'", id="point"),
        pytest.param("linestring", "area", "'1', '2'", id="linestring"),
        pytest.param("multilinestring", "area", "'2', '3'", id="multilinestring"),
        pytest.param("multipoint", "point", "'2', '3'", id="multipoint"),
    ],
)
def test_a_sample_with_empty_rows_is_refused_in_both_of_its_formats(kind: str, footprint: str, rows: str) -> None:
    """By default nothing is set aside: the rows without a shape and with an empty one are named alike."""
    for path, of in twins(kind, footprint=footprint):
        with pytest.raises(GateError, match=f"without a footprint: {rows}. Remedy") as caught:
            walk(path.read_bytes(), of)
        assert caught.value.gate == "geometry_present"
        assert_one_screen(caught.value, file=path.name, row=rows)


@needs_samples
@pytest.mark.parametrize("kind", ["linestring", "multilinestring", "multipoint"])
def test_a_sample_of_another_kind_has_no_row_to_keep(kind: str) -> None:
    """When all is set aside nothing is certified, and the screen says which rows and for what."""
    for path, of in twins(kind, footprint="area", tables=SAMPLE_TABLES.replace("0.5", "0.9")):
        with pytest.raises(
            GateError, match=r"set aside: '0'.*, the first for: footprint is refused: expected polygons"
        ) as caught:
            walk(path.read_bytes(), of)
        assert caught.value.gate == "rows_conserved"
        assert_one_screen(caught.value, file=path.name, row="'0'")


COUNTRIES = {
    "CAN": 1_003_783_362.498,
    "ESH": 9_669_664.77668,
    "FJI": 1_928_776.77624,
    "TZA": 93_277_431.2409,
    "USA": 950_975_200.437,
}


@needs_samples
def test_five_countries_are_one_content_in_both_formats() -> None:
    """Fiji has a part on each side of ±180, Canada reaches 83 degrees north, the population is a binary64 or a text."""
    columns = {"row_id": "iso_a3", "activity_qty": "pop_est"}
    parquet = SAMPLES / "examples" / "example.parquet"
    ours = walk(parquet.read_bytes(), project_of(parquet.name, "geoparquet", columns=columns))
    by_text = f'geometry = "wkt"\ngeometry_column = "geometry"\n{declared("OGC:CRS84")}'
    text = walk(
        (SAMPLES / "examples" / "example.csv").read_bytes(),
        project_of("example.csv", "csv", columns=columns, source=by_text),
    )
    assert NORMALIZED.digest(ours.normalized.table) == NORMALIZED.digest(text.normalized.table)
    assert ours.area_ha == {country: pytest.approx(ha, rel=1e-9) for country, ha in COUNTRIES.items()}
    theirs = dict(zip(frame(parquet).iso_a3, planar(parquet, 0.1).area / 1e4, strict=True))
    assert ours.area_ha == {country: pytest.approx(ha, rel=1e-9) for country, ha in theirs.items()}
    population = dict(zip(frame(parquet).iso_a3, frame(parquet).pop_est, strict=True))
    table = ours.normalized.table
    assert dict(zip(table.column("row_id").to_pylist(), table.column("activity_qty").to_pylist(), strict=True)) == (
        population
    )
