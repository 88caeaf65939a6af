"""The controls of the VCS programme and of the risk tool: green on a sound package, red on each defect by name."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.compliance.controls import npr, vcs
from mrv_assets.compliance.controls.finding import ControlCase, Finding
from mrv_assets.compliance.controls.materiality import misstated_share
from mrv_assets.compliance.controls.taken import number_of
from mrv_assets.crediting import non_permanence
from mrv_assets.crediting.vcs import FORMULAS
from mrv_assets.domain.assessment import Status
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.waterfall import Waterfall
from mrv_assets_tests.monitored import NPR, SQUARE, VCS, Package, Rows, account, natural_row, rule, rule_set, walked

CONTROLS = [control.id for control in rule_set("vcs-5.0").controls]


def case_of(package: Package, *, name: str = "vcs-5.0", period: str = "2024") -> ControlCase:
    """Return what a control sees of a package."""
    return walked(account(package, period=period), rule_set(name), FORMULAS)


def found(package: Package, control: str, *, name: str = "vcs-5.0", period: str = "2024") -> Finding:
    """Return what a control of the programme finds."""
    asked = rule(name, control)
    return vcs.CHECKS[asked.formula](case_of(package, name=name, period=period), asked)


def rows(*spans: tuple[str, str, str]) -> Rows:
    """Return monitoring periods."""
    return [{"first": first, "last": last, "verifier": verifier} for first, last, verifier in spans]


def square(left: float, bottom: float = 0, size: float = 1000) -> str:
    """Return a square in metres."""
    right, top = left + size, bottom + size
    return f"POLYGON (({left} {bottom}, {right} {bottom}, {right} {top}, {left} {top}, {left} {bottom}))"


@pytest.mark.parametrize("name", ["vcs-5.0", "vcs-4.x"])
@pytest.mark.parametrize("control", CONTROLS)
def test_a_sound_package_passes(control: str, name: str) -> None:
    """Every control holds, but for one whose rule does not bind yet."""
    is_early = control == "GEO-03" and name == "vcs-5.0"
    assert found(VCS, control, name=name).status is (Status.NOT_APPLICABLE if is_early else Status.PASS)


DEFECTS = [
    pytest.param("GWP-01", {"gwp_set": "ar4"}, "ar4 for 2024", id="old-potentials"),
    pytest.param("GWP-01", {"gwp_set": "ar4,ar5"}, "ar4,ar5", id="mixed-potentials"),
    pytest.param(
        "MIN-01",
        {"omitted_sources": [{"source": "fuel", "tco2e": "400", "reason": "small"}]},
        "400 t CO2e omitted of 8000",
        id="omitted-5-percent",
    ),
    pytest.param(
        "MIN-01",
        {"omitted_sources": [{"source": "fuel", "tco2e": "1", "reason": ""}]},
        "without a reason: fuel",
        id="omitted-without-reason",
    ),
    pytest.param("LKG-01", {"leakage_tco2e": "-5"}, "-5 t CO2e", id="positive-leakage"),
    pytest.param(
        "MAT-01", {"misstatements": [{"finding": "CAR 1", "tco2e": "-443"}]}, "0.052117647059", id="misstated"
    ),
    pytest.param("MAT-01", {"estimated_annual_tco2e": "300001"}, "0.011764705882", id="misstated-in-a-large-project"),
    pytest.param(
        "MAT-01",
        {"misstatements": [{"finding": "CAR 1", "tco2e": "-425." + "0" * 30 + "1"}]},
        "0.05",
        id="misstated-in-the-31st-decimal",
    ),
    pytest.param("MAT-02", {"assurance_level": "limited"}, "limited", id="limited-assurance"),
    pytest.param(
        "VCS-PERIODS",
        {"monitoring_periods": rows(("2022-01-01", "2023-12-30", "A"), ("2024-01-01", "2024-12-31", "B"))},
        "a gap between",
        id="gap",
    ),
    pytest.param(
        "VCS-PERIODS",
        {"monitoring_periods": rows(("2022-01-01", "2024-01-01", "A"), ("2024-01-01", "2024-12-31", "B"))},
        "an overlap between",
        id="overlap-in-time",
    ),
    pytest.param(
        "VCS-PERIODS",
        {"monitoring_periods": rows(("2022-01-01", "2023-12-31", "A"))},
        "the last one is not 2024-01-01",
        id="not-this-period",
    ),
    pytest.param("VCS-PERIODS", {"monitoring_periods": []}, "the last one is not", id="no-period"),
    pytest.param(
        "VCS-VVB",
        {"monitoring_periods": rows(("2018-06-01", "2023-12-31", "A"), ("2024-01-01", "2024-12-31", "A"))},
        "A verified 2018-06-01 to 2024-12-31",
        id="more-than-six-years",
    ),
    pytest.param(
        "VCS-VVB",
        {
            "monitoring_periods": rows(
                ("2016-01-01", "2021-12-31", "A"), ("2022-01-01", "2023-12-31", "B"), ("2024-01-01", "2024-12-31", "A")
            )
        },
        "A came back on 2024-01-01",
        id="back-after-two-years",
    ),
    pytest.param(
        "VIN-01",
        {"vintages": [{"first": "2024-01-01", "last": "2024-06-30"}]},
        "they are not the days",
        id="vintage-missing",
    ),
    pytest.param(
        "GEO-01",
        {"other_afolu_areas": [{"project_id": "VCS9", "wkt": square(999)}]},
        "VCS9 1000.0 m2",
        id="overlap",
    ),
    pytest.param("GEO-02", {"neighbours": []}, "not listed: VCS1", id="neighbour-not-listed"),
    pytest.param(
        "GEO-04",
        {"excluded_areas": [{"id": "lake", "kind": "water_body", "wkt": square(500, size=10)}]},
        "lake 100.0 m2",
        id="lake-inside",
    ),
]


@pytest.mark.parametrize(("control", "changes", "observed"), DEFECTS)
def test_a_defect_fails_its_control(control: str, changes: dict[str, str | Rows], observed: str) -> None:
    """What was seen is named, and what to do."""
    finding = found(VCS.with_(**changes), control)
    assert finding.status is Status.FAIL
    assert observed in finding.observed
    assert finding.remedy


@pytest.mark.parametrize(
    ("control", "evidence"),
    [
        ("GWP-01", "gwp_set"),
        ("MIN-01", "omitted_sources"),
        ("MAT-01", "misstatements"),
        ("MAT-01", "reported_tco2e"),
        ("MAT-01", "estimated_annual_tco2e"),
        ("MAT-02", "assurance_level"),
        ("VCS-PERIODS", "monitoring_periods"),
        ("VCS-VVB", "monitoring_periods"),
        ("VIN-01", "vintages"),
        ("GEO-01", "other_afolu_areas"),
        ("GEO-01", "project_areas"),
        ("GEO-01", "areas_crs"),
        ("GEO-02", "neighbours"),
        ("GEO-04", "excluded_areas"),
        ("GEO-04", "no_road"),
    ],
)
def test_a_control_without_its_evidence_fails_by_name(control: str, evidence: str) -> None:
    """Silence is not an answer."""
    with pytest.raises(ContractError, match=f"evidence is missing .*{evidence}"):
        found(VCS.without(evidence), control)


@pytest.mark.parametrize("control", ["BUF-01", "GEO-01", "GEO-02", "GEO-04"])
def test_what_is_asked_of_afolu_projects_is_not_asked_of_others(control: str) -> None:
    """It does not apply, and says why."""
    finding = found(VCS.with_(afolu_project="no"), control)
    assert (finding.status, "AFOLU" in finding.observed) == (Status.NOT_APPLICABLE, True)


@pytest.mark.parametrize(
    ("gwp_set", "period", "status"),
    [
        pytest.param("ar4", "2020", Status.PASS, id="ar4-until-2020"),
        pytest.param("ar5", "2020", Status.PASS, id="ar5-until-2020"),
        pytest.param("ar4", "2020-06-01_2021-01-01", Status.FAIL, id="ar4-with-a-day-of-2021"),
        pytest.param("ar6", "2024", Status.FAIL, id="newer-than-the-programme"),
    ],
)
def test_potentials_are_those_of_the_vintage(gwp_set: str, period: str, status: Status) -> None:
    """AR5 from 2021 on, AR4 or AR5 before."""
    assert found(VCS.with_(gwp_set=gwp_set), "GWP-01", period=period).status is status


@pytest.mark.parametrize(
    ("digest", "period", "status"),
    [
        pytest.param("ab" * 32, "2026", Status.NOT_APPLICABLE, id="before-it-binds"),
        pytest.param("ab" * 32, "2026-06-01_2027-01-01", Status.PASS, id="from-that-day-on"),
        pytest.param("ab" * 32, "2027", Status.PASS, id="digest"),
        pytest.param("areas.kml", "2027", Status.FAIL, id="no-digest"),
    ],
)
def test_a_geolocation_file_is_asked_for_from_2027(digest: str, period: str, status: Status) -> None:
    """Version 5 binds from that day; before, the control does not apply."""
    assert found(VCS.with_(geolocation_file_sha256=digest), "GEO-03", period=period).status is status


def test_a_buffer_with_leakage_in_its_base_fails() -> None:
    """A deposit that is not rating times stocks is seen, whoever computed it."""
    case = case_of(VCS)
    assert case.waterfall is not None
    lines = [
        replace(line, numbers={"buffer_tco2e": Decimal(1700)}) if line.rule == "BUF-00" else line
        for line in case.waterfall.lines
    ]
    wrong = replace(case, waterfall=Waterfall(rule_set="vcs@5.0", lines=lines))
    asked = rule("vcs-5.0", "BUF-01")
    assert vcs.CHECKS[asked.formula](wrong, asked).status is Status.FAIL


@pytest.mark.parametrize(
    "spans",
    [
        pytest.param([("2019-01-01", "2023-12-31", "A"), ("2024-01-01", "2024-12-31", "A")], id="six-years"),
        pytest.param([("2016-01-01", "2024-12-31", "A")], id="one-longer-period"),
        pytest.param(
            [("2015-01-01", "2020-12-31", "A"), ("2021-01-01", "2023-12-31", "B"), ("2024-01-01", "2024-12-31", "A")],
            id="back-after-three-years",
        ),
        pytest.param(
            [("2020-02-29", "2022-12-31", "A"), ("2023-01-01", "2023-12-31", "B"), ("2024-01-01", "2024-12-31", "A")],
            id="shorter-than-six-before",
        ),
    ],
)
def test_verifiers_that_rotate_pass(spans: list[tuple[str, str, str]]) -> None:
    """Up to six years in a row, and back after three of another."""
    assert found(VCS.with_(monitoring_periods=rows(*spans)), "VCS-VVB").status is Status.PASS


@pytest.mark.parametrize(
    ("vintages", "status"),
    [
        pytest.param([("2020-01-01", "2020-12-31"), ("2021-01-01", "2021-06-30")], Status.PASS, id="published-example"),
        pytest.param([("2020-01-01", "2021-06-30")], Status.FAIL, id="crosses-a-year"),
        pytest.param([("2020-01-01", "2020-12-31"), ("2021-01-02", "2021-06-30")], Status.FAIL, id="gap"),
        pytest.param([("2020-12-31", "2020-01-01"), ("2021-01-01", "2021-06-30")], Status.FAIL, id="backwards"),
    ],
)
def test_vintages_tile_the_period(vintages: list[tuple[str, str]], status: Status) -> None:
    """One calendar year each, together the monitoring period."""
    package = VCS.with_(vintages=[{"first": first, "last": last} for first, last in vintages])
    assert found(package, "VIN-01", period="2020-01-01_2021-06-30").status is status


@pytest.mark.parametrize(
    ("latitude_m", "east_m", "status"),
    [
        # At 60 degrees north EPSG:6933 stretches 1.73 times to the east and shrinks as much to the north.
        pytest.param(6_380_000, 8_000, Status.FAIL, id="4.6-km-east-that-look-like-8"),
        pytest.param(6_380_000, 9_000, Status.PASS, id="5.2-km-east"),
        pytest.param(0, 4_340, Status.PASS, id="5.01-km-that-look-like-4.34"),
        pytest.param(0, 4_200, Status.FAIL, id="4.85-km-at-the-equator"),
    ],
)
def test_five_kilometres_are_of_the_ground(latitude_m: float, east_m: float, status: Status) -> None:
    """Not of the equal-area map, which stretches distances."""
    package = VCS.with_(
        project_areas=[{"id": "p1", "wkt": square(0, latitude_m)}],
        other_afolu_areas=[{"project_id": "VCS1", "wkt": square(1000 + east_m, latitude_m)}],
        neighbours=[],
    )
    assert found(package, "GEO-02").status is status


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"areas_crs": "EPSG:3857"}, "an equal-area CRS in metres", id="mercator"),
        pytest.param({"areas_crs": "ESRI:54009"}, "an equal-area CRS in metres", id="areas-of-a-sphere"),
        pytest.param({"areas_crs": "EPSG:4326"}, "an equal-area CRS in metres", id="degrees"),
        pytest.param({"areas_crs": "EPSG:0"}, "a CRS such as EPSG:6933", id="no-crs"),
        pytest.param({"project_areas": [{"id": "p1", "wkt": "POLYGON ((0 0"}]}, "unreadable", id="no-wkt"),
        pytest.param(
            {"project_areas": [{"id": "p1", "wkt": "POLYGON ((0 0, 1 1, 0 1, 1 0, 0 0))"}]}, "row p1", id="bow-tie"
        ),
        pytest.param({"project_areas": [{"id": "p1", "wkt": "POINT (1 1)"}]}, "row p1", id="point"),
        pytest.param({"project_areas": []}, "at least one row", id="no-area"),
    ],
)
def test_an_area_that_cannot_be_measured_is_refused(changes: dict[str, str | Rows], message: str) -> None:
    """By the row, or by the CRS."""
    with pytest.raises(ContractError, match=message):
        found(VCS.with_(**changes), "GEO-01")


def test_an_excluded_kind_that_is_unknown_is_refused() -> None:
    """A misspelled kind would be a kind that nobody looks at."""
    package = VCS.with_(excluded_areas=[{"id": "x", "kind": "lake", "wkt": SQUARE}])
    with pytest.raises(ContractError, match="table excluded_areas, column kind"):
        found(package, "GEO-04")


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(rows(("2024", "2024-12-31", "A")), id="no-day"),
        pytest.param(rows(("2024-01-01", "2024-12-31", "")), id="nobody"),
    ],
)
def test_a_period_that_cannot_be_read_is_refused(table: Rows) -> None:
    """Days are days, and somebody verified."""
    with pytest.raises(ContractError, match="table monitoring_periods"):
        found(VCS.with_(monitoring_periods=table), "VCS-VVB")


@pytest.mark.parametrize("control", ["GEO-01", "GEO-02", "GEO-04"])
@pytest.mark.parametrize(
    ("size", "match"),
    [
        pytest.param(1e7, "places on the map of", id="north of the pole"),
        pytest.param(1e15, "coordinates beyond the Earth", id="beyond the Earth"),
    ],
)
def test_an_area_that_is_on_no_map_is_refused_by_name(control: str, size: float, match: str) -> None:
    """And not by a library that runs out of memory."""
    with pytest.raises(ContractError, match=match):
        found(VCS.with_(project_areas=[{"id": "p1", "wkt": square(0, 0, size)}]), control)


@pytest.mark.parametrize(("size", "match"), [(1e7, "places on the map of"), (1e15, "coordinates beyond the Earth")])
def test_a_neighbour_that_is_on_no_map_is_refused_by_name(size: float, match: str) -> None:
    """It is neither near nor far."""
    with pytest.raises(ContractError, match=match):
        found(VCS.with_(other_afolu_areas=[{"project_id": "VCS1", "wkt": square(2000, 0, size)}]), "GEO-02")


def test_a_project_of_the_limit_is_not_large() -> None:
    """Large is above 300 000 t a year; up to it 5 % is the limit."""
    assert found(VCS.with_(estimated_annual_tco2e="300000"), "MAT-01").status is Status.PASS


def test_materiality_of_nothing_is_refused() -> None:
    """There is no share of a report of 0."""
    with pytest.raises(ContractError, match="nothing is reported"):
        misstated_share(Decimal(0), [Decimal(1)], where="here")


def test_a_control_without_its_line_is_refused() -> None:
    """A rule set that lists a control and not the line that it reads is malformed."""
    with pytest.raises(ContractError, match="control needs a number that no line gives"):
        number_of(ControlCase(account=account(VCS), waterfall=None), "buffer_tco2e")


def npr_found(package: Package, control: str) -> Finding:
    """Return what a control of the risk tool finds."""
    asked = rule("npr-4.2", control)
    case = walked(account(package), rule_set("npr-4.2"), non_permanence.FORMULAS)
    return npr.CHECKS[asked.formula](case, asked)


@pytest.mark.parametrize("control", [control.id for control in rule_set("npr-4.2").controls])
def test_sound_answers_pass(control: str) -> None:
    """27.5 points, 28 % stated."""
    assert npr_found(NPR, control).status is Status.PASS


RISKS = [
    natural_row("fire", loss_share="0.6", interval_years="5"),
    *(natural_row(name, applicable="no") for name in ("pest_and_disease", "extreme_weather", "geological")),
]


@pytest.mark.parametrize(
    ("control", "changes", "observed"),
    [
        pytest.param(
            "NPR-ANSWERS", {"npr_due_process": "no"}, "no due process on disputes", id="failed-answer-by-name"
        ),
        pytest.param(
            "NPR-INTERNAL",
            {
                "npr_alternative_npv": "900",
                "npr_longevity_years": "20",
                "npr_payback_years": "15",
                "npr_skills_missing": "yes",
            },
            "37",
            id="internal",
        ),
        pytest.param(
            "NPR-EXTERNAL",
            {
                "npr_tenure_dispute_share": "0.5",
                "npr_access_dispute_share": "0.5",
                "npr_disputes_being_resolved": "no",
            },
            "26",
            id="external",
        ),
        pytest.param("NPR-NATURAL", {"npr_natural_risks": RISKS, "npr_climate_factor": "1.2"}, "36.0", id="natural"),
        pytest.param(
            "NPR-OVERALL",
            {
                "npr_natural_risks": RISKS,
                "npr_tenure_dispute_share": "0.01",
                "npr_disputes_being_resolved": "no",
                "npr_longevity_years": "40",
            },
            "63",
            id="overall",
        ),
        pytest.param("NPR-STATED", {"npr_rating_percent": "27.5"}, "27.5 % stated", id="not-as-computed"),
    ],
)
def test_an_analysis_that_fails_is_named(control: str, changes: dict[str, str | Rows], observed: str) -> None:
    """35, 20, 35, 60 and any answer that fails it."""
    finding = npr_found(NPR.with_(**changes), control)
    assert (finding.status, observed in finding.observed) == (Status.FAIL, True)


@pytest.mark.parametrize("name", ["vcs-4.x", "vcs-5.0", "vcs-methodology-requirements-5.0", "npr-4.2"])
def test_every_formula_of_a_rule_set_exists(name: str) -> None:
    """Lines name a step and controls a check."""
    rules = rule_set(name)
    assert {line.formula for line in rules.lines} <= {*FORMULAS, *non_permanence.FORMULAS}
    assert {control.formula for control in rules.controls} <= {*vcs.CHECKS, *npr.CHECKS}
