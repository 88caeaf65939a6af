"""The same rows delivered in each of the seven formats, from a folder and from a real S3 server, into one content."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import geopandas as gpd
import openpyxl
import pytest
import shapely

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.opening import open_store
from mrv_assets_tests.end_to_end.home import write
from mrv_assets_tests.s3_server import S3Server
from mrv_assets_tests.world import BOUNDARIES, TickingClock, committed_references, memory_store

PLOTS = {
    "0042": shapely.box(-93.31, 45.21, -93.30, 45.22),
    "891e3": shapely.Polygon(
        [(-93.28, 45.21), (-93.26, 45.21), (-93.26, 45.23), (-93.28, 45.23)],
        [[(-93.275, 45.215), (-93.275, 45.22), (-93.27, 45.22), (-93.27, 45.215)]],
    ),
    "3-4": shapely.union(shapely.box(-93.24, 45.21, -93.23, 45.22), shapely.box(-93.22, 45.21, -93.21, 45.22)),
}
"""Three plots in Anoka County: a square, one with a hole, one of two parts; their ids are a spreadsheet's delight."""

POINTS = {row: shapely.Point(x, 45.2125) for row, x in {"0042": -93.305, "891e3": -93.2625, "3-4": -93.235}.items()}
"""A point in each; a workbook keeps fifteen digits, so they have few."""

