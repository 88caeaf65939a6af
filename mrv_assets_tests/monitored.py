"""Monitoring packages and rule sets of the VCS programme to test with, and the plain walk through a rule set's lines.

What does not belong here: generated values (strategies) and the engine itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache

from mrv_assets.compliance.controls.finding import ControlCase
from mrv_assets.crediting.account import Account, Formula, Step
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule, RuleSet
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets_tests.world import ROOT

Rows = Sequence[Mapping[str, str]]
WHERE = "arr-demo 2024"
_QUANTITIES = ("_tco2e", "_share", "_years", "_percent", "_npv", "_impact", "_half_width")

SQUARE = "POLYGON ((0 0, 1000 0, 1000 1000, 0 1000, 0 0))"
VCS_QUANTITIES = {
    "baseline_net_removals_tco2e": "1000",
    "result_half_width": "0.08",
    "leakage_tco2e": "500",
    "npr_rating_percent": "20",
    "net_stock_change_tco2e": "9000",
    "deficit_carried_in_tco2e": "0",
    "reported_tco2e": "8500",
    "estimated_annual_tco2e": "9000",
}
VCS_FACTS = {
    "result_confidence": "0.90",
    "afolu_project": "yes",
    "gwp_set": "ar5",
    "assurance_level": "reasonable",
    "areas_crs": "EPSG:6933",
    "geolocation_file_sha256": "ab" * 32,
    "no_road": "yes",
    "no_settlement": "yes",
}
VCS_TABLES: Mapping[str, Rows] = {
    "omitted_sources": [{"source": "fuel", "tco2e": "10", "reason": "de minimis by the methodology"}],
    "misstatements": [{"finding": "CAR 1", "tco2e": "-100"}],
    "monitoring_periods": [
        {"first": "2022-01-01", "last": "2023-12-31", "verifier": "A"},
        {"first": "2024-01-01", "last": "2024-12-31", "verifier": "B"},
    ],
    "vintages": [{"first": "2024-01-01", "last": "2024-12-31"}],
    "project_areas": [{"id": "p1", "wkt": SQUARE}],
    "other_afolu_areas": [{"project_id": "VCS1", "wkt": "POLYGON ((2000 0, 3000 0, 3000 900, 2000 900, 2000 0))"}],
    "neighbours": [{"project_id": "VCS1"}],
    "excluded_areas": [
        {"id": "lake", "kind": "water_body", "wkt": "POLYGON ((1000 0, 1100 0, 1100 90, 1000 90, 1000 0))"}
    ],
}

NPR_QUANTITIES = {
    "npr_payback_years": "8",
    "npr_funding_secured_share": "0.5",
    "npr_callable_funds_share": "0",
    "npr_project_npv": "100",
    "npr_alternative_npv": "90",
    "npr_longevity_years": "60",
    "npr_tenure_dispute_share": "0",
    "npr_access_dispute_share": "0",
    "npr_climate_factor": "1",
    "npr_adaptive_criteria_met": "0",
    "npr_rating_percent": "28",
}
NPR_FACTS = {
    "npr_adaptive_management_plan": "yes",
    "npr_alm_project": "no",
    "npr_species_not_adapted": "no",
    "npr_enforcement_needed": "yes",
    "npr_skills_missing": "no",
    "npr_team_far_away": "no",
    "npr_loss_report_late": "no",
    "npr_team_experienced": "no",
    "npr_binding_agreement": "none",
    "npr_loss_of_revenue_covered": "no",
    "npr_subsistence_baseline": "no",
    "npr_registration_requested": "2024-06-01",
    "npr_longevity_plans": "yes",
    "npr_harvesting": "no",
    "npr_longevity_agreement": "no",
    "npr_due_process": "yes",
    "npr_agreements_signed": "yes",
    "npr_rights_held_apart": "yes",
    "npr_government_intervention": "none",
    "npr_wrc_project": "no",
    "npr_tenure_protected": "no",
    "npr_reliant_people_inside": "no",
    "npr_reliant_people_nearby": "no",
    "npr_country_committed": "no",
    "npr_coastal_zone": "no",
}
INDICATORS = (
    "voice_and_accountability",
    "political_stability",
    "government_effectiveness",
    "regulatory_quality",
    "rule_of_law",
    "control_of_corruption",
)


def natural_row(risk: str, **cells: str) -> dict[str, str]:
    """Return a row of natural risks that says insignificant and rare, with cells changed."""
    row = {"risk": risk, "applicable": "yes", "loss_share": "0.01", "transient": "no", "interval_years": "100"}
    return row | {"prevention": "no", "containment": "no"} | cells


def governance_rows(score: str) -> Rows:
    """Return the same score for each indicator and year."""
    return [{"year": str(year), "indicator": name, "score": score} for year in range(2018, 2023) for name in INDICATORS]


NPR_TABLES: Mapping[str, Rows] = {
    "npr_governance_scores": governance_rows("-0.5"),
    "npr_natural_risks": [
        natural_row("fire"),
        natural_row("pest_and_disease", applicable="no"),
        natural_row("extreme_weather"),
        natural_row("geological", loss_share="0.3", interval_years="60", prevention="yes"),
    ],
}
"""Answers that sum to 27.5: 2 + 3 + 0 + 13 internal, 2 + 0 + 4 external, 3.5 natural."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package to be changed by a test: `with_` replaces, `without` takes away."""

    quantities: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Rows] = field(default_factory=dict)

    def with_(self, **changes: str | Rows) -> Package:
        """Return the package with quantities, facts or tables set; a name that is new is a fact or a table."""
        quantities, facts, tables = dict(self.quantities), dict(self.facts), dict(self.tables)
        for name, value in changes.items():
            if not isinstance(value, str):
                tables[name] = value
            elif name in quantities or name.endswith(_QUANTITIES):
                quantities[name] = value
            else:
                facts[name] = value
        return Package(quantities=quantities, facts=facts, tables=tables)

    def without(self, name: str) -> Package:
        """Return the package without what has this name."""
        return Package(
            **{
                part: {key: value for key, value in getattr(self, part).items() if key != name}
                for part in ("quantities", "facts", "tables")
            }
        )

    @property
    def monitoring(self) -> Monitoring:
        """The package as rules see it."""
        return Monitoring(where=WHERE, quantities=self.quantities, facts=self.facts, tables=self.tables)


