"""The geometry of a KML Placemark, by way of the same checks as GeoJSON, into ISO WKB.

What does not belong here: everything else about Placemarks (kml).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.positions import geometry_wkb

_GX = "{http://www.google.com/kml/ext/2.2}"
_KINDS = ("Point", "LineString", "LinearRing", "Polygon", "MultiGeometry")
_NOT_AN_OUTLINE = ("Model", "Track", "MultiTrack")
_EXPECTED = "longitude,latitude[,altitude] in digits, positions apart by blanks, blanks nowhere else"
_COORDINATES = re.compile(r"[0-9eE+\-.,\s]*", re.ASCII)


def placemark_wkb(mark: Element, namespace: str, *, at: str) -> bytes | None:
    """Return the geometry of a Placemark as little-endian ISO WKB, its altitudes kept; None without geometry.

    A lone ring is a closed line; a MultiGeometry of one kind is the multi-part geometry of that kind, and otherwise a
    collection. Raises GateError (gate `source_readable`) for several geometries, a model or a track, and coordinates
    that are not as KML has them.
    """
    refused = {space + kind for space in (namespace, _GX) for kind in _NOT_AN_OUTLINE}
    other = [element.tag for element in mark.iter() if element.tag in refused]
    if other:
        raise unreadable(at, expected=f"geometry of {', '.join(_KINDS)}", found=f"the element {other[0]}")
    found = _geometries(mark, namespace, at)
    if len(found) > 1:
        raise unreadable(at, expected="one geometry, or a MultiGeometry", found=f"{len(found)} geometries")
    return geometry_wkb(found[0], at=at) if found else None


def _geometries(parent: Element, namespace: str, at: str) -> list[dict[str, Any]]:
    kinds = {f"{namespace}{kind}": kind for kind in _KINDS}
    return [_geometry(e, kinds[e.tag], namespace, f"{at}, {kinds[e.tag]}") for e in parent if e.tag in kinds]


def _geometry(element: Element, kind: str, namespace: str, at: str) -> dict[str, Any]:
    """Return a KML geometry as a GeoJSON one."""
    if kind == "MultiGeometry":
        return _multi(_geometries(element, namespace, at))
    if kind == "Polygon":
        outer = element.findall(f"{namespace}outerBoundaryIs")
        if len(outer) != 1:
            raise unreadable(at, expected="one outerBoundaryIs", found=f"{len(outer)}")
        boundaries = [*outer, *element.findall(f"{namespace}innerBoundaryIs")]
        return {"type": kind, "coordinates": [_ring(boundary, namespace, at) for boundary in boundaries]}
    positions = _positions(element, namespace, at)
    if kind == "Point":
        if len(positions) != 1:
            raise unreadable(at, expected="one position", found=f"{len(positions)}")
        return {"type": kind, "coordinates": positions[0]}
    return {"type": "LineString", "coordinates": positions}


def _multi(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    kinds = {part["type"] for part in parts}
    if len(kinds) == 1 and kinds <= {"Point", "LineString", "Polygon"}:
        return {"type": f"Multi{kinds.pop()}", "coordinates": [part["coordinates"] for part in parts]}
    return {"type": "GeometryCollection", "geometries": list(parts)}


def _ring(boundary: Element, namespace: str, at: str) -> list[list[float]]:
    rings = boundary.findall(f"{namespace}LinearRing")
    if len(rings) != 1:
        raise unreadable(at, expected="one LinearRing in each boundary", found=f"{len(rings)}")
    return _positions(rings[0], namespace, at)


def _positions(element: Element, namespace: str, at: str) -> list[list[float]]:
    texts = element.findall(f"{namespace}coordinates")
    text = (texts[0].text or "") if len(texts) == 1 else None
    if text is None or not _COORDINATES.fullmatch(text):
        found = f"{len(texts)} elements" if text is None else f"text that begins with {text.strip()[:60]!r}"
        raise unreadable(f"{at}, coordinates", expected=_EXPECTED, found=found)
    try:
        return [[float(number) for number in position.split(",")] for position in text.split()]
    except ValueError as error:
        raise unreadable(f"{at}, coordinates", expected=_EXPECTED, found=str(error)) from error
