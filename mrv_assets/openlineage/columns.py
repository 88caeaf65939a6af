"""The columns of a generation as OpenLineage facets: what they are, and from which columns they were made.

What does not belong here: the declarations (domain.contract, stages.derivations).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from openlineage.client.event_v2 import Dataset
from openlineage.client.facet_v2 import DatasetFacet, column_lineage_dataset, schema_dataset

from mrv_assets.domain.contract import CONTRACTS, Column, contract_of
from mrv_assets.domain.generation import GenerationRecord, InputRef, UpstreamRef
from mrv_assets.domain.partition import Asset
from mrv_assets.openlineage.identity import PRODUCER, dataset_name
from mrv_assets.stages.derivations import DERIVES, ROWS, Origin

_TABLES = frozenset(contract.asset for contract in CONTRACTS)


def column_facets(
    record: GenerationRecord, read: Iterable[InputRef | UpstreamRef], *, namespace: str
) -> dict[str, DatasetFacet]:
    """Return the schema of a table and where the columns of its content came from; `read` is what the run consumed.

    A certificate is a document: it has no schema, and the figures that it states stand for its columns.
    """
    asset = record.slot.asset
    columns = contract_of(asset, record.pins.get("contract")).columns if asset in _TABLES else ()
    names = [column.name for column in columns] or list(DERIVES[asset])
    lineage = _lineage(record, names, _datasets(read), namespace=namespace)
    return {**({"schema": _schema(columns)} if columns else {}), "columnLineage": lineage}


def _schema(columns: Iterable[Column]) -> schema_dataset.SchemaDatasetFacet:
    fields = [
        schema_dataset.SchemaDatasetFacetFields(
            name=column.name,
            type=str(column.type),
            description=f"{column.meaning} [{column.unit}]" if column.unit else column.meaning,
            ordinal_position=number,
        )
        for number, column in enumerate(columns, start=1)
    ]
    return schema_dataset.SchemaDatasetFacet(fields=fields, producer=PRODUCER)


def _datasets(read: Iterable[InputRef | UpstreamRef]) -> dict[Asset | str, str]:
    """Return the name of the dataset of each asset and each kind of input."""
    return {ref.kind if isinstance(ref, InputRef) else ref.slot.asset: dataset_name(ref) for ref in read}


def _lineage(
    record: GenerationRecord, names: Iterable[str], read: Mapping[Asset | str, str], *, namespace: str
) -> column_lineage_dataset.ColumnLineageDatasetFacet:
    def inputs(origins: Iterable[Origin]) -> list[column_lineage_dataset.InputField]:
        held = [o for o in origins if o.of in read and (o.when is None or o.when.holds(record.evidence))]
        return [_input(origin, Dataset(namespace=namespace, name=read[origin.of])) for origin in held]

    asset = record.slot.asset
    return column_lineage_dataset.ColumnLineageDatasetFacet(
        fields={name: column_lineage_dataset.Fields(inputFields=inputs(DERIVES[asset][name])) for name in names},
        dataset=inputs(ROWS[asset]),
        producer=PRODUCER,
    )


def _input(origin: Origin, dataset: Dataset) -> column_lineage_dataset.InputField:
    transformation = column_lineage_dataset.Transformation(
        type="DIRECT" if origin.kind.is_direct else "INDIRECT",
        subtype=origin.kind.value,
        description=origin.description or None,
        masking=origin.masking,
    )
    return column_lineage_dataset.InputField(
        namespace=dataset.namespace, name=dataset.name, field=origin.column, transformations=[transformation]
    )
