from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal

import great_expectations as gx
import great_expectations.expectations as gxe
import pyarrow as pa
import pytest
from great_expectations.core import ExpectationValidationResult
from great_expectations.expectations.expectation import Expectation
from great_expectations.expectations.row_conditions import Column as RowOf

from mrv_assets.compliance.expectation_faults import faults_of
from mrv_assets.compliance.expectation_run import answered, frame_of, validated
from mrv_assets.compliance.expectation_suite import headings, suite_of
from mrv_assets.compliance.expectations import expectations_met
from mrv_assets.compliance.library_suite import library_suite_of
from mrv_assets.domain.contract import ACTIVITY, AGGREGATED, CONTRACTS, FACTORED, LEDGER, NORMALIZED, Column, Contract
from mrv_assets.domain.gate import GateOutcome
from mrv_assets_tests.contract_tables import DAMAGES, Damage, bad_values, case_of, good_table, put
from mrv_assets_tests.unit.compliance.breaks import Break, with_table

BY_ASSET = [pytest.param(contract, id=contract.asset.value) for contract in CONTRACTS]
BAD_VALUES = [
    pytest.param(contract, column, value, id=f"{contract.asset} {column.name} {value!r}"[:60])
    for contract in CONTRACTS
    for column in contract.columns
    for value in bad_values(column)
]
BROKEN = [
    pytest.param(contract, damage, id=f"{contract.asset} {damage.name}") for contract in CONTRACTS for damage in DAMAGES
]
# What no other gate of the asset sees. For the register, which wants every gate to be the first to name a defect.
BREAKS = tuple(
    Break(
        name="columns in another order",
        asset=contract.asset,
        do=lambda case: with_table(case, case.staged.table.select(case.staged.table.column_names[::-1])),
        red="expectations_met",
        says="columns: in another order",
    )
    for contract in CONTRACTS
)
TONNES = headings(FACTORED)["emissions_tco2e"]
QUANTITY = headings(FACTORED)["activity_qty"]


def judged(contract: Contract, table: pa.Table, *, upstream_rows: int = 3) -> GateOutcome:
    """Return what the gate says of a table."""
    return expectations_met(contract).outcome(case_of(contract, table, upstream_rows=upstream_rows))


def faults(rules: Sequence[Expectation], table: pa.Table) -> list[str]:
    """Return what keeps a suite of these rules from proving something of a factored table."""
    suite = gx.ExpectationSuite(name="by hand", expectations=list(rules))
    return faults_of(suite, validated(suite, table).results, table, key=FACTORED.key)


def row_count(rows: int) -> Expectation:
    """Return the rule that there are so many rows."""
    return gxe.ExpectTableRowCountToEqual(value=rows)


@pytest.mark.parametrize("contract", BY_ASSET)
def test_a_table_that_keeps_its_contract_passes(contract: Contract) -> None:
    """The gate is green, and its numbers say that every rule was answered and met."""
    outcome = judged(contract, good_table(contract))
    rules = len(contract.columns) + 3  # the columns, the rows and the key
    assert outcome.passed, outcome.observed
    assert outcome.observed == f"{rules} expectations met by 3 rows"
    assert outcome.metrics == {"expectations": rules, "results": rules, "failed": 0, "rows": 3}


@pytest.mark.parametrize(("contract", "column", "value"), BAD_VALUES)
def test_a_value_that_breaks_its_rule_is_red(contract: Contract, column: Column, value: object) -> None:
    """One bad value in one column turns the gate red, which names the column, counts the rows and shows the row."""
    outcome = judged(contract, put(good_table(contract), column.name, value))
    assert not outcome.passed
    assert re.search(rf"^{column.name}: 1 of 3 .*, such as .*row '", outcome.observed), outcome.observed
    assert outcome.metrics["failed"] == 1
    assert outcome.remedy


@pytest.mark.parametrize(("contract", "damage"), BROKEN)
def test_a_table_of_another_shape_is_red(contract: Contract, damage: Damage) -> None:
    """Missing, doubled, renamed, retyped and reordered columns, and too few and too many rows, turn the gate red."""
    outcome = judged(contract, damage.do(good_table(contract)))
    assert not outcome.passed
    assert re.search(damage.says, outcome.observed), outcome.observed
    assert len(outcome.observed) < 1500


@pytest.mark.parametrize(("contract", "damage"), BROKEN)
def test_rules_asked_without_the_graph_of_the_library_answer_the_same(contract: Contract, damage: Damage) -> None:
    """For a good table and a broken one: the same faults, whether or not the library orders what is computed."""
    suite = suite_of(contract, rows_at_most=3, has_footprints=True)
    for table in (good_table(contract), damage.do(good_table(contract))):
        ours, theirs = (
            faults_of(suite, results, table, key=contract.key)
            for results in (answered(suite, table), validated(suite, table).results)
        )
        assert ours == theirs


