"""What a release makes of a table whose rows it has to place by their footprints, each table read whole and alone.

Two releases may draw their regions differently, so a row's region is no key by which tables could be taken together.
What does not belong here: tables whose rows say their region, which are quantified together (impact_applied).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.fallback import Fallback
from mrv_assets.pipeline.impact_applied import HERE, Parts, parts_of
from mrv_assets.stages.factor import apply_factors


def located_parts(
    normalized: pa.Table, *, release: FactorRelease, fallback: Fallback | None, spatial: CrsPolicy
) -> Parts | Refusal:
    """Return the tonnes of a normalized table with footprints by factor, or why the release refuses it.

    A factor is named by the region in which the release finds the row. A refusal is told of `HERE`.
    """
    try:
        staged = apply_factors(normalized, release=release, fallback=fallback, spatial=spatial, where=HERE)
    except Refusal as refusal:
        return refusal
    if not staged.table.num_rows:
        return {}
    [parts] = parts_of(staged.table, np.zeros(staged.table.num_rows, dtype=np.int64), 1)
    return parts
