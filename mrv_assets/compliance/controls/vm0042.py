"""VM0042: how soil is sampled (strata, composites, depth, equivalent soil mass) and where control sites are.

What does not belong here: what the samples come to (crediting).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from mrv_assets.compliance.controls.cells import Rows
from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.crediting.distinct import distinct
from mrv_assets.crediting.vm0042_evidence import REMEASURED, approach, strata
from mrv_assets.crediting.vm0042_variance import Points
from mrv_assets.domain.errors import listed
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule


def composites(case: ControlCase, rule: Rule) -> Finding:
    """Find whether every stratum has enough composite samples. Raises ContractError when there is no stratum."""
    evidence, least = case.account.monitoring, int(rule.threshold("least"))
    names = _strata(evidence)
    counts = Counter(row["stratum"] for row in _samples(evidence))
    few = [name for name in names if counts[name] < least]
    return held(
        holds=not few,
        observed=f"at least {min(counts[name] for name in names)} in each of {len(names)} strata"
        + (f", too few in {listed(few)}" if few else ""),
        limit=f"{least} composite samples or more in every stratum",
        evidence=("soil_strata", "soil_samples"),
        remedy="draw more composite samples at random in the strata that are named",
        fewest=Decimal(min(counts[name] for name in names)),
    )


def depth(case: ControlCase, rule: Rule) -> Finding:
    """Find whether every composite sample reaches the reporting depth."""
    evidence, least = case.account.monitoring, rule.threshold("least_cm")
    rows = _samples(evidence)
    depths = [evidence.cell("soil_samples", row, "depth_cm") for row in rows]
    return held(
        holds=bool(rows) and min(depths) >= least,
        observed=f"{len(rows)} samples, the shallowest {min(depths, default=0)} cm",
        limit=f"{least} cm or deeper",
        evidence=("soil_samples",),
        remedy="sample to the reporting depth",
    )


def equivalent_soil_mass(case: ControlCase, _rule: Rule) -> Finding:
    """Find whether stocks are compared at equal soil mass."""
    method = case.account.monitoring.fact("soil_stock_basis")
    return held(
        holds=method == "equivalent soil mass",
        observed=method,
        limit="equivalent soil mass",
        evidence=("soil_stock_basis",),
        remedy="compare stocks at equal soil mass; bulk density changes with the practice",
    )


def depth_increments(case: ControlCase, rule: Rule) -> Finding:
    """Find whether every sample of a re-sampling has enough depth increments; not applicable before one."""
    evidence, least = case.account.monitoring, rule.threshold("least")
    limit = f"{least} increments or more at re-sampling"
    if not evidence.is_so("soil_resampled"):
        return not_applicable("soil was not sampled again yet", limit=limit, evidence=("soil_resampled",))
    rows = _samples(evidence)
    counts = [evidence.cell("soil_samples", row, "increments") for row in rows]
    return held(
        holds=bool(rows) and min(counts) >= least,
        observed=f"{len(rows)} samples, at least {min(counts, default=0)} increments",
        limit=limit,
        evidence=("soil_resampled", "soil_samples"),
        remedy="sample in increments; equal soil mass cannot be found from one",
    )


def control_sites(case: ControlCase, rule: Rule) -> Finding:
    """Find whether there are enough control sites, one for every stratum; not applicable to modelled soil carbon."""
    evidence = case.account.monitoring
    least, for_each = int(rule.threshold("least")), int(rule.threshold("least_per_stratum"))
    limit = f"{least} control sites or more, {for_each} or more for every stratum"
    if approach(evidence) != REMEASURED:
        return not_applicable("soil carbon is modelled", limit=limit, evidence=("soil_approach",))
    names, rows = _strata(evidence), _sites(evidence)
    counts = Counter(row["stratum"] for row in rows)
    lacking = [name for name in names if counts[name] < for_each]
    sites = len({row["site"] for row in rows})
    return held(
        holds=sites >= least and not lacking,
        observed=f"{sites} control sites" + (f", none for {listed(lacking)}" if lacking else ""),
        limit=limit,
        evidence=("soil_approach", "soil_strata", "control_sites"),
        remedy="add control sites that meet the similarity criteria",
        sites=Decimal(sites),
    )


def control_distance(case: ControlCase, rule: Rule) -> Finding:
    """Find whether every control site is near the units it stands for; not applicable to modelled soil carbon."""
    evidence, most = case.account.monitoring, rule.threshold("most_km")
    if approach(evidence) != REMEASURED:
        return not_applicable("soil carbon is modelled", limit=f"{most} km", evidence=("soil_approach",))
    rows = _sites(evidence)
    distances = [evidence.cell("control_sites", row, "distance_km") for row in rows]
    return held(
        holds=bool(rows) and min(distances) >= 0 and max(distances) <= most,
        observed=f"{len(rows)} control sites, the farthest {max(distances, default=0)} km away",
        limit=f"{most} km",
        evidence=("soil_approach", "control_sites"),
        remedy="take control sites that are nearer",
    )


def soil_change_agrees(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the stated difference in soil carbon is that of the points; not applicable where it is modelled."""
    evidence, within = case.account.monitoring, rule.threshold("within_tco2e")
    limit = f"the same within {within} t CO2e"
    if approach(evidence) != REMEASURED:
        return not_applicable("soil carbon is modelled", limit=limit, evidence=("soil_approach",))
    measured = sum(
        (Fraction(each.area_ha) * (_mean(each.project) - _mean(each.control)) for each in strata(evidence)), Fraction(0)
    )
    stated = EXACT.subtract(
        evidence.quantity("project_soil_change_tco2e"), evidence.quantity("baseline_soil_change_tco2e")
    )
    return held(
        holds=abs(Fraction(stated) - measured) <= within,
        observed=f"{stated:f} t CO2e stated, {float(measured):.6f} from the points",
        limit=limit,
        evidence=(
            "soil_approach", "soil_strata", "soil_points", "project_soil_change_tco2e", "baseline_soil_change_tco2e",
        ),
        remedy="correct the stated changes, or give every point",
    )  # fmt: skip


def _mean(points: Points) -> Fraction:
    changes = [Fraction(end) - Fraction(start) for start, end in points]
    return sum(changes, Fraction(0)) / max(len(changes), 1)


def _strata(evidence: Monitoring) -> list[str]:
    rows = distinct(evidence, "soil_strata", "stratum", "area_ha")
    if not rows:
        raise evidence.missing("table soil_strata, rows: no stratum")
    return [row["stratum"] for row in rows]


def _samples(evidence: Monitoring) -> Rows:
    return distinct(evidence, "soil_samples", "sample", "stratum", "depth_cm", "increments")


def _sites(evidence: Monitoring) -> Rows:
    return evidence.table("control_sites", "site", "stratum", "distance_km")


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "vm0042_composites": composites,
        "vm0042_depth": depth,
        "vm0042_equivalent_soil_mass": equivalent_soil_mass,
        "vm0042_depth_increments": depth_increments,
        "vm0042_control_sites": control_sites,
        "vm0042_control_distance": control_distance,
        "vm0042_soil_change": soil_change_agrees,
    }
)