@pytest.mark.parametrize(
    ("contract", "defect"),
    list(zip(CONTRACTS, BREAKS, strict=True)),
    ids=[contract.asset.value for contract in CONTRACTS],
)
def test_defect_that_only_this_gate_sees_turns_it_red(contract: Contract, defect: Break) -> None:
    """Columns in another order are another content digest, and red."""
    outcome = expectations_met(contract).outcome(defect.do(case_of(contract, good_table(contract))))
    assert not outcome.passed
    assert re.search(defect.says, outcome.observed)


@pytest.mark.parametrize("contract", BY_ASSET)
@pytest.mark.parametrize("has_footprints", [True, False], ids=["with footprints", "without"])
def test_every_column_has_its_rules_in_both_suites(contract: Contract, *, has_footprints: bool) -> None:
    """Both suites ask for all columns in order and for the rows, and ask each column at least one thing."""
    for render in (suite_of, library_suite_of):
        columns, rows, *rules = render(contract, rows_at_most=7, has_footprints=has_footprints).expectations
        assert isinstance(columns, gxe.ExpectTableColumnsToMatchOrderedList)
        assert columns.column_list == [f"{column.name} ({column.type})" for column in contract.columns]
        assert isinstance(rows, gxe.ExpectTableRowCountToBeBetween)
        assert (rows.min_value, rows.max_value) == (1, 7)
        assert {getattr(rule, "column", None) for rule in rules} >= set(headings(contract).values())


@pytest.mark.parametrize("contract", BY_ASSET)
def test_no_rule_of_the_library_stands_alone(contract: Contract) -> None:
    """With each rule on the values of a column comes the rule that none is null, and a range always has an end."""
    suite = library_suite_of(contract, rows_at_most=7, has_footprints=True)
    never_null = {rule.column for rule in suite.expectations if isinstance(rule, gxe.ExpectColumnValuesToNotBeNull)}
    for rule in suite.expectations:
        assert getattr(rule, "column", None) in {*never_null, None}
        if isinstance(rule, gxe.ExpectColumnValuesToBeBetween) and rule.column.endswith("(double)"):
            assert rule.max_value == sys.float_info.max


@pytest.mark.parametrize(
    ("rules", "table", "says"),
    [
        pytest.param(
            [gxe.ExpectColumnValuesToNotBeNull(column=TONNES)],
            good_table(FACTORED, 0),
            "no result says that it saw 0 rows",
            id="no rows",
        ),
        pytest.param(
            [row_count(3), gxe.ExpectColumnValuesToBeBetween(column=TONNES, min_value=0)],
            put(good_table(FACTORED), "emissions_tco2e", None, None, None),
            "emissions_tco2e left out 3 of 3 rows",
            id="all null under a range",
        ),
        pytest.param(
            [row_count(3), gxe.ExpectColumnValuesToBeUnique(column=QUANTITY)],
            put(good_table(FACTORED), "activity_qty", 1.0, 2.0, None),
            "activity_qty left out 1 of 3 rows",
            id="null under a unique key",
        ),
        pytest.param([], good_table(FACTORED), "the suite has no expectation", id="no rules"),
        pytest.param(
            [
                row_count(3),
                gxe.ExpectColumnValuesToBeBetween(
                    column=TONNES,
                    min_value=5,
                    row_condition=RowOf("flux (string)") == "nothing",
                ),
            ],
            good_table(FACTORED),
            "emissions_tco2e asks some rows only",
            id="a condition that no row meets",
        ),
        pytest.param(
            [row_count(200), gxe.ExpectColumnValuesToBeBetween(column=QUANTITY, min_value=0, mostly=0.99)],
            put(good_table(FACTORED, 200), "activity_qty", -1.0),
            "activity_qty may be broken by some rows: mostly 0.99",
            id="one of 200 may be negative",
        ),
        pytest.param(
            [row_count(3), gxe.ExpectColumnValuesToNotBeNull(column="nowhere")],
            good_table(FACTORED),
            "nowhere could not be checked: .*nowhere",
            id="a column that is not there",
        ),
        pytest.param(
            [row_count(3), gxe.ExpectColumnValuesToMatchRegex(column=QUANTITY, regex="[")],
            good_table(FACTORED),
            "activity_qty could not be checked",
            id="a check that raises",
        ),
        pytest.param(
            [gxe.ExpectColumnValuesToNotBeNull(column=TONNES)],
            good_table(FACTORED),
            "no result says that it saw 3 rows",
            id="no rule for the rows",
        ),
    ],
)
def test_what_the_library_calls_a_success_is_a_fault(rules: list[Expectation], table: pa.Table, says: str) -> None:
    """Nothing passes by having looked at nothing, by having been allowed to fail, or by not having been asked."""
    found = faults(rules, table)
    assert any(re.search(says, fault) for fault in found), found