QUANTITIES = {"0042": 2.5, "891e3": 0.125, "3-4": 1e6}


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A source file in one format, and the lines of `[source]` that say so; with `columns` where names differ."""

    data: bytes
    says: str


def described(says: str, *, declares: bool = False) -> str:
    """Return the lines of `[source]`, with the CRS that columns of coordinates have no other way to say."""
    crs = 'declared_crs = "EPSG:4326"\ndeclared_because = "the sender says so"\n' if declares else ""
    return f"{says}\n{crs}"


def cells(shapes: Mapping[str, shapely.Geometry]) -> list[list[object]]:
    """Return a table of id, quantity, outline, x and y; outlines with all their digits."""
    rows: list[list[object]] = [["rid", "qty", "outline", "x", "y"]]
    for row, shape in shapes.items():
        outline, point = shapely.to_wkt(shape, rounding_precision=-1), POINTS[row]
        rows.append([row, QUANTITIES[row], outline, point.x, point.y])
    return rows


def csv(rows: Sequence[Sequence[object]]) -> bytes:
    """Return a CSV file of a table."""
    return "".join(";".join(map(str, row)) + "\n" for row in rows).encode()


def workbook(rows: Sequence[Sequence[object]]) -> bytes:
    """Return an XLSX file of a table."""
    book, target = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(target)
    return target.getvalue()


def geojson(shapes: Mapping[str, shapely.Geometry]) -> bytes:
    """Return a FeatureCollection that says its CRS."""
    features = [
        {
            "type": "Feature",
            "properties": {"rid": row, "qty": QUANTITIES[row]},
            "geometry": shapely.geometry.mapping(shape),
        }
        for row, shape in shapes.items()
    ]
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::4326"}}
    return json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}).encode()


def kml(shapes: Mapping[str, shapely.Geometry]) -> bytes:
    """Return a KML file, its outer rings and holes as longitude,latitude pairs."""

    def ring(name: str, ring: shapely.LinearRing) -> str:
        text = " ".join(f"{x!r},{y!r}" for x, y in ring.coords)
        return f"<{name}><LinearRing><coordinates>{text}</coordinates></LinearRing></{name}>"

    def polygon(part: shapely.Polygon) -> str:
        holes = "".join(ring("innerBoundaryIs", hole) for hole in part.interiors)
        return f"<Polygon>{ring('outerBoundaryIs', part.exterior)}{holes}</Polygon>"

    def placemark(row: str, shape: shapely.Geometry) -> str:
        parts = "".join(polygon(part) for part in shapely.get_parts(shape))
        data = f'<ExtendedData><Data name="qty"><value>{QUANTITIES[row]}</value></Data></ExtendedData>'
        many = f"<MultiGeometry>{parts}</MultiGeometry>" if shape.geom_type == "MultiPolygon" else parts
        return f"<Placemark><name>{row}</name>{data}{many}</Placemark>"

    marks = "".join(placemark(row, shape) for row, shape in shapes.items())
    return f'<kml xmlns="http://www.opengis.net/kml/2.2"><Document>{marks}</Document></kml>'.encode()


def by_gdal(folder: Path) -> tuple[bytes, bytes, bytes]:
    """Return the plots as geopandas and GDAL write them: GeoParquet, GeoPackage and a zipped Shapefile."""
    columns = {"rid": list(PLOTS), "qty": list(QUANTITIES.values())}
    frame = gpd.GeoDataFrame(columns, geometry=list(PLOTS.values()), crs="EPSG:4326")
    parquet, archive = io.BytesIO(), io.BytesIO()
    frame.to_parquet(parquet)
    frame.to_file(folder / "plots.gpkg", layer="plots")
    frame.to_file(folder / "plots.shp")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in sorted(folder.glob("plots.*")):
            if path.suffix != ".gpkg":
                target.write(path, path.name)
    return parquet.getvalue(), (folder / "plots.gpkg").read_bytes(), archive.getvalue()


def areas(folder: Path) -> dict[str, Delivery]:
    """Return the plots in every format that can hold their outlines."""
    parquet, package, shapefile = by_gdal(folder)
    record, wkt = 'geometry = "record"', 'geometry = "wkt"\ngeometry_column = "outline"'
    return {
        "geoparquet": Delivery(data=parquet, says=described(record)),
        "geojson": Delivery(data=geojson(PLOTS), says=described(record)),
        "geopackage": Delivery(data=package, says=described(record)),
        "shapefile": Delivery(data=shapefile, says=described(record)),
        "kml": Delivery(data=kml(PLOTS), says=described(record)),
        "csv": Delivery(data=csv(cells(PLOTS)), says=described(f'{wkt}\ndelimiter = ";"', declares=True)),
        "xlsx": Delivery(data=workbook(cells(PLOTS)), says=described(wkt, declares=True)),
    }


def points() -> dict[str, Delivery]:
    """Return a point in each plot, in formats that write coordinates in three ways."""
    lonlat = 'geometry = "lonlat"\nlon_column = "x"\nlat_column = "y"'
    return {
        "geojson": Delivery(data=geojson(POINTS), says=described('geometry = "record"\nfootprint = "point"')),
        "csv": Delivery(data=csv(cells(PLOTS)), says=described(f'{lonlat}\ndelimiter = ";"', declares=True)),
        "xlsx": Delivery(data=workbook(cells(PLOTS)), says=described(lonlat, declares=True)),
    }


def regions() -> dict[str, Delivery]:
    """Return the rows without their outlines: the region alone says where they are."""
    return {
        "csv": Delivery(data=csv(cells(PLOTS)), says=described('geometry = "none"\ndelimiter = ";"')),
        "xlsx": Delivery(data=workbook(cells(PLOTS)), says=described('geometry = "none"')),
    }


def project_toml(format_: str, delivery: Delivery) -> bytes:
    """Return the project file of a delivery, on the land of Anoka County."""
    row_id = "name" if format_ == "kml" else "rid"
    return f"""
