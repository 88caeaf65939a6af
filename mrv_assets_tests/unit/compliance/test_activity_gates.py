from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
import shapely

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import good_case, record
from mrv_assets_tests.unit.compliance.breaks import (
    Break,
    aside,
    both,
    check,
    column,
    crs,
    evidence,
    ids,
    rows,
    with_table,
    without,
)

NAN, INF = float("nan"), float("inf")
ON_ROWS = "row_ids_unique quantity_valid epochs_in_period geometry_present"
EMPTY_POLYGON = shapely.to_wkb(shapely.Polygon())


def before(source_periods: str | None) -> Callable[[Case], Case]:
    """Let the generation before have listed these periods of its source."""
    listed = {} if source_periods is None else {"source_periods": source_periods}
    return lambda case: replace(case, previous=record(evidence=listed))


def retyped(case: Case) -> Case:
    """Let the quantities be text."""
    table = case.staged.table
    index = table.column_names.index("unit")
    return with_table(case, table.set_column(index, "unit", table.column("unit").dictionary_encode()))


def broken(name: str, do: Callable[[Case], Case], red: str, says: str) -> Break:
    """Name a defect of the activity table."""
    return Break(name=name, asset=Asset.ACTIVITY, do=do, red=red, says=says)


BREAKS = (
    broken("format nobody knows", evidence("source_format", "dbase"), "source_readable", "5 records read as dbase"),
    broken("format not said", evidence("source_format", None), "source_readable", "as nobody knows what"),
    broken("records not counted", evidence("source_rows", None), "source_readable", "evidence source_rows: None"),
    broken("missing column", without("unit"), "columns_present expectations_met", "missing 'unit'"),
    broken(
        "missing quantities",
        without("activity_qty"),
        "columns_present quantity_valid expectations_met",
        "missing 'activity_qty'",
    ),
    broken("retyped column", retyped, "columns_present expectations_met", "of another type 'unit'"),
    broken(
        "no rows",
        rows(),
        f"rows_present rows_accounted {ON_ROWS} expectations_met",
        "0 rows of metc-anoka in 2021",
    ),
    broken("lost row", rows(0, 1), "rows_accounted", "3 rows in, 2 staged, 0 set aside"),
    broken("row out of nowhere", evidence("rows_in", "2"), "rows_accounted", "2 rows in, 3 staged, 0 set aside"),
    broken("rows not counted", evidence("rows_in", None), "rows_accounted", "evidence rows_in: None"),
    broken("set aside though it may not", aside("z"), "rows_accounted", r"1 set aside \(25.0000%\)"),
    broken("more set aside than may be", aside("z", max_share="0.24"), "rows_accounted", "1 set aside"),
    broken("set aside without a reason", aside("z", max_share="0.3", because=""), "rows_accounted", "1 set aside"),
    broken(
        "set aside and not counted",
        both(aside("z", max_share="0.3"), evidence("rows_quarantined", "0")),
        "rows_accounted",
        "4 rows in, 3 staged, 1 set aside",
    ),
    broken("doubled row", rows(0, 0, 1), "row_ids_unique expectations_met", "repeated 'a-2021'"),
    broken("blank id", column("row_id", " "), "row_ids_unique expectations_met", "1 blank"),
    broken("null id", column("row_id", None), "row_ids_unique expectations_met", "1 blank"),
    broken("id 891e3 from a spreadsheet", column("row_id", "8.91E+05"), "row_ids_unique", "mangled '8.91E\\+05'"),
    broken("long id from a spreadsheet", column("row_id", "1,91431E+18"), "row_ids_unique", "mangled '1,91431"),
    broken("id 3-4 from a spreadsheet", column("row_id", "3-Apr"), "row_ids_unique", "mangled '3-Apr'"),
    broken("id 4-2021 from a spreadsheet", column("row_id", "Apr-21"), "row_ids_unique", "mangled 'Apr-21'"),
    broken("id as a date", column("row_id", "2021-04-03 00:00:00"), "row_ids_unique", "mangled '2021-04-03"),
    broken(
        "null quantity",
        column("activity_qty", None),
        "quantity_valid expectations_met",
        "1 null: 'a-2021'",
    ),
    broken(
        "NaN quantity",
        column("activity_qty", NAN),
        "quantity_valid expectations_met",
        "1 nan: 'a-2021'",
    ),
    broken(
        "infinite quantity",
        column("activity_qty", INF),
        "quantity_valid expectations_met",
        "1 infinite: 'a-2021'",
    ),
    broken(
        "minus infinity",
        column("activity_qty", -INF),
        "quantity_valid expectations_met",
        "1 infinite: .*1 negative: 'a-2021'",
    ),
    broken(
        "negative quantity",
        column("activity_qty", -5.0),
        "quantity_valid expectations_met",
        "1 negative: 'a-2021'",
    ),
    broken(
        "all quantities null",
        column("activity_qty", None, None, None),
        "quantity_valid expectations_met",
        "3 null",
    ),
    broken("epoch of another year", column("epoch", "2020"), "epochs_in_period", "outside 2021: '2020'"),
    broken("epoch across the year's end", column("epoch", "2021-12-01_2022-01-31"), "epochs_in_period", "'2021-12"),
    broken(
        "epoch that is no period",
        column("epoch", "2021-3"),
        "epochs_in_period expectations_met",
        "'2021-3'",
    ),
    broken("null epoch", column("epoch", None), "epochs_in_period expectations_met", "None"),
    broken("no CRS", crs(None), "crs_declared", "no CRS"),
    broken(
        "unknown CRS", both(crs("EPSG:1"), evidence("crs", "EPSG:1")), "crs_declared", "EPSG:1, because the publisher"
    ),
    broken("vertical CRS", both(crs("EPSG:5773"), evidence("crs", "EPSG:5773")), "crs_declared", "EPSG:5773, because"),
    broken("CRS other than in the evidence", evidence("crs", "EPSG:4326"), "crs_declared", "EPSG:4269"),
    broken("CRS without a reason", evidence("crs_declared_because", None), "crs_declared", "no reason"),
    broken(
        "footprint of no declared kind",
        evidence("footprint", None),
        "crs_declared geometry_present expectations_met",
        "evidence",
    ),
    broken(
        "footprints of a project that has none",
        evidence("footprint", "none"),
        "geometry_present expectations_met",
        "with a footprint: 'a-2021', 'b-2021', 'c-2021'",
    ),
    broken(
        "null footprint",
        column("geometry", None),
        "geometry_present expectations_met",
        "without a footprint: 'a-2021'",
    ),
    broken("empty footprint", column("geometry", EMPTY_POLYGON), "geometry_present", "without a footprint: 'a-2021'"),
    broken("unreadable footprint", column("geometry", b"\x01\x02"), "geometry_present", "footprint: 'a-2021'"),
    broken("null activity", column("activity_id", None), "expectations_met", "activity_id: 1 of 3"),
    broken("blank region", column("region", " "), "expectations_met", "region: 1 of 3 .*' ' in row 'a-2021'"),
    broken("blank unit", column("unit", ""), "expectations_met", "unit: 1 of 3"),
    broken(
        "source lost 2005", before("2005,2020,2021,2021-Q1"), "source_keeps_periods", "lost since .*generation: 2005$"
    ),
    broken("source without periods", evidence("source_periods", None), "source_keeps_periods", "periods none"),
    broken("previous generation says nothing", before(None), "source_keeps_periods", "does not say"),
)


