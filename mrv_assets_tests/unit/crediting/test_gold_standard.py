from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from mrv_assets.crediting.account import Account
from mrv_assets.crediting.assess import waterfall as walk
from mrv_assets.crediting.gold_standard_402 import FORMULAS as GS402
from mrv_assets.crediting.gold_standard_402 import t_value
from mrv_assets.crediting.gold_standard_403 import FORMULAS as GS403
from mrv_assets.crediting.gold_standard_403 import burning_tco2, fertiliser_tco2, is_significant, removal_units_tco2
from mrv_assets.crediting.gold_standard_501 import issued
from mrv_assets.crediting.gold_standard_inventory import modelling_units
from mrv_assets.crediting.gold_standard_precision import excess
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets_tests.oracles.gold_standard_oracles import ONE_VINTAGE, TWO_UNITS, waterfall
from mrv_assets_tests.oracles.standards import rule, rule_set

DEFAULTS = rule("gs-403@2.1", "gs403-gross")


def with_quantity(name: str, value: str | None, base: Monitoring = TWO_UNITS) -> Monitoring:
    """Return the evidence with another quantity, or without it."""
    kept = {key: text for key, text in base.quantities.items() if key != name}
    return replace(base, quantities=kept if value is None else kept | {name: value})


def with_rows(table: str, rows: Sequence[Mapping[str, str]]) -> Monitoring:
    """Return the evidence with another table."""
    return replace(TWO_UNITS, tables={**TWO_UNITS.tables, table: rows})


@pytest.mark.parametrize(
    ("u", "deduction"),
    [
        pytest.param("0.19", "0", id="below"),
        pytest.param("0.20", "0", id="at 20 %"),
        pytest.param("0.23", "0.03", id="above"),
        pytest.param("1.5", "1.3", id="no upper limit"),
    ],
)
def test_only_what_exceeds_20_percent_is_deducted(u: str, deduction: str) -> None:
    """403 §3.11.5 and 402 Eq. 11."""
    assert excess(HalfWidth90(relative=Decimal(u)), Decimal("0.20")) == Decimal(deduction)


def test_removal_units_are_per_hectare_times_area() -> None:
    """Eq. 1."""
    found = removal_units_tco2(
        removals_ha=Decimal("130.5"), baseline_ha=Decimal(5), leakage_ha=Decimal("2.5"), other_ha=Decimal(1),
        area_ha=Decimal(40),
    )  # fmt: skip
    assert found == Decimal(4880)


def test_burning_and_fertiliser_are_shares_of_baseline_and_nitrogen() -> None:
    """10 % of 300 t, and 0.005 t a kilogram of 2000."""
    assert burning_tco2(Decimal(300), Decimal("0.10")) == Decimal(30)
    assert fertiliser_tco2(Decimal(2000), Decimal("0.005")) == Decimal(10)


def test_exactly_5_percent_is_not_significant() -> None:
    """The footnotes say more than 5 %."""
    assert not is_significant(Decimal(5), Decimal(100), Decimal("0.05"))
    assert is_significant(Decimal("5.000001"), Decimal(100), Decimal("0.05"))


def test_a_default_is_taken_only_where_the_inventory_says_so() -> None:
    """BEF, wood density, root-to-shoot ratio and carbon fraction of §3.10.2."""
    first, second = modelling_units(TWO_UNITS, DEFAULTS)
    assert (first.conversion.wood_density_t_m3, second.conversion.wood_density_t_m3) == (
        Fraction("0.55"),
        Fraction("0.3"),
    )


def test_the_line_names_the_units_that_are_imprecise() -> None:
    """MU1 has an error of 10.6 %, MU2 one of 38.1 %."""
    wanted = rule("gs-403@2.1", "gs403-uncertainty")
    step = GS403[wanted.formula](ONE_VINTAGE, wanted)
    assert step.note == "less precise than allowed: MU2"
    assert step.numbers == {"half_width_MU1": Decimal("0.105771206447"), "half_width_MU2": Decimal("0.380958331524")}


