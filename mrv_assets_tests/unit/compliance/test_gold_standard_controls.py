from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from mrv_assets.compliance.controls import ar_tool14, gold_standard, gold_standard_issuance, ledger_agreement
from mrv_assets.compliance.controls.days import lasts, years_after
from mrv_assets.compliance.controls.finding import ControlCase, Finding
from mrv_assets.crediting.account import Account
from mrv_assets.domain.assessment import Status
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets_tests.oracles.gold_standard_oracles import TWO_UNITS
from mrv_assets_tests.oracles.standards import rule
from mrv_assets_tests.unit.crediting.test_ar_tool14 import REMEASURED, TWO_STOCKS

CHECKS = {
    **gold_standard.CHECKS, **gold_standard_issuance.CHECKS, **ar_tool14.CHECKS, **ledger_agreement.CHECKS,
}  # fmt: skip
LAYERS = [
    "project_region", "project_area", "eligible_areas", "modelling_units", "infrastructure", "water_bodies",
    "protected_areas", "biodiversity_areas", "affected_people", "special_sites", "sites_of_consultation",
    "indigenous_and_local_communities", "rights_of_communities",
]  # fmt: skip
SMALL_LAYERS = [
    "project_region", "project_areas", "protected_areas", "biodiversity_areas", "infrastructure", "water_bodies",
    "affected_people", "special_sites",
]  # fmt: skip


def evidence(**shown: str) -> Monitoring:
    """Return evidence of words and numbers: a name ending in a unit or in a count is a quantity."""
    numbers = ("_ha", "_m", "_tco2e", "_ahead", "_half_width", "participants", "_points", "_maps", "_share")
    quantities = {name: text for name, text in shown.items() if name.endswith(numbers)}
    return Monitoring(
        where="test", quantities=quantities, facts={k: v for k, v in shown.items() if k not in quantities}
    )


def found(
    rule_set: str,
    control: str,
    monitoring: Monitoring,
    *lines: Line,
    period: str = "2025",
    ledger: str = "0",
    emissions: str = "0",
) -> Finding:
    """Return what a control finds; `ledger` are the removals of the canonical result."""
    canonical = Tonnes(emissions=Decimal(emissions), removals=Decimal(ledger))
    account = Account(period=Period.parse(period), canonical=canonical, monitoring=monitoring)
    case = ControlCase(account=account, waterfall=Waterfall(rule_set=rule_set, lines=lines))
    wanted = rule(rule_set, control)
    return CHECKS[wanted.formula](case, wanted)


def line(rule_id: str, change: str) -> Line:
    """Return a line of a waterfall."""
    return Line(name="x", rule=rule_id, clause="x", change_tco2e=Decimal(change), note="x")


def layers(names: list[str], smallholder: str, **counts: str) -> Monitoring:
    """Return evidence with a file for each of these layers."""
    shown = evidence(agricultural_smallholder_project=smallholder, **counts)
    return replace(shown, tables={"vector_layers": [{"layer": name, "file": f"{name}.gpkg"} for name in names]})


YEARS = {"crediting_period_first_day": "2020-03-01"}
ISSUED = {"activity": "afforestation", "planned_units_requested": "yes", "planned_years_ahead": "5"}
NOT_BARRED = {"permanent_reductions": "no", "soil_carbon": "no", "smallholder_on_default_values": "no"}
STARTS = {"activity": "afforestation", "project_start": "2020-01-01", "design_certification": "2024-06-30"}
PEOPLE = {"participants": "200", "participant_points": "200", "participant_sketch_maps": "200"}


