"""The footprints of a whole table, normalised batch by batch: plain ones in bulk, the others by the careful route.

What does not belong here: the two routes (bulk, careful) and the other columns (normalize).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mrv_assets.domain.geometry import is_one_shape, repeated
from mrv_assets.domain.source import Footprint
from mrv_assets.stages.bulk import in_bulk
from mrv_assets.stages.careful import carefully
from mrv_assets.stages.footprints import Bounds
from mrv_assets.stages.placed import Placed, in_row_order
from mrv_assets.stages.projection import Operation
from mrv_assets.stages.sieve import Fault, Mask

_M2_PER_HA = 10_000.0
_BATCH = 1 << 15  # rows whose coordinates, and what is computed of them, stay near the processor

Each: TypeAlias = Callable[[Callable[[int], Placed], Iterable[int]], Iterable[Placed]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalizedFootprints:
    """The normalised footprints of all rows, in the batches they were made in. With one shape for all, made once."""

    batches: tuple[Placed, ...]
    rows: int

    @classmethod
    def of(
        cls, given: list[pa.Array], operation: Operation, footprint: Footprint, land: Bounds | None, each: Each
    ) -> NormalizedFootprints:
        """Normalise the footprints, given as WKB in batches. Each batch is taken out of the list when its turn comes.

        So what is done needs no memory any more, and a table larger than half of it can be normalised.
        """
        column = pa.chunked_array(given, pa.binary())
        rows_in_all = len(column)
        if is_one_shape(column):
            given[:] = column.slice(0, 1).chunks
        del column
        given[:] = [chunk.slice(start, _BATCH) for chunk in given for start in range(0, len(chunk), _BATCH)]
        starts = np.cumsum([0, *map(len, given)])

        def normalised(number: int) -> Placed:
            batch: pa.Array = given[number]
            given[number] = None
            rows = starts[number] + np.arange(len(batch))
            placed = _normalised(batch, rows, operation, footprint, land)
            del batch
            pa.default_memory_pool().release_unused()  # which Arrow would keep, and numpy cannot use
            return placed

        return cls(batches=tuple(each(normalised, range(len(given)))), rows=rows_in_all)

    @property
    def is_shared(self) -> bool:
        """Whether all rows have one footprint."""
        return self.rows > 1 and sum(len(batch.rows) for batch in self.batches) == 1

    @property
    def wkb(self) -> pa.ChunkedArray:
        """The footprints in the equal-area CRS, null for a row with a fault."""
        column = pa.chunked_array([batch.wkb for batch in self.batches], pa.binary())
        return repeated(column[0].as_py(), self.rows) if self.is_shared else column

    @property
    def area_ha(self) -> NDArray[np.float64]:
        """The planar area of each footprint, ha; NaN for a row with a fault."""
        return self._by_row("area_m2") / _M2_PER_HA

    @property
    def faults(self) -> Iterator[tuple[Mask, Fault]]:
        """Yield the faults with the rows whose first one it is, over all batches at once.

        Only the first of each row, so that its reason does not depend on which rows are in a batch with it.
        """
        marked: dict[tuple[str, str], tuple[Mask, Fault]] = {}
        for batch in self.batches:
            is_told = np.zeros(len(batch.rows), dtype=np.bool_)
            for is_bad, fault in batch.faults:
                is_first, is_told = is_bad & ~is_told, is_told | is_bad
                if is_first.any():
                    nobody = np.zeros(self.rows, dtype=np.bool_)
                    rows = marked.setdefault((fault.gate, fault.expected), (nobody, fault))[0]
                    rows[slice(None) if self.is_shared else batch.rows[is_first]] = True
        return iter(marked.values())

    def evidence(self, is_kept: Mask) -> Mapping[str, str]:
        """Return what happened to the footprints of the kept rows, and their areas, ha, as text by name."""
        area, before, geodesic = (self._by_row(name)[is_kept] for name in ("area_m2", "before_m2", "geodesic_m2"))
        is_repaired = self._by_row("is_repaired")[is_kept]
        with np.errstate(invalid="ignore", divide="ignore"):  # a point has no area on either side
            difference = np.abs(area - geodesic) / np.maximum(area, geodesic)
            change = np.where(is_repaired, np.abs(area - before) / before, 0.0)
        return {
            "footprints_plain": str(int(self._by_row("is_plain")[is_kept].sum())),
            "footprints_split": str(int(self._by_row("is_split")[is_kept].sum())),
            "footprints_z_dropped": str(int(self._by_row("has_z")[is_kept].sum())),
            "footprints_repaired": str(int(is_repaired.sum())),
            "repair_area_before_ha": repr(math.fsum(before[is_repaired]) / _M2_PER_HA),
            "repair_area_after_ha": repr(math.fsum(area[is_repaired]) / _M2_PER_HA),
            "repair_max_relative_change": repr(_largest(change)),
            "area_planar_ha": repr(math.fsum(area) / _M2_PER_HA),
            "area_geodesic_ha": repr(math.fsum(geodesic) / _M2_PER_HA),
            "area_max_relative_difference": repr(_largest(difference)),
        }

    def _by_row(self, name: str) -> NDArray[np.float64]:
        values = np.concatenate([np.empty(0), *(getattr(batch, name) for batch in self.batches)])
        if name.startswith(("is_", "has_")):
            values = values.astype(np.bool_)
        return np.repeat(values, self.rows) if self.is_shared else values


def _normalised(
    wkb: pa.Array, rows: NDArray[np.int64], operation: Operation, footprint: Footprint, land: Bounds | None
) -> Placed:
    parts = list(in_bulk(wkb, rows, operation=operation, land=land)) if footprint is Footprint.AREA else []
    is_done = np.zeros(len(rows), dtype=np.bool_)
    for part in parts:
        is_done[part.rows - rows[0]] = True
    if is_done.all() and parts:
        return in_row_order(parts)
    rest = wkb.filter(pa.array(~is_done))
    careful = carefully(rest, rows[~is_done], operation=operation, footprint=footprint, land=land)
    # The careful rows come back among the others, so their faults are marked anew.
    ordered = np.sort(np.concatenate([part.rows for part in [*parts, careful]]))
    faults = tuple((np.isin(ordered, careful.rows[is_bad]), fault) for is_bad, fault in careful.faults)
    return in_row_order([*parts, careful], faults)


def _largest(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else 0.0
