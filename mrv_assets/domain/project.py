"""What a project and an inventory are: who reports what, from which source, on which land, under which policy.

Both are read from reviewed TOML files in `reference_data/`. What does not belong here: fetching the files
(storage) and reading the sources they describe (stages).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Period, checked_id

MAPPED_COLUMNS = ("row_id", "activity_id", "region", "epoch", "activity_qty", "unit")


class Publication(StrEnum):
    """How the ledger of a project moves from one factor version to another."""

    LATEST = "latest"
    PINNED = "pinned"


class GeometrySource(StrEnum):
    """Where an activity row's footprint comes from: the project boundary, or a WKT column of the source."""

    BOUNDARY = "boundary"
    WKT = "wkt"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredCrs:
    """A CRS that the project declares for an untagged file, and why it may."""

    crs: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """The feature of a boundary file, under the reference data, that is this project's land."""

    path: str
    id_property: str
    id: str
    declared: DeclaredCrs | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """How a landing file maps to activity rows.

    `where` selects this project's rows by text equality; `columns` maps our column to theirs; `constants`
    gives a column one value for all rows. Together they name each of `MAPPED_COLUMNS` exactly once.
    """

    path: str
    format: str
    geometry: GeometrySource
    geometry_column: str | None
    declared: DeclaredCrs | None
    where: Mapping[str, str]
    columns: Mapping[str, str]
    constants: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """One reporting project. `pins` are factor versions by period; `digest` is of the whole file."""

    id: str
    name: str
    standard: str
    factor_line: str
    publication: Publication
    pins: Mapping[str, str]
    boundary: Boundary
    source: Source
    digest: str

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> Project:
        """Read a project file. Raises ContractError or IdentityError naming `where` when it is malformed."""
        d = _toml(data, where)
        try:
            return cls(
                id=checked_id(d["id"], what="project_id"),
                name=d["name"],
                standard=d["standard"],
                factor_line=checked_id(d["factor_line"], what="factor line"),
                publication=Publication(d["publication"]),
                pins={Period.parse(p).text: checked_id(v, what="factor_version") for p, v in d.get("pins", {}).items()},
                boundary=_boundary(d["boundary"]),
                source=_source(d["source"]),
                digest=sha256_hex(data),
            )
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise _malformed(where, f"{type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """Projects that are reported together, and the periods for which their total must be complete."""

    id: str
    title: str
    projects: Sequence[str]
    periods: Sequence[str]

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> Inventory:
        """Read an inventory file. Raises ContractError or IdentityError naming `where` when it is malformed."""
        d = _toml(data, where)
        try:
            return cls(
                id=checked_id(d["id"], what="inventory id"),
                title=d["title"],
                projects=tuple(checked_id(p, what="project_id") for p in d["projects"]),
                periods=tuple(Period.parse(p).text for p in d["periods"]),
            )
        except (KeyError, ValueError, TypeError) as error:
            raise _malformed(where, f"{type(error).__name__}: {error}") from error


def _boundary(d: Mapping[str, Any]) -> Boundary:
    return Boundary(path=d["path"], id_property=d["id_property"], id=d["id"], declared=_declared(d))


def _source(d: Mapping[str, Any]) -> Source:
    columns, constants = dict(d.get("columns", {})), dict(d.get("constants", {}))
    mapped = sorted([*columns, *constants])
    if mapped != sorted(MAPPED_COLUMNS):
        raise ValueError(
            f"[source] must map each of {', '.join(MAPPED_COLUMNS)} exactly once; it maps {', '.join(mapped)}"
        )
    geometry = GeometrySource(d["geometry"])
    if (geometry is GeometrySource.WKT) != ("geometry_column" in d):
        raise ValueError('geometry_column goes with geometry = "wkt", and only with it')
    return Source(
        path=d["path"],
        format=d["format"],
        geometry=geometry,
        geometry_column=d.get("geometry_column"),
        declared=_declared(d),
        where=dict(d.get("where", {})),
        columns=columns,
        constants=constants,
    )


def _declared(d: Mapping[str, Any]) -> DeclaredCrs | None:
    if "declared_crs" not in d:
        return None
    return DeclaredCrs(crs=d["declared_crs"], because=d["declared_because"])


def _toml(data: bytes, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _malformed(where, str(error)) from error


def _malformed(where: str, found: str) -> ContractError:
    return ContractError(
        "project or inventory file is malformed",
        where=where,
        expected="the fields described in docs/projects.md",
        found=found,
        remedy="correct the file; see reference_data/projects for examples",
    )