def test_the_library_alone_would_let_them_pass() -> None:
    """A range is a success for the library on no rows, on nulls only, and with one negative in 200 under `mostly`."""
    between = gxe.ExpectColumnValuesToBeBetween(column=QUANTITY, min_value=0, mostly=0.99)
    nulls = put(good_table(FACTORED), "activity_qty", None, None, None)
    one_negative = put(good_table(FACTORED, 200), "activity_qty", -1.0)
    for table in (good_table(FACTORED, 0), nulls, one_negative):
        suite = gx.ExpectationSuite(name="by hand", expectations=[between])
        assert validated(suite, table).success
    assert validated(gx.ExpectationSuite(name="empty"), good_table(FACTORED)).success


def _place(result: ExpectationValidationResult) -> int:
    """Put the columns first and the key last."""
    kind = "" if result.expectation_config is None else result.expectation_config.type
    return {"expect_table_columns_to_keep_contract": 0, "expect_key_to_be_unique": 2}.get(kind, 1)


def _without_first(results: list[ExpectationValidationResult]) -> list[ExpectationValidationResult]:
    return results[1:]


def _last_twice(results: list[ExpectationValidationResult]) -> list[ExpectationValidationResult]:
    return [*results, results[-1]]


def _last_instead_of_first(results: list[ExpectationValidationResult]) -> list[ExpectationValidationResult]:
    return [*results[1:], results[-1]]


def _raised(results: list[ExpectationValidationResult]) -> list[ExpectationValidationResult]:
    results[-1].exception_info = {"metric": {"raised_exception": True, "exception_message": "out of memory"}}
    return results


def _almost_true(results: list[ExpectationValidationResult]) -> list[ExpectationValidationResult]:
    results[-1].success = None
    return results


def _fewer_rows(results: list[ExpectationValidationResult]) -> list[ExpectationValidationResult]:
    results[-1].result["element_count"] = 2
    return results


def _uncounted(results: list[ExpectationValidationResult]) -> list[ExpectationValidationResult]:
    del results[-1].result["element_count"]
    return results


def _nobody_knows(results: list[ExpectationValidationResult]) -> list[ExpectationValidationResult]:
    results[-1].expectation_config = None
    return results


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param(_without_first, "no result for expect_table_columns_to_keep_contract", id="a result is missing"),
        pytest.param(_last_twice, "a result that was not asked for: expect_key_to_be_unique", id="a result too many"),
        pytest.param(_last_instead_of_first, "no result for expect_table_columns_to_keep", id="another result"),
        pytest.param(_raised, "row_id could not be checked: out of memory", id="an exception beside a success"),
        pytest.param(_almost_true, "row_id: some of 3 break", id="neither success nor failure"),
        pytest.param(_fewer_rows, "row_id looked at 2 of 3 rows", id="fewer rows than there are"),
        pytest.param(_uncounted, "row_id looked at an unknown number of 3 rows", id="no count of rows"),
        pytest.param(_nobody_knows, r"a result that was not asked for: unknown\(\)", id="a result without a rule"),
    ],
)
def test_results_that_do_not_answer_the_suite_are_faults(
    change: Callable[[list[ExpectationValidationResult]], list[ExpectationValidationResult]], says: str
) -> None:
    """There is one result for each rule, with its arguments, that looked at all rows and is a success without ifs."""
    table = good_table(FACTORED)
    suite = suite_of(FACTORED, rows_at_most=3, has_footprints=True)
    results = sorted(validated(suite, table).results, key=_place)
    assert faults_of(suite, results, table, key=FACTORED.key) == []
    found = faults_of(suite, change(results), table, key=FACTORED.key)
    assert any(re.search(says, fault) for fault in found), found


