"""The jobs: one partition from activity to ledger, and the audit of one partition."""

from dagster import AssetSelection, define_asset_job

from mrv_assets.orchestration.assets import ASSETS
from mrv_assets.orchestration.checks import CHECKS

REPORT_PARTITION = "report_partition"
AUDIT_PARTITION = "audit_partition"

_audit = AssetSelection.checks(*CHECKS)

report_partition = define_asset_job(
    REPORT_PARTITION,
    selection=AssetSelection.assets(*ASSETS) - _audit,
    description="Carry partitions from activity to the ledger. What is unchanged is skipped; nothing is overwritten.",
)
audit_partition = define_asset_job(
    AUDIT_PARTITION,
    selection=_audit,
    description="Read what is stored for a partition again and compare it with its seals. Stores nothing.",
)
JOBS = [report_partition, audit_partition]
