"""Questions about rows that several assets are asked: are all rows there, are quantities and tonnes numbers.

What does not belong here: questions that only one asset is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.compliance.case import Case, Verdict
from mrv_assets.domain.contract import TONNES
from mrv_assets.domain.errors import listed
from mrv_assets.domain.gate import Metric
from mrv_assets.domain.partition import Asset

TONNES_COLUMNS = ("emissions_tco2e", "removals_tco2e")


def count(mask: pa.ChunkedArray) -> int:
    """Return how many values of a boolean column are true; null is not."""
    true: int = pc.sum(mask.cast(pa.uint64())).as_py() or 0
    return true


def first_names(names: pa.ChunkedArray, mask: pa.ChunkedArray) -> str:
    """Return the first few names of the rows that `mask` marks, in sorted order."""
    found = names.filter(pc.fill_null(mask, False)).to_pylist()
    return listed(sorted(found, key=str))


def rows_conserved_from(upstream: Asset) -> Callable[[Case], Verdict]:
    """Return the judge of whether the staged rows are exactly the upstream rows, by their ids."""

    def judge(case: Case) -> Verdict:
        before = case.upstream_column(upstream, "row_id")
        after = case.column("row_id")
        lost = before.filter(pc.invert(pc.is_in(before, value_set=after.combine_chunks())))
        added = after.filter(pc.invert(pc.is_in(after, value_set=before.combine_chunks())))
        is_same = not len(lost) and not len(added) and len(before) == len(after)
        return Verdict(
            passed=is_same and len(after) > 0,
            observed=f"{len(after)} rows from {len(before)}; "
            f"lost {listed(lost.to_pylist()) or 'none'}; added {listed(added.to_pylist()) or 'none'}",
            limit=f"the row ids of {upstream}, each once, at least one",
            metrics={
                "rows": len(after),
                "rows_upstream": len(before),
                "lost": len(lost),
                "added": len(added),
            },
            remedy="report a defect of the stage: it lost, added or doubled rows",
        )

    return judge


def quantity_valid(case: Case) -> Verdict:
    """Judge that every quantity is a finite number, not negative; each kind of fault is counted apart."""
    quantity = case.column("activity_qty")
    masks = {
        "null": pc.is_null(quantity),
        "nan": pc.is_nan(quantity),
        "infinite": pc.is_inf(quantity),
        "negative": pc.less(quantity, 0.0),
    }
    counts: dict[str, Metric] = {name: count(mask) for name, mask in masks.items()}
    seen = [
        f"{counts[name]} {name}: {first_names(case.column('row_id'), mask)}"
        for name, mask in masks.items()
        if counts[name]
    ]
    return Verdict(
        passed=len(quantity) > 0 and not seen,
        observed="; ".join(seen) or f"{len(quantity)} finite quantities, none negative",
        limit="at least one row; every quantity a finite number of 0 or more",
        metrics={"rows": len(quantity), **counts},
        remedy="correct the source; declare a removal by an activity whose factor has flux = removal",
    )


def tonnage_valid(case: Case, *, names: pa.ChunkedArray, limit: Decimal) -> Verdict:
    """Judge that no tonnage is null, negative or above `limit`; rows at fault are called by `names`."""
    seen: list[str] = []
    metrics: dict[str, Metric] = {"rows": len(names)}
    for column in TONNES_COLUMNS:
        tonnes = case.column(column)
        masks = {
            "null": pc.is_null(tonnes),
            "negative": pc.less(tonnes, Decimal(0)),
            "above the bound": pc.greater(tonnes, pa.scalar(limit, TONNES)),
        }
        for fault, mask in masks.items():
            metrics[f"{column} {fault}"] = count(mask)
            if count(mask):
                seen.append(f"{count(mask)} {column} {fault}: {first_names(names, mask)}")
    return Verdict(
        passed=len(names) > 0 and not seen,
        observed="; ".join(seen) or f"{len(names)} rows with valid tonnes",
        limit=f"at least one row; emissions and removals from 0 to {limit:f} t CO2e, never null",
        metrics=metrics,
        remedy="check quantity, unit and factor of the named rows; removals are positive, in their column",
    )


def exact_sum(column: pa.ChunkedArray) -> Decimal | None:
    """Return the exact sum of a decimal column; None when it is empty or any value is null."""
    total: Decimal | None = pc.sum(column, skip_nulls=False).as_py()
    return total
