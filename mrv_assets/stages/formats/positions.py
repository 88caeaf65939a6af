"""Nested arrays of positions, as GeoJSON has them, into ISO WKB, refused by the path of the member that is wrong.

Coordinates go over bit by bit: nothing is rounded, closed, reordered or padded. What does not belong here: features
and files (geojson, kml) and whether a shape makes sense on the ground (normalize).
"""

from __future__ import annotations

import math
import struct
from itertools import chain
from typing import Any

from mrv_assets.stages.delivery import unreadable

GEOMETRY_TYPES = {
    "Point": 1,
    "LineString": 2,
    "Polygon": 3,
    "MultiPoint": 4,
    "MultiLineString": 5,
    "MultiPolygon": 6,
    "GeometryCollection": 7,
}
_NUMBERS = {int, float}
_MAX_NESTING = 16
_SHOWN = 60
_NOTHING = struct.pack("<I", 0)
_DIMENSIONS = "positions that all have 2 or all have 3 numbers"


def geometry_wkb(geometry: object, *, at: str) -> bytes:
    """Return a GeoJSON geometry object as little-endian ISO WKB, its Z values kept, an empty one as empty.

    `at` is the path of the geometry, for messages. Raises GateError (gate `source_readable`) naming the member that
    is not as RFC 7946 has it: a type that is spelled otherwise, arrays too deep or too shallow, a position without 2
    or 3 finite numbers, positions of both kinds in one geometry, a line of one position, a ring that is not closed or
    has less than 4 positions, an absent or null member.
    """
    dimensions, code, body = _geometry(geometry, at, _MAX_NESTING)
    return _header(code, dimensions) + body


def shown(value: object) -> str:
    """Return a JSON value as it can stand in a message: short, and by its JSON kind when it is a container."""
    if isinstance(value, dict):
        return f"an object with {', '.join(map(repr, list(value)[:5])) or 'no members'}"
    if isinstance(value, list):
        return f"an array of {len(value)}"
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def is_number(value: object) -> bool:
    """Return whether a JSON value is a number, and one that a binary64 holds."""
    try:
        return type(value) in _NUMBERS and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer beyond the largest binary64
        return False


def _geometry(geometry: object, at: str, nesting: int) -> tuple[int, int, bytes]:
    """Return the numbers per position (0 when there are none), the WKB code and the WKB without its header."""
    if not isinstance(geometry, dict):
        raise unreadable(at, expected="a geometry object", found=shown(geometry))
    kind = geometry.get("type")
    if not isinstance(kind, str) or kind not in GEOMETRY_TYPES:
        found = shown(kind) if "type" in geometry else "no such member"
        raise unreadable(f"{at}.type", expected=f"one of {', '.join(GEOMETRY_TYPES)}, spelled so", found=found)
    member = "geometries" if kind == "GeometryCollection" else "coordinates"
    if member not in geometry:
        raise unreadable(f"{at}.{member}", expected=f"the member that a {kind} has", found="no such member")
    value, path = geometry[member], f"{at}.{member}"
    if kind == "GeometryCollection":
        dimensions, body = _collection(value, path, nesting)
    else:
        dimensions, body = _coordinates(kind, value, path)
    return dimensions, GEOMETRY_TYPES[kind], body


def _collection(geometries: object, at: str, nesting: int) -> tuple[int, bytes]:
    if not nesting:
        raise unreadable(at, expected=f"collections nested at most {_MAX_NESTING} deep", found="deeper ones")
    parts = [_geometry(part, f"{at}[{index}]", nesting - 1) for index, part in enumerate(_array(geometries, at))]
    dimensions = _agreed([part[0] for part in parts], at)
    return dimensions, _many([(code, body) for _, code, body in parts], dimensions)


def _coordinates(kind: str, value: object, at: str) -> tuple[int, bytes]:
    if kind == "Point":
        dimensions = _position(value, at)
        return dimensions, struct.pack(f"<{dimensions}d", *_array(value, at))
    if kind == "LineString":
        return _line(value, at, shortest=2) if value != [] else (0, _NOTHING)
    if kind == "Polygon":
        rings = [_ring(ring, f"{at}[{index}]") for index, ring in enumerate(_array(value, at))]
        dimensions = _agreed([ring[0] for ring in rings], at)
        return dimensions, struct.pack("<I", len(rings)) + b"".join(body for _, body in rings)
    part = kind.removeprefix("Multi")
    parts = [_coordinates(part, item, f"{at}[{index}]") for index, item in enumerate(_array(value, at))]
    dimensions = _agreed([found for found, _ in parts], at)
    return dimensions, _many([(GEOMETRY_TYPES[part], body) for _, body in parts], dimensions)


def _ring(value: object, at: str) -> tuple[int, bytes]:
    written = _line(value, at, shortest=4)
    positions = _array(value, at)
    if positions[0] != positions[-1]:
        raise unreadable(
            at,
            expected="a closed ring: the last position is the first",
            found=f"{positions[0]} first and {positions[-1]} last",
        )
    return written


def _line(value: object, at: str, *, shortest: int) -> tuple[int, bytes]:
    positions = _array(value, at)
    flat = _flat(positions)
    if flat is None:  # slowly, to name what is wrong
        dimensions = _agreed([_position(position, f"{at}[{index}]") for index, position in enumerate(positions)], at)
        flat = [float(number) for number in chain.from_iterable(positions)]
    else:
        dimensions = len(positions[0])
    if len(positions) < shortest:
        raise unreadable(at, expected=f"at least {shortest} positions", found=f"{len(positions)}")
    return dimensions, struct.pack(f"<I{len(flat)}d", len(positions), *flat)


def _flat(positions: list[Any]) -> list[float] | None:
    """Return all numbers of well-formed positions in one list; None when one look cannot tell that they are."""
    if not positions or set(map(type, positions)) != {list} or set(map(len, positions)) not in ({2}, {3}):
        return None
    flat = list(chain.from_iterable(positions))
    if not set(map(type, flat)) <= _NUMBERS:
        return None
    try:
        return flat if math.isfinite(math.fsum(flat)) else None
    except OverflowError:
        return None


def _position(value: object, at: str) -> int:
    numbers = _array(value, at)
    for index, number in enumerate(numbers):
        if not is_number(number):
            raise unreadable(f"{at}[{index}]", expected="a finite number", found=shown(number))
    if len(numbers) not in (2, 3):
        raise unreadable(at, expected="a position: 2 or 3 numbers", found=f"{len(numbers)} numbers")
    return len(numbers)


def _array(value: object, at: str) -> list[Any]:
    if not isinstance(value, list):
        raise unreadable(at, expected="an array", found=shown(value))
    return value


def _agreed(dimensions: list[int], at: str) -> int:
    found = set(dimensions) - {0}
    if len(found) > 1:
        raise unreadable(at, expected=_DIMENSIONS, found="both")
    return found.pop() if found else 0


def _many(parts: list[tuple[int, bytes]], dimensions: int) -> bytes:
    return struct.pack("<I", len(parts)) + b"".join(_header(code, dimensions) + body for code, body in parts)


def _header(code: int, dimensions: int) -> bytes:
    return struct.pack("<BI", 1, code + (1000 if dimensions == 3 else 0))