@pytest.mark.parametrize("defect", BREAKS, ids=ids(BREAKS))
def test_defect_of_activity_turns_its_gates_red(defect: Break) -> None:
    """A defect of the activity table turns exactly its gates red, and the gate names it."""
    check(defect)


@pytest.mark.parametrize(
    "listed",
    ["2020,2021", "2021-Q1,2021-Q2,2021-Q3,2021-Q4", "2020-03", "2020-07-01_2021-06-30"],
    ids=["fewer than now", "quarters of a year that is there", "month of it", "across two years that are there"],
)
def test_source_may_report_the_same_days_under_other_periods(listed: str) -> None:
    """A source keeps its periods when every day of them is still covered, whatever they are called."""
    outcomes = judge_all(Asset.ACTIVITY, before(listed)(good_case(Asset.ACTIVITY)))
    assert [outcome.gate for outcome in outcomes if not outcome.passed] == []


def test_a_gap_in_the_days_is_a_lost_period() -> None:
    """Eleven months do not cover a year: the year counts as lost."""
    months = ",".join(f"2019-{month:02d}" for month in range(1, 12))
    case = both(before("2019"), evidence("source_periods", f"2021,{months}"))(good_case(Asset.ACTIVITY))
    red = [outcome for outcome in judge_all(Asset.ACTIVITY, case) if not outcome.passed]
    assert [(outcome.gate, outcome.metrics["lost"]) for outcome in red] == [("source_keeps_periods", 1)]


def test_poisons_are_counted_apart() -> None:
    """Null, NaN, infinite and negative quantities are different faults and have a number each."""
    poisons = (None, NAN, -INF)
    case = column("activity_qty", *poisons)(good_case(Asset.ACTIVITY))
    outcome = next(o for o in judge_all(Asset.ACTIVITY, case) if o.gate == "quantity_valid")
    assert outcome.metrics == {"rows": 3, "null": 1, "nan": 1, "infinite": 1, "negative": 1}


def test_rows_that_may_be_set_aside_are_accounted_for() -> None:
    """A quarter of the rows may be set aside where the project allows a quarter; the gate says how many and why."""
    case = aside("z", max_share="0.25")(good_case(Asset.ACTIVITY))
    outcomes = {outcome.gate: outcome for outcome in judge_all(Asset.ACTIVITY, case)}
    assert all(outcome.passed for outcome in outcomes.values())
    said = outcomes["rows_accounted"]
    assert said.observed == "4 rows in, 3 staged, 1 set aside (25.0000%), because the sender mends them"
    assert said.metrics == {"rows_in": 4, "rows": 3, "quarantined": 1, "share": Decimal("0.25")}
