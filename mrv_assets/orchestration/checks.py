"""Checks that an auditor can launch on their own: they read what is stored and store nothing.

The gates of the assets run before anything is kept; these look again afterwards, at the stored bytes and at the
inventory as a whole.
"""

from dagster import AssetCheckExecutionContext, AssetCheckResult, AssetCheckSeverity, AssetKey, asset_check

from mrv_assets.domain.partition import Asset
from mrv_assets.orchestration.partitions import PARTITIONS, partition_key
from mrv_assets.orchestration.presentation import check_results
from mrv_assets.orchestration.remedies import remedied
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline import audit

_LEDGER = AssetKey(Asset.LEDGER.value)


@asset_check(
    asset=_LEDGER,
    name=audit.STORED_INTACT,
    partitions_def=PARTITIONS,
    description="Are all generations of the partition whole, and every figure the certified one?",
)
def stored_intact(context: AssetCheckExecutionContext, recorder: RunRecorder) -> AssetCheckResult:
    """Read every generation of the partition again and compare it with its seal."""
    with remedied(0):
        return check_results([audit.stored_intact(recorder.run.world, partition_key(context.partition_key))])[0]


@asset_check(
    asset=_LEDGER,
    name=audit.INVENTORY_COMPLETE,
    partitions_def=PARTITIONS,
    description="Does every project of the inventory report this period?",
)
def inventory_complete(context: AssetCheckExecutionContext, recorder: RunRecorder) -> AssetCheckResult:
    """Name the projects whose figure the inventory still lacks for this period.

    A warning, because nothing is wrong with this partition: the total of the period is not one yet.
    """
    with remedied(0):
        outcome = audit.inventory_complete(recorder.run.world, partition_key(context.partition_key))
    return check_results([outcome])[0]._replace(severity=AssetCheckSeverity.WARN)


@asset_check(
    asset=AssetKey(Asset.CERTIFICATE.value),
    name=audit.EVERY_GATE_PASSED,
    partitions_def=PARTITIONS,
    description="Has what the certificate rests on passed every gate that there is for it?",
)
def every_gate_passed(context: AssetCheckExecutionContext, recorder: RunRecorder) -> AssetCheckResult:
    """Read the outcomes that are sealed with what is current, from activity to certificate.

    A backfill that reports in summary writes this one check for each partition instead of one for each gate.
    """
    with remedied(0):
        return check_results([audit.every_gate_passed(recorder.run.world, partition_key(context.partition_key))])[0]


@asset_check(
    asset=_LEDGER,
    name=audit.REPORTED_IN_TIME,
    partitions_def=PARTITIONS,
    description="Is the period reported by the day that its project names?",
)
def reported_in_time(context: AssetCheckExecutionContext, recorder: RunRecorder) -> AssetCheckResult:
    """Compare the calendar with the ledger. A warning: no stored figure is wrong because another one is late."""
    with remedied(0):
        outcome = audit.reported_in_time(recorder.run.world, partition_key(context.partition_key))
    return check_results([outcome])[0]._replace(severity=AssetCheckSeverity.WARN)


CHECKS = [every_gate_passed, stored_intact, inventory_complete, reported_in_time]
