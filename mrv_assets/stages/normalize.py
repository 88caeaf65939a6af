"""Normalize: rows get canonical units and valid footprints in the equal-area CRS; quantities stay as given.

What does not belong here: the choice of the CRS operation (projection) and the judgement of areas (the gate
`area_plausible`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from mrv_assets.domain.contract import CANONICAL_CRS, NORMALIZED
from mrv_assets.domain.errors import ContractError, GateError, listed
from mrv_assets.domain.limits import REPAIR_LIMIT
from mrv_assets.domain.staged import Staged
from mrv_assets.domain.units import canonical_unit
from mrv_assets.stages.footprints import Areas, Mask, Repaired, Shapes, canonical_wkb, repaired
from mrv_assets.stages.placement import misplaced
from mrv_assets.stages.projection import Operation, operation_from

_M2_PER_HA = 10_000.0
_POLYGONAL = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)


def normalize(activity: pa.Table, *, crs: str, where: str) -> Staged:
    """Make the normalised table of one partition from its activity rows, whose footprints are in `crs`.

    Footprints come out as valid 2-D polygons in EPSG:6933 (m), `area_ha` as their planar area. Each distinct
    footprint is transformed once.

    Raises GateError naming the gate: `units_known`, `crs_operation_accurate`, `geometry_present` (null,
    empty, collapsed or no polygon), `geometry_finite` (misplaced or not finite), `geometry_repair_bounded`
    (repair would change an area by more than 1 %).
    """
    units = _canonical_units(activity.column("unit"), where)
    operation = operation_from(crs, where=where)
    footprints = _Footprints.of(activity, where)
    # Before densifying: vertices put between 179 and -179 would hide the step; an infinite edge never ends.
    footprints.refuse_misplaced(operation.geographic(footprints.flat), operation)
    dense = operation.densified(footprints.flat)
    repair = footprints.repair(operation.projected(dense))
    area_ha = repair.area_after / _M2_PER_HA
    geodesic_ha = operation.geodesic_areas_m2(operation.geographic(dense)) / _M2_PER_HA
    table = activity.set_column(activity.column_names.index("unit"), "unit", units)
    table = footprints.replaced_in(table, canonical_wkb(repair.shapes), area_ha)
    evidence = {
        **_operation_evidence(operation, crs),
        **footprints.evidence,
        **_repair_evidence(repair),
        **_area_evidence(area_ha, geodesic_ha, footprints.of_row),
    }
    return Staged(content=NORMALIZED.conform(table, where=where), evidence=evidence, crs=CANONICAL_CRS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Footprints:
    """The distinct footprints of a table in their source CRS, 2-D, and which of them each row has."""

    flat: Shapes
    of_row: pa.Array
    row_ids: pa.ChunkedArray
    z_dropped: int
    where: str

    @classmethod
    def of(cls, activity: pa.Table, where: str) -> _Footprints:
        row_ids = activity.column("row_id")
        encoded = activity.column("geometry").combine_chunks().dictionary_encode()
        with np.errstate(invalid="ignore"):  # NaN coordinates are refused as misplaced
            shapes = np.asarray(shapely.from_wkb(encoded.dictionary.to_pylist(), on_invalid="ignore"), dtype=object)
        z_dropped = int(shapely.has_z(shapes).sum())
        made = cls(
            flat=shapely.force_2d(shapes),
            of_row=encoded.indices,
            row_ids=row_ids,
            z_dropped=z_dropped,
            where=where,
        )
        without = row_ids.filter(pc.is_null(encoded.indices))
        if len(without):
            raise _refused("geometry_present", where, "a footprint in every row", without, "no footprint")
        is_area: Mask = np.isin(shapely.get_type_id(shapes), _POLYGONAL)
        is_area &= ~shapely.is_empty(shapes)
        made.refuse(~is_area, gate="geometry_present", expected="polygons that are not empty", found="no polygon")
        return made

    @property
    def evidence(self) -> dict[str, str]:
        return {"footprints_distinct": str(len(self.flat)), "footprints_z_dropped": str(self.z_dropped)}

    def refuse(self, is_bad: Mask, *, gate: str, expected: str, found: str) -> None:
        """Raise GateError naming the rows that have one of the bad footprints."""
        if is_bad.any():
            rows = self.row_ids.filter(pa.array(is_bad).take(self.of_row))
            raise _refused(gate, self.where, expected, rows, found)

    def refuse_misplaced(self, geographic: Shapes, operation: Operation) -> None:
        for fault in misplaced(geographic, operation.source):
            self.refuse(fault.shapes, gate="geometry_finite", expected=fault.rule, found="coordinates elsewhere")

    def repair(self, projected: Shapes) -> Repaired:
        """Return the footprints made valid, or refuse those not finite, vanishing or changed too much."""
        is_finite: Mask = np.all(np.isfinite(shapely.bounds(projected)), axis=1)
        self.refuse(
            ~is_finite,
            gate="geometry_finite",
            expected=f"finite coordinates in {CANONICAL_CRS}",
            found="infinite coordinates",
        )
        repair = repaired(projected)
        self.refuse(
            shapely.is_empty(repair.shapes),
            gate="geometry_present",
            expected="footprints with an area",
            found="footprints that vanish when they are made valid",
        )
        self.refuse(
            repair.relative_change > float(REPAIR_LIMIT),
            gate="geometry_repair_bounded",
            expected=f"valid footprints, or a repair that changes the area by {REPAIR_LIMIT:%} at most",
            found=f"a change of {_largest(repair.relative_change):.3%}",
        )
        return repair

    def replaced_in(self, table: pa.Table, wkb: list[bytes], area_ha: Areas) -> pa.Table:
        geometry = pa.array(wkb, pa.binary()).take(self.of_row)
        table = table.set_column(table.column_names.index("geometry"), "geometry", geometry)
        return table.append_column("area_ha", pa.array(area_ha, pa.float64()).take(self.of_row))


def _canonical_units(column: pa.ChunkedArray, where: str) -> pa.ChunkedArray:
    canonical: dict[str | None, str] = {}
    for text in column.unique().to_pylist():
        try:
            canonical[text] = canonical_unit(text or "")
        except ContractError as error:
            raise GateError(
                "unit is refused",
                gate="units_known",
                where=f"{where}, {error.where}",
                expected=error.expected,
                found=error.found,
                remedy=error.remedy,
            ) from error
    return pa.chunked_array([pa.array([canonical[text] for text in column.to_pylist()], pa.string())])


def _operation_evidence(operation: Operation, crs: str) -> dict[str, str]:
    return {
        "crs_source": crs,
        "crs_target": CANONICAL_CRS,
        "crs_operation": operation.name,
        "crs_operation_accuracy_m": repr(operation.accuracy_m),
        "max_edge_source_units": repr(operation.max_edge),
    }


def _repair_evidence(repair: Repaired) -> dict[str, str]:
    return {
        "footprints_repaired": str(int(repair.is_repaired.sum())),
        "repair_area_before_ha": repr(math.fsum(repair.area_before[repair.is_repaired]) / _M2_PER_HA),
        "repair_area_after_ha": repr(math.fsum(repair.area_after[repair.is_repaired]) / _M2_PER_HA),
        "repair_max_relative_change": repr(_largest(repair.relative_change)),
    }


def _area_evidence(area_ha: Areas, geodesic_ha: Areas, of_row: pa.Array) -> dict[str, str]:
    """Compare planar with geodesic areas: over all rows, and at the footprint where they differ most."""
    rows = of_row.to_numpy()
    with np.errstate(invalid="ignore"):  # an area that vanished on both sides is NaN, which the gate refuses
        difference = np.abs(area_ha - geodesic_ha) / np.maximum(area_ha, geodesic_ha)
    return {
        "area_planar_ha": repr(math.fsum(area_ha[rows])),
        "area_geodesic_ha": repr(math.fsum(geodesic_ha[rows])),
        "area_max_relative_difference": repr(_largest(difference)),
    }


def _largest(values: Areas) -> float:
    return float(values.max()) if len(values) else 0.0


def _refused(gate: str, where: str, expected: str, rows: pa.ChunkedArray, found: str) -> GateError:
    return GateError(
        "footprint is refused",
        gate=gate,
        where=where,
        expected=expected,
        found=f"{found} in {len(rows)} row(s): {listed(rows.to_pylist())}",
        remedy="correct the geometry in the boundary file or in the source",
    )
