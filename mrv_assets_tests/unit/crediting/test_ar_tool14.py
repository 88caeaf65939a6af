from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.crediting.account import Account
from mrv_assets.crediting.ar_tool14 import Carbon, annual, difference
from mrv_assets.crediting.ar_tool14_lines import FORMULAS, change_of
from mrv_assets.crediting.gold_standard_501 import FORMULAS as ISSUING
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets_tests.oracles.standards import rule, rule_set

GROSS = rule("cdm-ar-tool14@4.2", "ar-tool14-gross")
STRATA = [{"stratum": "a", "area_ha": "60"}, {"stratum": "b", "area_ha": "40"}]
BIOMASS = [
    {"plot": f"{stratum}{n}", "stratum": stratum, "biomass_t_ha": value}
    for stratum, values in (("a", ("70", "80", "90")), ("b", ("35", "40", "45")))
    for n, value in enumerate(values)
]
TWO_STOCKS = Monitoring(
    where="forest",
    quantities={
        "earlier_stock_tco2e": "6000", "earlier_stock_half_width": "0.10",
        "baseline_change_tco2e": "100", "baseline_change_half_width": "0.15", "leakage_tco2e": "0",
        "deficit_carried_in_tco2e": "0",
    },
    facts={"change_method": "difference", "earlier_stock_confidence": "0.90", "baseline_change_confidence": "0.90"},
    tables={"tree_strata": STRATA, "tree_plots": BIOMASS},
)  # fmt: skip
REMEASURED = replace(
    TWO_STOCKS,
    facts={**TWO_STOCKS.facts, "change_method": "remeasured"},
    tables={
        "tree_strata": STRATA,
        "tree_plots": [
            {"plot": row["plot"], "stratum": row["stratum"], "biomass_change_t_ha": change}
            for row, change in zip(BIOMASS, ("10.5", "11", "11.5", "4.5", "5", "5.5"), strict=True)
        ],
    },
)


def account_of(monitoring: Monitoring) -> Account:
    """Return the account after all lines."""
    account = Account(period=Period.parse("2024"), canonical=Tonnes(), monitoring=monitoring)
    for line in rule_set("cdm-ar-tool14@4.2").lines:
        step = (FORMULAS | ISSUING)[line.formula](account, line)
        running = account.running_tco2e + step.change_tco2e
        account = replace(account, running_tco2e=running, numbers={**account.numbers, **step.numbers})
    return account


def test_two_stocks_are_subtracted_and_the_earlier_one_is_undiscounted() -> None:
    """64 t/ha on 100 ha are 11 029.333 t CO2e."""
    assert change_of(TWO_STOCKS, GROSS).tco2e == Decimal("5029.333333333")


def test_remeasured_plots_are_subtracted_one_by_one() -> None:
    """8.6 t/ha on 100 ha; plots that grew alike leave little uncertainty."""
    found = change_of(REMEASURED, GROSS)
    assert found.tco2e == Decimal("1482.066666667")
    assert found.half_width.relative < Decimal("0.10") < change_of(TWO_STOCKS, GROSS).half_width.relative


def test_the_first_verification_may_start_from_nothing() -> None:
    """A stock of 0 needs no uncertainty, and one above 0 does."""
    first = replace(TWO_STOCKS, quantities={**TWO_STOCKS.quantities, "earlier_stock_tco2e": "0"}, facts={
        "change_method": "difference"})  # fmt: skip
    assert change_of(first, GROSS).tco2e == Decimal("11029.333333333")


def test_the_baseline_goes_up_and_the_project_down() -> None:
    """15 % of 100 t: a baseline of 103.75 t."""
    account = account_of(TWO_STOCKS)
    gross, deduction = account.number("gross_tco2e"), account.number("uncertainty_deduction_share")
    assert account.number("baseline_change_discount") == Decimal("0.0375")
    assert account.number("credits") == (gross * (1 - deduction) - Decimal("103.75")) // 1


@pytest.mark.parametrize(
    ("years", "a_year"),
    [pytest.param("4", "100", id="whole years"), pytest.param("0.5", "800", id="half a year")],
)
def test_change_is_linear_in_time(years: str, a_year: str) -> None:
    """Eq. 11."""
    assert annual(Decimal(400), Decimal(years)) == Decimal(a_year)


def test_a_change_needs_time() -> None:
    """T of 0 is refused."""
    with pytest.raises(ContractError, match="interval is not one"):
        annual(Decimal(400), Decimal(0))


def test_a_change_of_0_has_no_uncertainty() -> None:
    """Eq. 2 divides by it."""
    stock = Carbon(tco2e=Decimal(5), half_width=HalfWidth90(relative=Decimal("0.1")))
    with pytest.raises(ContractError, match=r"sum is 0 \[here\]"):
        difference(stock, stock, where="here")


@pytest.mark.parametrize(
    ("evidence", "match"),
    [
        pytest.param(
            replace(TWO_STOCKS, tables={"tree_strata": STRATA[:1], "tree_plots": BIOMASS}), "without b", id="stratum"
        ),
        pytest.param(
            replace(TWO_STOCKS, tables={"tree_strata": STRATA, "tree_plots": BIOMASS[:4]}), "b.*n = 1", id="n = 1"
        ),
        pytest.param(
            replace(TWO_STOCKS, tables={"tree_strata": STRATA, "tree_plots": BIOMASS * 6}),
            "table tree_plots, plot.*each once.*a0", id="plots twice",
        ),
        pytest.param(
            replace(TWO_STOCKS, facts={"change_method": "guessed"}), "difference or remeasured.*guessed", id="method"
        ),
        pytest.param(
            replace(TWO_STOCKS, facts={"change_method": "difference"}), "confidence level is not stated", id="no level"
        ),
        pytest.param(
            replace(TWO_STOCKS, facts={**TWO_STOCKS.facts, "earlier_stock_confidence": "0.95"}),
            "fact earlier_stock_confidence.*0.90.*0.95", id="95 % is not 90 %",
        ),
        pytest.param(
            replace(TWO_STOCKS, quantities={**TWO_STOCKS.quantities, "baseline_change_tco2e": "-1"}),
            "quantity baseline_change_tco2e.*0 or more", id="declining baseline",
        ),
    ],
)  # fmt: skip
def test_bad_evidence_is_refused_by_name(evidence: Monitoring, match: str) -> None:
    """Nothing that is missing counts as 0."""
    with pytest.raises(ContractError, match=match):
        account_of(evidence)