@pytest.mark.parametrize(
    ("rule_set", "control", "monitoring", "holds"),
    [
        pytest.param("gs-203@1.2.1", "gs203-vector-layers", layers(LAYERS, "no"), True, id="all layers"),
        pytest.param("gs-203@1.2.1", "gs203-vector-layers", layers(LAYERS[:-1], "no"), False, id="a layer less"),
        pytest.param("gs-203@1.2.1", "gs203-vector-layers", layers(SMALL_LAYERS, "yes", **PEOPLE), True, id="small"),
        pytest.param("gs-203@1.2.1", "gs203-vector-layers",
                     layers(SMALL_LAYERS, "yes", **PEOPLE | {"participant_points": "199"}), False, id="a point less"),
        pytest.param("gs-203@1.2.1", "gs203-biodiversity",
                     evidence(biodiversity_area_ha="10", project_area_ha="100"), True, id="10 % of the area"),
        pytest.param("gs-203@1.2.1", "gs203-biodiversity",
                     evidence(biodiversity_area_ha="9.999", project_area_ha="100"), False, id="less than 10 %"),
        pytest.param("gs-203@1.2.1", "gs203-precision",
                     evidence(result_half_width="0.50", result_confidence="0.90"), True, id="last band"),
        pytest.param("gs-203@1.2.1", "gs203-precision",
                     evidence(result_half_width="0.51", result_confidence="0.90"), False, id="above the last band"),
        pytest.param("gs-203@1.2.1", "gs203-cadence",
                     evidence(previous_verification="2020-03-01", verification="2025-03-01"), True, id="5 years"),
        pytest.param("gs-203@1.2.1", "gs203-cadence",
                     evidence(previous_verification="2020-03-01", verification="2025-03-02"), False, id="a day late"),
        pytest.param("gs-203@1.2.1", "gs203-cadence",
                     evidence(previous_verification="2020-03-01", verification="2020-02-29"), False, id="earlier"),
        pytest.param("gs-203@1.2.1", "gs203-cadence",
                     evidence(previous_verification="none", verification="2024-01-01", **YEARS), True, id="first"),
        pytest.param("gs-403@2.1", "gs403-crediting-period",
                     evidence(crediting_period_last_day="2050-02-28", **YEARS), True, id="30 years"),
        pytest.param("gs-403@2.1", "gs403-crediting-period",
                     evidence(crediting_period_last_day="2050-02-27", **YEARS), False, id="a day short of 30 years"),
        pytest.param("gs-403@2.1", "gs403-crediting-period",
                     evidence(crediting_period_last_day="2070-03-01", **YEARS), False, id="a day more than 50 years"),
        pytest.param("gs-402@1.0", "gs402-crediting-period",
                     evidence(crediting_period_last_day="2029-12-31", **YEARS), True, id="10 years of soil"),
        pytest.param("gs-403@2.1", "gs403-tree-height", evidence(inventory_lowest_tree_m="2"), True, id="2 m"),
        pytest.param("gs-403@2.1", "gs403-tree-height", evidence(inventory_lowest_tree_m="1.99"), False, id="lower"),
        pytest.param("gs-403@2.1", "gs403-significance",
                     evidence(left_out_tco2e="5", long_term_removals_tco2e="100"), True, id="5 % left out"),
        pytest.param("gs-403@2.1", "gs403-significance",
                     evidence(left_out_tco2e="5.1", long_term_removals_tco2e="100"), False, id="5.1 % left out"),
        pytest.param("gs-501@3.2", "gs501-whole-report",
                     evidence(reported_tco2e="10", certified_tco2e="10.0"), True, id="whole report"),
        pytest.param("gs-501@3.2", "gs501-whole-report",
                     evidence(reported_tco2e="10", certified_tco2e="9"), False, id="a part of the report"),
        pytest.param("gs-501@3.2", "gs501-double-issuance", evidence(registered_elsewhere="no"), True, id="here only"),
        pytest.param("gs-501@3.2", "gs501-double-issuance",
                     evidence(registered_elsewhere="yes", dual_certification_approved="yes",
                              vintage_claimed_elsewhere="no"), True, id="approved elsewhere"),
        pytest.param("gs-501@3.2", "gs501-double-issuance",
                     evidence(registered_elsewhere="yes", dual_certification_approved="yes",
                              vintage_claimed_elsewhere="yes"), False, id="claimed twice"),
        pytest.param("gs-501@3.2", "gs501-planned", evidence(**ISSUED | NOT_BARRED), True, id="5 years ahead"),
        pytest.param("gs-501@3.2", "gs501-planned",
                     evidence(**ISSUED | NOT_BARRED | {"activity": "agriculture"}), False, id="agriculture has 3"),
        pytest.param("gs-501@3.2", "gs501-planned",
                     evidence(**ISSUED | NOT_BARRED | {"soil_carbon": "yes"}), False, id="soil carbon has none"),
        pytest.param("gs-501@3.2", "gs501-retroactive",
                     evidence(**STARTS, crediting_period_first_day="2021-06-30"), True, id="3 years before"),
        pytest.param("gs-501@3.2", "gs501-retroactive",
                     evidence(**STARTS, crediting_period_first_day="2021-06-29"), False, id="a day more"),
        pytest.param("gs-501@3.2", "gs501-retroactive",
                     evidence(**STARTS | {"activity": "other"}, crediting_period_first_day="2021-06-30"), False,
                     id="2 years for other kinds"),
        pytest.param("gs-501@3.2", "gs501-retroactive",
                     evidence(**STARTS | {"project_start": "2022-01-01"}, crediting_period_first_day="2021-12-31"),
                     False,
                     id="before the project"),
    ],
)  # fmt: skip
def test_a_control_tells_what_holds(rule_set: str, control: str, monitoring: Monitoring, *, holds: bool) -> None:
    """A failure has a remedy, a pass has none."""
    finding = found(rule_set, control, monitoring)
    assert finding.status is (Status.PASS if holds else Status.FAIL)
    assert bool(finding.remedy) is not holds
    assert finding.evidence


