"""Controls on where a VCS project lies: no other project's land, neighbours listed, a geolocation file, exclusions.

VCS Standard v5.0 §3.10, Registration and Issuance Process v4.4 §4.4.3, VCS Program Definitions v5.0. The areas of other
projects are evidence of the package: what it leaves out is not seen here. What does not belong here: reading shapes
(areas).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import shapely

from mrv_assets.compliance.controls.areas import Shape, distance_m, project_area, shapes_of
from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.compliance.controls.shown import is_sha256
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_AREAS = ("afolu_project", "areas_crs", "project_areas")


def no_overlap(case: ControlCase, rule: Rule) -> Finding:
    """Find which areas of the table `other_afolu_areas` (`project_id`, `wkt`) share land with the project."""
    evidence = (*_AREAS, "other_afolu_areas")
    limit = f"at most {rule.threshold('tolerance_m2')} m2 shared with any other AFOLU project"
    monitoring = case.account.monitoring
    if not monitoring.is_so("afolu_project"):
        return not_applicable("not an AFOLU project", limit=limit, evidence=evidence)
    others = shapes_of(monitoring, "other_afolu_areas", "project_id")
    shared = _shared(project_area(monitoring), others, rule.threshold("tolerance_m2"))
    return held(
        holds=not shared,
        observed=_listed(shared) or f"none of {len(others)} other areas overlaps",
        limit=limit,
        evidence=evidence,
        remedy="take the shared land out of the project area",
        overlapping=Decimal(len(shared)),
    )


def area_excludes(case: ControlCase, rule: Rule) -> Finding:
    """Find which of `excluded_areas` (`id`, `kind`, `wkt`) lie in the project area.

    Each kind of the rule has a row, or a fact `no_<kind>` that says `yes`.
    """
    evidence = (*_AREAS, "excluded_areas")
    kinds = rule.choices["kinds"].split()
    limit = f"at most {rule.threshold('tolerance_m2')} m2 of {', '.join(kinds)}"
    monitoring = case.account.monitoring
    if not monitoring.is_so("afolu_project"):
        return not_applicable("not an AFOLU project", limit=limit, evidence=evidence)
    _require_kinds(monitoring, kinds)
    shared = _shared(
        project_area(monitoring), shapes_of(monitoring, "excluded_areas", "id"), rule.threshold("tolerance_m2")
    )
    return held(
        holds=not shared,
        observed=_listed(shared) or "none of them lies in the project area",
        limit=limit,
        evidence=(*evidence, *(f"no_{kind}" for kind in kinds)),
        remedy="cut roads, water bodies and settlements out of the project area",
        overlapping=Decimal(len(shared)),
    )


def neighbours_listed(case: ControlCase, rule: Rule) -> Finding:
    """Find which of `other_afolu_areas` within the distance are not in the table `neighbours` (`project_id`)."""
    evidence = (*_AREAS, "other_afolu_areas", "neighbours")
    limit = f"each project within {rule.threshold('within_m')} m is listed"
    monitoring = case.account.monitoring
    if not monitoring.is_so("afolu_project"):
        return not_applicable("not an AFOLU project: its points are not read", limit=limit, evidence=evidence)
    named = {row["project_id"].strip() for row in monitoring.table("neighbours", "project_id")}
    area = project_area(monitoring)
    near = {
        name
        for name, other in shapes_of(monitoring, "other_afolu_areas", "project_id").items()
        if distance_m(monitoring, area, other) <= rule.threshold("within_m")
    }
    return held(
        holds=near <= named,
        observed=f"{len(near)} near, not listed: {', '.join(sorted(near - named)) or 'none'}",
        limit=limit,
        evidence=evidence,
        remedy="list them, so that it can be confirmed that this project is none of them",
        near=Decimal(len(near)),
    )


def geolocation_file(case: ControlCase, _rule: Rule) -> Finding:
    """Find whether the package names the geolocation file by its digest."""
    found = case.account.monitoring.fact("geolocation_file_sha256")
    return held(
        holds=is_sha256(found),
        observed=found,
        limit="the SHA-256 of the file, 64 hex digits",
        evidence=("geolocation_file_sha256",),
        remedy="prepare the file as the programme asks and state its digest",
    )


def _shared(area: Shape, others: Mapping[str, Shape], tolerance_m2: Decimal) -> dict[str, float]:
    shared = {name: float(shapely.area(shapely.intersection(area, other))) for name, other in others.items()}
    return {name: square_m for name, square_m in shared.items() if square_m > tolerance_m2}


def _listed(shared: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {square_m:.1f} m2" for name, square_m in sorted(shared.items()))


def _require_kinds(monitoring: Monitoring, kinds: list[str]) -> None:
    rows = monitoring.table("excluded_areas", "id", "kind", "wkt")
    found = {row["kind"].strip() for row in rows}
    unknown = sorted(found - set(kinds))
    if unknown:
        raise monitoring.unusable(
            "table excluded_areas, column kind", expected=" or ".join(kinds), found=", ".join(unknown)
        )
    for kind in kinds:
        if kind not in found and not monitoring.is_so(f"no_{kind}"):
            raise monitoring.missing(f"table excluded_areas, a row of kind {kind}, or the fact no_{kind}")


CHECKS: Mapping[str, Check] = {
    "vcs_no_overlap": no_overlap,
    "vcs_neighbours_listed": neighbours_listed,
    "vcs_geolocation_file": geolocation_file,
    "vcs_area_excludes": area_excludes,
}
