"""The gate `expectations_met`: does the staged table keep its contract, asked through Great Expectations.

The library costs seconds to import, so that is done when the first table is judged. What does not belong here:
rendering the contract (expectation_suite), running it (expectation_run) and believing the results (expectation_faults).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

import pyarrow as pa

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.expectation_faults import faults_of
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.contract import Contract
from mrv_assets.domain.source import Footprint

if TYPE_CHECKING:
    from great_expectations import ExpectationSuite
    from great_expectations.core import ExpectationValidationResult

_SHOWN = 5
_LONGEST = 240


def expectations_met(contract: Contract) -> Gate:
    """Return the gate that asks whether a staged table keeps `contract`."""
    return Gate(
        name="expectations_met",
        question="Does every column of every row keep the contract, by Great Expectations?",
        judge=_judge_of(contract),
    )


def _judge_of(contract: Contract) -> Callable[[Case], Verdict]:
    def judge(case: Case) -> Verdict:
        from mrv_assets.compliance.expectation_run import answered  # noqa: PLC0415 # the library costs seconds
        from mrv_assets.compliance.expectation_suite import suite_of  # noqa: PLC0415

        table = case.staged.table
        suite = suite_of(contract, rows_at_most=_rows_at_most(case), has_footprints=_has_footprints(case, contract))
        return verdict_of(suite, answered(suite, table), table, contract)

    return judge


def _has_footprints(case: Case, contract: Contract) -> bool:
    """Tell whether the columns that may be null have to be filled; a table without such columns is not asked."""
    return not any(column.nullable for column in contract.columns) or case.footprint is not Footprint.NONE


def _rows_at_most(case: Case) -> int:
    """Return how many rows the table may have: as many as upstream, where a document is one, else all that it has."""
    before = [1 if isinstance(content, bytes) else content.num_rows for content in case.upstream.values()]
    return min(before, default=case.staged.rows)


def verdict_of(
    suite: ExpectationSuite, results: Sequence[ExpectationValidationResult], table: pa.Table, contract: Contract
) -> Verdict:
    """Return what the results of a suite on a table prove."""
    faults = faults_of(suite, results, table, key=contract.key)
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    met = f"{len(results)} expectations met by {table.num_rows} rows"
    return Verdict(
        passed=not faults,
        observed="; ".join(shorten(fault, _LONGEST, placeholder="…") for fault in faults[:_SHOWN]) + more or met,
        limit=f"at least one row, and every expectation of {contract.version} met by every row",
        metrics={
            "expectations": len(suite.expectations),
            "results": len(results),
            "failed": sum(result.success is not True for result in results),
            "rows": table.num_rows,
        },
        remedy="correct the named columns in the source or its mapping; report a check that could not be made",
    )
