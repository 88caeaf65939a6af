"""A forger who knows the format: rewrites tables, pins and totals, and hashes everything that rests on them anew.

What does not belong here: changes that leave a digest wrong (tampering).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa

from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.contract import contract_of
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.subject import Subject
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import JSON, PARQUET, blob_key, blob_ref
from mrv_assets.storage.parquet import to_parquet
from mrv_assets.storage.slot_paths import record_key

TABLES = (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED)
Edit = Callable[[pa.Table], pa.Table]


def forge(
    world: World,
    key: PartitionKey,
    *,
    tables: Mapping[Asset, Edit] | None = None,
    pins: Mapping[Asset, Mapping[str, str]] | None = None,
    totals: Totals | None = None,
) -> GenerationRecord:
    """Rewrite what is current of a partition, in its place; return the record of the certificate, all of it in step."""
    chain: list[GenerationRecord] = []
    for asset in TABLES:
        before = current(world, asset, key)
        record = replace(before, pins={**before.pins, **(pins or {}).get(asset, {})})
        if asset in (tables or {}):
            table = (tables or {})[asset](world.slots.load_table(before))
            digest = contract_of(asset, record.pins["contract"]).digest(table)
            record = replace(record, content_digest=digest, **_kept(world, to_parquet(table), PARQUET))
        chain.append(_rewritten(world, record, chain))
    before = current(world, Asset.CERTIFICATE, key)
    sealed = Certificate.from_bytes(world.slots.load_bytes(before), where="before it was forged")
    forged = replace(sealed, subjects=[Subject.of(record) for record in chain], totals=totals or sealed.totals)
    kept = _kept(world, forged.to_bytes(), JSON)
    return _rewritten(world, replace(before, content_digest=forged.sha256, **kept), chain)


def current(world: World, asset: Asset, key: PartitionKey) -> GenerationRecord:
    """Return the current generation of an asset, which is there."""
    record = world.slots.current(Slot.of(asset, key))
    assert record is not None
    return record


def with_cell(column: str, row: int, value: object) -> Edit:
    """Return the edit that puts a value into one cell."""

    def edit(table: pa.Table) -> pa.Table:
        values = table.column(column).to_pylist()
        values[row] = value
        number = table.schema.get_field_index(column)
        return table.set_column(number, table.schema.field(column), pa.array(values, table.schema.field(column).type))

    return edit


def one_tonne_more(totals: Totals) -> Totals:
    """Return totals with one more tonne of emissions."""
    return replace(totals, emissions_tco2e=totals.emissions_tco2e + Decimal(1))


def _kept(world: World, data: bytes, media_type: str) -> dict[str, Any]:
    ref = blob_ref(data, media_type)
    world.store.replace(blob_key(ref), data)
    return {"blob": ref}


def _rewritten(world: World, record: GenerationRecord, chain: list[GenerationRecord]) -> GenerationRecord:
    """Put the record in its place, naming the forged contents that it rests on."""
    digests = {one.slot: one.content_digest for one in chain}
    upstream = tuple(replace(ref, content_digest=digests.get(ref.slot, ref.content_digest)) for ref in record.upstream)
    record = replace(record, upstream=upstream)
    world.store.replace(record_key(record.slot, record.generation), record.to_bytes())
    return record
