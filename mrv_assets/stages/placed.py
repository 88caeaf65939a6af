"""What normalising makes of the footprints of some rows, whichever route they took.

What does not belong here: the routes (careful, bulk).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mrv_assets.stages.sieve import Fault, Mask

Areas: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Footprints in the equal-area CRS, by row: `wkb` is null for a row with a fault, and its areas are NaN.

    Areas are planar, m2: `before_m2` and `area_m2` before and after repair; `geodesic_m2` is on the ellipsoid of the
    source. `faults` mark rows by position, the rule that explains most first.
    """

    rows: Rows
    wkb: pa.Array
    area_m2: Areas
    before_m2: Areas
    geodesic_m2: Areas
    is_repaired: Mask
    is_split: Mask
    has_z: Mask
    is_plain: Mask
    faults: Sequence[tuple[Mask, Fault]] = field(default=())


def in_row_order(parts: Sequence[Placed], faults: Sequence[tuple[Mask, Fault]] = ()) -> Placed:
    """Return the parts as one, sorted by row, with `faults` in place of their own."""
    order = np.argsort(np.concatenate([part.rows for part in parts]), kind="stable")

    def merged(name: str) -> NDArray[Any]:
        values: NDArray[Any] = np.concatenate([getattr(part, name) for part in parts])
        return values if len(parts) == 1 else values[order]

    wkb = parts[0].wkb if len(parts) == 1 else pa.concat_arrays([part.wkb for part in parts]).take(pa.array(order))
    return Placed(
        rows=merged("rows"),
        wkb=wkb,
        area_m2=merged("area_m2"),
        before_m2=merged("before_m2"),
        geodesic_m2=merged("geodesic_m2"),
        is_repaired=merged("is_repaired"),
        is_split=merged("is_split"),
        has_z=merged("has_z"),
        is_plain=merged("is_plain"),
        faults=faults,
    )
