"""The contract of a table in Great Expectations' own rules: what Data Docs show, and a check of the gate's suite.

It asks what `expectation_suite` asks, rule by rule and without any code of ours; a test holds the two to the same
answer. What does not belong here: anything that a gate runs, because the code of the gates is a pin of every figure.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from decimal import Decimal

import great_expectations as gx
import great_expectations.expectations as gxe
import pyarrow as pa
from great_expectations.expectations.expectation import Expectation

from mrv_assets.compliance.expectation_suite import headings
from mrv_assets.domain.contract import Column, Contract

_FLAGS = re.compile(r"\(\?([a-z]+)\)")


def library_suite_of(contract: Contract, *, rows_at_most: int, has_footprints: bool) -> gx.ExpectationSuite:
    """Return the contract as a suite of the library's own rules; see `expectation_suite.suite_of` for the arguments."""
    names = headings(contract)
    rules: list[Expectation] = [
        gxe.ExpectTableColumnsToMatchOrderedList(column_list=list(names.values())),
        gxe.ExpectTableRowCountToBeBetween(min_value=1, max_value=max(1, rows_at_most)),
        _key_rule([names[name] for name in contract.key]),
    ]
    for column in contract.columns:
        is_left_empty = column.nullable and not has_footprints
        rules.extend(_rules(column, names[column.name], is_left_empty=is_left_empty))
    return gx.ExpectationSuite(name=contract.version, expectations=rules)


def _rules(column: Column, name: str, *, is_left_empty: bool) -> Iterator[Expectation]:
    """Yield the rules for one column; with each rule on values comes the one that leaves no value out."""
    if is_left_empty:
        yield gxe.ExpectColumnValuesToBeNull(column=name)
        return
    yield gxe.ExpectColumnValuesToNotBeNull(column=name)
    if pa.types.is_floating(column.type):
        # What lies between two finite numbers is finite: NaN and the infinities do not.
        least = -sys.float_info.max if column.minimum is None else float(column.minimum)
        yield gxe.ExpectColumnValuesToBeBetween(column=name, min_value=least, max_value=sys.float_info.max)
    elif column.minimum is not None:
        yield gxe.ExpectColumnValuesToBeBetween(column=name, min_value=_whole(column.minimum))
    if column.pattern is not None:
        # The library asks whether a part matches, and `$` would let a last line break pass.
        yield gxe.ExpectColumnValuesToMatchRegex(column=name, regex=rf"^(?:{_scoped(column.pattern)})\Z")
    if column.values is not None:
        yield gxe.ExpectColumnValuesToBeInSet(column=name, value_set=list(column.values))


def _whole(minimum: Decimal) -> int:
    """Return a bound as the whole number that it has to be: of decimals only the whole part is looked at."""
    if minimum != minimum.to_integral_value():
        raise ValueError(f"a bound of integers and decimals is a whole number, not {minimum}")
    return int(minimum)


def _key_rule(key: list[str]) -> Expectation:
    if len(key) == 1:
        return gxe.ExpectColumnValuesToBeUnique(column=key[0])
    return gxe.ExpectCompoundColumnsToBeUnique(column_list=key, ignore_row_if="never")


def _scoped(pattern: str) -> str:
    """Return a pattern with its leading flags made part of it, so that it may stand inside another."""
    flags = _FLAGS.match(pattern)
    return f"(?{flags[1]}:{pattern[flags.end() :]})" if flags else pattern