def test_burning_counts_only_where_it_was() -> None:
    """The baseline itself is taken either way."""
    unburned = replace(TWO_UNITS, facts={"burned_for_site_preparation": "no"})
    account = waterfall(replace(ONE_VINTAGE, monitoring=unburned), until="gs403-other-emissions")
    assert (account.number("burning_tco2e"), account.number("fertiliser_tco2e")) == (Decimal(0), Decimal(10))


def test_the_long_term_removal_caps_what_is_left_after_the_deduction() -> None:
    """MU1 holds 130.11856 t/ha; a cap of 100 takes 30.11856 t on each of its 40 ha."""
    rows = [dict(row) for row in TWO_UNITS.tables["modelling_units"]]
    rows[0]["long_term_tco2_ha"] = "100"
    capped = replace(ONE_VINTAGE, monitoring=with_rows("modelling_units", rows))
    change = waterfall(capped, until="gs403-long-term-cap").running_tco2e
    assert change == waterfall(ONE_VINTAGE, until="gs403-long-term-cap").running_tco2e - Decimal("1204.7424")


def test_five_vintages_lose_a_fraction_each() -> None:
    """The same 5039.495 t over five years are 4 × 805 credits and 808 of the leap year, not 4031."""
    five = replace(ONE_VINTAGE, period=Period.parse("2021-01-01_2025-12-31"))
    assert waterfall(five, until="gs403-whole-credits").running_tco2e == Decimal(4028)


def test_a_net_negative_account_issues_nothing_and_is_recorded() -> None:
    """403 §3.3.3: no units while the cumulative removal is not above what was issued."""
    account = waterfall(
        replace(ONE_VINTAGE, monitoring=with_quantity("issued_earlier_tco2e", "6000")), until="gs403-whole-credits"
    )
    names = ("credits", "buffer_credits", "vintage_2024_credits", "vintage_2024_buffer_credits")
    assert not any((account.running_tco2e, *(account.number(name) for name in names)))
    assert Decimal(460) < account.number("deficit_carried_out_tco2e") < Decimal(461)
    assert account.number("reversal_tco2e") == account.number("deficit_carried_out_tco2e")


@pytest.mark.parametrize(
    ("net", "carried", "expected"),
    [
        pytest.param("100", "30", ["56", "14", "0", "0"], id="made up"),
        pytest.param("100", "130.5", ["0", "0", "30.5", "0"], id="not yet made up"),
        pytest.param("-40", "3", ["0", "0", "43", "40"], id="another loss"),
        pytest.param("100", "0", ["80", "20", "0", "0"], id="nothing carried"),
    ],
)
def test_a_loss_of_an_earlier_period_is_made_up_first(net: str, carried: str, expected: list[str]) -> None:
    """Under 501, whose periods stand each for itself; a reversal is of this period alone."""
    shown = Monitoring(where="x", quantities={"deficit_carried_in_tco2e": carried, "sequestration_share": "1"})
    tonnes = Tonnes(removals=max(Decimal(net), Decimal(0)), emissions=max(-Decimal(net), Decimal(0)))
    account = Account(period=Period.parse("2026"), canonical=tonnes, monitoring=shown)
    after, _ = walk(rule_set("gs-501@3.2"), account)
    names = ("credits", "buffer_credits", "deficit_carried_out_tco2e", "reversal_tco2e")
    assert [after.number(name) for name in names] == [Decimal(number) for number in expected]
    assert after.running_tco2e == after.number("credits")


@pytest.mark.parametrize("name", ["gs-203@1.2.1", "gs-402@1.0", "gs-501@3.2", "cdm-ar-tool14@4.2"])
def test_a_standard_of_single_periods_takes_the_loss_of_those_before(name: str) -> None:
    """403 counts since planting, where an earlier loss stands already."""
    assert "deficit_carried_in" in [line.formula for line in rule_set(name).lines]
    assert "deficit_carried_in" not in [line.formula for line in rule_set("gs-403@2.1").lines]


