"""A sound monitoring package for every corporate control and every disclosure, and ways to break one thing in it.

What does not belong here: random values (strategies) and the rules themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding
from mrv_assets.crediting.account import Account
from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.issuance import IssuedVintage, SerialBlock
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import PartitionKey, Period
from mrv_assets.domain.rule_set import Rule, RuleSet
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets.report.disclosures.datapoints import DatapointList
from mrv_assets.report.disclosures.submission import Submission
from mrv_assets_tests.world import ROOT

Rows = Sequence[Mapping[str, str]]
KEY = PartitionKey(project_id="yvyra", period="2020-01-01_2021-06-30", factor_version="mrow-2025.05.20")
DIGEST = "ab" * 32
SQUARE = "POLYGON ((0 0, 0 100, 100 100, 100 0, 0 0))"
BESIDE = "POLYGON ((100 0, 100 100, 200 100, 200 0, 100 0))"
INSIDE = "POLYGON ((90 0, 90 100, 190 100, 190 0, 90 0))"

_QUANTITIES = {
    "leakage_tco2e": "150",
    "reported_tco2e": "10000",
    "estimated_annual_tco2e": "10000",
    "npr_rating_percent": "28",
    "net_stock_change_tco2e": "100",
    "buffer_credits": "28",
    "stated_emissions_tco2e": "100",
    "stated_removals_tco2e": "50",
    "physical_removals_tco2e": "50",
    "credits_sold_tco2e": "20",
    "adjusted_removals_tco2e": "30",
    "reversals_tco2e": "0",
    "scope1_tco2e": "100",
    "scope2_location_tco2e": "40",
    "scope2_market_tco2e": "25",
    "scope3_tco2e": "860",
    "total_location_tco2e": "1000",
    "total_market_tco2e": "985",
    "removals_tco2e": "50",
    "credits_cancelled_tco2e": "10",
    "credits_reduction_percent": "30",
    "credits_removal_percent": "70",
    "scope1_tco2e_half_width": "0.05",
    "latitude_degrees": "-22.5",
    "estimated_annual_credits": "90000",
    "fossil_emissions_tco2e": "80",
    "declared_units_produced": "300000",
    "declared_unit_amount": "1",
    "product_mass_kg": "1",
    "fossil_carbon_content_kg": "0.1",
    "biogenic_carbon_content_kg": "0.3",
    "exempted_emissions_percent": "0",
    "footprint_half_width": "0.25",
}
_FACTS = {
    "baseline_scenario": "pasture continues",
    "baseline_date": "2018-06-01",
    "project_start": "2019-01-01",
    "baseline_version_first_day": "1.0",
    "baseline_version_last_day": "1.0",
    "additionality_test": "investment analysis",
    "additionality_result": "additional",
    "additionality_evidence_sha256": DIGEST,
    "stores_carbon": "yes",
    "assurance_level": "reasonable",
    "verification_opinion": "unmodified",
    "claims_crs": "EPSG:6933",
    "certificate_scope": "scope1",
    "scope1_tco2e_confidence": "0.95",
    "registry_project_id": "2498",
    "origin_project_id": "2498",
    "registry_of_origin": "Verra",
    "project_name": "Yvyra, planting",
    "project_link": "https://example.org/2498",
    "project_developer": "Yvyra SA",
    "project_sector": "Agriculture, forestry and other land use",
    "project_type": "Afforestation",
    "covered_by_ndc": "Outside NDC",
    "project_status": "Registered",
    "project_status_date": "2019-07-01",
    "methodology": "VM0047",
    "country": "Paraguay",
    "country_code": "PY",
    "geographic_identifier": "plots.geojson",
    "owner_country": "Paraguay",
    "unit_type": "Removal - nature",
    "unit_status": "Held",
    "unit_registry_link": "https://example.org/2498/units",
    "corresponding_adjustment_declaration": "Not Required",
    "corresponding_adjustment_status": "Not Started",
    "verification_approach": "site visit",
    "verification_report_date": "2021-10-01",
    "verification_body": "Verifier GmbH",
    "issuance_date": "2021-11-30",
    "registry_account": "12629",
    "registry_batch": "576",
    "registry_project_type": "14",
    "registry_flag": "0",
    "registry_serial_prefix": "GS1-1-PY-GS2498-12-2020",
    "gsf_standards_version": "GS4GG",
    "crediting_period_first_day": "2019-01-01",
    "crediting_period_last_day": "2048-12-31",
    "disclosure_date": "2021-12-01",
    "company_name": "Yvyra SA",
    "company_ids": "urn:lei:549300EXAMPLE0000000",
    "product_ids": "urn:gtin:4712345060507, urn:pact:example.org:product-id:7",
    "product_name": "Plank",
    "product_description": "Planed timber",
    "declared_unit": "kilogram",
    "boundary_processes": "cradle to gate",
    "gwp_sets": "ar6",
    "cross_sectoral_standards": "GHGP-Product, PACT-3.0",
    "exempted_emissions_description": "none",
    "geography_country": "PY",
    "extension_schema": "https://example.org/mrv-extension.json",
    "footprint_confidence": "0.90",
}
_TABLES: Mapping[str, Rows] = {
    "ssr": (
        {"name": "trees", "kind": "sink", "included": "yes", "reason": "main pool", "tco2e": "9000"},
        {"name": "litter", "kind": "reservoir", "included": "no", "reason": "de minimis", "tco2e": "-300"},
        {"name": "machines", "kind": "source", "included": "no", "reason": "de minimis", "tco2e": "100"},
    ),
    "alternative_values": (
        {"name": "root to shoot", "credits": "raises", "value": "0.25", "other": "0.30", "used": "0.25"},
        {"name": "fertiliser", "credits": "lowers", "value": "10", "other": "12", "used": "12"},
    ),
    "misstatements": ({"finding": "plot 7", "tco2e": "-400"}, {"finding": "fuel", "tco2e": "100"}),
    "results": ({"name": "net", "factor_set": "mrow-2025.05.20", "factor_set_sha256": DIGEST},),
    "scope3_totals": ({"total": "ours", "company": "Yvyra SA"}, {"total": "mill", "company": "Mill SA"}),
    "claims": (
        {"claimant": "A", "claim": "credit", "period": "2020", "wkt": SQUARE, "retired_for": ""},
        {"claimant": "B", "claim": "credit", "period": "2020", "wkt": BESIDE, "retired_for": ""},
    ),
    "removals": (
        {"name": "planting", "traced_to": "land management unit", "place": "U-7", "is_global_average": "no"},
    ),
    "removal_activities": (
        {"activity": "planting", "kind": "biogenic", "place": "own operations", "tco2e": "30"},
        {"activity": "mill supply", "kind": "land use", "place": "value chain", "tco2e": "20"},
    ),
    "credits_sold": ({"serial_start": "1", "serial_end": "20"},),
    "credits_used": ({"serial_start": "21", "serial_end": "30"},),
    "labels": (
        {
            "label": "CCP", "label_type": "Certification", "crediting_first_day": "2019-01-01",
            "crediting_last_day": "2048-12-31", "validity_first_day": "2021-01-01", "validity_last_day": "2025-12-31",
            "quantity": "84773", "link": "https://example.org/ccp",
        },
    ),
}  # fmt: skip

SOUND = Monitoring(where="yvyra 2020", quantities=_QUANTITIES, facts=_FACTS, tables=_TABLES)
CERTIFICATE = Certificate(
    key=KEY,
    standard="VM0047",
    totals=Totals(emissions_tco2e=Decimal("100.000000000"), removals_tco2e=Decimal("50.000000000"), activity_rows=3),
    inputs=(),
    subjects=(),
    supersedes=None,
)
WATERFALL = Waterfall(
    rule_set="vm0047@1.1",
    lines=(
        Line(name="gross", rule="a", clause="Eq 32", change_tco2e=Decimal(120000), note=""),
        Line(name="leakage", rule="b", clause="Eq 32", change_tco2e=Decimal(-150), note=""),
    ),
)
VINTAGES = (
    IssuedVintage(
        first=date(2020, 1, 1),
        last=date(2020, 11, 19),
        credits=84773,
        buffer_credits=15097,
        serials=SerialBlock(start=421604735, end=421689507),
    ),
    IssuedVintage(
        first=date(2021, 1, 1),
        last=date(2021, 6, 30),
        credits=10,
        buffer_credits=2,
        serials=SerialBlock(start=421700001, end=421700010),
    ),
)
SUBMISSION = Submission(certificate=CERTIFICATE, waterfall=WATERFALL, monitoring=SOUND, vintages=VINTAGES)
DATAPOINTS = DatapointList.parse(
    (ROOT / "reference_data" / "disclosures" / "esrs-e1-2023.toml").read_bytes(), where="esrs-e1-2023.toml"
)


def evidence(
    *,
    quantities: Mapping[str, str] | None = None,
    facts: Mapping[str, str] | None = None,
    tables: Mapping[str, Rows] | None = None,
    without: str = "",
) -> Monitoring:
    """Return the sound package with some of it replaced, and one name taken away from all of it."""
    changed = (SOUND.quantities | (quantities or {}), SOUND.facts | (facts or {}), SOUND.tables | (tables or {}))  # type: ignore[operator]
    left = [{name: value for name, value in each.items() if name != without} for each in changed]
    return replace(SOUND, quantities=left[0], facts=left[1], tables=left[2])


def row_with(table: str, number: int, **cells: str) -> Mapping[str, Rows]:
    """Return a table of the sound package with some cells of one row replaced."""
    rows = [dict(row) for row in SOUND.tables[table]]
    rows[number] |= cells
    return {table: rows}


def rule_set(name: str) -> RuleSet:
    """Return a committed rule set by the name of its file."""
    return RuleSet.parse((ROOT / "reference_data" / "standards" / f"{name}.toml").read_bytes(), where=name)


def rule_of(name: str, control: str) -> Rule:
    """Return one control of a committed rule set."""
    [rule] = [rule for rule in rule_set(name).controls if rule.id == control]
    return rule


def finding(
    check: Check, rule: Rule, monitoring: Monitoring = SOUND, *, waterfall: Waterfall | None = WATERFALL
) -> Finding:
    """Evaluate one control on the certified figure and a monitoring package."""
    account = Account(
        period=Period.parse(KEY.period),
        canonical=Tonnes(emissions=CERTIFICATE.totals.emissions_tco2e, removals=CERTIFICATE.totals.removals_tco2e),
        monitoring=monitoring,
    )
    return check(ControlCase(account=account, waterfall=waterfall), rule)
