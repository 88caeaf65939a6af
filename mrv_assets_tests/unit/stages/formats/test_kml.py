from __future__ import annotations

import io
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pytest
import shapely
from hypothesis import given
from pyogrio.raw import read_arrow, write_arrow

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.delivery import Delivery
from mrv_assets.stages.formats.kml import read_kml
from mrv_assets_tests.unit.stages.formats.deliveries import (
    PNG,
    TEXT_IDS,
    WHERE,
    cuts,
    refusal,
    shapes,
    source_of,
    texts,
)

SPACE = "http://www.opengis.net/kml/2.2"
POINT = "<Point><coordinates>1,2</coordinates></Point>"
RING = "<LinearRing><coordinates> 0,0\n 2,0 2,2 0,0 </coordinates></LinearRing>"
PLOT = f"<Polygon><outerBoundaryIs>{RING}</outerBoundaryIs></Polygon>"


def document(*placemarks: str, space: str = SPACE, before: str = "") -> bytes:
    """Return a KML document of these Placemarks."""
    return f'{before}<kml xmlns="{space}"><Document>{"".join(placemarks)}</Document></kml>'.encode()


def placemark(geometry: str = PLOT, name: str = "a", **data: str) -> str:
    """Return a Placemark with untyped data."""
    values = "".join(f'<Data name="{key}"><value>{value}</value></Data>' for key, value in data.items())
    return f"<Placemark><name>{name}</name><ExtendedData>{values}</ExtendedData>{geometry}</Placemark>"


def read(data: bytes, *wanted: str, layer: str | None = None) -> Delivery:
    """Read a KML file."""
    return read_kml(data, source_of("kml", *wanted, layer=layer), where=WHERE)


def refused(data: bytes, *wanted: str, match: str, layer: str | None = None) -> tuple[str, str]:
    """Return the gate and the place of the refusal that the file gets."""
    with pytest.raises(GateError, match=match) as raised:
        read(data, *wanted, layer=layer)
    return refusal(raised)


def zipped(**members: bytes) -> bytes:
    """Return a zip archive of members whose names end in `.kml`."""
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.kml", data)
    return target.getvalue()


def test_placemarks_become_records_of_text() -> None:
    """Values are text as written, a Placemark without one has null, and KML is WGS 84 by its standard."""
    delivery = read(document(placemark(name="0042", year="2021"), placemark(POINT, name="891e3")), "name", "year")
    assert texts(delivery) == {"name": ["0042", "891e3"], "year": ["2021", None]}
    assert shapes(delivery) == ["POLYGON ((0 0, 2 0, 2 2, 0 0))", "POINT (1 2)"]
    assert (delivery.crs, delivery.record, delivery.first) == ("EPSG:4326", "Placemark", 1)


def test_typed_data_stays_text() -> None:
    """A schema that calls an id a whole number does not take its zeros; GDAL makes 7 of `007`."""
    typed = (
        '<Schema id="s"><SimpleField type="int" name="id"/></Schema><Placemark><ExtendedData><SchemaData '
        'schemaUrl="#s"><SimpleData name="id">007</SimpleData></SchemaData></ExtendedData></Placemark>'
    )
    assert texts(read(document(typed), "id")) == {"id": ["007"]}
    _, table = read_arrow(document(typed))
    assert table.column("id").to_pylist()[-1] in (7, None)


@pytest.mark.parametrize(
    ("kml", "wkt"),
    [
        pytest.param("", None, id="none"),
        pytest.param("<Point><coordinates>\n1,2,3\t</coordinates></Point>", "POINT Z (1 2 3)", id="altitude"),
        pytest.param("<LineString><coordinates>1,2 3,4</coordinates></LineString>", "LINESTRING (1 2, 3 4)", id="line"),
        pytest.param(RING, "LINESTRING (0 0, 2 0, 2 2, 0 0)", id="lone-ring"),
        pytest.param(
            f"<Polygon><outerBoundaryIs>{RING}</outerBoundaryIs><innerBoundaryIs>{RING}</innerBoundaryIs></Polygon>",
            "POLYGON ((0 0, 2 0, 2 2, 0 0), (0 0, 2 0, 2 2, 0 0))",
            id="hole",
        ),
        pytest.param(f"<MultiGeometry>{PLOT}</MultiGeometry>", "MULTIPOLYGON (((0 0, 2 0, 2 2, 0 0)))", id="one-kind"),
        pytest.param(
            f"<MultiGeometry>{POINT}{PLOT}</MultiGeometry>",
            "GEOMETRYCOLLECTION (POINT (1 2), POLYGON ((0 0, 2 0, 2 2, 0 0)))",
            id="many-kinds",
        ),
        pytest.param("<MultiGeometry></MultiGeometry>", "GEOMETRYCOLLECTION EMPTY", id="empty"),
    ],
)
def test_every_kind_of_geometry_is_read(kml: str, wkt: str | None) -> None:
    """Geometry keeps its altitudes, and a MultiGeometry its parts."""
    assert shapes(read(document(placemark(kml)))) == [wkt]


