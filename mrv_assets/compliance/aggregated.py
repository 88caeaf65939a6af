"""The gates of `aggregated`: nothing was lost or added on the way from rows to strata, to the last decimal.

What does not belong here: judging rows (factored).
"""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.expectations import expectations_met
from mrv_assets.compliance.rows import TONNES_COLUMNS, exact_sum, tonnage_valid
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.contract import AGGREGATED
from mrv_assets.domain.gate import Metric
from mrv_assets.domain.limits import FEW_ROWS, ROW_LIMIT_TCO2E
from mrv_assets.domain.partition import Asset


def _strata_present(case: Case) -> Verdict:
    keys = pa.table({name: case.column(name) for name in AGGREGATED.key})
    distinct = keys.group_by(list(AGGREGATED.key), use_threads=keys.num_rows > FEW_ROWS).aggregate([]).num_rows
    blank = sum(column.null_count for column in keys.columns)
    return Verdict(
        passed=keys.num_rows > 0 and distinct == keys.num_rows and not blank,
        observed=f"{keys.num_rows} strata, {distinct} distinct, {blank} with a null in their key",
        limit="at least one stratum, each once, every part of its key there",
        metrics={"strata": keys.num_rows, "distinct": distinct, "null_keys": blank},
        remedy="materialise factored again; a partition without strata has no figure",
    )


def _rows_conserved(case: Case) -> Verdict:
    rows = case.column("rows")
    total = pc.sum(rows, skip_nulls=False).as_py() or 0
    before = len(case.upstream_column(Asset.FACTORED, "row_id"))
    smallest = pc.min(rows, skip_nulls=False).as_py() or 0
    return Verdict(
        passed=total == before and smallest >= 1,
        observed=f"{total} rows in {len(rows)} strata from {before} rows, the smallest has {smallest}",
        limit="the sum of rows over strata equals the factored rows; at least one row in each",
        metrics={"rows": total, "rows_upstream": before, "strata": len(rows)},
        remedy="report a defect of the stage: it lost or doubled rows",
    )


def _tonnes_conserved(case: Case) -> Verdict:
    seen: list[str] = []
    metrics: dict[str, Metric] = {}
    is_same = True
    for name in TONNES_COLUMNS:
        before = exact_sum(case.upstream_column(Asset.FACTORED, name))
        after = exact_sum(case.column(name))
        is_same = is_same and after is not None and before == after
        seen.append(f"{name} {_text(after)} from {_text(before)}")
        metrics |= {key: value for key, value in ((name, after), (f"{name}_upstream", before)) if value is not None}
    return Verdict(
        passed=is_same,
        observed="; ".join(seen),
        limit="sums over strata exactly equal to the sums over rows, to 1e-9 t",
        metrics=metrics,
        remedy="report a defect of the stage: decimals add exactly, so a difference is never rounding",
    )


def _text(total: Decimal | None) -> str:
    return "nothing" if total is None else f"{total:f} t"


def _tonnage_valid(case: Case) -> Verdict:
    names = pc.binary_join_element_wise(*(case.column(name) for name in AGGREGATED.key), " ", null_handling="replace")
    rows: int = pc.sum(case.column("rows")).as_py() or 0
    return tonnage_valid(case, names=names, limit=ROW_LIMIT_TCO2E * max(rows, 1))


GATES = (
    Gate(name="strata_present", question="Is there a stratum, and each only once?", judge=_strata_present),
    Gate(name="rows_conserved", question="Is every factored row in exactly one stratum?", judge=_rows_conserved),
    Gate(name="tonnes_conserved", question="Do the strata add up to the rows exactly?", judge=_tonnes_conserved),
    Gate(
        name="tonnage_valid",
        question="Are all tonnes there, not negative and of believable size?",
        judge=_tonnage_valid,
    ),
    expectations_met(AGGREGATED),
)
