from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import good_case
from mrv_assets_tests.unit.compliance.breaks import Break, both, check, column, evidence, ids, rows

VALUES = "quantity_valid factors_matched fallbacks_bounded regions_located tonnage_valid one_flux"


def broken(name: str, do: Callable[[Case], Case], red: str, says: str) -> Break:
    """Name a defect of the factored table."""
    return Break(name=name, asset=Asset.FACTORED, do=do, red=red, says=says)


def allowed(max_share: str, *, levels: str = "state country") -> Callable[[Case], Case]:
    """Let the project allow rows to fall back to these levels up to a share."""
    return both(
        evidence("fallback", levels),
        evidence("fallback_max_share", max_share),
        evidence("fallback_because", "the state publishes every other year"),
    )


LENT = both(column("factor_region", "US"), column("factor_level", "country"))

SPATIAL_ROWS = both(evidence("located_rows", "2"), evidence("rows_on_borders", "0"))

BREAKS = (
    broken("lost row", rows(0, 1), "rows_conserved factors_matched", "lost 'c-2021'"),
    broken("fan-out", rows(0, 0, 1, 2), "rows_conserved expectations_met", "4 rows and 0 set aside from 3"),
    broken("no rows", rows(), f"rows_conserved {VALUES} expectations_met", "0 rows and 0 set aside from 3"),
    broken("NaN quantity", column("activity_qty", float("nan")), "quantity_valid expectations_met", "1 nan: 'a-2021'"),
    broken(
        "infinite quantity",
        column("activity_qty", float("inf")),
        "quantity_valid expectations_met",
        "1 infinite: 'a-2021'",
    ),
    broken(
        "row without factor", column("ef_value", None), "factors_matched expectations_met", "without a factor: 'a-2021'"
    ),
    broken(
        "negative factor",
        column("ef_value", Decimal(-1)),
        "factors_matched expectations_met",
        "without a factor: 'a-2021'",
    ),
    broken("epoch of one row changed", column("epoch", "2021-Q1"), "factors_matched", "2 distinct keys, 3 of them"),
    broken("matched fewer keys", evidence("matched_keys", "2"), "factors_matched", "3 distinct keys, 2 of them"),
    broken("matches not counted", evidence("matched_keys", None), "factors_matched", "matched_keys: None"),
    broken("other factor version", evidence("factor_version", "mrow-2024.02.01"), "factors_matched", "mrow-2024.02.01"),
    broken(
        "blank region",
        column("region", " "),
        "expectations_met fallbacks_bounded",
        "region: 1 of 3 .*' ' in row 'a-2021'",
    ),
    broken(
        "fallback that nobody declared", LENT, "fallbacks_bounded", "1 of 3 rows fell back, 33.3333%.* US [(]country"
    ),
    broken("fallback beyond its share of rows", both(LENT, allowed("0.33")), "fallbacks_bounded", "1 of 3 rows fell"),
    broken(
        "fallback beyond its share of tonnes",
        both(LENT, column("emissions_tco2e", Decimal(1000)), allowed("0.4")),
        "fallbacks_bounded",
        "33.3333% of the rows and 50.3",
    ),
    broken(
        "fallback to a level that is not declared",
        both(LENT, allowed("1", levels="state global")),
        "fallbacks_bounded",
        "not along the path of the region: 'electricity.delivered US/MROW megawatt_hour 2021 has the factor of US ",
    ),
    broken(
        "fallback off the path",
        both(LENT, allowed("1"), column("factor_region", "CA")),
        "fallbacks_bounded",
        "not along the path .* of CA [(]country[)]",
    ),
    broken(
        "factor of another region called its own",
        both(allowed("1"), column("factor_region", "US/SRSO")),
        "fallbacks_bounded",
        "none of 3 rows fell back; not along the path .* US/SRSO [(]own[)]",
    ),
    broken(
        "fallback without a reason",
        both(LENT, allowed("1"), evidence("fallback_because", None)),
        "fallbacks_bounded",
        "1 of 3 rows fell back",
    ),
    broken("fallback of unknown level", evidence("fallback", "continent"), "fallbacks_bounded", "'continent'"),
    broken(
        "fallback without its share",
        both(LENT, allowed("1"), evidence("fallback_max_share", None)),
        "fallbacks_bounded",
        "fallback_max_share: None",
    ),
    broken(
        "null level",
        column("factor_level", None),
        "fallbacks_bounded expectations_met",
        "1 of 3 rows fell back.* of US/MROW [(]None[)]",
    ),
    broken(
        "null region of the factor",
        column("factor_region", None),
        "fallbacks_bounded expectations_met",
        "not along the path .* of None [(]own[)]",
    ),
    broken("located rows that were lost", SPATIAL_ROWS, "regions_located", "regions of 3 rows 2 located by their foot"),
    broken(
        "borders not counted",
        both(evidence("located_rows", "3"), evidence("rows_on_borders", None)),
        "regions_located",
        "rows_on_borders: None",
    ),
    broken(
        "row that was not located",
        both(column("region", "spatial"), column("factor_region", "spatial")),
        "regions_located",
        "without one: 'a-2021'",
    ),
    broken(
        "null region",
        column("region", None),
        "regions_located fallbacks_bounded expectations_met",
        "without one: 'a-2021'",
    ),
    broken(
        "null emissions",
        column("emissions_tco2e", None),
        "tonnage_valid one_flux expectations_met",
        "1 emissions_tco2e null: 'a-",
    ),
    broken(
        "null removals",
        column("removals_tco2e", None),
        "tonnage_valid one_flux expectations_met",
        "1 removals_tco2e null: 'a-",
    ),
    broken(
        "negative tonnes",
        column("emissions_tco2e", Decimal(-5)),
        "tonnage_valid expectations_met",
        "1 emissions_tco2e negative",
    ),
    broken(
        "more than any row has",
        column("emissions_tco2e", Decimal("1000000000000000.000000001")),
        "tonnage_valid",
        "1 emissions_tco2e above the bound: 'a-2021'",
    ),
    broken("unknown flux", column("flux", "storage"), "one_flux expectations_met", "neither or both: 'a-2021'"),
    broken("null flux", column("flux", None), "one_flux expectations_met", "neither or both: 'a-2021'"),
    broken("netted row", column("removals_tco2e", Decimal(1)), "one_flux", "neither or both: 'a-2021'"),
    broken("removal as emission", column("flux", "removal"), "one_flux", "neither or both: 'a-2021'"),
    broken(
        "emission that says removal",
        both(column("flux", "removal", "removal"), column("removals_tco2e", Decimal(1), Decimal(1))),
        "one_flux",
        "'a-2021', 'b-2021'",
    ),
)


