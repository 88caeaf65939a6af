"""Running a suite of Great Expectations on a table, in memory alone.

What does not belong here: rendering suites (expectation_suite) and believing their results (expectations).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import great_expectations as gx
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from great_expectations.core import ExpectationSuiteValidationResult, ExpectationValidationResult
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.types.base import (
    DataContextConfig,
    InMemoryStoreBackendDefaults,
    ProgressBarsConfig,
)
from great_expectations.exceptions import GreatExpectationsError
from great_expectations.execution_engine import PandasExecutionEngine
from great_expectations.expectations.expectation import Expectation
from great_expectations.validator.validation_statistics import calc_validation_statistics
from great_expectations.validator.validator import Validator

from mrv_assets.compliance.expectation_suite import heading

_INT64 = pa.int64()
_LARGEST = 2**63 - 1
_RUNTIME = {"result_format": "BASIC"}


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return a table as the library looks at it: Arrow columns in pandas, each called by its name and Arrow type.

    Nulls stay nulls and NaN stays NaN. Two kinds of columns are not handed over as they are, because pandas would make
    an object of every value. Of bytes only their number is there. Of a decimal the whole part is there, rounded down:
    that is exact for every bound that is a whole number, as those of the contracts are. Beyond the range of int64 it
    is the largest or smallest int64.
    """
    names = [heading(field.name, field.type) for field in table.schema]
    frame = pa.table([_plain(column) for column in table.columns], names=names)
    # Nothing is converted, so there is nothing for threads to do.
    return frame.to_pandas(types_mapper=pd.ArrowDtype, use_threads=False)


def answered(suite: gx.ExpectationSuite, table: pa.Table) -> Sequence[ExpectationValidationResult]:
    """Return one result for each rule of a suite of ours on a table.

    The library's engine computes what the rules ask for and the rules judge it, without the graph that the library
    builds for rules that depend on each other, which for a few rows is most of the time. What cannot be computed is
    asked again through that graph, which tells the rule it belongs to.
    """
    engine = _engine(table)
    try:
        metrics = _computed(engine, suite.expectations)
        return [
            rule.metrics_validate(metrics=metrics, runtime_configuration=dict(_RUNTIME), execution_engine=engine)
            for rule in suite.expectations
        ]
    except GreatExpectationsError:
        return validated(suite, table).results
    finally:
        engine.batch_manager.batch_data_cache.clear()


def _computed(engine: PandasExecutionEngine, rules: Iterable[Expectation]) -> dict[Any, Any]:
    """Return every metric that the rules ask for, those first that others are computed from."""
    asked = [
        metric
        for rule in rules
        for metric in rule.get_validation_dependencies(engine, dict(_RUNTIME)).get_metric_configurations()
    ]
    before = [earlier for metric in asked for earlier in metric.metric_dependencies.values()]
    metrics = engine.resolve_metrics(before, {}, dict(_RUNTIME))
    return metrics | engine.resolve_metrics(asked, metrics, dict(_RUNTIME))


def validated(suite: gx.ExpectationSuite, table: pa.Table) -> ExpectationSuiteValidationResult:
    """Run a suite on a table and return all results. Nothing is written anywhere, nothing is kept of the table.

    The library's validator is given an engine of its own that holds the table already. The ways around it
    (`Batch.validate`, `ValidationDefinition.run`) fingerprint every value once or twice, half a second each for a
    million rows, and keep the table or its results in the process.
    """
    engine = _engine(table)
    validator = Validator(execution_engine=engine, data_context=_context())
    try:
        results = validator.graph_validate(
            configurations=suite.expectation_configurations, runtime_configuration=dict(_RUNTIME)
        )
    finally:
        # The engine is part of a cycle, which may stand for long, and a large table with it.
        engine.batch_manager.batch_data_cache.clear()
    counted = calc_validation_statistics(results)._asdict()
    success = counted.pop("success")
    return ExpectationSuiteValidationResult(results=results, success=success, suite_name=suite.name, statistics=counted)


def _engine(table: pa.Table) -> PandasExecutionEngine:
    engine = PandasExecutionEngine()
    engine.load_batch_data("table", frame_of(table))
    return engine


@cache
def _context() -> EphemeralDataContext:
    """Return the library's settings in this process; they know of no disk and of no network."""
    return gx.get_context(
        mode="ephemeral",
        project_config=DataContextConfig(
            store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
            analytics_enabled=False,
            progress_bars=ProgressBarsConfig(globally=False),
        ),
    )


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_binary(column.type):
        return pc.binary_length(column)
    if pa.types.is_decimal(column.type):
        return _whole_part(column)
    return column


def _whole_part(column: pa.ChunkedArray) -> pa.ChunkedArray:
    whole = pc.floor(column)
    span = pc.min_max(whole).as_py()
    if any(value is not None and abs(value) > _LARGEST for value in span.values()):
        largest, smallest = (pa.scalar(Decimal(value)).cast(whole.type) for value in (_LARGEST, -_LARGEST))
        whole = pc.max_element_wise(pc.min_element_wise(whole, largest, skip_nulls=False), smallest, skip_nulls=False)
    return whole.cast(_INT64)