@pytest.mark.parametrize(
    ("carried", "match"),
    [pytest.param({}, "missing.*deficit_carried_in", id="none"),
     pytest.param({"deficit_carried_in_tco2e": "-1"}, "deficit_carried_in.*0 or more", id="a loss that adds")],
)  # fmt: skip
def test_a_loss_carried_in_is_stated_and_never_adds(carried: dict[str, str], match: str) -> None:
    """Also when it is 0."""
    shown = Monitoring(where="x", quantities={"sequestration_share": "1", **carried})
    account = Account(period=Period.parse("2026"), canonical=Tonnes(removals=Decimal(5)), monitoring=shown)
    with pytest.raises(ContractError, match=match):
        walk(rule_set("gs-501@3.2"), account)


def test_the_buffer_is_rounded_up_and_credits_down() -> None:
    """20 % of 11 and 9 whole credits: by vintage, where VCS takes one deposit for the period."""
    found = issued(Decimal("20.9"), Period.parse("2023-06-01_2024-06-30"), buffer_share=Decimal("0.20"))
    assert [(each.credits, each.buffer_credits) for each in found.vintages] == [(8, 3), (7, 2)]


def test_the_last_line_tells_credits_and_buffer_of_each_vintage() -> None:
    """Under the names that every programme uses, and they sum to those in all."""
    two = replace(ONE_VINTAGE, period=Period.parse("2023-01-01_2024-12-31"))
    account = waterfall(two, until="gs403-whole-credits")
    for name in ("credits", "buffer_credits"):
        assert account.number(name) == sum(account.number(f"vintage_{year}_{name}") for year in (2023, 2024)) > 0
    assert account.running_tco2e == account.number("credits")


@pytest.mark.parametrize(
    ("samples", "as_for"),
    [pytest.param(None, 3, id="unknown is 3"), pytest.param(5000, 200, id="200 or more are alike")],
)
def test_t_follows_the_table_of_402(samples: int | None, as_for: int) -> None:
    """Table 6; its text names 1.675 for an unknown number, which the table gives to more than 50 samples."""
    assert t_value(samples) == t_value(as_for) > Decimal("1.6525")


def test_one_sample_has_no_t() -> None:
    """Table 6 leaves it blank."""
    with pytest.raises(ContractError, match="sample is too small for an interval"):
        t_value(1)


SOIL = Monitoring(
    where="soil",
    quantities={"soc_change_lower_tc": "75", "soc_change_upper_tc": "125"},
    tables={
        "soil_strata": [
            {"stratum": "a", "area_ha": "10", "soc_start_tc_ha": "50", "soc_end_tc_ha": "56"},
            {"stratum": "b", "area_ha": "20", "soc_start_tc_ha": "40", "soc_end_tc_ha": "42"},
        ]
    },
)


def soil_deduction(monitoring: Monitoring) -> tuple[Decimal, Decimal]:
    """Return gross removals and what uncertainty changes them by, t CO2e."""
    account = Account(period=Period.parse("2024"), canonical=Tonnes(), monitoring=monitoring)
    gross = GS402["gs402_stock_change"](account, rule("gs-402@1.0", "gs402-gross"))
    account = replace(account, numbers=gross.numbers)
    return gross.change_tco2e, GS402["gs402_limits_excess"](
        account, rule("gs-402@1.0", "gs402-uncertainty")
    ).change_tco2e


def test_soil_carbon_loses_what_its_limits_exceed_20_percent_by() -> None:
    """ΔC 100 t C with limits 75 and 125: UNC 25 %, UD 5 %."""
    gross, change = soil_deduction(SOIL)
    assert (gross, change) == (Decimal("366.666666667"), Decimal("-18.333333333"))


def test_uncertainty_makes_a_loss_of_soil_carbon_larger() -> None:
    """The factor (1 − UD) would make it smaller; 203 Annex A 1.1.10 wants the conservative side."""
    rows = [{"stratum": "a", "area_ha": "100", "soc_start_tc_ha": "50", "soc_end_tc_ha": "49"}]
    limits = {"soc_change_lower_tc": "-125", "soc_change_upper_tc": "-75"}
    gross, change = soil_deduction(replace(SOIL, quantities=limits, tables={"soil_strata": rows}))
    assert (gross, change) == (Decimal("-366.666666667"), Decimal("-18.333333333"))


