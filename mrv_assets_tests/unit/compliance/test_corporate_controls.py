"""Each control of ISO 14064, the GHG Protocol and ESRS E1 holds for sound evidence and is red for one broken thing."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.compliance.controls import esrs, ghg_protocol, iso14064
from mrv_assets.compliance.controls.materiality import materiality
from mrv_assets.domain.assessment import Status
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Tag
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets_tests.evidence import INSIDE, SQUARE, WATERFALL, evidence, finding, row_with, rule_of, rule_set

CHECKS = {**iso14064.CHECKS, **ghg_protocol.CHECKS, **esrs.CHECKS}
RULE_SETS = (
    "iso-14064-2-2019", "iso-14064-3-2019", "ghg-protocol-corporate-2004", "ghg-protocol-land-sector-removals-1.0",
    "esrs-e1-2023",
)  # fmt: skip
CONTROLS = [(name, rule.id) for name in RULE_SETS for rule in rule_set(name).controls]
ISO2, ISO3, GHGP, LSR, ESRS = RULE_SETS


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_rule_set_is_named_as_its_file_and_uses_controls_that_there_are(name: str) -> None:
    """Every formula is one of the checks, and no rule set is about lines of a waterfall."""
    found = rule_set(name)
    assert f"{found.id}-{found.version}" == name
    assert {rule.formula for rule in found.controls} <= set(CHECKS)
    assert not found.lines


def test_every_check_is_used_by_a_rule_set() -> None:
    """No control is written for nobody."""
    assert {rule.formula for name in RULE_SETS for rule in rule_set(name).controls} == set(CHECKS)


def test_no_control_that_is_known_from_memory_has_a_number() -> None:
    """What is only remembered is an identity; limits come from documents or are our own."""
    remembered = [rule for name in RULE_SETS for rule in rule_set(name).controls if rule.evidence is Tag.MEM]
    assert [rule.id for rule in remembered if rule.thresholds] == []


@pytest.mark.parametrize(("name", "control"), CONTROLS)
def test_sound_evidence_passes(name: str, control: str) -> None:
    """The whole package passes every control, and each says what it saw, the limit and the evidence."""
    rule = rule_of(name, control)
    found = finding(CHECKS[rule.formula], rule)
    assert found.status is Status.PASS, found.observed
    assert found.observed
    assert found.limit
    assert found.evidence


@pytest.mark.parametrize(("name", "control"), CONTROLS)
def test_missing_evidence_is_an_error_by_name(name: str, control: str) -> None:
    """Without the first thing that a control asks for there is no finding, and nothing is taken to be 0."""
    rule = rule_of(name, control)
    asked = finding(CHECKS[rule.formula], rule).evidence[0]
    with pytest.raises(ContractError, match=f"evidence is missing .*{asked}"):
        finding(CHECKS[rule.formula], rule, evidence(without=asked))


BROKEN = [
    pytest.param(ISO2, "ISO2-BASELINE", evidence(facts={"baseline_date": "2019-01-01"}), id="baseline-on-the-start"),
    pytest.param(
        ISO2, "ISO2-BASELINE", evidence(facts={"baseline_version_last_day": "1.1"}), id="baseline-changed-in-the-period"
    ),
    pytest.param(
        ISO2, "ISO2-ADDITIONALITY", evidence(facts={"additionality_result": "not additional"}), id="not-additional"
    ),
    pytest.param(
        ISO2, "ISO2-ADDITIONALITY", evidence(facts={"additionality_evidence_sha256": "yes"}), id="no-digest-of-the-test"
    ),
    pytest.param(ISO2, "ISO2-BOUNDARY", evidence(tables=row_with("ssr", 1, tco2e="-400")), id="exactly-five-percent"),
    pytest.param(ISO2, "ISO2-BOUNDARY", evidence(tables=row_with("ssr", 2, name="trees")), id="pool-named-twice"),
    pytest.param(ISO2, "ISO2-BOUNDARY", evidence(tables={"ssr": ()}), id="no-pools"),
    pytest.param(ISO2, "ISO2-BOUNDARY", evidence(quantities={"reported_tco2e": "0"}), id="left-out-of-nothing"),
    pytest.param(ISO2, "ISO2-LEAKAGE", evidence(quantities={"leakage_tco2e": "-1"}), id="positive-leakage"),
    pytest.param(ISO2, "ISO2-PERMANENCE", evidence(quantities={"npr_rating_percent": "11"}), id="rating-below-12"),
    pytest.param(ISO2, "ISO2-PERMANENCE", evidence(quantities={"npr_rating_percent": "61"}), id="rating-above-60"),
    pytest.param(ISO2, "ISO2-PERMANENCE", evidence(quantities={"buffer_credits": "27"}), id="buffer-too-small"),
    pytest.param(
        ISO2,
        "ISO2-CONSERVATIVE",
        evidence(tables=row_with("alternative_values", 0, used="0.30")),
        id="bold-when-it-raises",
    ),
    pytest.param(
        ISO2,
        "ISO2-CONSERVATIVE",
        evidence(tables=row_with("alternative_values", 1, used="10")),
        id="bold-when-it-lowers",
    ),
    pytest.param(
        ISO3, "ISO3-MATERIALITY", evidence(tables=row_with("misstatements", 0, tco2e="-620")), id="5.2-percent"
    ),
    pytest.param(
        ISO3,
        "ISO3-MATERIALITY",
        evidence(quantities={"estimated_annual_tco2e": "300001"}),
        id="3-percent-of-a-large-one",
    ),
    pytest.param(ISO3, "ISO3-OPINION", evidence(facts={"verification_opinion": "modified"}), id="modified-opinion"),
    pytest.param(
        ISO3, "ISO3-FACTORS", evidence(tables=row_with("results", 0, factor_set_sha256="?")), id="no-digest-of-factors"
    ),
    pytest.param(ISO3, "ISO3-FACTORS", evidence(tables=row_with("results", 0, factor_set="")), id="no-factor-set"),
    pytest.param(ISO3, "ISO3-FACTORS", evidence(tables={"results": ()}), id="no-results"),
    pytest.param(
        GHGP,
        "GHGP-REMOVALS-APART",
        evidence(quantities={"stated_emissions_tco2e": "50", "stated_removals_tco2e": "0"}),
        id="netted-inventory",
    ),
    pytest.param(
        GHGP, "GHGP-SCOPE3-ONE-COMPANY", evidence(tables=row_with("scope3_totals", 1, total="ours")), id="scope-3-added"
    ),
    pytest.param(GHGP, "GHGP-ONE-CLAIMANT", evidence(tables=row_with("claims", 1, wkt=INSIDE)), id="claimed-by-two"),
    pytest.param(
        LSR,
        "LSR-ONE-CLAIMANT",
        evidence(tables=row_with("claims", 1, wkt=INSIDE, claim="adjusted scope 3 removal")),
        id="credited-and-claimed",
    ),
    pytest.param(LSR, "LSR-TRACED", evidence(tables=row_with("removals", 0, is_global_average="yes")), id="average"),
    pytest.param(LSR, "LSR-TRACED", evidence(tables=row_with("removals", 0, place=" ")), id="no-place"),
    pytest.param(LSR, "LSR-TRACED", evidence(tables=row_with("removals", 0, traced_to="country")), id="only-a-country"),
    pytest.param(LSR, "LSR-TRACED", evidence(tables={"removals": []}), id="no-removal-shown"),
    pytest.param(LSR, "LSR-ADJUSTED", evidence(quantities={"adjusted_removals_tco2e": "50"}), id="sold-and-kept"),
    pytest.param(
        ESRS, "ESRS-TOTALS", evidence(quantities={"total_location_tco2e": "950"}), id="removals-netted-location"
    ),
    pytest.param(ESRS, "ESRS-TOTALS", evidence(quantities={"total_market_tco2e": "935"}), id="removals-netted-market"),
    pytest.param(ESRS, "ESRS-NOT-NETTED", evidence(quantities={"scope1_tco2e": "50"}), id="scope-1-netted"),
    pytest.param(ESRS, "ESRS-NOT-NETTED", evidence(quantities={"removals_tco2e": "49"}), id="removals-lost"),
    pytest.param(
        ESRS, "ESRS-ACTIVITIES", evidence(tables=row_with("removal_activities", 1, tco2e="19")), id="activities-short"
    ),
    pytest.param(ESRS, "ESRS-CREDIT-SHARES", evidence(quantities={"credits_removal_percent": "71"}), id="101-percent"),
    pytest.param(
        ESRS,
        "ESRS-CREDIT-SHARES",
        evidence(quantities={"credits_removal_percent": "110", "credits_reduction_percent": "-10"}),
        id="negative-share",
    ),
    pytest.param(
        ESRS,
        "ESRS-SOLD-NOT-USED",
        evidence(tables=row_with("credits_used", 0, serial_start="20")),
        id="one-serial-sold",
    ),
]


@pytest.mark.parametrize(("name", "control", "broken"), BROKEN)
def test_one_broken_thing_fails_with_advice(name: str, control: str, broken: Monitoring) -> None:
    """The control that is about it is red and says what to do."""
    rule = rule_of(name, control)
    found = finding(CHECKS[rule.formula], rule, broken)
    assert found.status is Status.FAIL
    assert found.remedy


UNUSABLE = [
    pytest.param(ISO2, "ISO2-BASELINE", evidence(facts={"project_start": "soon"}), "project_start", id="no-day"),
    pytest.param(
        ISO2, "ISO2-ADDITIONALITY", evidence(facts={"additionality_test": "hope"}), "additionality_test", id="test"
    ),
    pytest.param(
        ISO2, "ISO2-BOUNDARY", evidence(tables=row_with("ssr", 0, reason="")), "trees, column reason", id="reason"
    ),
    pytest.param(
        ISO2, "ISO2-BOUNDARY", evidence(tables=row_with("ssr", 0, kind="pool")), "trees, column kind", id="kind"
    ),
    pytest.param(ISO2, "ISO2-PERMANENCE", evidence(quantities={"buffer_credits": "-1"}), "buffer_credits", id="buffer"),
    pytest.param(
        ISO3, "ISO3-MATERIALITY", evidence(quantities={"reported_tco2e": "0"}), "reported_tco2e", id="base-of-0"
    ),
    pytest.param(
        ISO3, "ISO3-ASSURANCE", evidence(facts={"assurance_level": "some"}), "assurance_level", id="assurance"
    ),
    pytest.param(GHGP, "GHGP-ONE-CLAIMANT", evidence(facts={"claims_crs": "EPSG:4326"}), "claims_crs", id="degrees"),
    pytest.param(
        GHGP, "GHGP-ONE-CLAIMANT", evidence(tables=row_with("claims", 0, wkt="POINT (0 0)")), "wkt", id="point"
    ),
    pytest.param(GHGP, "GHGP-ONE-CLAIMANT", evidence(tables=row_with("claims", 0, wkt="??")), "wkt", id="no-wkt"),
    pytest.param(
        GHGP, "GHGP-ONE-CLAIMANT", evidence(tables=row_with("claims", 0, period="now")), "period", id="no-period"
    ),
    pytest.param(
        ESRS,
        "ESRS-ACTIVITIES",
        evidence(tables=row_with("removal_activities", 0, tco2e="-1")),
        "planting",
        id="reversal",
    ),
    pytest.param(
        ESRS,
        "ESRS-ACTIVITIES",
        evidence(tables=row_with("removal_activities", 0, kind="old")),
        "column kind",
        id="no-kind",
    ),
    pytest.param(ESRS, "ESRS-TOTALS", evidence(quantities={"scope3_tco2e": "-1"}), "scope3_tco2e", id="negative-scope"),
    pytest.param(
        ESRS, "ESRS-NOT-NETTED", evidence(facts={"certificate_scope": "scope4"}), "certificate_scope", id="scope-4"
    ),
    pytest.param(
        ESRS,
        "ESRS-SOLD-NOT-USED",
        evidence(tables=row_with("credits_sold", 0, serial_end="1_9")),
        "whole numbers",
        id="serial-with-underscore",
    ),
    pytest.param(
        ESRS,
        "ESRS-SOLD-NOT-USED",
        evidence(tables=row_with("credits_sold", 0, serial_end="x")),
        "credits_sold",
        id="serial",
    ),
    pytest.param(
        ESRS,
        "ESRS-SOLD-NOT-USED",
        evidence(tables=row_with("credits_sold", 0, serial_end="0")),
        "credits_sold",
        id="backward",
    ),
]


@pytest.mark.parametrize(("name", "control", "broken", "named"), UNUSABLE)
def test_evidence_that_cannot_be_used_is_an_error_by_name(
    name: str, control: str, broken: Monitoring, named: str
) -> None:
    """The error names what is wrong, whether it is a word that is not known or a figure that cannot be."""
    rule = rule_of(name, control)
    with pytest.raises(ContractError, match=named):
        finding(CHECKS[rule.formula], rule, broken)


def test_permanence_does_not_apply_where_no_carbon_is_stored() -> None:
    """A project without stocks has nothing to reverse, and says so."""
    rule = rule_of(ISO2, "ISO2-PERMANENCE")
    found = finding(iso14064.permanence, rule, evidence(facts={"stores_carbon": "no"}))
    assert (found.status, found.evidence) == (Status.NOT_APPLICABLE, ("stores_carbon",))


def test_a_loss_owes_no_buffer() -> None:
    """A stock change below 0 asks for no credits in the buffer."""
    broken = evidence(quantities={"net_stock_change_tco2e": "-100", "buffer_credits": "0"})
    found = finding(iso14064.permanence, rule_of(ISO2, "ISO2-PERMANENCE"), broken)
    assert (found.status, found.metrics["owed_tco2e"]) == (Status.PASS, Decimal(0))


def test_shares_of_credits_do_not_apply_without_credits() -> None:
    """A company that cancelled none has nothing to share out."""
    found = finding(
        esrs.credit_shares,
        rule_of(ESRS, "ESRS-CREDIT-SHARES"),
        evidence(quantities={"credits_cancelled_tco2e": "0"}, without="credits_removal_percent"),
    )
    assert found.status is Status.NOT_APPLICABLE


def test_materiality_is_measured_against_what_is_reported() -> None:
    """9,480 corrected of 10,000 reported is 5.2 %, not the 5.5 % that the corrected figure would give."""
    broken = evidence(tables=row_with("misstatements", 0, tco2e="-620"))
    found = finding(materiality, rule_of(ISO3, "ISO3-MATERIALITY"), broken)
    assert found.metrics["share"] == Decimal("0.052")


def test_exactly_the_materiality_passes() -> None:
    """The limit itself is within it."""
    at_limit = evidence(tables=row_with("misstatements", 0, tco2e="-600"))
    assert finding(materiality, rule_of(ISO3, "ISO3-MATERIALITY"), at_limit).status is Status.PASS


def test_a_programme_can_ask_for_reasonable_assurance() -> None:
    """The accepted levels are data: limited passes ISO and fails where the rule asks for reasonable."""
    rule, limited = rule_of(ISO3, "ISO3-ASSURANCE"), evidence(facts={"assurance_level": "limited"})
    assert finding(iso14064.assurance, rule, limited).status is Status.PASS
    asked = replace(rule, choices={"accepted": "reasonable"})
    assert finding(iso14064.assurance, asked, limited).status is Status.FAIL


def test_a_deduction_that_adds_credits_is_not_conservative() -> None:
    """A line of the waterfall that is a deduction and is above 0 fails, whatever values were chosen."""
    added = Line(
        name="Conservativeness deduction for random error", rule="c", clause="", change_tco2e=Decimal("0.001"), note=""
    )
    waterfall = Waterfall(rule_set=WATERFALL.rule_set, lines=(*WATERFALL.lines, added))
    found = finding(iso14064.conservativeness, rule_of(ISO2, "ISO2-CONSERVATIVE"), waterfall=waterfall)
    assert found.status is Status.FAIL
    assert "random error" in found.observed


def test_a_rule_without_its_words_is_malformed() -> None:
    """A control never makes up the list that its rule does not give."""
    rule = replace(rule_of(ISO3, "ISO3-OPINION"), choices={})
    with pytest.raises(ContractError, match="a choice accepted"):
        finding(iso14064.opinion, rule)


ALLOWED = [
    pytest.param(row_with("claims", 1, wkt=INSIDE, claimant="A"), id="the-same-claimant"),
    pytest.param(row_with("claims", 1, wkt=INSIDE, period="2021"), id="another-year"),
    pytest.param(row_with("claims", 1, wkt=INSIDE, claim="scope 1 removal"), id="another-kind-of-claim"),
    pytest.param(
        row_with("claims", 1, wkt="POLYGON ((99.995 0, 99.995 100, 200 100, 200 0, 99.995 0))"), id="within-tolerance"
    ),
    pytest.param(
        {
            "claims": (
                {"claimant": "A", "claim": "credit", "period": "2020", "wkt": SQUARE, "retired_for": "B"},
                {
                    "claimant": "B",
                    "claim": "adjusted scope 3 removal",
                    "period": "2020",
                    "wkt": SQUARE,
                    "retired_for": "",
                },
            )
        },
        id="retired-for-the-buyer",
    ),
    pytest.param({"claims": ()}, id="no-claims"),
]


@pytest.mark.parametrize("tables", ALLOWED)
def test_claims_that_do_not_exclude_each_other_may_overlap(tables: dict[str, list[dict[str, str]]]) -> None:
    """Only two claimants of one kind of claim at one time, or a credit of another, are a conflict."""
    rule = rule_of(LSR, "LSR-ONE-CLAIMANT")
    assert finding(ghg_protocol.one_claimant, rule, evidence(tables=tables)).status is Status.PASS


def test_a_conflict_says_who_and_how_much_land() -> None:
    """Two claimants of 10 m x 100 m are named with their 1,000 m²."""
    found = finding(
        ghg_protocol.one_claimant,
        rule_of(GHGP, "GHGP-ONE-CLAIMANT"),
        evidence(tables=row_with("claims", 1, wkt=INSIDE)),
    )
    assert "A (credit) and B (credit): 1000.0 m²" in found.observed
