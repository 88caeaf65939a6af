"""The distinct footprints of a staged table, and the answer for a rule that each of them has to keep.

What does not belong here: the rules themselves (activity and normalized).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from numpy.typing import NDArray

from mrv_assets.compliance.case import Case, Verdict
from mrv_assets.compliance.rows import count, first_names

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprints:
    """The distinct footprints of a table, None where unreadable, and which each row has, null for none."""

    shapes: NDArray[Any]
    of_row: pa.Array
    row_ids: pa.ChunkedArray

    @classmethod
    def of(cls, case: Case) -> Footprints:
        """Read the footprints of the staged table. Raises ContractError when it has no geometry column."""
        encoded = case.column("geometry").combine_chunks().dictionary_encode()
        with np.errstate(invalid="ignore"):  # NaN coordinates are for the gates to find
            shapes = np.asarray(shapely.from_wkb(encoded.dictionary.to_pylist(), on_invalid="ignore"), dtype=object)
        return cls(shapes=shapes, of_row=encoded.indices, row_ids=case.column("row_id"))

    @property
    def areas(self) -> NDArray[np.float64]:
        """The planar area of each distinct footprint in squared units of its coordinates; NaN without one."""
        with np.errstate(invalid="ignore"):
            areas: NDArray[np.float64] = shapely.area(self.shapes)
        return areas

    @property
    def areas_ha_by_row(self) -> NDArray[np.float64]:
        """The planar area of each row's footprint, ha, from coordinates in metres; NaN without one."""
        by_row = pa.array(self.areas / 10_000.0, pa.float64()).take(self.of_row)
        areas: NDArray[np.float64] = by_row.to_numpy(zero_copy_only=False)
        return areas

    def verdict(self, is_good: Mask, *, fault: str, limit: str, remedy: str) -> Verdict:
        """Answer for a rule that every row's footprint has to keep; a row without a footprint breaks it."""
        good = pc.fill_null(pa.array(is_good, pa.bool_()).take(self.of_row), False)
        is_bad = pa.chunked_array([pc.invert(good)])
        return Verdict(
            passed=len(is_bad) > 0 and not count(is_bad),
            observed=f"{len(is_bad)} rows; {fault}: {first_names(self.row_ids, is_bad) or 'none'}",
            limit=f"at least one row; {limit}",
            metrics={"rows": len(is_bad), "bad": count(is_bad), "distinct": len(self.shapes)},
            remedy=remedy,
        )
