"""The contract of a table, rendered mechanically as the suite of Great Expectations that the gate runs.

What does not belong here: what the two rules of our own compute (contract_expectations), running the suite
(expectation_run), and the same contract in the library's own rules, for people (library_suite).
"""

from __future__ import annotations

from functools import cache

import great_expectations as gx
import great_expectations.expectations as gxe
import pyarrow as pa
from great_expectations.expectations.expectation import Expectation

from mrv_assets.compliance.contract_expectations import ExpectColumnToKeepContract, ExpectKeyToBeUnique
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
    rules = [*table_rules(contract, rows_at_most=rows_at_most), *_row_rules(contract, has_footprints)]
    return gx.ExpectationSuite(name=contract.version, expectations=rules)


def table_rules(contract: Contract, *, rows_at_most: int) -> list[Expectation]:
    """Return the rules for the table as a whole: which columns, of which types, in which order, and how many rows."""
    return [
        gxe.ExpectTableColumnsToMatchOrderedList(column_list=list(headings(contract).values())),
        # Upstream may be empty, and a range that ends before it begins is no rule.
        gxe.ExpectTableRowCountToBeBetween(min_value=1, max_value=max(1, rows_at_most)),
    ]


@cache
def _row_rules(contract: Contract, has_footprints: bool) -> tuple[Expectation, ...]:  # noqa: FBT001 # a key of the cache
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
    return (*columns, ExpectKeyToBeUnique(column_list=[names[name] for name in contract.key]))
