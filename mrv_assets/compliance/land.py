"""Whether land is counted twice: footprints of one activity that overlap at the same time, and points that repeat.

What does not belong here: land that two projects claim.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.errors import listed
from mrv_assets.domain.geometry import overlaps
from mrv_assets.domain.limits import OVERLAP_LIMIT
from mrv_assets.domain.partition import Period
from mrv_assets.domain.source import Footprint, GeometrySource


def land_counted_once(case: Case) -> Verdict:
    """Judge that no two rows of one activity and time have footprints that overlap, unless the project says why."""
    because = case.staged.evidence.get("overlaps_because", "")
    geometry = case.staged.evidence.get("geometry", "")
    if geometry not in list(GeometrySource):
        raise case.unmeasured("geometry", expected=", ".join(GeometrySource), found=repr(geometry))
    if not GeometrySource(geometry).is_own:
        rows = case.staged.table.num_rows
        return Verdict(
            passed=rows > 0,
            observed=f"{rows} rows without a footprint of their own ({geometry}): the region or boundary says where",
            limit="at least one row; footprints of their own overlap nowhere",
            metrics={"rows": rows, "overlaps": 0},
            remedy="deliver rows",
        )
    pairs, shared_ha, unit = _repeated(case) if case.footprint is Footprint.POINT else _overlapping(case)
    return Verdict(
        passed=case.staged.table.num_rows > 0 and (not pairs or bool(because)),
        observed=f"{case.staged.table.num_rows} rows; {len(pairs)} {unit}: {listed(pairs) or 'none'}"
        + (f"; {shared_ha:.4f} ha counted twice" if pairs else "")
        + (f"; explained: {because}" if because else ""),
        limit=f"at least one row; footprints of one activity and time share at most {OVERLAP_LIMIT:%} of the "
        "smaller one, or the project says why",
        metrics={"rows": case.staged.table.num_rows, "overlaps": len(pairs), "shared_ha": round(Decimal(shared_ha), 6)},
        remedy="remove the row that counts the land again, or say under [source.overlaps] because why both count",
    )


def _overlapping(case: Case) -> tuple[list[str], float, str]:
    """Return the pairs of rows that overlap by more than the limit, and the area, ha, that they share."""
    footprints = case.footprints
    # An invalid footprint is for another gate, and has no intersection.
    found = overlaps(footprints.readable, footprints.bounds, _groups(case), among=footprints.is_valid)
    a, b = (found.column(name).to_numpy() for name in ("a", "b"))
    shared = found.column("shared").to_numpy()
    areas = footprints.areas
    with np.errstate(invalid="ignore", divide="ignore"):
        is_much = shared / np.minimum(areas[a], areas[b]) > float(OVERLAP_LIMIT)
    is_much &= _at_the_same_time(case, a, b)
    return _names(case, a[is_much], b[is_much]), float(shared[is_much].sum()) / 10_000.0, "overlapping pairs"


def _repeated(case: Case) -> tuple[list[str], float, str]:
    """Return the rows that repeat another one's activity, time, quantity and point."""
    names = ["activity_id", "epoch", "activity_qty", "unit", "geometry"]
    table = pa.table({name: case.column(name) for name in names} | {"row_id": case.column("row_id")})
    grouped = table.group_by(names).aggregate([("row_id", "count"), ("row_id", "min")])
    first = grouped.filter(pc.greater(grouped.column("row_id_count"), 1)).column("row_id_min")
    return sorted(first.to_pylist()), 0.0, "points with the same quantity again"


def _groups(case: Case) -> NDArray[np.int64]:
    """Return a number for each row, the same for rows of one activity whose epochs may overlap."""
    activity = _encoded(case, "activity_id").indices.to_numpy()
    epochs = _encoded(case, "epoch")
    cluster = _clusters([Period.parse(text) for text in epochs.dictionary.to_pylist()])
    clusters = int(cluster.max(initial=0)) + 1
    groups: NDArray[np.int64] = activity.astype(np.int64) * clusters + cluster[epochs.indices.to_numpy()]
    return groups


def _encoded(case: Case, name: str) -> pa.DictionaryArray:
    return case.column(name).fill_null("").dictionary_encode().combine_chunks()


def _clusters(periods: list[Period]) -> NDArray[np.int64]:
    """Return a number for each period, the same for those that overlap, also by way of others."""
    cluster = np.zeros(len(periods), dtype=np.int64)
    number, last = -1, date.min
    for index in sorted(range(len(periods)), key=lambda i: periods[i].first):
        if periods[index].first > last:
            number += 1
        cluster[index], last = number, max(last, periods[index].last)
    return cluster


def _at_the_same_time(case: Case, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    texts = case.column("epoch").to_pylist() if len(a) else []
    known = {text: Period.parse(text) for text in set(texts)}
    return np.array([known[texts[i]].overlaps(known[texts[j]]) for i, j in zip(a, b, strict=True)], dtype=np.bool_)


def _names(case: Case, a: NDArray[np.int64], b: NDArray[np.int64]) -> list[str]:
    ids = case.column("row_id")
    return [f"{ids[int(i)].as_py()} and {ids[int(j)].as_py()}" for i, j in zip(a, b, strict=True)]
