"""KML (OGC 2.2, 2.3) and KMZ into a delivery: every Placemark is a record, every value is text as it is written.

GDAL is not used: it types values by the schema of the file (`007` becomes 7), gives a lone ring as no bytes at all and
names a nameless document at random. What does not belong here: geometry (kml_geometry) and zip archives (archives).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, ParseError

import pyarrow as pa
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from mrv_assets.domain.errors import listed
from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import Delivery, columns_missing, unreadable
from mrv_assets.stages.formats.archives import members, read_member
from mrv_assets.stages.formats.headers import refuse_no_text
from mrv_assets.stages.formats.kml_geometry import placemark_wkb

NAMESPACES = ("http://www.opengis.net/kml/2.2", *(f"http://earth.google.com/kml/2.{n}" for n in range(3)))
_ZIP = b"PK\x03\x04"
_CONTAINERS = ("Document", "Folder")
_OWN = ("name", "description")


def read_kml(data: bytes, source: Source, *, where: str) -> Delivery:
    """Read the Placemarks of a KML file, or of the one KML file in a KMZ archive, in document order.

    Columns are `name`, `description` and the data names of ExtendedData; a Placemark without one has null there. KML
    is longitude, latitude and altitude on WGS 84 by its standard, so it is tagged EPSG:4326. `source.layer` is the
    name of a Document or Folder, whose Placemarks are read at any depth; it is needed when several hold some.

    Raises GateError: gate `source_readable` for bytes that are no whole KML, a document type, entities and references
    to other files, network links, a layer that is not there once, a value that is no plain text and geometry that
    KML does not allow; gate `columns_present` when no Placemark has a wanted column or one has it twice.
    """
    document, facts = _document(data, where)
    root = _root(document, where)
    namespace = root.tag.removesuffix("kml")
    placemarks = _placemarks(root, namespace, source, where)
    cells = [_cells(mark, namespace, source, f"{where}, Placemark {row}") for row, mark in enumerate(placemarks, 1)]
    shapes = [placemark_wkb(mark, namespace, at=f"{where}, Placemark {row}") for row, mark in enumerate(placemarks, 1)]
    return Delivery(
        columns=_columns(cells, source, where),
        geometry=pa.chunked_array([pa.array(shapes, pa.binary())]),
        crs="EPSG:4326",
        record="Placemark",
        first=1,
        facts={"crs_stated_by": "the KML standard", **facts},
    )


def _document(data: bytes, where: str) -> tuple[bytes, Mapping[str, str]]:
    if not data.startswith(_ZIP):
        return data, {}
    names = [name for name in members(data, where=where) if name.lower().endswith(".kml")]
    if len(names) != 1:
        raise unreadable(where, expected="one .kml file in the archive", found=f"{len(names)}: {listed(names)}")
    return read_member(data, names[0], where=where), {"container_member": names[0]}


def _root(document: bytes, where: str) -> Element:
    try:
        root: Element = fromstring(document, forbid_dtd=True)
    except DefusedXmlException as error:
        raise unreadable(
            where,
            expected="KML without a document type, entities and references to other files",
            found=f"{type(error).__name__}: {error}",
            remedy="have the file written without them; they can make a small file unboundedly large",
        ) from error
    except (ParseError, ValueError, LookupError) as error:  # the latter two for an encoding that is not known
        raise unreadable(where, expected="well-formed XML, whole", found=str(error)) from error
    if root.tag not in [f"{{{namespace}}}kml" for namespace in NAMESPACES]:
        raise unreadable(where, expected=f"a root element kml of {NAMESPACES[0]}", found=root.tag)
    return root


def _placemarks(root: Element, namespace: str, source: Source, where: str) -> list[Element]:
    """Return the Placemarks of the layer, or all where there is one layer."""
    for link in ("NetworkLink", "NetworkLinkControl"):
        if next(root.iter(f"{namespace}{link}"), None) is not None:
            raise unreadable(
                where,
                expected="a file that holds all that it shows",
                found=f"the element {link}",
                remedy="deliver the linked file itself",
            )
    layers = {element: _name(element, namespace) for element in _containers(root, namespace)}
    if source.layer is None:
        holding = [name for element, name in layers.items() if element.find(f"{namespace}Placemark") is not None]
        if len(holding) > 1:
            raise _layers(where, "one Document or Folder with Placemarks, or the name of one as layer", holding)
        return list(root.iter(f"{namespace}Placemark"))
    named = [element for element, name in layers.items() if name == source.layer]
    if len(named) != 1:
        raise _layers(where, f"one Document or Folder named {source.layer!r}", list(layers.values()))
    return list(named[0].iter(f"{namespace}Placemark"))


def _containers(root: Element, namespace: str) -> Iterator[Element]:
    return (element for element in root.iter() if element.tag in [f"{namespace}{kind}" for kind in _CONTAINERS])


def _name(element: Element, namespace: str) -> str:
    return element.findtext(f"{namespace}name", "")


def _cells(mark: Element, namespace: str, source: Source, at: str) -> Mapping[str, str]:
    """Return the wanted texts of a Placemark by their names, and the names of the others."""
    cells: dict[str, str] = {}
    for name, element in _values(mark, namespace):
        if name not in source.wanted:
            cells[name] = ""
            continue
        if name in cells:
            raise columns_missing(at, expected="every name once", found=f"{name!r} twice")
        if len(element):
            raise unreadable(f"{at}, {name}", expected="plain text", found=f"the element {element[0].tag}")
        cells[name] = element.text or ""
    return cells


def _values(mark: Element, namespace: str) -> Iterator[tuple[str, Element]]:
    for own in _OWN:
        yield from ((own, element) for element in mark.findall(f"{namespace}{own}"))
    for extended in mark.findall(f"{namespace}ExtendedData"):
        for element in extended.iter(f"{namespace}SimpleData"):
            yield element.get("name", ""), element
        for element in extended.findall(f"{namespace}Data"):
            value = element.find(f"{namespace}value")
            if value is not None:
                yield element.get("name", ""), value


def _columns(cells: list[Mapping[str, str]], source: Source, where: str) -> pa.Table:
    there = sorted({name for each in cells for name in each})
    missing = [name for name in source.wanted if name not in there]
    if missing and cells:
        raise columns_missing(
            where,
            expected=f"{', '.join(source.wanted)}, each in some Placemark",
            found=f"no {listed(missing)}; the Placemarks have {', '.join(there) or 'no data'}",
        )
    table = pa.table({name: pa.array([each.get(name) for each in cells], pa.string()) for name in source.wanted})
    refuse_no_text(table, where=where, record="Placemark", first=1)
    return table


def _layers(where: str, expected: str, found: list[str]) -> Exception:
    return unreadable(
        where,
        expected=expected,
        found=listed(found) if found else "none",
        remedy="name one of them as layer under [source] in the project file",
    )
