"""The overall rating of the Non-Permanence Risk Tool v4.2, and its tables as steps that change no tonnes.

The tool gives a percentage and credits nothing; the programme takes the rating for its buffer (vcs). What does not
belong here: the single tables, and when a project fails (compliance).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from mrv_assets.crediting.account import Account, Formula, Step
from mrv_assets.crediting.non_permanence_external import land_tenure, political_risk, stakeholder_engagement
from mrv_assets.crediting.non_permanence_internal import (
    financial_viability,
    opportunity_cost,
    project_longevity,
    project_management,
)
from mrv_assets.crediting.non_permanence_natural import natural_risk
from mrv_assets.crediting.non_permanence_score import NO_POINTS, Scored, formula_of
from mrv_assets.domain.exact import exact_sum
from mrv_assets.domain.rule_set import Rule

INTERNAL = ("npr_management", "npr_finance", "npr_opportunity", "npr_longevity")
EXTERNAL = ("npr_tenure", "npr_stakeholders", "npr_politics")
NATURAL = ("npr_natural_risk",)
EVIDENCE = (
    *("npr_adaptive_management_plan", "npr_alm_project", "npr_enforcement_needed", "npr_farmers_unaware"),
    *("npr_farmers_untrained", "npr_loss_report_late", "npr_skills_missing", "npr_species_not_adapted"),
    *("npr_team_experienced", "npr_team_far_away", "npr_training_plan"),
    *("npr_callable_funds_share", "npr_funding_secured_share", "npr_payback_years"),
    *("npr_alternative_npv", "npr_binding_agreement", "npr_community_impacts_positive", "npr_loss_of_revenue_covered"),
    *("npr_project_npv", "npr_subsistence_baseline"),
    *("npr_grouped_short_contracts", "npr_harvest_commitment", "npr_harvesting", "npr_longevity_agreement"),
    *("npr_longevity_plans", "npr_longevity_years", "npr_registration_requested"),
    *("npr_access_dispute_share", "npr_agreements_signed", "npr_disputes_being_resolved", "npr_due_process"),
    *("npr_government_intervention", "npr_rights_held_apart", "npr_tenure_dispute_share", "npr_tenure_protected"),
    *("npr_upstream_impacts_mitigated", "npr_wrc_project"),
    *("npr_consulted_inside_share", "npr_consulted_nearby_share", "npr_reliant_people_inside"),
    *("npr_reliant_people_nearby", "npr_country_committed", "npr_governance_scores"),
    *("npr_adaptive_criteria_met", "npr_climate_factor", "npr_coastal_zone", "npr_natural_risks"),
    *("npr_sea_level_barriers", "npr_sea_level_ecosystem", "npr_sea_level_impact", "npr_sea_level_loss_share"),
    *("npr_sea_level_planning", "npr_sea_level_transient"),
)
"""The names of all answers that the tables may ask for, so that a finding can be traced to them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """The sums of the categories, 0 or more, and the overall rating in whole per cent."""

    internal: Decimal
    external: Decimal
    natural: Decimal
    percent: Decimal


def rated(*, internal: Decimal, external: Decimal, natural: Decimal, least: Decimal) -> Rating:
    """Return the rating: the sum of the categories, rounded up to whole per cent, no less than `least` (§2.5.1-2)."""
    internal, external, natural = (max(NO_POINTS, points) for points in (internal, external, natural))
    whole = exact_sum((internal, external, natural)).to_integral_value(ROUND_CEILING)
    return Rating(internal=internal, external=external, natural=natural, percent=max(least, whole))


def npr_rating(account: Account, rule: Rule) -> Step:
    """Add up the tables of the earlier lines. Raises ContractError when one of them has not been taken."""
    internal, external, natural = (
        exact_sum(account.number(name) for name in names) for names in (INTERNAL, EXTERNAL, NATURAL)
    )
    rating = rated(internal=internal, external=external, natural=natural, least=rule.threshold("least"))
    note = f"internal {internal}, external {external}, natural {natural}: {rating.percent} %"
    numbers = {
        "npr_internal": rating.internal,
        "npr_external": rating.external,
        "npr_natural": rating.natural,
        "npr_rating_percent": rating.percent,
    }
    return Step(change_tco2e=NO_POINTS, note=note, numbers=numbers)


_TABLES: Mapping[str, Scored] = {
    "npr_management": project_management,
    "npr_finance": financial_viability,
    "npr_opportunity": opportunity_cost,
    "npr_longevity": project_longevity,
    "npr_tenure": land_tenure,
    "npr_stakeholders": stakeholder_engagement,
    "npr_politics": political_risk,
    "npr_natural_risk": natural_risk,
}
FORMULAS: Mapping[str, Formula] = {
    **{name: formula_of(name, scored) for name, scored in _TABLES.items()},
    "npr_rating": npr_rating,
}
"""The formulas of the tool by the name that rule sets give; a table's number has its formula's name."""
