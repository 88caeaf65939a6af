"""The controls of the GHG Protocol: corporate inventory, scope 3, and the Land Sector and Removals Standard.

What does not belong here: how claims on land are compared (claims).
"""

from __future__ import annotations

from collections.abc import Mapping

import shapely
from shapely.geometry.base import BaseGeometry

from mrv_assets.compliance.controls.claims import Claim, conflicts
from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held
from mrv_assets.compliance.controls.shown import fact_of, word_of, words
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.domain.errors import IdentityError, listed
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule


def removals_apart(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that emissions and removals are stated each by itself, as the certificate has them."""
    shown, canonical = case.account.monitoring, case.account.canonical
    emissions, removals = shown.quantity("stated_emissions_tco2e"), shown.quantity("stated_removals_tco2e")
    return held(
        holds=(emissions, removals) == (canonical.emissions, canonical.removals),
        observed=f"stated {emissions} emitted and {removals} removed, computed {canonical.emissions:f} and "
        f"{canonical.removals:f} t CO2e",
        limit="emissions and removals as computed, neither lowered by the other",
        evidence=("stated_emissions_tco2e", "stated_removals_tco2e"),
        remedy="state gross emissions, and removals apart from them",
    )


def scope3_not_added(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that no total adds the scope 3 of several companies: it counts the same emissions again."""
    shown = case.account.monitoring
    companies: dict[str, set[str]] = {}
    for row in shown.table("scope3_totals", "total", "company"):
        total = word_of(shown, "scope3_totals", row, "total")
        companies.setdefault(total, set()).add(word_of(shown, "scope3_totals", row, "company"))
    mixed = sorted(total for total, names in companies.items() if len(names) > 1)
    return held(
        holds=not mixed,
        observed=f"{len(companies)} totals with scope 3; of several companies: {listed(mixed) or 'none'}",
        limit="the scope 3 of one company in each total",
        evidence=("scope3_totals",),
        remedy="leave scope 3 out of totals over companies",
    )


def one_claimant(case: ControlCase, rule: Rule) -> Finding:
    """Ask that each part of a polygon has one claimant for one kind of claim at a time.

    Polygons are WKT in the equal-area CRS that the rule names. Raises ContractError for another CRS and for what is no
    valid polygon.
    """
    shown = case.account.monitoring
    fact_of(shown, "claims_crs", words(rule, "crs"))
    rows = shown.table("claims", "claimant", "claim", "period", "wkt", "retired_for")
    known, tolerance = words(rule, "claims"), rule.threshold("tolerance_m2")
    found = conflicts([_claim(shown, row, known) for row in rows], tolerance_m2=tolerance)
    return held(
        holds=not found,
        observed=f"{len(rows)} claims; on the same land: {listed([conflict.text for conflict in found]) or 'none'}",
        limit=f"no two claims that exclude each other share more than {tolerance} m²",
        evidence=("claims_crs", "claims"),
        remedy="settle by contract whose claim it is, or retire the credits for the one who claims the removal",
    )


def _claim(shown: Monitoring, row: Mapping[str, str], known: tuple[str, ...]) -> Claim:
    text = word_of(shown, "claims", row, "period")
    claimant = word_of(shown, "claims", row, "claimant")
    try:
        period = Period.parse(text)
    except IdentityError:
        raise shown.unusable(
            f"table claims, row {claimant}, column period", expected="a period such as 2024", found=text
        ) from None
    return Claim(
        claimant=claimant,
        claim=word_of(shown, "claims", row, "claim", known),
        period=period,
        area=_area(shown, claimant, word_of(shown, "claims", row, "wkt")),
        retired_for=row["retired_for"].strip(),
    )


def _area(shown: Monitoring, claimant: str, wkt: str) -> BaseGeometry:
    area = shapely.from_wkt(wkt, on_invalid="ignore")
    is_area = area is not None and area.geom_type in ("Polygon", "MultiPolygon") and area.is_valid and not area.is_empty
    if not is_area:
        raise shown.unusable(
            f"table claims, row {claimant}, column wkt", expected="a valid polygon as WKT", found=wkt[:60]
        )
    return area


def traced(case: ControlCase, rule: Rule) -> Finding:
    """Ask that every removal is traced to a place, and that none is a global average.

    Where the certified figure has removals, at least one has to be shown.
    """
    shown, lost = case.account.monitoring, []
    rows = shown.table("removals", "name", "traced_to", "place", "is_global_average")
    for row in rows:
        name = word_of(shown, "removals", row, "name")
        is_average = word_of(shown, "removals", row, "is_global_average", ("yes", "no")) == "yes"
        is_traced = row["traced_to"].strip() in words(rule, "traced_to") and row["place"].strip()
        if is_average or not is_traced:
            lost.append(name)
    return held(
        holds=not lost and (bool(rows) or not case.account.canonical.removals),
        observed=f"{len(rows)} removals, {case.account.canonical.removals} t CO2e certified; "
        f"not traced: {listed(lost) or 'none'}",
        limit=f"each traced to a {', '.join(words(rule, 'traced_to'))} by name; no global average",
        evidence=("removals",),
        remedy="show where each removal happened, or leave it out",
    )


def adjusted_for_sales(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that the adjusted inventory is the physical one without the removals that were sold as credits."""
    shown = case.account.monitoring
    names = ("physical_removals_tco2e", "credits_sold_tco2e", "adjusted_removals_tco2e")
    physical, sold, adjusted = (not_negative(shown, name) for name in names)
    return held(
        holds=adjusted == EXACT.subtract(physical, sold),
        observed=f"{physical} physical, {sold} sold, {adjusted} adjusted t CO2e",
        limit="adjusted removals = physical removals - removals sold as credits",
        evidence=names,
        remedy="report both inventories; what was sold is no longer ours to claim",
    )


def reversals_disclosed(case: ControlCase, _rule: Rule) -> Finding:
    """Ask that reversals and buffer are stated, also when they are 0."""
    shown = case.account.monitoring
    reversals, buffer = not_negative(shown, "reversals_tco2e"), not_negative(shown, "buffer_credits")
    return held(
        holds=True,
        observed=f"reversals of {reversals} t CO2e, {buffer} credits in the buffer",
        limit="both stated, 0 included",
        evidence=("reversals_tco2e", "buffer_credits"),
        remedy="",
        reversals_tco2e=reversals,
    )


CHECKS: Mapping[str, Check] = {
    "ghgp_removals_apart": removals_apart,
    "ghgp_scope3_not_added": scope3_not_added,
    "ghgp_one_claimant": one_claimant,
    "ghgp_traced": traced,
    "ghgp_adjusted_for_sales": adjusted_for_sales,
    "ghgp_reversals_disclosed": reversals_disclosed,
}
"""The controls by the name that rule sets give them."""
