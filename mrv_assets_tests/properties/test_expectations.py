from __future__ import annotations

import string
from dataclasses import dataclass

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.compliance.expectation_faults import faults_of
from mrv_assets.compliance.expectation_run import validated
from mrv_assets.compliance.expectation_suite import suite_of
from mrv_assets.compliance.expectations import expectations_met
from mrv_assets.compliance.library_suite import library_suite_of
from mrv_assets.domain.contract import CONTRACTS, Column, Contract
from mrv_assets_tests.contract_tables import DAMAGES, Damage, bad_values, case_of, good_table, put
from mrv_assets_tests.strategies import factors, quantities, tonnes

# Beyond ASCII the two engines for patterns differ in what a digit and a space is.
_ASCII = st.text(string.printable, max_size=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A contract, a table that breaks one rule of it, and the column of that rule, None for the table as a whole."""

    contract: Contract
    table: pa.Table
    column: str | None


@st.composite
def broken_tables(draw: st.DrawFn) -> Broken:
    """Return a good table of some rows in which one value, or the shape, is broken."""
    contract = draw(st.sampled_from(CONTRACTS))
    rows = draw(st.integers(1, 6))
    table = good_table(contract, rows)
    damage: Damage | None = draw(st.none() | st.sampled_from(DAMAGES))
    if damage is not None and rows == 3:
        return Broken(contract=contract, table=damage.do(table), column=None)
    column = draw(st.sampled_from(contract.columns))
    at = draw(st.integers(0, rows - 1))
    values = [*table.column(column.name).to_pylist()[:at], draw(st.sampled_from(bad_values(column)))]
    return Broken(contract=contract, table=put(table, column.name, *values), column=column.name)


def _values(column: Column) -> st.SearchStrategy[object]:
    """Return values of the column's type, good and bad ones."""
    if pa.types.is_decimal(column.type):
        numbers = factors if column.type.scale > 9 else tonnes
        good_and_bad: st.SearchStrategy[object] = numbers | numbers.map(lambda number: -number)
    elif pa.types.is_floating(column.type):
        good_and_bad = quantities | st.floats()
    elif pa.types.is_integer(column.type):
        good_and_bad = st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1)
    elif pa.types.is_binary(column.type):
        good_and_bad = st.binary(max_size=3)
    else:
        good_and_bad = _ASCII | st.sampled_from(["2021", "emission", "0" * 64, "2021\n"])
    return st.none() | good_and_bad


@st.composite
def any_tables(draw: st.DrawFn) -> tuple[Contract, pa.Table]:
    """Return a table of the contract's types in which some columns hold anything."""
    contract = draw(st.sampled_from(CONTRACTS))
    rows = draw(st.integers(0, 4))
    table = good_table(contract, rows, has_footprints=draw(st.booleans()))
    for column in draw(st.lists(st.sampled_from(contract.columns), max_size=2)):
        table = put(table, column.name, *draw(st.lists(_values(column), min_size=rows, max_size=rows)))
    return contract, table


@given(broken_tables())
def test_a_table_that_breaks_one_rule_is_red(broken: Broken) -> None:
    """Whichever column, row and value, and whichever shape: the gate is red and names the column."""
    rows = broken.table.num_rows if broken.column else 3
    outcome = expectations_met(broken.contract).outcome(case_of(broken.contract, broken.table, upstream_rows=rows))
    assert not outcome.passed
    assert broken.column is None or outcome.observed.startswith(f"{broken.column}: 1 of {broken.table.num_rows} ")


@given(contract=st.sampled_from(CONTRACTS), rows=st.integers(1, 30), has_footprints=st.booleans())
def test_a_table_that_keeps_its_contract_is_green(contract: Contract, rows: int, *, has_footprints: bool) -> None:
    """However many rows, with footprints or without: the gate is green."""
    table = good_table(contract, rows, has_footprints=has_footprints)
    evidence = {"footprint": "area" if has_footprints else "none"}
    outcome = expectations_met(contract).outcome(case_of(contract, table, upstream_rows=rows, evidence=evidence))
    assert outcome.passed, outcome.observed


@given(case=any_tables(), has_footprints=st.booleans())
def test_our_rules_and_those_of_the_library_agree(case: tuple[Contract, pa.Table], *, has_footprints: bool) -> None:
    """On any table the gate's suite proves something just when the library's own rules do."""
    contract, table = case
    proven = []
    for render in (suite_of, library_suite_of):
        suite = render(contract, rows_at_most=4, has_footprints=has_footprints)
        proven.append(not faults_of(suite, validated(suite, table).results, table, key=contract.key))
    assert proven[0] is proven[1], table.to_pylist()