_BAD_COORDINATES = "longitude,latitude"


@pytest.mark.parametrize(
    ("kml", "match"),
    [
        pytest.param("<Point><coordinates>1 2</coordinates></Point>", "one position; found 2", id="no-comma"),
        pytest.param("<Point><coordinates>1, 2</coordinates></Point>", _BAD_COORDINATES, id="blank-after-comma"),
        pytest.param("<Point><coordinates>1,2,3,4</coordinates></Point>", "2 or 3 numbers; found 4", id="four"),
        pytest.param("<Point><coordinates>nan,2</coordinates></Point>", _BAD_COORDINATES, id="nan"),
        pytest.param("<Point><coordinates>1e999,2</coordinates></Point>", "finite", id="infinite"),
        pytest.param("<Point><coordinates>1_0,2</coordinates></Point>", _BAD_COORDINATES, id="underscore"),
        pytest.param("<Point><coordinates>1;2</coordinates></Point>", _BAD_COORDINATES, id="semicolon"),
        pytest.param("<Point></Point>", "found 0 elements", id="no-coordinates"),
        pytest.param("<Polygon></Polygon>", "one outerBoundaryIs; found 0", id="no-outline"),
        pytest.param("<Polygon><outerBoundaryIs/></Polygon>", "one LinearRing", id="no-ring"),
        pytest.param(PLOT.replace("2,2 0,0", "2,2 0,1"), "a closed ring", id="not-closed"),
        pytest.param(PLOT.replace("2,0", "2,0,5"), "found both", id="some-with-altitude"),
        pytest.param(PLOT + POINT, "found 2 geometries", id="two-geometries"),
        pytest.param("<Model></Model>", "element {.*}Model", id="model"),
        pytest.param(
            '<gx:Track xmlns:gx="http://www.google.com/kml/ext/2.2"></gx:Track>', "element {.*}Track", id="track"
        ),
    ],
)
def test_malformed_geometry_is_named_by_its_placemark(kml: str, match: str) -> None:
    """GDAL reads many of these as another place, or as none."""
    gate, where = refused(document(placemark(), placemark(kml)), match=match)
    assert gate == "source_readable"
    assert where.startswith("Placemark 2")


_LOL = '<!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
_FILE = '<!DOCTYPE kml [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    ("data", "match"),
    [
        pytest.param(document(placemark(name="&b;"), before=_LOL), "DTDForbidden", id="billion-laughs"),
        pytest.param(document(placemark(name="&a;"), before=_FILE), "DTDForbidden", id="external-entity"),
        pytest.param(document(before='<!DOCTYPE kml SYSTEM "http://example.com/x.dtd">'), "DTDForbidden", id="dtd"),
        pytest.param(document(placemark(name="&b;")), "undefined entity", id="undefined-entity"),
        pytest.param(document("<NetworkLink></NetworkLink>"), "the element NetworkLink", id="network-link"),
        pytest.param(document(space="http://example.com"), "root element kml", id="other-namespace"),
        pytest.param(b"<kml><Document/></kml>", "root element kml", id="no-namespace"),
        pytest.param(b'<?xml version="1.0" encoding="klingon"?><kml/>', "well-formed XML", id="unknown-encoding"),
        pytest.param(PNG, "well-formed XML", id="png"),
        pytest.param(b"", "well-formed XML", id="nothing"),
        pytest.param(document(placemark(id="<b>1</b>")), "plain text; found the element", id="markup-in-a-value"),
        pytest.param(document(placemark(id="\u009f")), "control character", id="control-character"),
    ],
)
def test_what_is_no_safe_kml_is_refused(data: bytes, match: str) -> None:
    """Nothing is expanded, fetched or guessed."""
    assert refused(data, "id" if b'"id"' in data else "name", match=match)[0] == "source_readable"


