"""The tables of the Non-Permanence Risk Tool and the overall rating."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from mrv_assets.crediting.non_permanence import EVIDENCE, FORMULAS, rated
from mrv_assets.crediting.non_permanence_external import (
    governance_points,
    land_tenure,
    political_risk,
    stakeholder_engagement,
)
from mrv_assets.crediting.non_permanence_internal import (
    financial_viability,
    longevity_points,
    npv_points,
    opportunity_cost,
    project_longevity,
    project_management,
)
from mrv_assets.crediting.non_permanence_natural import climate_factor, historic_points, natural_risk
from mrv_assets.domain.errors import ContractError
from mrv_assets_tests.monitored import NPR, Rows, account, governance_rows, natural_row, rule, rule_set, walked

MANAGEMENT, FINANCE, OPPORTUNITY, LONGEVITY = (rule("npr-4.2", f"NPR-{name}") for name in ("PM", "FV", "OC", "PL"))
TENURE, STAKEHOLDERS, POLITICS, NATURAL = (rule("npr-4.2", f"NPR-{name}") for name in ("LT", "SE", "PC", "NR"))
SEA = {
    "npr_coastal_zone": "yes",
    "npr_sea_level_loss_share": "0.6",
    "npr_sea_level_impact": "4",
    "npr_sea_level_transient": "no",
    "npr_sea_level_ecosystem": "no",
    "npr_sea_level_planning": "no",
    "npr_sea_level_barriers": "no",
}
ALM = {
    "npr_alm_project": "yes",
    "npr_farmers_untrained": "yes",
    "npr_farmers_unaware": "yes",
    "npr_training_plan": "no",
}


def risks(*rows: dict[str, str]) -> Rows:
    """Return the four risks that every project assesses, not applicable but for those given."""
    given = {row["risk"]: row for row in rows}
    always = ("fire", "pest_and_disease", "extreme_weather", "geological")
    return [
        *(given.get(name, natural_row(name, applicable="no")) for name in always),
        *(row for name, row in given.items() if name not in always),
    ]


@pytest.mark.parametrize(
    ("changes", "points"),
    [
        pytest.param({}, 2, id="one-risk"),
        pytest.param({"npr_skills_missing": "yes", "npr_team_far_away": "yes"}, 6, id="three-risks"),
        pytest.param({"npr_team_experienced": "yes"}, 0, id="mitigated"),
        pytest.param({"npr_enforcement_needed": "no", "npr_team_experienced": "yes"}, 0, id="not-below-0"),
        pytest.param(ALM, 6, id="farmers"),
        pytest.param(ALM | {"npr_training_plan": "yes"}, 4, id="farmers-trained"),
    ],
)
def test_project_management(changes: dict[str, str], points: int) -> None:
    """Table 1: 2 for each risk, 2 less for each mitigation."""
    assert project_management(NPR.with_(**changes).monitoring, MANAGEMENT).points == points


@pytest.mark.parametrize(
    ("payback", "funding", "callable_share", "points"),
    [
        pytest.param("4", "0.8", "0", 0, id="best"),
        pytest.param("4.1", "0.8", "0", 1, id="above-4-years"),
        pytest.param("7", "0.799", "0", 2, id="7-years-below-80-percent"),
        pytest.param("7.5", "0.40", "0", 3, id="above-7-years"),
        pytest.param("10", "0.399", "0", 4, id="below-40-percent"),
        pytest.param("20", "0.15", "0", 5, id="20-years-15-percent"),
        pytest.param("20", "0.149", "0", 6, id="worst"),
        pytest.param("20", "0.149", "0.8", 4, id="callable-funds"),
        pytest.param("20", "0.5", "0.8", 3, id="callable-funds-lower-funding-only"),
    ],
)
def test_financial_viability(payback: str, funding: str, callable_share: str, points: int) -> None:
    """Table 2: payback plus funding; callable funds do not lower the payback."""
    package = NPR.with_(
        npr_payback_years=payback, npr_funding_secured_share=funding, npr_callable_funds_share=callable_share
    )
    assert financial_viability(package.monitoring, FINANCE).points == points


@pytest.mark.parametrize(
    ("project", "alternative", "points"),
    [
        pytest.param("100", "200", 8, id="twice"),
        pytest.param("100", "199.99", 6, id="below-twice"),
        pytest.param("100", "150", 4, id="half-more"),
        pytest.param("100", "120", 0, id="a-fifth-more"),
        pytest.param("120", "100", 0, id="project-a-fifth-better"),
        pytest.param("121", "100", -2, id="project-better"),
        pytest.param("151", "100", -4, id="project-much-better"),
        pytest.param("0", "1", 8, id="project-earns-nothing"),
        pytest.param("-5", "-6", 0, id="both-lose"),
        pytest.param("5", "-6", 0, id="alternative-loses"),
    ],
)
def test_net_present_values(project: str, alternative: str, points: int) -> None:
    """Table 3: the best alternative against the project."""
    assert npv_points(Decimal(project), Decimal(alternative), OPPORTUNITY) == points


@pytest.mark.parametrize(
    ("changes", "points"),
    [
        pytest.param({"npr_alternative_npv": "200"}, 8, id="alternative"),
        pytest.param({"npr_alternative_npv": "200", "npr_binding_agreement": "crediting_period"}, 6, id="agreement"),
        pytest.param(
            {
                "npr_alternative_npv": "200",
                "npr_binding_agreement": "hundred_years",
                "npr_loss_of_revenue_covered": "yes",
            },
            2,
            id="hundred-years-and-covered",
        ),
        pytest.param({"npr_binding_agreement": "hundred_years"}, 0, id="not-below-0"),
        pytest.param({"npr_subsistence_baseline": "yes", "npr_community_impacts_positive": "no"}, 8, id="subsistence"),
        pytest.param(
            {"npr_subsistence_baseline": "yes", "npr_community_impacts_positive": "yes"}, 0, id="subsistence-good"
        ),
    ],
)
def test_opportunity_cost(changes: dict[str, str], points: int) -> None:
    """Table 3 with its mitigations."""
    assert opportunity_cost(NPR.with_(**changes).monitoring, OPPORTUNITY).points == points


@pytest.mark.parametrize(
    ("years", "without", "agreed"),
    [("40", "17", "15"), ("60", "13", "10"), ("100", "5", "0"), ("30", "19", "17.5"), ("200", "0", "0")],
)
def test_longevity(years: str, without: str, agreed: str) -> None:
    """Table 4: 25 - L/5, with a legal agreement 25 - L/4."""
    assert longevity_points(Decimal(years), LONGEVITY, has_agreement=False) == Decimal(without)
    assert longevity_points(Decimal(years), LONGEVITY, has_agreement=True) == Decimal(agreed)


@pytest.mark.parametrize(
    ("changes", "points", "failures"),
    [
        pytest.param({}, "13", [], id="without-agreement"),
        pytest.param(
            {"npr_longevity_agreement": "yes", "npr_grouped_short_contracts": "no"}, "10", [], id="with-agreement"
        ),
        pytest.param(
            {"npr_longevity_agreement": "yes", "npr_grouped_short_contracts": "yes"}, "13", [], id="short-contracts"
        ),
        pytest.param({"npr_binding_agreement": "hundred_years"}, "0", [], id="bound-for-100-years"),
        pytest.param({"npr_longevity_years": "39"}, "17.2", ["longevity below 40 years"], id="too-short"),
        pytest.param(
            {"npr_longevity_years": "39", "npr_registration_requested": "2023-12-31"}, "17.2", [], id="asked-earlier"
        ),
        pytest.param(
            {"npr_longevity_years": "29", "npr_registration_requested": "2023-12-31"},
            "19.2",
            ["longevity below 30 years"],
            id="asked-earlier-too-short",
        ),
        pytest.param(
            {"npr_longevity_plans": "no", "npr_harvesting": "yes", "npr_harvest_commitment": "no"},
            "13",
            ["no plans for the whole longevity", "no commitment to continue, replant or allow regrowth"],
            id="no-plans-no-commitment",
        ),
    ],
)
def test_project_longevity(changes: dict[str, str], points: str, failures: list[str]) -> None:
    """Table 4 with the answers that fail the project."""
    score = project_longevity(NPR.with_(**changes).monitoring, LONGEVITY)
    assert (score.points, list(score.failures)) == (Decimal(points), failures)


@pytest.mark.parametrize(
    ("changes", "points"),
    [
        pytest.param({}, 2, id="rights-held-apart"),
        pytest.param({"npr_government_intervention": "expropriated"}, 12, id="expropriated"),
        pytest.param({"npr_government_intervention": "changed_rights"}, 7, id="changed-rights"),
        pytest.param(
            {"npr_tenure_dispute_share": "0.05", "npr_disputes_being_resolved": "no"}, 7, id="disputes-up-to-5-percent"
        ),
        pytest.param(
            {"npr_tenure_dispute_share": "0.051", "npr_disputes_being_resolved": "no"}, 12, id="disputes-above"
        ),
        pytest.param(
            {
                "npr_tenure_dispute_share": "0.01",
                "npr_access_dispute_share": "0.5",
                "npr_disputes_being_resolved": "yes",
            },
            15,
            id="both-kinds-being-resolved",
        ),
        pytest.param({"npr_tenure_protected": "yes"}, 0, id="protected"),
        pytest.param({"npr_wrc_project": "yes", "npr_upstream_impacts_mitigated": "no"}, 7, id="upstream"),
    ],
)
def test_land_tenure(changes: dict[str, str], points: int) -> None:
    """Table 6."""
    assert land_tenure(NPR.with_(**changes).monitoring, TENURE).points == points


@pytest.mark.parametrize(
    ("changes", "points"),
    [
        pytest.param({}, 0, id="nobody-relies-on-it"),
        pytest.param({"npr_reliant_people_inside": "yes", "npr_consulted_inside_share": "0.51"}, 0, id="most"),
        pytest.param({"npr_reliant_people_inside": "yes", "npr_consulted_inside_share": "0.5"}, 10, id="just-half"),
        pytest.param({"npr_reliant_people_nearby": "yes", "npr_consulted_nearby_share": "0.2"}, 5, id="just-a-fifth"),
    ],
)
def test_stakeholder_engagement(changes: dict[str, str], points: int) -> None:
    """Table 7; exactly the limit is not enough."""
    assert stakeholder_engagement(NPR.with_(**changes).monitoring, STAKEHOLDERS).points == points


@pytest.mark.parametrize(
    ("mean", "points"),
    [
        ("-2.5", 6),
        ("-0.791", 6),
        ("-0.79", 4),
        ("-0.321", 4),
        ("-0.32", 2),
        ("0.189", 2),
        ("0.19", 1),
        ("0.819", 1),
        ("0.82", 0),
    ],
)
def test_governance(mean: str, points: int) -> None:
    """Table 8: each limit belongs to the better level."""
    assert governance_points(Fraction(mean), POLITICS) == points


def test_a_committed_country_has_less_political_risk() -> None:
    """The mean is of six indicators over five years; 2 less with a commitment, not below 0."""
    assert political_risk(NPR.monitoring, POLITICS).points == 4
    assert political_risk(NPR.with_(npr_country_committed="yes").monitoring, POLITICS).points == 2
    good = NPR.with_(npr_country_committed="yes", npr_governance_scores=governance_rows("0.5"))
    assert political_risk(good.monitoring, POLITICS).points == 0


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([], id="none"),
        pytest.param(governance_rows("0")[:-1], id="one-missing"),
        pytest.param([*governance_rows("0")[:-1], governance_rows("0")[0]], id="one-twice"),
        pytest.param([dict(row, year=str(2 * int(row["year"]))) for row in governance_rows("0")], id="gaps"),
        pytest.param([dict(row, year="9" * 5000) for row in governance_rows("0")], id="no-year"),
        pytest.param(governance_rows("2.6"), id="out-of-range"),
        pytest.param([dict(row, indicator="peace") for row in governance_rows("0")], id="unknown-indicator"),
    ],
)
def test_governance_scores_that_are_no_series_are_refused(rows: Rows) -> None:
    """Six indicators, five years in a row, each once, between -2.5 and 2.5."""
    with pytest.raises(ContractError, match="table npr_governance_scores"):
        political_risk(NPR.with_(npr_governance_scores=rows).monitoring, POLITICS)


TABLE_10 = {
    "0.70": ["fail", "30", "20", "5", "4"],
    "0.50": ["30", "20", "5", "4", "3"],
    "0.25": ["20", "5", "4", "3", "2"],
    "0.05": ["5", "4", "3", "2", "1"],
    "0.04": ["4", "3", "2", "1", "1"],
}


@pytest.mark.parametrize(
    ("loss", "years", "expected"),
    [
        pytest.param(loss, years, cell, id=f"{loss}-every-{years}")
        for loss, cells in TABLE_10.items()
        for years, cell in zip(("9.9", "10", "25", "50", "100"), cells, strict=True)
    ],
)
def test_table_10(loss: str, years: str, expected: str) -> None:
    """Every cell, at the lower limit of its row and column."""
    points = historic_points(Decimal(loss), Decimal(years), NATURAL, is_transient=False)
    assert points == (None if expected == "fail" else Decimal(expected))


def test_a_transient_loss_is_insignificant() -> None:
    """Full recovery within ten years counts as the last row, whatever was lost."""
    assert historic_points(Decimal("0.9"), Decimal(5), NATURAL, is_transient=True) == 4


@pytest.mark.parametrize(
    ("rows", "changes", "points"),
    [
        pytest.param(risks(), {}, "0", id="none-applies"),
        pytest.param(risks(natural_row("fire", loss_share="0.3", interval_years="20")), {}, "5", id="fire"),
        pytest.param(
            risks(natural_row("fire", loss_share="0.3", interval_years="20", prevention="yes")),
            {},
            "2.5",
            id="prevented",
        ),
        pytest.param(
            risks(natural_row("fire", loss_share="0.3", interval_years="20", prevention="yes", containment="yes")),
            {},
            "1.25",
            id="prevented-and-contained",
        ),
        pytest.param(
            risks(natural_row("fire", loss_share="0.3", interval_years="20"), natural_row("geological")),
            {"npr_climate_factor": "1.4"},
            "8",
            id="climate-amplifies-fire-only",
        ),
        pytest.param(
            risks(natural_row("landslide", loss_share="0.3", interval_years="20")),
            {"npr_climate_factor": "1.4"},
            "7",
            id="climate-amplifies-landslides",
        ),
        pytest.param(risks(), SEA, "20", id="sea-level"),
        pytest.param(risks(), SEA | {"npr_sea_level_barriers": "yes"}, "12.0", id="barriers"),
        pytest.param(risks(), SEA | {"npr_sea_level_ecosystem": "yes"}, "10", id="ecosystem"),
        pytest.param(
            risks(), SEA | {"npr_sea_level_planning": "yes", "npr_sea_level_barriers": "yes"}, "5", id="two-measures"
        ),
        pytest.param(risks(), SEA | {"npr_sea_level_transient": "yes"}, "3", id="transient"),
    ],
)
def test_natural_risk(rows: Rows, changes: dict[str, str], points: str) -> None:
    """Likelihood and significance times mitigation, climate factor, and sea-level rise."""
    package = NPR.with_(npr_natural_risks=rows, **changes)
    assert natural_risk(package.monitoring, NATURAL).points == Decimal(points)


def test_what_is_catastrophic_and_frequent_fails() -> None:
    """The cell FAIL of Tables 10 and 13, by name."""
    rows = risks(natural_row("fire", loss_share="0.8", interval_years="5"))
    package = NPR.with_(
        npr_natural_risks=rows, **SEA | {"npr_sea_level_loss_share": "0.7", "npr_sea_level_impact": "5"}
    )
    failures = natural_risk(package.monitoring, NATURAL).failures
    assert list(failures) == [
        "fire is catastrophic and frequent",
        "sea-level rise is catastrophic and its impact high",
    ]


@pytest.mark.parametrize(("stated", "met", "expected"), [("1.4", "4", "1.4"), ("1.4", "5", "1.24"), ("1", "7", "1")])
def test_adaptive_capacity_cuts_the_excess(stated: str, met: str, expected: str) -> None:
    """With five criteria of seven the part above 1 is 40 % less."""
    package = NPR.with_(npr_climate_factor=stated, npr_adaptive_criteria_met=met)
    assert climate_factor(package.monitoring, NATURAL) == Decimal(expected)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param(risks()[1:], "a row for fire", id="fire-not-assessed"),
        pytest.param([*risks(), risks()[0]], "each risk once", id="fire-twice"),
        pytest.param(risks(natural_row("fire", loss_share="1.2")), "loss_share 0 to 1", id="more-than-all"),
        pytest.param(risks(natural_row("fire", interval_years="0")), "interval_years above 0", id="every-0-years"),
        pytest.param(risks(natural_row("fire", transient="")), "column transient", id="no-answer"),
        pytest.param(risks(natural_row("fire", prevention="perhaps")), "yes or no", id="no-clear-answer"),
    ],
)
def test_a_natural_risk_that_is_not_assessed_is_refused(rows: Rows, message: str) -> None:
    """What does not apply says so; silence is no answer."""
    with pytest.raises(ContractError, match=message):
        natural_risk(NPR.with_(npr_natural_risks=rows).monitoring, NATURAL)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"npr_payback_years": "-1"}, "npr_payback_years", id="payback"),
        pytest.param({"npr_binding_agreement": "perhaps"}, "npr_binding_agreement", id="agreement"),
        pytest.param({"npr_government_intervention": "yes"}, "npr_government_intervention", id="intervention"),
        pytest.param({"npr_tenure_dispute_share": "5"}, "npr_tenure_dispute_share", id="share-in-percent"),
        pytest.param(SEA | {"npr_sea_level_impact": "2.5"}, "a whole level", id="impact-level"),
    ],
)
def test_an_answer_that_cannot_be_one_is_refused(changes: dict[str, str], message: str) -> None:
    """By the name of the question."""
    with pytest.raises(ContractError, match=message):
        walked(account(NPR.with_(**changes)), rule_set("npr-4.2"), FORMULAS)


@pytest.mark.parametrize("name", sorted({*NPR.quantities, *NPR.facts, *NPR.tables} - {"npr_rating_percent"}))
def test_every_answer_is_asked_for(name: str) -> None:
    """Without it there is no rating, and it is among the names that a finding is traced to."""
    assert name in EVIDENCE
    with pytest.raises(ContractError, match=f"evidence is missing .*{name}"):
        walked(account(NPR.without(name)), rule_set("npr-4.2"), FORMULAS)


@pytest.mark.parametrize(
    ("internal", "external", "natural", "percent"),
    [
        pytest.param("18", "6", "3.5", 28, id="27.5-is-28"),
        pytest.param("5", "2", "2.2", 12, id="9.2-is-12"),
        pytest.param("30", "10", "20.0", 60, id="60.0"),
        pytest.param("30", "10", "20.1", 61, id="60.1-is-61"),
        pytest.param("-9", "30", "0", 30, id="no-category-lowers-another"),
    ],
)
def test_the_overall_rating(internal: str, external: str, natural: str, percent: int) -> None:
    """Rounded up to whole per cent, no less than 12."""
    rating = rated(internal=Decimal(internal), external=Decimal(external), natural=Decimal(natural), least=Decimal(12))
    assert rating.percent == percent


def test_the_tables_add_up() -> None:
    """2 + 3 + 0 + 13, 2 + 0 + 4 and 3.5 are 27.5, so 28 %, and no tonne moves."""
    waterfall = walked(account(NPR), rule_set("npr-4.2"), FORMULAS).waterfall
    assert waterfall is not None
    assert waterfall.total_tco2e == 0
    last = waterfall.lines[-1].numbers
    assert [last[f"npr_{name}"] for name in ("internal", "external", "natural", "rating_percent")] == [
        Decimal(text) for text in ("18", "6", "3.5", "28")
    ]
