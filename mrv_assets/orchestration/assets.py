"""The five assets and the ledger: one factory, because they differ in nothing but their recipe.

Gates come before the swap. The body plans, makes and judges, reports every gate as a check result, and hands the
content to the IO manager only when all have passed; a red gate fails the step for good, and nothing is stored.
"""

from collections.abc import Iterator

from dagster import (
    AssetCheckResult,
    AssetCheckSpec,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    DataVersion,
    MaterializeResult,
    asset,
)
from dagster._core.definitions.metadata import RawMetadataValue

from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.partition import Asset
from mrv_assets.orchestration.partitions import PARTITIONS, the_partition
from mrv_assets.orchestration.presentation import assessment_metadata, check_results
from mrv_assets.orchestration.remedies import failure, remedied
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline.recipes import UPSTREAM, stage_code
from mrv_assets.pipeline.run import Judged, Planned

FOOTPRINTS = "footprints"
"""The pool of what places footprints: polygons in memory, on all cores. `dagster.yaml` limits the runs that hold it."""

FORCE_TAG = "mrv/force"
"""Run tag whose value `true` recomputes even what is unchanged."""

_DESCRIPTIONS = {
    Asset.ACTIVITY: "Activity rows of one project and period, as the source gave them.",
    Asset.NORMALIZED: "Activity rows with valid 2-D footprints in EPSG:6933 and canonical units.",
    Asset.FACTORED: "Activity rows quantified with one pinned factor release, t CO2e, emissions and removals apart.",
    Asset.AGGREGATED: "Exact sums by reporting stratum: activity, region and epoch.",
    Asset.CERTIFICATE: "The sealed statement of the figure and of everything it rests on.",
    Asset.LEDGER: "The reported figure: at most one for each project and period.",
}


def stage_asset(stage: Asset) -> AssetsDefinition:
    """Build the Dagster asset of one stage, with its gates as partitioned checks."""

    @asset(
        name=stage.value,
        description=_DESCRIPTIONS[stage],
        deps=[AssetKey(upstream.value) for upstream in UPSTREAM[stage]],
        partitions_def=PARTITIONS,
        io_manager_key="generations",
        code_version=stage_code(stage),
        pool=FOOTPRINTS if stage is Asset.NORMALIZED else None,
        group_name="mrv",
        kinds={"python"},
        check_specs=[
            AssetCheckSpec(
                gate.name,
                asset=AssetKey(stage.value),
                description=gate.question,
                partitions_def=PARTITIONS,
                blocking=True,
            )
            for gate in GATES[stage]
        ],
    )
    def body(
        context: AssetExecutionContext, recorder: RunRecorder
    ) -> Iterator[AssetCheckResult | MaterializeResult[Judged | Planned]]:
        run = recorder.run
        with remedied(context.retry_number):
            is_forced = context.run.tags.get(FORCE_TAG) == "true"
            planned = run.plan(stage, the_partition(context.partition_keys), force=is_forced)
            judged = None if planned.skip else run.make(planned)
        if judged is None:
            yield _skipped(planned)
        elif judged.red:
            yield from check_results(judged.gates)
            raise failure(run.refuse(judged))
        else:
            yield MaterializeResult(
                value=judged,
                data_version=_data_version(judged),
                check_results=check_results(judged.gates),
                metadata=_assessed(judged),
            )

    return body


def _skipped(planned: Planned) -> MaterializeResult[Judged | Planned]:
    """Report the current generation again, with the gate outcomes that are sealed in its record."""
    record = planned.current
    if record is None:
        raise ValueError("an empty slot is never skipped")
    return MaterializeResult(
        value=planned, data_version=DataVersion(record.content_digest), check_results=check_results(record.gates)
    )


def _assessed(judged: Judged) -> dict[str, RawMetadataValue]:
    """Return what the declared rule sets came to, for a certificate."""
    if judged.staged is None or judged.planned.work.asset is not Asset.CERTIFICATE:
        return {}
    return assessment_metadata(Certificate.from_bytes(judged.staged.document, where=str(judged.planned.work.slot)))


def _data_version(judged: Judged) -> DataVersion:
    """Return the digest of what is current after this: what is held leaves the ledger as it is."""
    current = judged.planned.current
    if judged.planned.work.hold is not None and current is not None:
        return DataVersion(current.content_digest)
    return DataVersion(str(judged.content_digest))


ASSETS = [stage_asset(stage) for stage in Asset]
