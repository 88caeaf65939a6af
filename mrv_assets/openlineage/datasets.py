"""What a run read and wrote, as OpenLineage datasets of the namespace that is the store's URI.

A generation has the version `<number>-<content digest>`, an input from outside its digest, so that what one run wrote
and another read is one version of one dataset. What does not belong here: runs and jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from openlineage.client.event_v2 import InputDataset, OutputDataset
from openlineage.client.facet_v2 import (
    DatasetFacet,
    data_quality_assertions_dataset,
    dataset_type_dataset,
    dataset_version_dataset,
    datasource_dataset,
    lifecycle_state_change_dataset,
    output_statistics_output_dataset,
    storage_dataset,
)

from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord, InputRef, UpstreamRef, consumed_ref
from mrv_assets.domain.lineage import CONTENT_UNCHANGED, LineageEvent, Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.openlineage.columns import column_facets
from mrv_assets.openlineage.facets import MrvSourceDatasetFacet
from mrv_assets.openlineage.identity import PRODUCER, dataset_name, generation_version
from mrv_assets.stages.derivations import SOURCE

Records: TypeAlias = Callable[[Slot, int], GenerationRecord]
"""How a record is had by slot and generation. It may raise what `SlotStore.record` raises."""

_CHANGE = lifecycle_state_change_dataset.LifecycleStateChange


def read_by(event: LineageEvent) -> tuple[InputRef | UpstreamRef, ...]:
    """Return what the stage consumed, in the order of the journal; nothing where it was refused before it read."""
    return tuple(consumed_ref(name, digest) for name, digest in sorted(event.inputs.items()))


def inputs_of(event: LineageEvent, records: Records, *, namespace: str) -> list[InputDataset]:
    """Return the inputs, each with its version; a generation also with the gates that it has passed."""
    return [
        _external(ref, event, namespace) if isinstance(ref, InputRef) else _upstream(ref, records, namespace)
        for ref in read_by(event)
    ]


def outputs_of(event: LineageEvent, records: Records, *, namespace: str) -> list[OutputDataset]:
    """Return the generation that these inputs lead to: what was committed, or what a skip left in place.

    Nothing for a refusal, and nothing for a figure that is held: what is reported then was made from other inputs.
    """
    if event.outcome is Outcome.REFUSED or event.generation is None:
        return []
    record = records(event.slot, event.generation)
    is_commit = event.outcome is Outcome.COMMITTED
    if not is_commit and record.inputs_digest != event.inputs_digest and not event.reason.startswith(CONTENT_UNCHANGED):
        return []
    facets = {
        "version": _version(generation_version(record.generation, record.content_digest)),
        "datasetType": _type("FILE" if event.asset is Asset.CERTIFICATE else "TABLE"),
        "storage": _storage(record),
        **column_facets(record, read_by(event), namespace=namespace),
        **({"lifecycleStateChange": _change(record)} if is_commit else {}),
    }
    written = {"outputStatistics": _statistics(record)} if is_commit else {}
    return [OutputDataset(namespace=namespace, name=dataset_name(record.slot), facets=facets, outputFacets={**written})]


def assertions_of(gates: Iterable[GateOutcome]) -> list[data_quality_assertions_dataset.Assertion]:
    """Return each gate as an assertion: its name, whether it passed, what was expected and what was found."""
    return [
        data_quality_assertions_dataset.Assertion(
            assertion=gate.gate,
            name=gate.gate,
            success=gate.passed,
            severity="error",
            expected=gate.limit,
            actual=gate.observed,
            params={name: str(value) for name, value in sorted(gate.metrics.items())},
        )
        for gate in gates
    ]


def _upstream(ref: UpstreamRef, records: Records, namespace: str) -> InputDataset:
    gates: Sequence[GateOutcome] = records(ref.slot, ref.generation).gates
    told = data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet(
        assertions=assertions_of(gates), producer=PRODUCER
    )
    facets: dict[str, DatasetFacet] = {
        "version": _version(generation_version(ref.generation, ref.content_digest)),
        "datasetType": _type("FILE" if ref.slot.asset is Asset.CERTIFICATE else "TABLE"),
    }
    return InputDataset(
        namespace=namespace,
        name=dataset_name(ref),
        facets=facets,
        inputFacets={"dataQualityAssertions": told},
    )


def _external(ref: InputRef, event: LineageEvent, namespace: str) -> InputDataset:
    facets: dict[str, DatasetFacet] = {"version": _version(ref.digest), "datasetType": _type("FILE")}
    if ref.kind == SOURCE and event.source:
        uri = event.source.get("source_uri")
        facets["dataSource"] = datasource_dataset.DatasourceDatasetFacet(name=ref.name, uri=uri, producer=PRODUCER)
        identity = dict(sorted(event.source.items()))
        facets["mrv_source"] = MrvSourceDatasetFacet(identity=identity, producer=PRODUCER)
    return InputDataset(namespace=namespace, name=dataset_name(ref), facets=facets)


def _version(text: str) -> dataset_version_dataset.DatasetVersionDatasetFacet:
    return dataset_version_dataset.DatasetVersionDatasetFacet(datasetVersion=text, producer=PRODUCER)


def _type(name: str) -> dataset_type_dataset.DatasetTypeDatasetFacet:
    return dataset_type_dataset.DatasetTypeDatasetFacet(datasetType=name, producer=PRODUCER)


def _storage(record: GenerationRecord) -> storage_dataset.StorageDatasetFacet:
    layout = "json" if record.slot.asset is Asset.CERTIFICATE else "parquet"
    return storage_dataset.StorageDatasetFacet(storageLayer="mrv", fileFormat=layout, producer=PRODUCER)


def _change(record: GenerationRecord) -> lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet:
    change = _CHANGE.CREATE if record.generation == 1 else _CHANGE.OVERWRITE
    return lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
        lifecycleStateChange=change, producer=PRODUCER
    )


def _statistics(record: GenerationRecord) -> output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet:
    return output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
        rowCount=record.rows,
        size=sum(blob.size for blob in record.blobs),
        fileCount=len(record.blobs),
        producer=PRODUCER,
    )