@pytest.mark.parametrize("contract", [ACTIVITY, NORMALIZED], ids=lambda contract: contract.asset)
def test_without_footprints_nothing_may_stand_where_they_would(contract: Contract) -> None:
    """A project without footprints has nulls in their columns, all of them; a project with footprints has none."""
    gate = expectations_met(contract)
    bare, full = good_table(contract, has_footprints=False), good_table(contract)
    none, area = {"footprint": "none"}, {"footprint": "area"}
    assert gate.outcome(case_of(contract, bare, evidence=none)).passed
    assert not gate.outcome(case_of(contract, bare, evidence=area)).passed
    assert not gate.outcome(case_of(contract, full, evidence=none)).passed
    one_too_many = put(bare, "geometry", b"wkb")
    assert "geometry: 1 of 3 not null" in gate.outcome(case_of(contract, one_too_many, evidence=none)).observed


def test_nan_is_no_null() -> None:
    """Where every value has to be null, a NaN is not."""
    table = put(good_table(NORMALIZED, has_footprints=False), "area_ha", math.nan)
    outcome = expectations_met(NORMALIZED).outcome(case_of(NORMALIZED, table, evidence={"footprint": "none"}))
    assert "area_ha: 1 of 3 not null, such as nan" in outcome.observed


def test_evidence_without_a_word_on_footprints_is_red() -> None:
    """Whether footprints have to be there is not guessed; a table without such columns is not asked."""
    outcome = expectations_met(ACTIVITY).outcome(case_of(ACTIVITY, good_table(ACTIVITY), evidence={}))
    assert not outcome.passed
    assert "area, point, none" in outcome.limit
    assert expectations_met(FACTORED).outcome(case_of(FACTORED, good_table(FACTORED), evidence={})).passed


def test_more_rows_than_upstream_are_red() -> None:
    """A stage makes at most one row of each that it was given."""
    assert "row count: 3, expected 1 to 2" in judged(FACTORED, good_table(FACTORED), upstream_rows=2).observed


def test_the_ledger_has_one_row() -> None:
    """Upstream of the ledger is one document, so one row is all that it may have."""
    case = case_of(LEDGER, good_table(LEDGER, 2), upstream_rows=1)
    assert "row count: 2, expected 1 to 1" in expectations_met(LEDGER).outcome(case).observed


def test_an_empty_upstream_leaves_no_way_to_pass() -> None:
    """Nothing made from nothing is red by its rows, and so is something made from nothing."""
    for rows in (0, 2):
        outcome = judged(AGGREGATED, good_table(AGGREGATED, rows), upstream_rows=0)
        assert f"row count: {rows}, expected 1 to 1" in outcome.observed


@pytest.mark.parametrize(
    ("tonnes", "is_met"),
    [
        ("0", True),
        ("-1e-9", False),
        ("-0.5", False),
        ("99999999999999999999999999999.999999999", True),
        ("-9e28", False),
    ],
)
def test_decimals_are_compared_exactly(tonnes: str, *, is_met: bool) -> None:
    """The smallest negative decimal is below 0 and the largest positive one is not, for both suites."""
    table = put(good_table(FACTORED), "emissions_tco2e", Decimal(tonnes))
    for render in (suite_of, library_suite_of):
        suite = render(FACTORED, rows_at_most=3, has_footprints=True)
        assert (faults_of(suite, validated(suite, table).results, table, key=FACTORED.key) == []) is is_met


def test_the_frame_holds_no_bytes_and_no_objects() -> None:
    """Bytes are handed over as their number and decimals as their whole part; nulls stay nulls, and NaN stays NaN."""
    table = pa.table(
        {
            "shape": pa.array([b"four", b"", None]),
            "tonnes": pa.array([Decimal("-0.1"), Decimal("1.9"), None], pa.decimal128(38, 9)),
            "area": pa.array([math.nan, 0.5, None]),
            "name": pa.array(["a", "", None]),
        }
    )
    frame = frame_of(table)
    assert list(frame.columns) == ["shape (binary)", "tonnes (decimal128(38, 9))", "area (double)", "name (string)"]
    assert [pa.array(frame[name]).to_pylist()[:2] for name in frame.columns if "area" not in name] == [
        [4, 0],
        [-1, 1],
        ["a", ""],
    ]
    assert frame.isna().sum().tolist() == [1, 1, 1, 1]
    assert "object" not in {str(dtype) for dtype in frame.dtypes}


def test_the_same_table_gets_the_same_answer_and_leaves_nothing_behind() -> None:
    """Judging again gives the same outcome, and Arrow's memory is as before: no table is kept."""
    table = put(good_table(NORMALIZED, 50_000), "region", "")
    first = judged(NORMALIZED, table, upstream_rows=50_000)
    before = pa.total_allocated_bytes()
    assert [judged(NORMALIZED, table, upstream_rows=50_000) for _ in range(3)] == [first] * 3
    assert pa.total_allocated_bytes() <= before
