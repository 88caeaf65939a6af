"""The contract of a table, rendered mechanically as the suite of Great Expectations that the gate runs.

What does not belong here: what the rules of our own compute (contract_expectations), running the suite
(expectation_run), and the same contract in the library's own rules, for people (library_suite).
"""

from __future__ import annotations

from functools import cache

import great_expectations as gx
import pyarrow as pa
from great_expectations.expectations.expectation import Expectation

from mrv_assets.compliance.contract_expectations import (
    ExpectColumnToKeepContract,
    ExpectKeyToBeUnique,
    ExpectTableColumnsToKeepContract,
    ExpectTableRowCountToKeepContract,
)
from mrv_assets.domain.contract import Contract


def heading(name: str, type_: pa.DataType) -> str:
    """Return how a column is called in a suite: its name and its exact Arrow type.

    pandas knows no difference between decimals of two scales; with the type in the name, asking for the columns asks
    for their types too.
    """
    return f"{name} ({type_})"


def headings(contract: Contract) -> dict[str, str]:
    """Return how each column of a contract is called in a suite, by its name and in contract order."""
    return {column.name: heading(column.name, column.type) for column in contract.columns}


def suite_of(contract: Contract, *, rows_at_most: int, has_footprints: bool) -> gx.ExpectationSuite:
    """Return the contract as a suite: the columns in order with their types, the rows, one rule a column, and the key.

    Rows have to be 1 to `rows_at_most`. Columns that may be null are those of a project without footprints: without
    them every value has to be null, with them none.
    """
    # Upstream may be empty, and a range that ends before it begins is no rule.
    rows = ExpectTableRowCountToKeepContract(min_value=1, max_value=max(1, rows_at_most))
    columns, *rules = _lasting_rules(contract, has_footprints)
    return gx.ExpectationSuite(name=contract.version, expectations=[columns, rows, *rules])


@cache
def _lasting_rules(contract: Contract, has_footprints: bool) -> tuple[Expectation, ...]:  # noqa: FBT001 # a key
    """Return the rules that are the same for every table: the columns in order, each column, and the key."""
    names = headings(contract)
    columns = (
        ExpectColumnToKeepContract(column=names[column.name], is_left_empty=True)
        if column.nullable and not has_footprints
        else ExpectColumnToKeepContract(
            column=names[column.name],
            is_finite=pa.types.is_floating(column.type),
            minimum=None if column.minimum is None else str(column.minimum),
            pattern=column.pattern,
            value_set=None if column.values is None else list(column.values),
        )
        for column in contract.columns
    )
    in_order = ExpectTableColumnsToKeepContract(column_list=list(names.values()))
    return (in_order, *columns, ExpectKeyToBeUnique(column_list=[names[name] for name in contract.key]))