@pytest.mark.parametrize("defect", BREAKS, ids=ids(BREAKS))
def test_defect_of_factored_turns_its_gates_red(defect: Break) -> None:
    """A defect of the factored table turns exactly its gates red, and the gate names it."""
    check(defect)


def fallbacks(do: Callable[[Case], Case]) -> GateOutcome:
    """Return what the gate about fallbacks says of the good table after a change."""
    outcomes = judge_all(Asset.FACTORED, do(good_case(Asset.FACTORED)))
    return next(outcome for outcome in outcomes if outcome.gate == "fallbacks_bounded")


def test_no_fallback_is_said_and_not_passed_over() -> None:
    """Where every row has the factor of its own region the gate says so, whether or not rows might have fallen back."""
    for do in (rows(0, 1, 2), allowed("0.2")):
        outcome = fallbacks(do)
        assert (outcome.passed, outcome.observed) == (True, "none of 3 rows fell back")


def test_declared_fallback_stands_with_its_keys_share_and_reason() -> None:
    """At the share that is allowed the gate is green, and what it says goes into the certificate."""
    outcome = fallbacks(both(LENT, column("emissions_tco2e", Decimal(0)), allowed("0.3333333334")))
    assert outcome.passed
    assert "'electricity.delivered US/MROW megawatt_hour 2021 has the factor of US (country)'" in outcome.observed
    assert outcome.limit.endswith("(state, country), because the state publishes every other year")
    assert outcome.metrics["fell_back"] == 1
    assert outcome.metrics["share_of_rows"] == Decimal("0.333333333")
    assert outcome.metrics["share_of_tonnes"] == 0


def test_share_is_compared_before_it_is_rounded() -> None:
    """A third of the rows is more than 0.333333333, which it is shown as."""
    assert not fallbacks(both(LENT, column("emissions_tco2e", Decimal(0)), allowed("0.333333333"))).passed