def test_a_layer_without_its_file_is_lacking() -> None:
    """A name in a list shows nothing."""
    shown = layers(LAYERS, "no")
    rows = [{**row, "file": " "} if row["layer"] == "water_bodies" else row for row in shown.tables["vector_layers"]]
    finding = found("gs-203@1.2.1", "gs203-vector-layers", replace(shown, tables={"vector_layers": rows}))
    assert (finding.status, finding.observed) == (Status.FAIL, "lacking: water_bodies")


def test_planned_units_that_nobody_requests_have_no_limit() -> None:
    """The control says that it does not apply, and why."""
    finding = found("gs-501@3.2", "gs501-planned", evidence(planned_units_requested="no"))
    assert (finding.status, finding.observed) == (Status.NOT_APPLICABLE, "no planned units are requested")


@pytest.mark.parametrize(
    ("period", "aligned", "status"),
    [
        pytest.param("2025", "no", Status.NOT_APPLICABLE, id="vintage of 2025"),
        pytest.param("2025-07-01_2026-06-30", "no", Status.FAIL, id="a part in 2026"),
        pytest.param("2026", "yes", Status.PASS, id="aligned"),
    ],
)
def test_vintages_from_2026_on_need_an_aligned_methodology(period: str, aligned: str, status: Status) -> None:
    """Document 119 v1.2."""
    shown = evidence(methodology_is_paris_aligned=aligned)
    assert found("gs-403@2.1", "gs403-paris-alignment", shown, period=period).status is status


@pytest.mark.parametrize(
    ("change", "share", "status"),
    [
        pytest.param("-21", "1", Status.PASS, id="21 of 101 credits"),
        pytest.param("-20", "1", Status.FAIL, id="rounded down"),
        pytest.param("-11", "0.5", Status.PASS, id="half of it is sequestration"),
        pytest.param("-11", "0.6", Status.FAIL, id="more than half of it is"),
    ],
)
def test_the_buffer_line_holds_the_share_of_whole_credits(change: str, share: str, status: Status) -> None:
    """Of 101.5 t, that is of 101 credits."""
    lines = (line("gs501-gross", "101.5"), line("gs501-buffer", change))
    assert found("gs-501@3.2", "gs501-buffer-share", evidence(sequestration_share=share), *lines).status is status


def test_an_imprecise_unit_passes_only_when_its_excess_is_deducted() -> None:
    """MU2 of the published test: 10.292 m3/ha of 56.875, at 0.68244 t a m3, on 25 ha."""
    due = "-175.591899104"
    control = ("gs-403@2.1", "gs403-mu-precision", TWO_UNITS)
    passed, failed = (found(*control, line("gs403-uncertainty", change)) for change in (due, "0"))
    assert (passed.status, failed.status) == (Status.PASS, Status.FAIL), failed.limit
    assert passed.metrics["half_width"] > Decimal("0.38")


@pytest.mark.parametrize(
    ("monitoring", "change", "status"),
    [
        pytest.param(TWO_STOCKS, "0", Status.FAIL, id="discount is missing"),
        pytest.param(REMEASURED, "0", Status.PASS, id="within 10 %"),
    ],
)
def test_the_target_of_10_percent_is_met_or_paid_for(monitoring: Monitoring, change: str, status: Status) -> None:
    """AR-TOOL14 paragraphs 18 and 22."""
    taken = line("ar-tool14-uncertainty", change)
    assert found("cdm-ar-tool14@4.2", "ar-tool14-precision", monitoring, taken).status is status


