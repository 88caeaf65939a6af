"""An unpacked kit as a world: its reference data, deliveries and sealed contents, in memory.

What does not belong here: checking the files against the manifest, which comes before any code of a kit is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from obstore.store import MemoryStore

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.kit_disclosed import read_disclosed
from mrv_assets.pipeline.kit_evidence import LEDGER, LEDGER_RECORD, RECORD, STATEMENT, stated_path
from mrv_assets.pipeline.kit_inputs import LANDING, REFERENCE
from mrv_assets.pipeline.world import World, utc_now
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.obstore_store import ObstoreStore
from mrv_assets.storage.slot_paths import record_key

_BLOBS = "blobs/"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenKit:
    """The world of a kit and the record of its certificate; `ledger` that of its figure, None when not reported.

    `shown` are Parquet bytes of the tables that the kit shows without some columns, each proven to be the sealed one.
    """

    world: World
    record: GenerationRecord
    ledger: GenerationRecord | None
    shown: Mapping[Asset, bytes]


def open_kit(files: Mapping[str, bytes]) -> OpenKit:
    """Open the files of a kit.

    Raises ContractError for one that is missing, BrokenChain for one that is no record, DigestMismatch for a table that
    is shown in part and is not the sealed one.
    """
    record = GenerationRecord.from_bytes(_file(files, RECORD), where=RECORD)
    kept = {key: data for key, data in files.items() if key.startswith(_BLOBS)}
    kept |= {blob_key(record.blob): _file(files, STATEMENT), record_key(record.slot, record.generation): files[RECORD]}
    shown: dict[Asset, bytes] = {}
    for ref in record.upstream:
        path = stated_path(ref.slot.asset)
        stated = GenerationRecord.from_stated(_file(files, path), where=path)
        kept[record_key(ref.slot, ref.generation)] = replace(stated, generation=ref.generation).to_bytes()
        table = read_disclosed(files, stated)
        if table is not None:
            shown[ref.slot.asset] = table
    ledger = GenerationRecord.from_bytes(files[LEDGER_RECORD], where=LEDGER_RECORD) if LEDGER_RECORD in files else None
    if ledger is not None:
        kept |= {blob_key(ledger.blob): _file(files, LEDGER)}
    world = World.over(
        store=_store(kept, "evidence"),
        references=_store(_below(files, REFERENCE), "reference"),
        landing=_store(_below(files, LANDING), "landing"),
        clock=utc_now,
    )
    return OpenKit(world=world, record=record, ledger=ledger, shown=shown)


def _below(files: Mapping[str, bytes], folder: str) -> dict[str, bytes]:
    return {path.removeprefix(folder): data for path, data in files.items() if path.startswith(folder)}


def _store(files: Mapping[str, bytes], name: str) -> ObstoreStore:
    store = ObstoreStore(MemoryStore(), uri=f"memory://{name}")
    for key, data in files.items():
        store.replace(key, data)
    return store


def _file(files: Mapping[str, bytes], path: str) -> bytes:
    if path in files:
        return files[path]
    raise ContractError(
        "file of the kit is missing",
        where=path,
        expected="every member that the manifest names",
        found="no file",
        remedy="unpack the kit anew",
    )
