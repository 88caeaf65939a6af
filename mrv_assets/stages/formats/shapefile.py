"""The parts of a shapefile in a zip archive: found by name, and held against one another and their own headers.

What does not belong here: whether the archive is safe (archives), what the table holds (dbf) and the shapes (vector).
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from mrv_assets.domain.errors import listed
from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.archives import members, read_member

_MAGIC = b"\x00\x00\x27\x0a"
_HEADER = 100  # bytes, of .shp and .shx alike; all lengths inside count words of 2 bytes
_RECORD_HEADER = 8  # bytes, before each shape in the .shp
_MULTIPATCH = 31
_NEEDED = ("shp", "shx", "dbf")
_LITTER = ("__MACOSX/",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapefile:
    """The parts of one shapefile; `name` is its .shp in the archive, `is_null` tells which records have no shape."""

    name: str
    shp: bytes
    shx: bytes
    dbf: bytes
    prj: str | None
    cpg: bytes | None
    is_null: NDArray[np.bool_]

    @property
    def records(self) -> int:
        """How many records the index counts."""
        return len(self.is_null)

    def shapes_only(self) -> bytes:
        """Return a zip archive of the shapes and their index alone, under a name of ours, for GDAL to read."""
        packed = io.BytesIO()
        with ZipFile(packed, "w") as archive:
            archive.writestr("shapes.shp", self.shp)
            archive.writestr("shapes.shx", self.shx)
        return packed.getvalue()


def shapefile(data: bytes, layer: str | None, *, where: str) -> Shapefile:
    """Return the parts of the one shapefile in the archive, or of the one that `layer` names, with or without `.shp`.

    Raises GateError (gate `source_readable`): see `read_shapefile`.
    """
    if data.startswith(_MAGIC):
        raise unreadable(
            where,
            expected="a zip archive of .shp, .shx and .dbf",
            found="one of them alone: the others are missing",
            remedy="zip the .shp together with its .shx, .dbf, .prj and .cpg",
        )
    names = [name for name in members(data, where=where) if not name.startswith(_LITTER)]
    name = _chosen([name for name in names if name.lower().endswith(".shp")], layer, where)
    parts = _siblings(name, names)
    missing = [f".{kind}" for kind in _NEEDED if kind not in parts]
    at = f"{where}, member {name!r}"
    if missing:
        raise unreadable(
            at, expected="a .shx and a .dbf of the same name beside it", found=f"no {' and no '.join(missing)}"
        )
    held = {kind: read_member(data, member, where=where) for kind, member in parts.items()}
    _check_whole(held["shp"], f"{at}, .shp")
    _check_whole(held["shx"], f"{at}, .shx")
    prj = _text(held["prj"], f"{at}, .prj") if "prj" in held else ""
    return Shapefile(
        name=name,
        shp=held["shp"],
        shx=held["shx"],
        dbf=held["dbf"],
        prj=prj or None,
        cpg=held.get("cpg"),
        is_null=_is_null(held["shp"], held["shx"], at),
    )


def _chosen(names: list[str], layer: str | None, where: str) -> str:
    fitting = [name for name in names if layer is None or layer in _spellings(name)]
    if len(fitting) != 1:
        raise unreadable(
            where,
            expected="one .shp in the archive" if layer is None else f"one .shp named {layer!r}",
            found=listed(names) if names else "none",
            remedy="name one of them as layer under [source] in the project file" if names else "",
        )
    return fitting[0]


def _spellings(name: str) -> tuple[str, ...]:
    file_name = name.rpartition("/")[2]
    return name, name[:-4], file_name, file_name[:-4]


def _siblings(name: str, names: list[str]) -> Mapping[str, str]:
    """Return the members of the same folder and stem by their ending in lower case."""
    stem = name[:-3].lower()
    return {other[len(stem) :].lower(): other for other in names if other.lower().startswith(stem)}


def _text(data: bytes, at: str) -> str:
    try:
        return data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise unreadable(at, expected="text in UTF-8", found=str(error)) from error


def _check_whole(part: bytes, at: str) -> None:
    length = 2 * int.from_bytes(part[24:28], "big")
    if not part.startswith(_MAGIC) or not _HEADER <= length <= len(part):
        found = f"{len(part)} bytes that begin with {part[:4].hex(' ')}"
        raise unreadable(at, expected=f"a whole one of {length} bytes, as its header says", found=found)


def _is_null(shp: bytes, shx: bytes, at: str) -> NDArray[np.bool_]:
    """Return of each record whether its shape is null, once all shapes lie in the file and are of its one kind."""
    length = 2 * int.from_bytes(shx[24:28], "big")
    index = np.frombuffer(shx, ">i4", count=(length - _HEADER) // 8 * 2, offset=_HEADER).astype(np.int64).reshape(-1, 2)
    begins = 2 * index[:, 0] + _RECORD_HEADER
    is_outside = (begins < _HEADER) | (index[:, 1] < 2) | (begins + 2 * index[:, 1] > len(shp))
    kind = int.from_bytes(shp[32:36], "little")
    if kind == _MULTIPATCH:
        expected, remedy = "points, lines or polygons", "deliver their outlines as polygons"
        raise unreadable(at, expected=expected, found="multipatches", remedy=remedy)
    _refuse_record(is_outside, at, expected="a shape inside of the .shp", found="one beyond its end")
    bytes_of_kind = np.frombuffer(shp, np.uint8)[begins[:, None] + np.arange(4)]
    kinds: NDArray[np.int32] = np.ascontiguousarray(bytes_of_kind).view("<i4")[:, 0]
    is_other = (kinds != kind) & (kinds != 0)
    _refuse_record(is_other, at, expected=f"a shape of kind {kind}, as the header says, or null", found="another kind")
    return np.asarray(kinds == 0)


def _refuse_record(is_bad: NDArray[np.bool_], at: str, *, expected: str, found: str) -> None:
    bad = np.flatnonzero(is_bad)
    if len(bad):
        raise unreadable(f"{at}, record {bad[0] + 1}", expected=expected, found=found)