@pytest.mark.parametrize(
    ("ledger", "status"),
    [pytest.param("60", Status.PASS, id="100 t less 40 t"), pytest.param("61", Status.FAIL, id="another figure")],
)
def test_the_inventory_tells_what_the_ledger_tells(ledger: str, status: Status) -> None:
    """What was there before the period is not of it."""
    shown = evidence(gross_before_period_tco2e="40")
    control = ("gs-403@2.1", "gs403-agrees-with-ledger", shown, line("gs403-gross", "100"))
    assert found(*control, ledger=ledger).status is status


@pytest.mark.parametrize(
    ("rule_set", "id_", "status"),
    [
        pytest.param("gs-403@2.1", "gs403", Status.PASS, id="403 takes emissions in lines of their own"),
        pytest.param("gs-402@1.0", "gs402", Status.FAIL, id="the gross figure of 402 is compared with the net one"),
    ],
)
def test_emissions_of_the_ledger_are_not_taken_for_removals_that_are_missing(
    rule_set: str, id_: str, status: Status
) -> None:
    """The gross line of 403 holds trees only, so burning and fertiliser in the ledger do not contradict it."""
    shown, gross = evidence(gross_before_period_tco2e="0"), line(f"{id_}-gross", "60")
    outcome = found(rule_set, f"{id_}-agrees-with-ledger", shown, gross, ledger="60", emissions="4")
    assert outcome.status is status


def test_a_control_without_its_line_is_no_pass() -> None:
    """It cannot be evaluated, which counts as a failure."""
    with pytest.raises(ContractError, match=r"waterfall lacks a line.*rule gs501-buffer; found no lines"):
        found("gs-501@3.2", "gs501-buffer-share", evidence())


@pytest.mark.parametrize(
    ("rule_set", "control", "monitoring", "match"),
    [
        pytest.param("gs-203@1.2.1", "gs203-biodiversity", evidence(), "biodiversity_area_ha", id="missing"),
        pytest.param("gs-203@1.2.1", "gs203-biodiversity",
                     evidence(biodiversity_area_ha="0", project_area_ha="0"), "project_area_ha", id="no area"),
        pytest.param("gs-203@1.2.1", "gs203-biodiversity",
                     evidence(biodiversity_area_ha="6", project_area_ha="5"), "project_area_ha", id="larger than all"),
        pytest.param("gs-203@1.2.1", "gs203-precision", evidence(result_half_width="0.2"),
                     "confidence level is not stated", id="no level"),
        pytest.param("gs-501@3.2", "gs501-retroactive", evidence(activity="fishing"), "fact activity", id="activity"),
    ],
)  # fmt: skip
def test_bad_evidence_is_refused_by_name(rule_set: str, control: str, monitoring: Monitoring, match: str) -> None:
    """A control that cannot be evaluated is no pass."""
    with pytest.raises(ContractError, match=match):
        found(rule_set, control, monitoring)


@pytest.mark.parametrize(
    ("day", "years", "then"),
    [
        pytest.param(date(2020, 2, 29), 4, date(2024, 2, 29), id="leap to leap"),
        pytest.param(date(2024, 2, 29), -3, date(2021, 3, 1), id="no such day: the day after"),
        pytest.param(date(9990, 1, 1), 50, date.max, id="end of the calendar"),
    ],
)
def test_years_are_counted_on_the_calendar(day: date, years: int, then: date) -> None:
    """Three years before 29 February are not more than three."""
    assert years_after(day, years) == then


def test_a_span_to_the_end_of_the_calendar_is_measured() -> None:
    """It has no day after it."""
    assert not lasts(date(2000, 1, 1), date.max, at_least=30, at_most=50)


def test_a_smallholder_project_without_anybody_is_refused() -> None:
    """0 points of 0 participants would show nothing and pass."""
    wanted = rule("gs-203@1.2.1", "gs203-vector-layers")
    nobody = layers(SMALL_LAYERS, "yes", participants="0", participant_points="0", participant_sketch_maps="0")
    account = Account(period=Period.parse("2024"), canonical=Tonnes(), monitoring=nobody)
    with pytest.raises(ContractError, match=r"quantity participants.*1 or more"):
        CHECKS[wanted.formula](ControlCase(account=account, waterfall=None), wanted)
