"""Counting and naming the rows that a boolean column marks.

What does not belong here: the questions (one module per asset).
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.errors import listed


def count(mask: pa.ChunkedArray) -> int:
    """Return how many values of a boolean column are true; null is not."""
    true: int = pc.sum(mask.cast(pa.uint64())).as_py() or 0
    return true


def first_names(names: pa.ChunkedArray, mask: pa.ChunkedArray) -> str:
    """Return the first few names of the rows that `mask` marks, in sorted order."""
    found = names.filter(pc.fill_null(mask, False)).to_pylist()
    return listed(sorted(found, key=str))
