"""From the canonical result to whole VCUs, step by step and as a whole."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.crediting.account import Formula, Step
from mrv_assets.crediting.vcs import FORMULAS, buffer_deposit, vcs_buffer, vcs_leakage, vcs_whole_credits
from mrv_assets.crediting.vcs_uncertainty import (
    discount_factor,
    relative_half_width,
    vcs_excess_uncertainty,
    vcs_uncertainty,
)
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule, Tag
from mrv_assets_tests.monitored import VCS, account, rule, rule_set, walked

UNC = rule("vcs-5.0", "VCS-UNC-01")
LEAKAGE = rule("vcs-5.0", "VCS-LEAKAGE")
BUFFER = rule("vcs-5.0", "BUF-00")
CREDITS = rule("vcs-5.0", "VCS-CREDITS")
VMD0017 = Rule(
    id="VMD0017-UNC",
    title="Allowed half-width",
    clause="VMD0017 v2.2",
    evidence=Tag.SRC,
    formula="vcs_excess_uncertainty",
    thresholds={"allowed": Decimal("0.15")},
    choices={"confidence": "0.95"},
)
VM0007 = replace(VMD0017, id="VM0007-UNC", choices={"confidence": "0.90"})


def taken(step: Step, *names: str) -> list[str]:
    """Return numbers of a step as whole units."""
    assert all(step.numbers[name] == step.numbers[name].to_integral_value() for name in names)
    return [f"{step.numbers[name]:.0f}" for name in names]


def factor(share: str) -> Decimal:
    """Return the discount factor of the published rule."""
    return discount_factor(
        HalfWidth90(relative=Decimal(share)),
        free=UNC.threshold("free"),
        two_sided_90=UNC.threshold("t_two_sided_90"),
        one_sided_67=UNC.threshold("t_one_sided_67"),
    )


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        pytest.param("0", "0", id="certain"),
        pytest.param("0.10", "0", id="on-the-step"),
        pytest.param("0.100000000001", "0.026183962551", id="just-above-the-step"),
        pytest.param("0.25", "0.065459906377", id="a-quarter"),
        pytest.param("0.32898", "0.086140000000", id="published-example"),
        pytest.param("1", "0.261839625509", id="as-much-as-the-estimate"),
        pytest.param("5", "1", id="never-more-than-all"),
    ],
)
def test_the_discount_factor(share: str, expected: str) -> None:
    """It is 0 up to 10 %, then U / 1.6449 x 0.4307 of the whole U."""
    assert factor(share) == Decimal(expected)


@pytest.mark.parametrize(
    ("share", "changes", "expected"),
    [
        pytest.param("0.08", {}, "0", id="ignored-up-to-10-percent"),
        pytest.param("0.25", {}, "-65.459906377", id="deducted"),
        pytest.param("1.01", {"slow_removals": "no"}, "-1000", id="excluded-above-100-percent"),
        pytest.param(
            "1.5",
            {"slow_removals": "yes", "result_ten_year_half_width": "0.9"},
            "-392.759438264",
            id="slow-removals-judged-over-ten-years",
        ),
        pytest.param(
            "1.5",
            {"slow_removals": "yes", "result_ten_year_half_width": "1"},
            "-1000",
            id="ten-years-not-below-100-percent",
        ),
    ],
)
def test_what_is_deducted_for_uncertainty(share: str, changes: dict[str, str], expected: str) -> None:
    """Of 1000 t, by the half-width of the package."""
    package = VCS.with_(result_half_width=share, **changes)
    assert vcs_uncertainty(account(package, running="1000"), UNC).change_tco2e == Decimal(expected)


@pytest.mark.parametrize("running", ["0", "-50"])
def test_a_deduction_makes_no_loss_smaller(running: str) -> None:
    """Of a result of 0 or less nothing is deducted, whatever the uncertainty."""
    package = VCS.with_(result_half_width="0.9")
    assert vcs_uncertainty(account(package, running=running), UNC).change_tco2e == 0


def test_a_standard_error_gives_the_half_width() -> None:
    """The published example: 20 000 t of 100 000 t."""
    package = VCS.without("result_half_width").with_(result_standard_error_tco2e="20000")
    step = vcs_uncertainty(account(package, running="100000"), UNC)
    assert (step.change_tco2e, step.numbers["half_width_share"]) == (Decimal(-8614), Decimal("0.32898"))
    assert vcs_uncertainty(account(package, running="-5"), UNC).change_tco2e == 0


@pytest.mark.parametrize(
    ("rule_of_document", "level", "expected"),
    [
        pytest.param(VMD0017, "0.95", "-148", id="vmd0017-at-95-percent"),
        pytest.param(VM0007, "0.90", "-148", id="vm0007-at-90-percent"),
    ],
)
def test_the_older_form_deducts_what_is_above_15_percent(rule_of_document: Rule, level: str, expected: str) -> None:
    """Of 1000 t with a half-width of 29.8 %, at the level of the document."""
    package = VCS.with_(result_half_width="0.298", result_confidence=level)
    step = vcs_excess_uncertainty(account(package, running="1000"), rule_of_document)
    assert step.change_tco2e == Decimal(expected)


@pytest.mark.parametrize(
    ("form", "rule_asked", "changes", "message"),
    [
        pytest.param(
            vcs_excess_uncertainty, VMD0017, {}, "fact result_confidence.*a half-width at 0.95", id="90-for-95-percent"
        ),
        pytest.param(
            vcs_uncertainty,
            UNC,
            {"result_confidence": "0.95"},
            "fact result_confidence.*a half-width at 0.90",
            id="95-for-90-percent",
        ),
        pytest.param(vcs_uncertainty, UNC, {"result_confidence": ""}, "confidence level is not stated", id="no-level"),
        pytest.param(vcs_uncertainty, UNC, {"result_half_width": "-0.1"}, "half-width is not a share", id="negative"),
        pytest.param(
            vcs_excess_uncertainty,
            replace(VMD0017, choices={}),
            {},
            "rule does not state its confidence level",
            id="rule-without-level",
        ),
    ],
)
def test_an_interval_that_is_not_of_the_rule_is_refused(
    form: Formula, rule_asked: Rule, changes: dict[str, str], message: str
) -> None:
    """90 % and 95 % are never taken for one another."""
    with pytest.raises(ContractError, match=message):
        form(account(VCS.with_(**changes), running="1000"), rule_asked)


@pytest.mark.parametrize(
    ("error", "estimate"), [pytest.param("1", "0", id="no-change"), pytest.param("-1", "5", id="negative-error")]
)
def test_a_relative_uncertainty_of_nothing_is_refused(error: str, estimate: str) -> None:
    """An estimate of 0 and a negative standard error have none."""
    with pytest.raises(ContractError, match="relative uncertainty cannot be stated"):
        relative_half_width(Decimal(error), Decimal(estimate), quantile=Decimal("1.6449"), where="here")


@pytest.mark.parametrize(
    ("leakage", "expected"),
    [pytest.param("120.5", "-120.5", id="deducted"), pytest.param("-30", "0", id="positive-leakage-is-not-counted")],
)
def test_leakage_never_raises_a_credit(leakage: str, expected: str) -> None:
    """Emissions that fell outside the project are not accounted for."""
    assert vcs_leakage(account(VCS.with_(leakage_tco2e=leakage)), LEAKAGE).change_tco2e == Decimal(expected)


@pytest.mark.parametrize(
    ("changes", "running", "expected"),
    [
        pytest.param({}, "8000", "-1800", id="rating-times-stocks"),
        pytest.param({"leakage_tco2e": "7000"}, "8000", "-1800", id="leakage-is-no-part-of-the-base"),
        pytest.param({"net_stock_change_tco2e": "-10"}, "8000", "0", id="stocks-fell"),
        pytest.param({}, "1000", "-1000", id="no-more-than-there-is"),
        pytest.param({}, "-5", "0", id="nothing-to-credit"),
        pytest.param({"afolu_project": "no"}, "8000", "0", id="not-afolu"),
    ],
)
def test_the_buffer_is_of_carbon_stocks_only(changes: dict[str, str], running: str, expected: str) -> None:
    """20 % of a change of 9000 t, whatever the result is made of."""
    assert vcs_buffer(account(VCS.with_(**changes), running=running), BUFFER).change_tco2e == Decimal(expected)


def test_a_rating_of_an_earlier_line_goes_before_the_stated_one() -> None:
    """A rule set that has the tables of the risk tool computes its buffer with them."""
    assert vcs_buffer(account(VCS, running="8000", npr_rating_percent="30"), BUFFER).change_tco2e == -2700


@pytest.mark.parametrize(
    ("rating", "period", "expected"),
    [
        pytest.param("0", "2024", "a whole number of 12 to 100", id="none"),
        pytest.param("11", "2024", "a whole number of 12 to 100", id="below the least"),
        pytest.param("12.5", "2024", "a whole number", id="not rounded up"),
        pytest.param("0.2", "2024", "a whole number", id="a share"),
        pytest.param("101", "2024", "to 100", id="above the whole"),
        pytest.param("-1", "2024-04", "a whole number of 0 to 100", id="negative, before the tool"),
    ],
)
def test_a_stated_rating_that_the_tool_cannot_give_is_refused(rating: str, period: str, expected: str) -> None:
    """A rating of 0 would be no buffer at all."""
    start = account(VCS.with_(npr_rating_percent=rating), running="8000", period=period)
    with pytest.raises(ContractError, match=f"npr_rating_percent.*{expected}"):
        vcs_buffer(start, BUFFER)


def test_the_least_rating_binds_from_the_day_of_the_tool() -> None:
    """NPRT v4.2 is of 3 May 2024; what held before was not read."""
    package = VCS.with_(npr_rating_percent="10")
    assert vcs_buffer(account(package, running="8000", period="2023-05-03_2024-05-02"), BUFFER).change_tco2e == -900
    with pytest.raises(ContractError, match="npr_rating_percent"):
        vcs_buffer(account(package, running="8000", period="2023-05-03_2024-05-03"), BUFFER)


@pytest.mark.parametrize("rating", ["-1", "100.5"])
def test_a_rating_that_is_no_percentage_is_refused(rating: str) -> None:
    """A share given in place of per cent would be a buffer a hundred times too small, so the range is checked."""
    with pytest.raises(ContractError, match="risk rating is not a percentage"):
        buffer_deposit(Decimal(rating), Decimal(1))


@pytest.mark.parametrize("name", ["vcs-5.0", "vcs-4.x"])
def test_the_whole_programme(name: str) -> None:
    """9500 - 1000 - 0 - 500 - 1800 are 6200 whole credits, line by line."""
    waterfall = walked(account(VCS), rule_set(name), FORMULAS).waterfall
    assert waterfall is not None
    assert [line.change_tco2e for line in waterfall.lines] == [9500, -1000, 0, -500, -1800, 0]
    assert waterfall.total_tco2e == waterfall.lines[-1].numbers["credits"] == 6200


def test_credits_are_rounded_down_and_deposits_up() -> None:
    """10.9 t with a deposit of 1.1 t are 8 credits and 2 buffer credits; nothing is carried."""
    step = vcs_whole_credits(account(VCS, running="9.8", buffer_tco2e="1.1"), CREDITS)
    assert taken(step, "credits", "buffer_credits", "deficit_carried_out_tco2e") == ["8", "2", "0"]
    assert step.change_tco2e == Decimal("-1.8")


def test_a_net_loss_is_recorded_with_no_credits() -> None:
    """It is no error: 0 credits, a reversal of its size, and a deficit for the next period."""
    package = VCS.with_(deficit_carried_in_tco2e="3")
    step = vcs_whole_credits(account(package, running="-40", buffer_tco2e="0"), CREDITS)
    assert taken(step, "credits", "reversal_tco2e", "deficit_carried_out_tco2e") == ["0", "40", "43"]
    assert step.change_tco2e == 40
    assert "reversal" in step.note


def test_amounts_by_calendar_year_are_used_when_the_report_gives_them() -> None:
    """What deductions took of them is spread by days: 10 t over 365 and 365 days."""
    years = [{"year": "2022", "amount_tco2e": "80"}, {"year": "2023", "amount_tco2e": "30"}]
    start = account(VCS.with_(calendar_years=years), running="100", buffer_tco2e="0")
    step = vcs_whole_credits(replace(start, period=Period.parse("2022-01-01_2023-12-31")), CREDITS)
    assert taken(step, "vintage_2022_credits", "vintage_2023_credits") == ["75", "25"]


def test_a_calendar_year_has_four_digits() -> None:
    """Python refuses to read a number of 5000 digits, with an error that names nothing."""
    years = [{"year": "2" * 5000, "amount_tco2e": "80"}]
    with pytest.raises(ContractError, match="calendar_years, column year"):
        vcs_whole_credits(account(VCS.with_(calendar_years=years), running="10", buffer_tco2e="0"), CREDITS)


@pytest.mark.parametrize(
    "name",
    [
        "baseline_net_removals_tco2e",
        "result_half_width",
        "leakage_tco2e",
        "afolu_project",
        "npr_rating_percent",
        "net_stock_change_tco2e",
        "deficit_carried_in_tco2e",
    ],
)
def test_missing_evidence_is_named_and_never_zero(name: str) -> None:
    """Each thing that the programme asks for is refused by name when it is not there."""
    with pytest.raises(ContractError, match=f"evidence is missing .*{name}"):
        walked(account(VCS.without(name)), rule_set("vcs-5.0"), FORMULAS)


def test_a_step_out_of_order_is_refused() -> None:
    """Whole credits need the buffer step before them."""
    with pytest.raises(ContractError, match="step needs a number that no earlier step gives"):
        vcs_whole_credits(account(VCS, running="5"), CREDITS)


@pytest.mark.parametrize(
    "years",
    [
        pytest.param([{"year": "2024", "amount_tco2e": "9"}, {"year": "2024", "amount_tco2e": "9"}], id="twice"),
        pytest.param([{"year": "MMXXIV", "amount_tco2e": "9"}], id="no-year"),
        pytest.param([{"year": "9" * 5000, "amount_tco2e": "9"}], id="no-such-year"),
    ],
)
def test_years_that_cannot_be_read_are_refused(years: list[dict[str, str]]) -> None:
    """Each calendar year is given once."""
    with pytest.raises(ContractError, match="table calendar_years, column year"):
        vcs_whole_credits(account(VCS.with_(calendar_years=years), running="5", buffer_tco2e="0"), CREDITS)


@pytest.mark.parametrize(
    ("name", "period", "message"),
    [
        pytest.param("vcs-5.0", "2024", "rule set is not yet effective", id="v5-before-it"),
        pytest.param("vcs-4.x", "2027", "rule set is not effective any more", id="v4-after-it"),
        pytest.param("npr-4.2", "2023", "rule set is not yet effective", id="npr-before-it"),
    ],
)
def test_a_version_that_is_not_in_force_is_refused(name: str, period: str, message: str) -> None:
    """By the last day of the period for what is too early, by its first for what is over."""
    with pytest.raises(ContractError, match=message):
        rule_set(name).require_effective(Period.parse(period), where="project")
