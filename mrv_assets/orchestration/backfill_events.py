"""What Dagster is told of the partitions of a bulk backfill: materialisations and checks, with the true data version.

The store is the truth and the event log a view of it: what Dagster does not know yet is told, whoever committed it, and
what it knows is not told again. What does not belong here: the events of a partition's own run (assets).
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from dagster import (
    AssetCheckEvaluation,
    AssetKey,
    AssetMaterialization,
    DagsterEventType,
    DagsterInstance,
)
from dagster._core.definitions.data_version import (
    CODE_VERSION_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    get_input_data_version_tag,
)

from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.orchestration.backfill_config import Events
from mrv_assets.orchestration.partitions import dagster_key
from mrv_assets.orchestration.presentation import check_results, kept_metadata, partition_metadata
from mrv_assets.pipeline.audit import every_gate_passed
from mrv_assets.pipeline.backfill import Walked
from mrv_assets.pipeline.run import Kept
from mrv_assets.pipeline.world import World

Told: TypeAlias = AssetMaterialization | AssetCheckEvaluation


class Reporter:
    """Tells of partitions what Dagster does not know: asked once for a chunk what it knows."""

    def __init__(self, instance: DagsterInstance, world: World, keys: Sequence[PartitionKey]) -> None:
        """Ask which data version Dagster has for each asset of these partitions."""
        names = [str(dagster_key(key)) for key in keys]
        self._world = world
        self._known = {
            asset: instance.event_log_storage.get_latest_tags_by_partition(
                AssetKey(asset.value),
                DagsterEventType.ASSET_MATERIALIZATION,
                [DATA_VERSION_TAG],
                asset_partitions=names,
            )
            for asset in Asset
        }

    def events(self, walked: Walked, events: Events) -> Iterator[Told]:
        """Yield what is to be told of a partition: of what is new, and of every asset that has a red gate."""
        is_new = False
        for stage in walked.stages:
            if stage.kept is None:
                yield from _checks(walked.key, stage.asset, stage.gates)
            elif self._is_news(walked.key, stage.kept):
                is_new = True
                yield self._materialization(walked.key, stage.kept)
                if events is Events.EVERY_GATE:
                    yield from _checks(walked.key, stage.asset, stage.gates)
        if is_new and events is Events.SUMMARY and _has_certificate(walked):
            yield from _checks(walked.key, Asset.CERTIFICATE, [every_gate_passed(self._world, walked.key)])

    def _is_news(self, key: PartitionKey, kept: Kept) -> bool:
        if kept.record is None:
            return False
        if kept.outcome is Outcome.COMMITTED:
            return True
        known = self._known[kept.asset].get(str(dagster_key(key)), {}).get(DATA_VERSION_TAG)
        if known == kept.record.content_digest:
            return False
        # What was skipped may have been replaced since it was listed, and then Dagster knows the newer one.
        self._world.slots.refresh(kept.record.slot)
        return self._world.slots.newest(kept.record.slot) == kept.record.generation

    def _materialization(self, key: PartitionKey, kept: Kept) -> AssetMaterialization:
        return AssetMaterialization(
            asset_key=AssetKey(kept.asset.value),
            partition=dagster_key(key),
            metadata=partition_metadata(key) | kept_metadata(kept),
            tags=_tags(kept.record) if kept.record else None,
        )


def _tags(record: GenerationRecord) -> dict[str, str]:
    return {
        DATA_VERSION_TAG: record.content_digest,
        DATA_VERSION_IS_USER_PROVIDED_TAG: "true",
        CODE_VERSION_TAG: record.pins["code"],
        **{
            get_input_data_version_tag(AssetKey(ref.slot.asset.value)): ref.content_digest
            for ref in record.upstream[-1:]
        },
    }


def _checks(key: PartitionKey, asset: Asset, gates: Sequence[GateOutcome]) -> Iterator[AssetCheckEvaluation]:
    for result in check_results(gates):
        yield AssetCheckEvaluation(
            asset_key=AssetKey(asset.value),
            check_name=str(result.check_name),
            passed=result.passed,
            metadata=result.metadata,
            description=result.description,
            severity=result.severity,
            partition=dagster_key(key),
        )


def _has_certificate(walked: Walked) -> bool:
    return any(stage.asset is Asset.CERTIFICATE and stage.kept is not None for stage in walked.stages)
