"""The gates of `activity`: is the project's data for this period there, whole, and as the source gave it.

What does not belong here: whether a factor knows the activity (factored).
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from pyproj import CRS
from pyproj.exceptions import CRSError

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.expectations import expectations_met
from mrv_assets.compliance.masks import count, first_names
from mrv_assets.compliance.rows import quantity_valid, rows_accounted
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.contract import ACTIVITY
from mrv_assets.domain.errors import IdentityError, listed
from mrv_assets.domain.gate import Metric
from mrv_assets.domain.mangled import MANGLED_ID
from mrv_assets.domain.partition import Period
from mrv_assets.domain.remedies import CORRECT_EPOCHS, CORRECT_GEOMETRY, DECLARE_CRS, DELIVER_AGAIN, NAME_ROWS
from mrv_assets.domain.source import Footprint, SourceFormat


def _source_readable(case: Case) -> Verdict:
    rows, format_ = case.measured("source_rows"), case.staged.evidence.get("source_format", "")
    return Verdict(
        passed=format_ in list(SourceFormat) and rows >= 0,
        observed=f"{rows} records read as {format_ or 'nobody knows what'}",
        limit=f"a file that is whole and what it is declared to be: {', '.join(SourceFormat)}",
        metrics={"records": int(rows)},
        remedy=DELIVER_AGAIN,
    )


def _columns_present(case: Case) -> Verdict:
    table = case.staged.table
    found = {name: table.schema.field(name).type for name in table.column_names}
    missing = [c.name for c in ACTIVITY.columns if c.name not in found]
    unknown = sorted(set(found) - {c.name for c in ACTIVITY.columns})
    retyped = [c.name for c in ACTIVITY.columns if c.name in found and found[c.name] != c.type]
    return Verdict(
        passed=not (missing or unknown or retyped) and len(found) == table.num_columns,
        observed=f"{table.num_columns} columns; missing {listed(missing) or 'none'}, "
        f"unknown {listed(unknown) or 'none'}, of another type {listed(retyped) or 'none'}",
        limit=f"the columns of {ACTIVITY.version} with their types, each once",
        metrics={"columns": table.num_columns, "missing": len(missing), "unknown": len(unknown)},
        remedy="map the source columns in the project's [source.columns]",
    )


def _rows_present(case: Case) -> Verdict:
    rows = case.staged.table.num_rows
    return Verdict(
        passed=rows > 0,
        observed=f"{rows} rows of {case.key.project_id} in {case.period}",
        limit="at least one row",
        metrics={"rows": rows},
        remedy="deliver the period's rows in the source, or correct [source.where] and the epochs",
    )


def _row_ids_unique(case: Case) -> Verdict:
    ids = case.column("row_id")
    repeated = _repeated(ids)
    blank = count(pc.fill_null(pc.equal(pc.utf8_trim_whitespace(ids), ""), True))
    is_mangled = pc.match_substring_regex(ids, MANGLED_ID)
    mangled = count(is_mangled)
    return Verdict(
        passed=len(ids) > 0 and not repeated and not blank and not mangled,
        observed=f"{len(ids)} ids; repeated {listed(sorted(repeated, key=str)) or 'none'}; {blank} blank; "
        f"mangled {first_names(ids, is_mangled) or 'none'}",
        limit="an id of its own in every row, none blank, none turned into a number or date by a spreadsheet",
        metrics={"rows": len(ids), "repeated": len(repeated), "blank": blank, "mangled": mangled},
        remedy=NAME_ROWS,
    )


def _repeated(ids: pa.ChunkedArray) -> list[str | None]:
    """Return the ids that stand in several rows; ids that rise from row to row are quickly seen to be different."""
    if pc.all(pc.less(ids.slice(0, max(len(ids) - 1, 0)), ids.slice(1)), skip_nulls=False).as_py() is True:
        return []
    counted = pc.value_counts(ids.combine_chunks())
    values: list[str | None] = counted.filter(pc.greater(counted.field("counts"), 1)).field("values").to_pylist()
    return values


def _epochs_in_period(case: Case) -> Verdict:
    epochs = case.column("epoch").unique().to_pylist()
    outside = [epoch for epoch in epochs if not _lies_in(epoch, case.period)]
    return Verdict(
        passed=len(epochs) > 0 and not outside,
        observed=f"{len(epochs)} epochs; outside {case.period}: {listed(sorted(outside, key=str)) or 'none'}",
        limit=f"at least one epoch, each a canonical period that lies in {case.period}",
        metrics={"epochs": len(epochs), "outside": len(outside)},
        remedy=CORRECT_EPOCHS,
    )


def _lies_in(epoch: str | None, period: Period) -> bool:
    try:
        return period.contains(Period.parse(epoch or ""))
    except IdentityError:
        return False


def _crs_declared(case: Case) -> Verdict:
    crs, because = case.staged.crs or "", case.staged.evidence.get("crs_declared_because", "")
    is_known = _is_known_crs(crs) and crs == case.staged.evidence.get("crs")
    has_none = case.footprint is Footprint.NONE and not crs
    reason = because or ("rows have no footprint" if has_none else "no reason is given")
    return Verdict(
        passed=has_none or (is_known and bool(because.strip())),
        observed=f"{crs or 'no CRS'}, because {reason}",
        limit="a geographic or projected CRS that PROJ knows, the same in the evidence, with a reason",
        metrics={"known": int(is_known)},
        remedy=DECLARE_CRS,
    )


def _is_known_crs(text: str) -> bool:
    try:
        crs = CRS.from_user_input(text)
    except CRSError:
        return False
    return bool(crs.is_geographic or crs.is_projected)


def _geometry_present(case: Case) -> Verdict:
    footprints = case.footprints
    if case.footprint is Footprint.NONE:
        return footprints.verdict(
            footprints.types == 0,
            fault="with a footprint",
            limit="no footprint in any row, as the project declares",
            remedy="set geometry under [source] to where the footprints come from",
        )
    return footprints.verdict(
        footprints.is_present,
        fault="without a footprint",
        limit="a readable footprint, finite and not empty, in every row",
        remedy=CORRECT_GEOMETRY,
    )


def _source_keeps_periods(case: Case) -> Verdict:
    now = case.staged.evidence.get("source_periods", "")
    before = "" if case.previous is None else case.previous.evidence.get("source_periods", "")
    current = [Period.parse(text) for text in now.split(",") if text]
    lost = [text for text in before.split(",") if text and not Period.parse(text).is_covered(current)]
    is_comparable = case.previous is None or bool(before)
    metrics: dict[str, Metric] = {"periods": len(current), "lost": len(lost)}
    return Verdict(
        passed=len(current) > 0 and not lost and is_comparable,
        observed=f"periods {now or 'none'}; lost since the last generation: {', '.join(lost) or 'none'}"
        + ("" if is_comparable else "; the last generation does not say which periods its source had"),
        limit="at least one period; every day that the source covered when the last generation was made",
        metrics=metrics,
        remedy="have the periods put back into the source; it may grow, and may not lose a reported period",
    )


GATES = (
    Gate(
        name="source_readable",
        question="Could the whole source file be read as what it is declared to be?",
        judge=_source_readable,
    ),
    Gate(
        name="columns_present",
        question="Does the table have every contracted column, once, in its type?",
        judge=_columns_present,
    ),
    Gate(
        name="rows_present",
        question="Does the source have rows of this project in this period?",
        judge=_rows_present,
    ),
    Gate(
        name="rows_accounted",
        question="Is every row of the period here, or set aside with a reason within the allowed share?",
        judge=rows_accounted,
    ),
    Gate(
        name="row_ids_unique",
        question="Does every row have an id of its own, whole and unmangled?",
        judge=_row_ids_unique,
    ),
    Gate(
        name="quantity_valid",
        question="Is every quantity a finite number, not negative?",
        judge=quantity_valid,
    ),
    Gate(name="epochs_in_period", question="Does every row's epoch lie in the period?", judge=_epochs_in_period),
    Gate(
        name="crs_declared",
        question="Is it known, and why, which CRS the footprints are in?",
        judge=_crs_declared,
    ),
    Gate(name="geometry_present", question="Does every row have a readable footprint?", judge=_geometry_present),
    Gate(
        name="source_keeps_periods",
        question="Does the source still cover every period it covered before?",
        judge=_source_keeps_periods,
    ),
    expectations_met(ACTIVITY),
)
