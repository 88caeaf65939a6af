"""Normalize: rows get canonical units and valid footprints in the equal-area CRS; quantities stay as given.

What does not belong here: what becomes of a footprint (normalized_footprints), the choice of the CRS operation
(projection) and the judgement of areas (the gate `area_plausible`).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.contract import NORMALIZED, about, handed_on
from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.source import Footprint, Source
from mrv_assets.domain.staged import Staged
from mrv_assets.domain.units import canonical_unit
from mrv_assets.stages.footprints import Bounds
from mrv_assets.stages.normalized_footprints import Each, NormalizedFootprints
from mrv_assets.stages.projection import operation_from
from mrv_assets.stages.sieve import QUOTED, Fault, Sieve, marked


def normalize(
    activity: pa.Table, *, source: Source, policy: CrsPolicy, land: Bounds | None, where: str, each: Each = map
) -> Staged:
    """Make the normalised table of one partition from its activity rows, whose footprints are in the CRS they say.

    Footprints come out as valid 2-D polygons (or points) in the equal-area CRS of the policy (m), `area_ha` as their
    planar area. `land` is the box of the project's land (degrees: west, south, east, north) that footprints must touch,
    None where it is not to be asked. `each` applies a function to every batch, in order; the batches do not depend on
    one another, so it may work on several at once.

    Raises GateError naming the gate: `units_known`, `crs_operation_accurate`, `geometry_present` (null, empty,
    collapsed or another kind), `geometry_finite` (misplaced or not finite), `geometry_repair_bounded` (repair would
    change an area by more than 1 %). Where the project allows it, rows are set aside instead, with their reason.
    """
    said, before, rows = about(activity), handed_on(activity), activity.drop_columns(["geometry"])
    numbers = np.arange(1, activity.num_rows + 1)
    sieve = Sieve(numbers=numbers, row_ids=rows.column("row_id"), policy=source.quarantine, where=where)
    table = rows.set_column(rows.column_names.index("unit"), "unit", _canonical_units(sieve, rows.column("unit")))
    geometry, area_ha, crs = pa.nulls(len(numbers), pa.binary()), pa.nulls(len(numbers), pa.float64()), None
    evidence = {
        "footprint": source.footprint.value,
        "geometry": source.geometry.value,
        "overlaps_because": source.overlaps_because or "",
        "rows_quarantined_before": before.get("rows_quarantined_before", "0"),
    }
    if source.footprint is not Footprint.NONE:
        operation = operation_from(said["crs"], policy=policy, land=land, where=where)
        given = activity.column("geometry").chunks
        del activity  # so that each batch can go when it is done
        footprints = NormalizedFootprints.of(given, operation, source.footprint, land, each)
        for is_bad, fault in footprints.faults:
            sieve.reject(is_bad, fault)
        geometry, area_ha, crs = footprints.wkb, pa.array(footprints.area_ha), operation.target_name
        evidence |= {**operation.evidence, **policy.evidence, "edges": "planar"}
        evidence |= footprints.evidence(sieve.is_kept)
    table = table.append_column("geometry", geometry).append_column("area_ha", area_ha)
    kept = sieve.kept(table)
    quoted = {name: rows.column(name) for name in QUOTED}
    return sieve.staged(NORMALIZED, kept, given=quoted, crs=crs, evidence=evidence, before=before)


def _canonical_units(sieve: Sieve, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the units by their canonical names; rows whose unit has none are rejected."""
    canonical: dict[str | None, str | None] = {}
    for text in column.unique().to_pylist():
        try:
            canonical[text] = canonical_unit(text or "")
        except ContractError as error:
            canonical[text] = text
            fault = Fault(
                what="unit is refused",
                gate="units_known",
                expected=error.expected,
                found=f"{error.where}: {error.found}",
                remedy=error.remedy,
            )
            sieve.reject(marked(column.is_null() if text is None else pc.equal(column, text)), fault)
    texts = pa.array(list(canonical), pa.string())
    names = pa.array(list(canonical.values()), pa.string())
    return names.take(pc.index_in(column, value_set=texts, skip_nulls=False).combine_chunks())
