"""Aggregate: tonnes of rows become tonnes of reporting strata, by exact sums of decimals.

The sums depend on no order, thread or engine, because no float is added. What does not belong here: products
(factor) and totals (certify).
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.contract import AGGREGATED, handed_on, saying
from mrv_assets.domain.limits import FEW_ROWS
from mrv_assets.domain.staged import Staged

_STRATUM = ["activity_id", "region", "epoch"]


def aggregate(factored: pa.Table) -> Staged:
    """Make the table of strata (activity, region, epoch): rows, emissions, removals in t CO2e, never netted.

    A null tonnage makes its stratum null, for the gate `tonnage_valid` to judge; it does not count as 0.
    """
    no_skip = pc.ScalarAggregateOptions(skip_nulls=False)
    sums = factored.group_by(_STRATUM, use_threads=factored.num_rows > FEW_ROWS).aggregate(
        [
            ("row_id", "count", pc.CountOptions(mode="all")),
            ("emissions_tco2e", "sum", no_skip),
            ("removals_tco2e", "sum", no_skip),
        ]
    )
    named = pa.table(
        {
            **{name: sums.column(name) for name in _STRATUM},
            "rows": sums.column("row_id_count"),
            "emissions_tco2e": sums.column("emissions_tco2e_sum"),
            "removals_tco2e": sums.column("removals_tco2e_sum"),
        }
    )
    evidence = {"factored_rows": str(factored.num_rows), "strata": str(named.num_rows)}
    strata = saying(named, handed_on(factored))
    return Staged(content=AGGREGATED.conform(strata, where="aggregated table"), evidence=evidence)
