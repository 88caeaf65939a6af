"""Small drafts, slots and events with real digests, for the tests of the storage room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa

from mrv_assets.domain.contract import CONTRACTS
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord, InputRef
from mrv_assets.domain.lineage import LineageEvent, Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.storage.blobs import PARQUET
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.parquet import to_parquet
from mrv_assets.storage.slots import Draft, SlotStore

KEY = PartitionKey(project_id="metc-anoka", period="2021", factor_version="mrow-2024.02.01")
SLOT = Slot.of(Asset.AGGREGATED, KEY)
_CONTRACTS = {contract.asset: contract for contract in CONTRACTS}
PASSED = GateOutcome(gate="rows_present", passed=True, observed="1 row", limit="at least 1")
RED = GateOutcome(gate="finite", passed=False, observed="NaN", limit="finite", remedy="correct the source")


def clock() -> datetime:
    """Return one instant, always the same."""
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def no_pause(_: float) -> None:
    """Do not wait between attempts."""


def slot_store(store: ObjectStore) -> SlotStore:
    """Return the slots of a store, with a stopped clock and no waiting."""
    return SlotStore(store, clock, pause=no_pause)


def table(value: str, *, asset: Asset = SLOT.asset) -> pa.Table:
    """Return a table of one row in the contract of `asset`, whose text cells say `value`."""
    contract = _CONTRACTS[asset]
    filler: dict[pa.DataType, object] = {pa.string(): value, pa.binary(): b"", pa.int64(): 1, pa.float64(): 1.0}
    cells = {c.name: pa.array([filler.get(c.type, Decimal(1))], c.type) for c in contract.columns}
    return pa.table(cells, schema=contract.schema)


def draft(
    value: str = "first",
    *,
    slot: Slot = SLOT,
    expected: GenerationRecord | None = None,
    gates: Sequence[GateOutcome] = (PASSED,),
    run_id: str = "run-1",
) -> Draft:
    """Return a draft whose content says `value`."""
    content = table(value, asset=slot.asset)
    return Draft(
        slot=slot,
        content=to_parquet(content),
        media_type=PARQUET,
        content_digest=_CONTRACTS[slot.asset].digest(content),
        rows=content.num_rows,
        inputs_digest=sha256_hex(value.encode()),
        inputs=(InputRef(kind="source", name="electricity.csv", digest=sha256_hex(b"source")),),
        upstream=(),
        pins={"contract": "mrv-aggregated-1.0.0"},
        evidence={"rows": "1"},
        gates=gates,
        reason="inputs changed",
        run_id=run_id,
        expected=expected,
    )


def commit_versions(store: ObjectStore, *values: str, slot: Slot = SLOT) -> GenerationRecord:
    """Commit one generation per value and return the last."""
    slots = slot_store(store)
    record = None
    for value in values:
        record = slots.commit(draft(value, slot=slot, expected=record)).record
    assert record is not None
    return record


def event(run_id: str = "run-1", *, generation: int = 1) -> LineageEvent:
    """Return the event of one committed generation."""
    return LineageEvent(
        outcome=Outcome.COMMITTED,
        slot=SLOT,
        factor_version=KEY.factor_version,
        generation=generation,
        content_digest=sha256_hex(b"content"),
        record_sha256=sha256_hex(b"record"),
        inputs_digest=sha256_hex(b"inputs"),
        inputs={"factored": sha256_hex(b"factored")},
        reason="inputs changed",
        run_id=run_id,
        occurred_utc="2026-01-02T03:04:05.000000+00:00",
    )


def other_project(project_id: str, *, asset: Asset = Asset.ACTIVITY) -> Slot:
    """Return the slot of `asset` for another project, same period and factor version."""
    return Slot.of(asset, replace(KEY, project_id=project_id))
