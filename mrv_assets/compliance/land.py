"""Whether land is counted twice: footprints of one activity that overlap at the same time, and points that repeat.

What does not belong here: when two rows are at the same time (uses), and land that two projects claim.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.uses import Numbers, Pairs, Uses, in_order, numbered
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.errors import listed
from mrv_assets.domain.geometry import first_alike, overlaps
from mrv_assets.domain.limits import OVERLAP_LIMIT
from mrv_assets.domain.source import Footprint, GeometrySource

_M2_PER_HA = 10_000.0
_NONE = np.empty(0, dtype=np.int64)


def land_counted_once(case: Case) -> Verdict:
    """Judge that no two rows of one activity and time have footprints that overlap, unless the project says why."""
    because = case.staged.evidence.get("overlaps_because", "")
    geometry = case.staged.evidence.get("geometry", "")
    if geometry not in list(GeometrySource):
        raise case.unmeasured("geometry", expected=", ".join(GeometrySource), found=repr(geometry))
    rows = case.staged.table.num_rows
    if not GeometrySource(geometry).is_own:
        return Verdict(
            passed=rows > 0,
            observed=f"{rows} rows without a footprint of their own ({geometry}): the region or boundary says where",
            limit="at least one row; footprints of their own overlap nowhere",
            metrics={"rows": rows, "overlaps": 0},
            remedy="deliver rows",
        )
    pairs, shared_ha, unit = _repeated_points(case) if case.footprint is Footprint.POINT else _overlapping(case)
    return Verdict(
        passed=rows > 0 and (not pairs or bool(because)),
        observed=f"{rows} rows; {len(pairs)} {unit}: {listed(pairs) or 'none'}"
        + (f"; {shared_ha:.4f} ha counted twice" if pairs else "")
        + (f"; explained: {because}" if because else ""),
        limit=f"at least one row; footprints of one activity and time share at most {OVERLAP_LIMIT:%} of the "
        "smaller one, or the project says why",
        metrics={"rows": rows, "overlaps": len(pairs), "shared_ha": round(Decimal(shared_ha), 6)},
        remedy="remove the row that counts the land again, or say under [source.overlaps] because why both count",
    )


def _overlapping(case: Case) -> tuple[list[str], float, str]:
    """Return the pairs of rows that overlap by more than the limit, and the area, ha, that they share.

    Shapes are compared once, however many rows have them: months of a year are as many rows on the same field.
    """
    footprints, uses = case.footprints, Uses.of(case)
    shape_of = first_alike(footprints.readable, footprints.bounds)
    again = _rows_that_repeat(uses, shape_of)
    is_field = footprints.is_valid[again[0]] & (footprints.areas[again[0]] > 0.0)
    again = again[0][is_field], again[1][is_field]
    among = footprints.is_valid & (shape_of == np.arange(len(shape_of)))
    found = overlaps(footprints.readable, footprints.bounds, among=among)
    s, t, shared = (found.column(name).to_numpy() for name in ("a", "b", "shared"))
    is_much = shared / np.minimum(footprints.areas[s], footprints.areas[t]) > float(OVERLAP_LIMIT)
    met, which = _rows_that_meet(uses, shape_of, s[is_much], t[is_much])
    shared_m2 = float(footprints.areas[again[0]].sum()) + float(shared[is_much][which].sum())
    pairs = in_order(*(np.concatenate(side) for side in zip(again, met, strict=True)))
    return _names(case, pairs), shared_m2 / _M2_PER_HA, "overlapping pairs"


def _rows_that_repeat(uses: Uses, shape_of: Numbers) -> Pairs:
    """Return rows of one shape that are of one activity and time; most tables have no shape twice."""
    is_later = shape_of != np.arange(len(shape_of))
    is_one_of_several = is_later.copy()
    is_one_of_several[shape_of[is_later]] = True
    rows = np.flatnonzero(is_one_of_several)
    a, b = uses.only(rows).repeated(shape_of[rows])
    return rows[a], rows[b]


def _rows_that_meet(uses: Uses, shape_of: Numbers, s: Numbers, t: Numbers) -> tuple[Pairs, Numbers]:
    """Return rows with overlapping shapes s and t that are of one activity and time, and by which pair of shapes."""
    rows = uses.distinct(shape_of) if len(s) else _NONE
    begin_s, end_s, begin_t, end_t = (
        np.searchsorted(shape_of[rows], shapes, side=side) for shapes in (s, t) for side in ("left", "right")
    )
    a, b, which = [_NONE], [_NONE], [_NONE]
    for number in range(len(s)):
        ours, theirs = rows[begin_s[number] : end_s[number]], rows[begin_t[number] : end_t[number]]
        i, j = np.nonzero(uses.at_the_same_time(ours[:, None], theirs[None, :]))
        a.append(ours[i])
        b.append(theirs[j])
        which.append(np.full(len(i), number))
    return (np.concatenate(a), np.concatenate(b)), np.concatenate(which)


def _repeated_points(case: Case) -> tuple[list[str], float, str]:
    """Return the rows that repeat another one's activity, time, quantity and point."""
    same = numbered(*(case.column(name) for name in ("activity_qty", "unit", "geometry")))
    pairs = Uses.of(case).repeated(same)
    return _names(case, pairs), 0.0, "points with the same quantity again"


def _names(case: Case, pairs: Pairs) -> list[str]:
    first, second = (case.column("row_id").take(pa.array(rows)).to_pylist() for rows in pairs)
    return [f"{a} and {b}" for a, b in zip(first, second, strict=True)]
