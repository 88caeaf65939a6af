"""The footprints of a staged table, measured in bulk, and the answer for a rule that each of them has to keep.

What does not belong here: the rules themselves (activity and normalized).
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mrv_assets.compliance.masks import count, first_names
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain import geometry

Mask: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]


class Footprints:
    """The footprints of a table's rows. Each measure is of the staged bytes, and is taken when it is asked for.

    Once, but for the types, which cost little and need as much memory as the areas.
    """

    def __init__(self, wkb: pa.ChunkedArray, row_ids: pa.ChunkedArray) -> None:
        self._wkb = wkb
        self._row_ids = row_ids

    @property
    def types(self) -> NDArray[np.int64]:
        """The ISO type of each, 0 for none: 3 and 6 are flat polygons, 1 a flat point."""
        return geometry.type_codes(self._wkb)

    @cached_property
    def readable(self) -> pa.ChunkedArray:
        """Each as WKB; null where it is missing or no WKB."""
        return geometry.readable(self._wkb)

    @cached_property
    def bounds(self) -> Floats:
        """xmin, ymin, xmax and ymax of each; NaN for one that is missing, empty or unreadable."""
        return geometry.bounds(self.readable)

    @property
    def is_valid(self) -> Mask:
        """Whether each is valid; False where there is none."""
        return self._measured[1]

    @property
    def areas(self) -> Floats:
        """The planar area of each in squared units of its coordinates; NaN where there is none."""
        return self._measured[0]

    @cached_property
    def _measured(self) -> tuple[Floats, Mask]:
        return geometry.areas_and_validity(self.readable)

    @property
    def is_present(self) -> Mask:
        """Whether each can be read and is not empty."""
        present: Mask = np.all(np.isfinite(self.bounds), axis=1)
        return present

    def verdict(self, is_good: Mask, *, fault: str, limit: str, remedy: str) -> Verdict:
        """Answer for a rule that every row's footprint has to keep."""
        is_bad = pa.chunked_array([pa.array(~is_good, pa.bool_())])
        return Verdict(
            passed=len(is_good) > 0 and bool(is_good.all()),
            observed=f"{len(is_good)} rows; {fault}: {first_names(self._row_ids, is_bad) or 'none'}",
            limit=f"at least one row; {limit}",
            metrics={"rows": len(is_good), "bad": count(is_bad)},
            remedy=remedy,
        )
