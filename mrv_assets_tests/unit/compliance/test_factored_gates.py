from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from mrv_assets.compliance.case import Case
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.unit.compliance.breaks import Break, both, check, column, evidence, ids, rows

VALUES = "quantity_valid factors_matched tonnage_valid one_flux"


def broken(name: str, do: Callable[[Case], Case], red: str, says: str) -> Break:
    """Name a defect of the factored table."""
    return Break(name=name, asset=Asset.FACTORED, do=do, red=red, says=says)


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
    broken("blank region", column("region", " "), "expectations_met", "region: 1 of 3 .*' ' in row 'a-2021'"),
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