VCS = Package(quantities=VCS_QUANTITIES, facts=VCS_FACTS, tables=VCS_TABLES)
NPR = Package(quantities=NPR_QUANTITIES, facts=NPR_FACTS, tables=NPR_TABLES)


@cache
def rule_set(name: str) -> RuleSet:
    """Return a rule set of the repository by the name of its file."""
    path = ROOT / "reference_data" / "standards" / f"{name}.toml"
    return RuleSet.parse(path.read_bytes(), where=str(path.name))


def rule(name: str, rule_id: str) -> Rule:
    """Return one line or control of a rule set."""
    found = rule_set(name)
    return next(rule for rule in (*found.lines, *found.controls) if rule.id == rule_id)


def account(package: Package, *, period: str = "2024", running: str = "0", **numbers: str) -> Account:
    """Return an account of 10 000 t of removals and 500 t of emissions, with something left by earlier steps."""
    return Account(
        period=Period.parse(period),
        canonical=Tonnes(emissions=Decimal(500), removals=Decimal(10_000)),
        monitoring=package.monitoring,
        running_tco2e=Decimal(running),
        numbers={name: Decimal(value) for name, value in numbers.items()},
    )


def walked(start: Account, rules: RuleSet, formulas: Mapping[str, Formula]) -> ControlCase:
    """Take the lines one after another and return what controls see."""
    now, lines = start, []
    for line in rules.lines:
        step: Step = formulas[line.formula](now, line)
        lines.append(
            Line(
                name=line.title,
                rule=line.id,
                clause=line.clause,
                change_tco2e=step.change_tco2e,
                note=step.note,
                numbers=step.numbers,
            )
        )
        now = replace(
            now,
            running_tco2e=EXACT.add(now.running_tco2e, step.change_tco2e),
            numbers={**now.numbers, **step.numbers},
        )
    return ControlCase(account=start, waterfall=Waterfall(rule_set=rules.name, lines=lines))
