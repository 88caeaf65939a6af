"""Questions about rows that several assets are asked: are all rows there, are quantities and tonnes numbers.

What does not belong here: questions that only one asset is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from textwrap import shorten

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.masks import count, first_names
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.contract import TONNES
from mrv_assets.domain.errors import listed
from mrv_assets.domain.gate import Metric
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.remedies import CORRECT_QUANTITIES

TONNES_COLUMNS = ("emissions_tco2e", "removals_tco2e")
_LONGEST_REASON = 240


def rows_conserved_from(upstream: Asset) -> Callable[[Case], Verdict]:
    """Return the judge of whether the staged rows and those set aside are exactly the upstream rows, by their ids."""

    def judge(case: Case) -> Verdict:
        before = case.upstream_column(upstream, "row_id")
        after = case.column("row_id")
        aside = case.quarantined_ids
        together = pa.chunked_array([*after.chunks, *aside.chunks], before.type)
        lost, added = _only_in(before, together), _only_in(together, before)
        is_same = not len(lost) and not len(added) and len(before) == len(together)
        share = case.quarantined_share
        passed = is_same and len(after) > 0 and share <= case.quarantine_limit
        return Verdict(
            passed=passed,
            observed=f"{len(after)} rows and {len(aside)} set aside from {len(before)}; "
            f"lost {listed(lost.to_pylist()) or 'none'}; added {listed(added.to_pylist()) or 'none'}; "
            f"set aside so far {share:.4%} of the source rows" + ("" if passed else _reasons(case)),
            limit=f"the row ids of {upstream}, each once, at least one; at most {case.quarantine_limit:%} set aside",
            metrics={
                "rows": len(after),
                "rows_upstream": len(before),
                "quarantined": len(aside),
                "lost": len(lost),
                "added": len(added),
            },
            remedy="correct the rows set aside in the source; a row lost, added or doubled is a defect of the stage",
        )

    return judge


def _only_in(ids: pa.ChunkedArray, others: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the ids that are not among the others; columns that are equal are quickly seen to have none."""
    if ids.equals(others):
        return ids.slice(0, 0)
    return ids.filter(pc.invert(pc.is_in(ids, value_set=others.combine_chunks())))


def rows_accounted(case: Case) -> Verdict:
    """Judge that every row that came in is staged or set aside, and that no more were set aside than are allowed."""
    rows, rows_in = case.staged.table.num_rows, int(case.measured("rows_in"))
    aside, share = len(case.quarantined_ids), case.quarantined_share
    is_same = rows + aside == rows_in and aside == int(case.measured("rows_quarantined"))
    because = case.staged.evidence.get("quarantine_because", "")
    passed = is_same and rows_in > 0 and share <= case.quarantine_limit and (not aside or bool(because))
    return Verdict(
        passed=passed,
        observed=f"{rows_in} rows in, {rows} staged, {aside} set aside ({share:.4%})"
        + (f", because {because}" if aside else "")
        + ("" if passed else _reasons(case)),
        limit=f"rows in = rows staged + rows set aside, at least one; at most {case.quarantine_limit:%} set aside",
        metrics={"rows_in": rows_in, "rows": rows, "quarantined": aside, "share": round(share, 9)},
        remedy="correct the rows set aside in the source, or let the project allow a larger share and say why",
    )


def _reasons(case: Case) -> str:
    """Name the first rows that were set aside, and what was wrong with the first: a refusal keeps them nowhere else."""
    table = case.staged.quarantined
    if table is None or not table.num_rows:
        return ""
    ids, reason = table.column("row_id").to_pylist(), table.column("reason")[0].as_py()
    return f"; set aside: {listed(ids)}, the first for: {shorten(reason, _LONGEST_REASON, placeholder='…')}"


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
        remedy=CORRECT_QUANTITIES,
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
