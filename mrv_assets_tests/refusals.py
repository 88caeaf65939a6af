"""The table of defects: which source file, which asset refuses it, which gate is red.

Shared by the tests that walk the pipeline and those that launch Dagster runs, so that both know the same defects.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets_tests.world import committed_references, project_toml

DEFECTS = Path(__file__).parent / "defects"
KEY = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-2024.06.24")


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """A source file in `defects/` that lacks one thing, and the gate of the asset that must say so."""

    name: str
    asset: Asset
    gate: str
    declared_crs: str | None = "EPSG:4269"

    @property
    def source(self) -> bytes:
        """The bytes of the defective source file."""
        return (DEFECTS / f"{self.name}.csv").read_bytes()


SOUND_SOURCE = (DEFECTS / "sound.csv").read_bytes()

REFUSALS = (
    Defect(name="null_quantity", asset=Asset.ACTIVITY, gate="quantity_valid"),
    Defect(name="nan_quantity", asset=Asset.ACTIVITY, gate="quantity_valid"),
    Defect(name="infinite_quantity", asset=Asset.ACTIVITY, gate="quantity_valid"),
    Defect(name="negative_quantity", asset=Asset.ACTIVITY, gate="quantity_valid"),
    Defect(name="unmatched_activity", asset=Asset.FACTORED, gate="factors_matched"),
    Defect(name="untagged_crs", asset=Asset.ACTIVITY, gate="crs_declared", declared_crs=None),
    Defect(name="missing_column", asset=Asset.ACTIVITY, gate="columns_present"),
    Defect(name="duplicate_row_id", asset=Asset.ACTIVITY, gate="row_ids_unique"),
    Defect(name="header_only", asset=Asset.ACTIVITY, gate="rows_present"),
    Defect(name="empty_file", asset=Asset.ACTIVITY, gate="columns_present"),
)


def references(*, declared_crs: str | None = "EPSG:4269") -> dict[str, bytes]:
    """Return reference data with the one project that the defective files are for."""
    return committed_references() | {
        "projects/anoka.toml": project_toml(
            KEY.project_id,
            where={"county_fips": "27003"},
            columns={name: name for name in ("row_id", "epoch", "activity_id", "activity_qty")},
            constants={"unit": "MWh", "region": "US/MROW"},
            declared_crs=declared_crs,
        )
    }