def test_a_file_that_was_cut_off_is_refused_at_every_length() -> None:
    """The root element does not end."""
    for part in cuts(document(placemark(), placemark(POINT))):
        assert refused(part, match="well-formed XML")[0] == "source_readable"


@pytest.mark.parametrize(
    ("placemarks", "match"),
    [
        pytest.param((placemark(),), "no 'year'; the Placemarks have name", id="missing"),
        pytest.param(
            (placemark(year="1"), placemark().replace("</name>", "</name><name>b</name>")), "'name' twice", id="twice"
        ),
        pytest.param(
            (placemark(name="a", year="1").replace('"year"', '"name"', 1),), "'name' twice", id="own-and-data"
        ),
    ],
)
def test_columns_must_be_there_once(placemarks: tuple[str, ...], match: str) -> None:
    """A column that no Placemark has is missing; one that a Placemark has twice has no value."""
    assert refused(document(*placemarks), "name", "year", match=match)[0] == "columns_present"


def test_no_placemarks_are_an_empty_delivery() -> None:
    """Whether there must be rows is for a gate to judge."""
    assert texts(read(document(), "id")) == {"id": []}


FOLDERS = document(
    f"<Folder><name>2020</name>{placemark(name='a')}</Folder>",
    f"<Folder><name>2021</name>{placemark(name='b')}<Folder><name>x</name>{placemark(name='c')}</Folder></Folder>",
)


def test_a_layer_is_a_folder_with_all_that_is_in_it() -> None:
    """Folders within the folder belong to it."""
    assert texts(read(FOLDERS, "name", layer="2021")) == {"name": ["b", "c"]}


@pytest.mark.parametrize(
    ("layer", "match"),
    [(None, "found '2020', '2021', 'x'"), ("2022", "named '2022'; found '', '2020'")],
    ids=["not-named", "not-there"],
)
def test_one_of_several_layers_must_be_named(layer: str | None, match: str) -> None:
    """What was meant is not guessed; the refusal lists what there is."""
    assert refused(FOLDERS, match=match, layer=layer)[0] == "source_readable"


def test_a_kmz_is_read_when_it_holds_one_kml() -> None:
    """A KMZ is a zip archive, judged as every other."""
    delivery = read(zipped(doc=document(placemark(name="0042"))), "name")
    assert texts(delivery) == {"name": ["0042"]}
    assert delivery.facts["container_member"] == "doc.kml"
    assert refused(zipped(a=document(), b=document()), match="found 2: 'a.kml', 'b.kml'")[0] == "source_readable"
    for part in cuts(zipped(doc=document(placemark()))):
        assert refused(part, match="zip archive|well-formed")[0] == "source_readable"


def test_gdal_reads_the_same_shapes() -> None:
    """What both can read is the same to the bit."""
    marks = [
        placemark(PLOT),
        placemark(POINT),
        placemark(f"<MultiGeometry>{PLOT}{PLOT}</MultiGeometry>"),
        placemark(""),
    ]
    _, table = read_arrow(document(*marks))
    theirs = [None if each is None else shapely.from_wkb(each).wkt for each in table.column("wkb_geometry").to_pylist()]
    assert [None if each is None else shapely.from_wkt(each).wkt for each in shapes(read(document(*marks)))] == theirs


@given(ids=TEXT_IDS)
def test_text_ids_that_gdal_writes_come_back(tmp_path_factory: pytest.TempPathFactory, ids: list[str]) -> None:
    """A round trip through LIBKML changes no id."""
    path: Path = tmp_path_factory.mktemp("kml") / "plots.kml"
    wkb = pa.array([shapely.to_wkb(shapely.Point(1, 2))] * len(ids), pa.binary())
    write_arrow(
        pa.table({"id_text": ids, "geometry": wkb}),
        path,
        driver="LIBKML",
        geometry_name="geometry",
        geometry_type="Point",
        crs="EPSG:4326",
    )
    delivery = read(path.read_bytes(), "id_text")
    assert texts(delivery) == {"id_text": ids}
    assert shapes(delivery) == ["POINT Z (1 2 0)"] * len(ids)
