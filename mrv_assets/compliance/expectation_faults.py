"""What keeps the results of a suite from proving that a table meets it, in words.

The library calls it a success when a table has no rows, when a suite has no rules, when a rule looked at nothing, and
when it was allowed to be broken. Here each of them is a fault. What does not belong here: running a suite
(expectation_run) and what follows from a fault (expectations).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:  # the library costs seconds to import, and reading its results does not need it
    from great_expectations import ExpectationSuite
    from great_expectations.core import ExpectationValidationResult
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

_EXAMPLES = 3
_LONGEST_VALUE = 60
_TABLE_RULE = "expect_table_"
_ROW_COUNT = "expect_table_row_count_"


def faults_of(
    suite: ExpectationSuite, results: Sequence[ExpectationValidationResult], table: pa.Table, *, key: Sequence[str]
) -> list[str]:
    """Return all that keeps results from proving that a table meets a suite: nothing, when they do.

    A suite without rules proves nothing, nor does a rule that may be broken now and then or that asks some rows only.
    There has to be one result for each rule, with the same arguments; each a success without an exception, that looked
    at every row and left none out; and one has to tell the number of rows. `key` are the columns that name a row.
    """
    expected = [expectation.configuration for expectation in suite.expectations]
    if not expected:
        return ["the suite has no expectation"]
    faults = [fault for configuration in expected for fault in _weaknesses(configuration)]
    asked, answered = Counter(map(_identity, expected)), Counter(_identity(r.expectation_config) for r in results)
    faults += [f"no result for {rule}" for rule in (asked - answered).elements()]
    faults += [f"a result that was not asked for: {rule}" for rule in (answered - asked).elements()]
    counted = [r.result.get("observed_value") for r in results if _type(r.expectation_config).startswith(_ROW_COUNT)]
    if table.num_rows not in counted:
        faults.append(f"no result says that it saw {table.num_rows} rows")
    order = {rule: number for number, rule in enumerate(asked)}
    for result in sorted(results, key=lambda result: order.get(_identity(result.expectation_config), len(order))):
        faults.extend(_faults_of_one(result, table, key))
    return faults


def _weaknesses(configuration: ExpectationConfiguration) -> Iterator[str]:
    kwargs = configuration.kwargs
    if kwargs.get("mostly", 1) != 1:
        yield f"{_name(configuration)} may be broken by some rows: mostly {kwargs['mostly']}"
    if kwargs.get("row_condition") is not None:
        yield f"{_name(configuration)} asks some rows only: {kwargs['row_condition']}"


def _faults_of_one(result: ExpectationValidationResult, table: pa.Table, key: Sequence[str]) -> Iterator[str]:
    configuration, found = result.expectation_config, result.result
    name = _name(configuration)
    if exception := _exception(result.exception_info):
        yield f"{name} could not be checked: {exception}"
        return
    if not _type(configuration).startswith(_TABLE_RULE) and found.get("element_count") != table.num_rows:
        yield f"{name} looked at {found.get('element_count', 'an unknown number')} of {table.num_rows} rows"
    if found.get("missing_count"):
        yield f"{name} left out {found['missing_count']} of {table.num_rows} rows"
    if result.success is not True:
        yield from _reasons(result, table, key)


def _reasons(result: ExpectationValidationResult, table: pa.Table, key: Sequence[str]) -> Iterator[str]:
    """Say how a rule is broken: what it is about, by how many rows, and an example with the row that it is in."""
    configuration, found = result.expectation_config, result.result
    name, breaches = _name(configuration), found.get("details", {}).get("breaches", [])
    for rule, count, first in breaches:
        yield f"{name}: {count} of {table.num_rows} {rule}, such as {_example(table, name, first, key)}"
    if not breaches:
        yield f"{name}: {_seen(configuration, found, table.num_rows)}"


def _seen(configuration: ExpectationConfiguration | None, found: Mapping[str, Any], rows: int) -> str:
    kwargs = {} if configuration is None else configuration.kwargs
    if _type(configuration).startswith(_ROW_COUNT):
        return f"{found.get('observed_value')}, expected {kwargs.get('min_value')} to {kwargs.get('max_value')}"
    if isinstance(found.get("observed_value"), list):
        return _difference(kwargs.get("column_list", []), found["observed_value"])
    examples = ", ".join(_shown(value) for value in found.get("partial_unexpected_list", [])[:_EXAMPLES])
    return f"{found.get('unexpected_count', 'some')} of {rows} break {_identity(configuration)}, such as {examples}"


def _difference(expected: Sequence[str], found: Sequence[str]) -> str:
    missing, unknown = [n for n in expected if n not in found], [n for n in found if n not in expected]
    if missing or unknown or len(expected) != len(found):
        return f"missing {', '.join(missing) or 'none'}, unknown {', '.join(unknown) or 'none'}, {len(found)} in all"
    return f"in another order: {', '.join(found)}"


def _example(table: pa.Table, name: str, index: int, key: Sequence[str]) -> str:
    names = [part for part in key if table.column_names.count(part) == 1]
    row = " ".join(str(table.column(part)[index].as_py()) for part in names) or f"number {index + 1}"
    if table.column_names.count(name) != 1 or name in key:
        return f"row {row!r}"
    return f"{_shown(table.column(name)[index].as_py())} in row {row!r}"


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return (f"{value:f}" if isinstance(value, Decimal) else repr(value))[:_LONGEST_VALUE]


def _exception(info: Mapping[str, object] | None) -> str:
    """Return the message of an exception that a check met, empty for none; the library nests them by metric."""
    for value in (info or {}).values():
        if isinstance(value, Mapping) and (message := _exception(value)):
            return message
    if not info or not info.get("raised_exception"):
        return ""
    return str(info.get("exception_message") or "an exception without a message")


def _name(configuration: ExpectationConfiguration | None) -> str:
    """Return what a rule is about: a column or the columns of a key, without their types, else what it asks."""
    kwargs = {} if configuration is None else configuration.kwargs
    if "column" in kwargs:
        return str(kwargs["column"]).partition(" (")[0]
    if "column_list" in kwargs and not _type(configuration).startswith(_TABLE_RULE):
        return ", ".join(heading.partition(" (")[0] for heading in kwargs["column_list"])
    return _type(configuration).removeprefix(_TABLE_RULE).partition("_to_")[0].replace("_", " ")


def _type(configuration: ExpectationConfiguration | None) -> str:
    return "unknown" if configuration is None else configuration.type


def _identity(configuration: ExpectationConfiguration | None) -> str:
    """Return what an expectation is and asks, as text that is equal for a rule and for its result."""
    kwargs = {} if configuration is None else configuration.kwargs
    arguments = [f"{name}={value!r}" for name, value in sorted(kwargs.items()) if name != "batch_id"]
    return f"{_type(configuration)}({', '.join(arguments)})"
