from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from mrv_assets.compliance.case import Case
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.unit.compliance.breaks import Break, both, check, column, ids, rows, with_a_note

ALL = "strata_present rows_conserved tonnes_conserved tonnage_valid"


def broken(name: str, do: Callable[[Case], Case], red: str, says: str) -> Break:
    """Name a defect of the aggregated table."""
    return Break(name=name, asset=Asset.AGGREGATED, do=do, red=red, says=says)


BREAKS = (
    broken("no strata", rows(), f"{ALL} expectations_met", "0 strata"),
    broken("lost stratum", rows(0, 2), "rows_conserved tonnes_conserved", "2 rows in 2 strata from 3 rows"),
    broken(
        "doubled stratum",
        rows(0, 0, 1, 2),
        "strata_present rows_conserved tonnes_conserved expectations_met",
        "4 strata, 3 distinct",
    ),
    broken("null region", column("region", None), "strata_present expectations_met", "1 with a null in their key"),
    broken("row counted twice", column("rows", 2), "rows_conserved", "4 rows in 3 strata from 3 rows"),
    broken("empty stratum", column("rows", 0, 2), "rows_conserved expectations_met", "the smallest has 0"),
    broken("null count", column("rows", None), "rows_conserved expectations_met", "0 rows"),
    broken(
        "one billionth of a tonne",
        column("emissions_tco2e", Decimal("1.133907466")),
        "tonnes_conserved",
        "emissions_tco2e 1.1",
    ),
    broken(
        "removals moved",
        column("removals_tco2e", Decimal("0.000000001")),
        "tonnes_conserved",
        "removals_tco2e 987.224481055 t from 987.224481054 t",
    ),
    broken(
        "null tonnes",
        column("emissions_tco2e", None),
        "tonnage_valid tonnes_conserved expectations_met",
        "'electricity.delivered ",
    ),
    broken(
        "negative stratum, right sum",
        both(column("emissions_tco2e", Decimal("2.177907617"), Decimal(-1))),
        "tonnage_valid expectations_met",
        "1 emissions_tco2e negative: 'electricity.delivered US/MROW 2021-Q1'",
    ),
    broken(
        "more than its rows can have",
        column("removals_tco2e", Decimal(3_000_000_000_000_001)),
        "tonnage_valid tonnes_conserved",
        "1 removals_tco2e above the bound",
    ),
    broken("column more", with_a_note, "expectations_met", "columns: missing none, unknown note"),
)


@pytest.mark.parametrize("defect", BREAKS, ids=ids(BREAKS))
def test_defect_of_aggregated_turns_its_gates_red(defect: Break) -> None:
    """A defect of the strata turns exactly its gates red, and the gate names it."""
    check(defect)
