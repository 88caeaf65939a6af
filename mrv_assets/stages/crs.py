"""Which coordinate reference system footprints came in, and who says so.

What does not belong here: getting from that CRS to the canonical one (projection).
"""

from __future__ import annotations

from pyproj import CRS
from pyproj.exceptions import CRSError

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.project import DeclaredCrs, GeometrySource, Project


def declared_crs(project: Project, *, boundary_crs: str | None, where: str) -> DeclaredCrs:
    """Return the CRS of the project's footprints and why it may be believed; never a default.

    `boundary_crs` is what the boundary file itself says, None for an untagged file; it counts only when
    footprints come from that file. Raises GateError (gate `crs_declared`) when neither the file nor the
    project says, when they contradict each other, or when PROJ does not know the name.
    """
    is_boundary = project.source.geometry is GeometrySource.BOUNDARY
    declared = project.boundary.declared if is_boundary else project.source.declared
    tagged = boundary_crs if is_boundary else None
    if declared is None:
        if tagged is None:
            raise _unusable(where, "a CRS in the file or declared_crs in the project", "neither")
        declared = DeclaredCrs(crs=tagged, because="the boundary file is tagged with it")
    crs = known_crs(declared.crs, gate="crs_declared", where=where)
    if tagged is not None:
        found = known_crs(tagged, gate="crs_declared", where=where)
        if not crs.equals(found, ignore_axis_order=True):
            raise _unusable(where, f"the CRS that the project declares, {declared.crs}", f"a file tagged {tagged}")
    return declared


def known_crs(text: str, *, gate: str, where: str) -> CRS:
    """Return the CRS that `text` names. Raises GateError of `gate` unless PROJ knows it as geographic or projected."""
    try:
        crs = CRS.from_user_input(text)
    except CRSError as error:
        raise _unusable(where, "a CRS that PROJ knows, such as EPSG:4326", f"{text!r}: {error}", gate) from error
    if not (crs.is_geographic or crs.is_projected):
        raise _unusable(where, "a geographic or projected CRS", f"{text}, a {crs.type_name}", gate)
    return crs


def _unusable(where: str, expected: str, found: str, gate: str = "crs_declared") -> GateError:
    return GateError(
        "footprints have no usable CRS",
        gate=gate,
        where=where,
        expected=expected,
        found=found,
        remedy="set declared_crs and declared_because in the project file, after asking who made the file",
    )