@pytest.mark.parametrize(("lower", "upper"), [("0", "0"), ("101", "120"), ("-120", "99.9")])
def test_limits_that_do_not_hold_the_change_are_refused(lower: str, upper: str) -> None:
    """Two limits of 0 would be no uncertainty at all for a change of 100 t C."""
    limits = {"soc_change_lower_tc": lower, "soc_change_upper_tc": upper}
    with pytest.raises(ContractError, match=r"soc_change_lower_tc.*from 100 or less to 100 or more"):
        soil_deduction(replace(SOIL, quantities=limits))


def test_soil_carbon_that_did_not_change_has_no_uncertainty() -> None:
    """UNC divides by ΔC."""
    rows = [{"stratum": "a", "area_ha": "100", "soc_start_tc_ha": "50", "soc_end_tc_ha": "50"}]
    with pytest.raises(ContractError, match=r"estimate is 0 \[soil, table soil_strata\]"):
        soil_deduction(replace(SOIL, tables={"soil_strata": rows}))


PLOT = {"plot": "x", "unit": "MU1", "stem_volume_m3": "1", "plot_area_ha": "0.04"}
UNITS = list(TWO_UNITS.tables["modelling_units"])
PLOTS = list(TWO_UNITS.tables["inventory_plots"])


@pytest.mark.parametrize(
    ("evidence", "match"),
    [
        pytest.param(with_rows("inventory_plots", PLOTS[:5]), "unit MU2.*n = 0", id="unit without plots"),
        pytest.param(with_rows("inventory_plots", PLOTS[4:]), "no variance.*unit MU1.*n = 1", id="n = 1"),
        pytest.param(with_rows("modelling_units", UNITS[:1]), "table modelling_units.*found 'MU2'", id="missing unit"),
        pytest.param(with_rows("modelling_units", [*UNITS, UNITS[0]]), "each unit of .* once", id="twice"),
        pytest.param(
            with_rows("modelling_units", [{**UNITS[0], "wood_density_t_m3": ""}, UNITS[1]]),
            "evidence is missing.*row MU1, column wood_density_t_m3", id="blank factor",
        ),
        pytest.param(
            with_rows("modelling_units", [{**UNITS[0], "root_shoot": "-1"}, UNITS[1]]),
            "table modelling_units, MU1, column root_shoot.*0 or more", id="negative factor",
        ),
        pytest.param(
            with_rows("inventory_plots", [*PLOTS, {**PLOT, "plot_area_ha": "0"}]),
            "plot x, column plot_area_ha", id="plot without area",
        ),
        pytest.param(
            with_rows(
                "inventory_plots", [*PLOTS[5:], *({**PLOT, "plot": f"x{n}", "stem_volume_m3": "0"} for n in range(3))]
            ),
            "estimate is 0.*unit MU1", id="U undefined",
        ),
        pytest.param(with_rows("inventory_plots", [*PLOTS, PLOTS[0]]), "_plots, plot.*'MU1-0'", id="plot twice"),
        pytest.param(
            with_rows("inventory_plots", [*PLOTS, {**PLOTS[0], "plot": " MU1-0"}]), "each once.*'MU1-0'",
            id="plot twice but for a blank",
        ),
        pytest.param(
            with_rows("inventory_plots", [*PLOTS, {**PLOT, "plot": " "}]), "plot of each row", id="plot without an id"
        ),
        pytest.param(with_quantity("leakage_tco2e", None), "is missing.*quantity leakage_tco2e", id="no leakage"),
        pytest.param(with_quantity("leakage_tco2e", "-1"), "quantity leakage_tco2e.*0 or more", id="positive leakage"),
    ],
)  # fmt: skip
def test_bad_evidence_is_refused_by_name(evidence: Monitoring, match: str) -> None:
    """Nothing that is missing counts as 0."""
    with pytest.raises(ContractError, match=match):
        waterfall(replace(ONE_VINTAGE, monitoring=evidence), until="gs403-whole-credits")