id = "{format_}"
name = "Plots in {format_}"
standard = "test"
factor_line = "mrow"
publication = "latest"
[boundary]
path = "{BOUNDARIES}"
id_property = "geoid"
id = "27003"
declared_crs = "EPSG:4269"
declared_because = "as the reference data says"
[source]
path = "deliveries/{format_}/plots"
format = "{format_}"
{delivery.says}
[source.columns]
row_id = "{row_id}"
activity_qty = "qty"
[source.constants]
activity_id = "land_cover.tree"
region = "US/METC"
epoch = "2021"
unit = "km2"
""".encode()


def reported(deliveries: Mapping[str, Delivery], landing: ObjectStore) -> tuple[World, dict[str, GenerationRecord]]:
    """Take every delivery through `activity` and `normalized`; return the world and the normalised generations."""
    projects = {f"projects/{name}.toml": project_toml(name, delivery) for name, delivery in deliveries.items()}
    references = memory_store(committed_references() | projects)
    world = World.over(store=memory_store(), references=references, landing=landing, clock=TickingClock())
    run, records = Run(world, run_id="formats"), {}
    for name in deliveries:
        key = PartitionKey(project_id=name, period="2021", factor_version="mrow-2025.05.20")
        kept = [run.advance(asset, key) for asset in (Asset.ACTIVITY, Asset.NORMALIZED)]
        assert [each.outcome for each in kept] == [Outcome.COMMITTED] * 2, name
        assert kept[1].record is not None
        records[name] = kept[1].record
    assert run.close() is not None
    return world, records


def in_a_folder(deliveries: Mapping[str, Delivery], folder: Path) -> ObjectStore:
    """Let the deliveries arrive in a local folder, and open it."""
    for name, delivery in deliveries.items():
        write(folder / f"deliveries/{name}/plots", delivery.data)
    return open_store(str(folder))


def rows_of(world: World, record: GenerationRecord) -> dict[str, tuple[float, float | None]]:
    """Return quantity and hectares of each normalised row by its id."""
    rows = world.slots.load_table(record).to_pylist()
    return {row["row_id"]: (row["activity_qty"], row["area_ha"]) for row in rows}


def test_the_same_land_in_every_format_is_one_content(tmp_path: Path) -> None:
    """Seven formats, one digest: ids are text, quantities and coordinates keep their bits, rings one spelling."""
    deliveries = areas(tmp_path)
    world, records = reported(deliveries, in_a_folder(deliveries, tmp_path / "landing"))
    hectares = gpd.GeoSeries(PLOTS, crs="EPSG:4326").to_crs("EPSG:6933").area / 1e4
    for name, record in records.items():
        quantities, areas_ha = zip(*(rows_of(world, record)[row] for row in PLOTS), strict=True)
        assert quantities == tuple(QUANTITIES.values()), name
        assert areas_ha == pytest.approx(tuple(hectares), rel=1e-9), name
    digests = {name: record.content_digest for name, record in records.items()}
    assert digests == dict.fromkeys(digests, digests["geojson"])


def test_the_same_points_in_every_format_are_one_content(tmp_path: Path) -> None:
    """Longitude and latitude in two columns, in text or in numbers, are the points of a GeoJSON file."""
    deliveries = points()
    world, records = reported(deliveries, in_a_folder(deliveries, tmp_path))
    assert len({record.content_digest for record in records.values()}) == 1
    assert rows_of(world, records["csv"]) == {row: (quantity, 0.0) for row, quantity in QUANTITIES.items()}


def test_rows_with_a_region_alone_are_one_content(tmp_path: Path) -> None:
    """No footprint, no area, no CRS; text or workbook makes no difference."""
    deliveries = regions()
    world, records = reported(deliveries, in_a_folder(deliveries, tmp_path))
    assert len({record.content_digest for record in records.values()}) == 1
    assert rows_of(world, records["xlsx"]) == {row: (quantity, None) for row, quantity in QUANTITIES.items()}


@pytest.mark.slow
@pytest.mark.server
def test_formats_from_an_object_store_are_the_contents_that_they_are_from_a_folder(
    tmp_path: Path, s3: S3Server
) -> None:
    """All twelve deliveries from S3: the same digests as from the folder, and the journal says from where."""
    for kind, deliveries in {"areas": areas(tmp_path), "points": points(), "regions": regions()}.items():
        landing = open_store(s3.new_store_uri(), s3=s3.access())
        for name, delivery in deliveries.items():
            landing.replace(f"deliveries/{name}/plots", delivery.data)
        world, remote = reported(deliveries, landing)
        _, local = reported(deliveries, in_a_folder(deliveries, tmp_path / kind))
        assert {n: r.content_digest for n, r in remote.items()} == {n: r.content_digest for n, r in local.items()}
        (entry,) = world.journal.entries()
        uris = {event.source["source_uri"] for event in entry.events if event.source}
        assert uris == {f"{landing.uri}/deliveries/{name}/plots" for name in deliveries}
