"""Making a certified partition again in a scratch world, by the platform's own stages, from what the certificate pins.

The scratch world has a store of its own in memory, so nothing is written to the store under examination. What does not
belong here: comparing (compared) and what may be made at all (reperform).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter

from obstore.store import MemoryStore

from mrv_assets.domain.certificate import Totals
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.generation import BlobRef, GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.pipeline.recipes import recipe
from mrv_assets.pipeline.run import Planned, Run
from mrv_assets.pipeline.sealed import Sealed
from mrv_assets.pipeline.world import World
from mrv_assets.stages.certify import totals_of
from mrv_assets.storage.blobs import PARQUET, blob_key, blob_ref, load_blob
from mrv_assets.storage.journal import Journal
from mrv_assets.storage.obstore_store import ObstoreStore
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.storage.slots import SlotStore

CERTIFIED = (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED, Asset.CERTIFICATE)
"""What a certificate is made by, in order, the certificate itself last."""

_RUN = "reperform"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remade:
    """The records of what was made again by asset, and why an asset was not. `world` holds the contents."""

    world: World
    records: Mapping[Asset, GenerationRecord]
    not_made: Mapping[Asset, str]
    refused: Mapping[Asset, Refusal]

    @property
    def totals(self) -> Totals | None:
        """The totals of the strata that were made again, None where none were."""
        record = self.records.get(Asset.AGGREGATED)
        return None if record is None else totals_of(self.world.slots.load_table(record))


def scratch_world(world: World) -> World:
    """Return a world with the same reference data, landing folder and clock over an empty store in memory."""
    store = ObstoreStore(MemoryStore(), uri="memory://reperform")
    return replace(world, store=store, slots=SlotStore(store, world.clock), journal=Journal(store, world.clock))


def remake(
    world: World, sealed: Sealed, *, not_made: Mapping[Asset, str], shown: Mapping[Asset, bytes] | None = None
) -> Remade:
    """Make every asset of a certificate again but those of `not_made`, which says why for each.

    Where what follows needs it, an asset that is not made is taken as it was sealed; `shown` are Parquet bytes to take
    instead, of tables that are shown without some columns. A refusal of a stage ends it and is told, not raised. Raises
    Tampering when a sealed content that is needed is gone or another one.
    """
    scratch, shown = scratch_world(world), shown or {}
    run, key = Run(scratch, run_id=_RUN), sealed.certificate.key
    records: dict[Asset, GenerationRecord] = {}
    told, refused = dict(not_made), dict[Asset, Refusal]()
    for asset in CERTIFIED:
        if asset in sealed.chain and asset in not_made:
            _take(world, scratch, sealed.chain[asset], shown.get(asset))
        if asset in told:
            continue
        if refused:
            told[asset] = f"{next(iter(refused))} was refused"
            continue
        try:
            records[asset] = _made(run, asset, key)
        except Refusal as refusal:
            refused[asset] = refusal
    return Remade(world=scratch, records=records, not_made=told, refused=refused)


def _made(run: Run, asset: Asset, key: PartitionKey) -> GenerationRecord:
    """Make an asset and keep it in the scratch world. A factor release that was withdrawn since is no obstacle."""
    started = perf_counter()
    work = replace(recipe(asset)(run.world, key), refusal=None)
    record = run.keep(run.make(Planned(work=work, current=None, skip=None, started=started))).record
    if record is None:
        raise AssertionError(f"{asset} was neither kept nor refused")
    return record


def _take(world: World, scratch: World, record: GenerationRecord, shown: bytes | None) -> None:
    """Put a sealed generation into the scratch world, as generation 1 of its slot."""
    where = f"{record.slot}, generation {record.generation}"
    if shown is None:
        contents = {ref: load_blob(world.store, ref, where=where) for ref in record.blobs}
        main = record.blob
    else:
        main = blob_ref(shown, PARQUET)
        contents = {main: shown}
    for ref, data in contents.items():
        scratch.store.replace(blob_key(ref), data)
    scratch.store.replace(record_key(record.slot, 1), _first(record, main).to_bytes())


def _first(record: GenerationRecord, blob: BlobRef) -> GenerationRecord:
    upstream = tuple(replace(ref, generation=1) for ref in record.upstream)
    return replace(record, generation=1, prev=None, upstream=upstream, blob=blob)
